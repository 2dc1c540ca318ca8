//! Which files an agent may name: for an upload, and as a place for a new file. Looks at words
//! only; whoever opens files gives real paths, without links.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Component, Path, PathBuf, Prefix};

/// Files that hold credentials, wherever they are.
const CREDENTIALS: [&str; 8] = [
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "shadow",
    "credentials.json",
    "login data",
    "cookies",
    "key4.db",
];
/// Endings of files that hold keys.
const KEYS: [&str; 3] = ["pem", "p8", "key"];
/// Endings of files that tools write.
const WRITTEN: [&str; 9] = ["png", "jpg", "jpeg", "webp", "har", "pdf", "mhtml", "mht", "csv"];
/// Ends of the names of JSON files that tools write: many others are files that programs trust.
const WRITTEN_JSON: [&str; 2] = ["trace.json", "rows.json"];
/// Folders of the system whose files are no files.
const DEVICES: [&str; 3] = ["/proc", "/sys", "/dev"];
/// Names that are devices on Windows, in every folder and with every ending.
const WINDOWS_DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// What for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Bytes of it go to a page.
    Read,
    /// It is made.
    Write,
}

/// Why a file is out of bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Outside these folders.
    Outside(Vec<PathBuf>),
    /// In a hidden folder, or hidden itself.
    Hidden,
    /// Its name is one of a file with credentials.
    Credential,
    /// It is a device, or a file of the system's own.
    Device,
    /// No tool writes files with that ending.
    Ending,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside(folders) => {
                let names: Vec<_> = folders.iter().map(|it| it.display().to_string()).collect();
                write!(f, "it is outside {}", names.join(", "))
            }
            Self::Hidden => f.write_str("hidden files and folders are out of bounds"),
            Self::Credential => f.write_str("it may hold credentials"),
            Self::Device => f.write_str("devices and files of the system are out of bounds"),
            Self::Ending => f.write_str(
                "pictures end with .png, .jpg or .webp, lists of requests with .har, pages with \
                     .pdf or .mhtml, rows with .csv or rows.json, traces with trace.json",
            ),
        }
    }
}

/// The folders that one client's files may be in: real paths, without links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// What the client opened to servers (MCP roots), if it said so; they may all be gone.
    pub roots: Option<Vec<PathBuf>>,
    /// Its working folder; counts when it said no roots.
    pub cwd: Option<PathBuf>,
    /// Where browsers put files.
    pub downloads: Option<PathBuf>,
    /// For files that need not stay.
    pub temp: Option<PathBuf>,
}

impl Bounds {
    /// Roots and downloads; temp for what is written, or where there are no roots.
    pub fn folders(&self, what: Use) -> Vec<&Path> {
        let rootless = self.roots.is_none();
        let mut out: Vec<&Path> = self.roots.iter().flatten().map(PathBuf::as_path).collect();
        out.extend(self.cwd.as_deref().filter(|_| rootless));
        out.extend(self.temp.as_deref().filter(|_| rootless || what == Use::Write));
        out.extend(self.downloads.as_deref());
        out
    }

    /// Whether the file with that real path may be used.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, what: Use, real: &Path) -> Result<(), Refusal> {
        if is_device(real) {
            return Err(Refusal::Device);
        }
        let hidden = |part: Component<'_>| part.as_os_str().to_string_lossy().starts_with('.');
        let folders = self.folders(what);
        let mut inside = folders.iter().filter_map(|it| real.strip_prefix(it).ok()).peekable();
        if inside.peek().is_none() {
            return Err(Refusal::Outside(folders.into_iter().map(Path::to_owned).collect()));
        }
        // A folder that was opened may itself be hidden, or lie in one that is.
        if inside.all(|inner| inner.components().any(hidden)) {
            return Err(Refusal::Hidden);
        }
        let ending = ending(real);
        if CREDENTIALS.contains(&lower(real.file_name()).as_str()) || KEYS.contains(&&*ending) {
            return Err(Refusal::Credential);
        }
        let name = lower(real.file_name());
        let is_json = WRITTEN_JSON.iter().any(|end| name.ends_with(end));
        if what == Use::Write && !is_json && !WRITTEN.contains(&&*ending) {
            return Err(Refusal::Ending);
        }
        Ok(())
    }
}

fn is_device(real: &Path) -> bool {
    if DEVICES.iter().any(|folder| real.starts_with(folder)) {
        return true;
    }
    let is_foreign = |part: Component<'_>| match part {
        Component::Prefix(prefix) => {
            !matches!(prefix.kind(), Prefix::Disk(_) | Prefix::VerbatimDisk(_))
        }
        _ => false,
    };
    let stem = lower(real.file_name()).split('.').next().unwrap_or_default().trim().to_owned();
    let numbered = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_port = numbered.is_some_and(|rest| rest.chars().count() == 1 && rest != "0");
    real.components().any(is_foreign)
        || cfg!(windows) && (is_port || WINDOWS_DEVICES.contains(&stem.as_str()))
}

fn lower(name: Option<&std::ffi::OsStr>) -> String {
    name.map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn ending(path: &Path) -> String {
    lower(path.extension())
}

/// The picture's format by the file's ending.
pub fn picture_format(path: &str) -> Option<&'static str> {
    match ending(Path::new(path)).as_str() {
        "png" => Some("png"),
        "jpg" | "jpeg" => Some("jpeg"),
        "webp" => Some("webp"),
        _ => None,
    }
}

/// A path as it is written, or of a `file:` address.
pub fn local_path(given: &str) -> PathBuf {
    let from_url = || url::Url::parse(given).ok()?.to_file_path().ok();
    let is_url = given.starts_with("file:");
    is_url.then(from_url).flatten().unwrap_or_else(|| PathBuf::from(given))
}

/// One path, a JSON list, or paths on lines of their own.
pub fn paths(value: &str) -> Vec<String> {
    if let Ok(list) = serde_json::from_str::<Vec<String>>(value) {
        return list;
    }
    value.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The files that one call names. A daemon elsewhere gets at no others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    read: BTreeSet<String>,
    write: BTreeSet<String>,
}

impl Named {
    /// Of a call as the agent made it. A tool that is not here names no files.
    pub fn of(tool: &str, args: &Value) -> Self {
        let mut named = Self::default();
        let name = tool.replace('-', "_");
        match name.strip_prefix("browser_").unwrap_or(&name) {
            // Which of its texts is a path is known only when the field is seen.
            "fill" => each_text(args, &mut |text| {
                named.read.extend(paths(text));
                named.read.insert(text.to_owned());
            }),
            "screenshot" | "logs" | "files" | "extract" => {
                let path = args.as_object().into_iter().flatten().filter(|(key, _)| is_path(key));
                named.write.extend(path.filter_map(|(_, value)| value.as_str()).map(str::to_owned));
            }
            _ => {}
        }
        named
    }

    /// Whether the call named that path for that.
    pub fn has(&self, what: Use, path: &str) -> bool {
        match what {
            Use::Read => self.read.contains(path),
            Use::Write => self.write.contains(path),
        }
    }

    /// Nothing is named.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.write.is_empty()
    }
}

/// As agents write `path`.
fn is_path(key: &str) -> bool {
    key.eq_ignore_ascii_case("path")
}

fn each_text(value: &Value, take: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => take(text),
        Value::Array(list) => list.iter().for_each(|item| each_text(item, take)),
        Value::Object(object) => object.values().for_each(|item| each_text(item, take)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests;
