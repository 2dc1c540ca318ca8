//! Files that agents name: what may be read for an upload, and where a picture may be written.
//!
//! Read: regular files, by their real path, under the client's roots (when it has any), its working
//! folder, downloads or temp; never hidden, credential or device files. Written: never over a file.

use crate::failure::{Failure, Outcome};
use crate::tools::Cx;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pillion_core::page_text::quote;
use pillion_wire::code::Code;
use pillion_wire::verb::FileData;
use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};

/// Most bytes of one upload: what a frame can carry as base64 with room to spare.
const UPLOAD_BYTES: u64 = 40 * 1024 * 1024;
/// Files and folders that hold credentials, wherever they are.
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

/// One path, a JSON list, or paths on lines of their own.
pub(crate) fn paths(value: &str) -> Vec<String> {
    if let Ok(list) = serde_json::from_str::<Vec<String>>(value) {
        return list;
    }
    value.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Reads files for an upload.
pub(crate) fn read(cx: &Cx, paths: &[String]) -> Outcome<Vec<FileData>> {
    if paths.is_empty() {
        return Err(Failure::invalid("the value is a path, or a JSON list of paths."));
    }
    let mut left = UPLOAD_BYTES;
    paths.iter().map(|path| read_one(cx, path, &mut left)).collect()
}

fn read_one(cx: &Cx, given: &str, left: &mut u64) -> Outcome<FileData> {
    let missing =
        |_| Failure::new(Code::FileNotFound, format!("there is no file {}.", quote(given)));
    let path = absolute(cx, given).canonicalize().map_err(missing)?;
    allowed(cx, &path, given)?;
    let mut file = std::fs::File::open(&path).map_err(missing)?;
    let facts = file.metadata().map_err(missing)?;
    if !facts.is_file() {
        return Err(not_allowed(given, "it is no regular file"));
    }
    if facts.len() > *left {
        return Err(not_allowed(given, "it is too large to be carried (40 MB in all)"));
    }
    *left -= facts.len();
    let mut bytes = Vec::with_capacity(facts.len() as usize);
    file.read_to_end(&mut bytes).map_err(missing)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(FileData { mime: mime(&name).to_owned(), name, data: STANDARD.encode(bytes) })
}

/// A path for a new file; its folder must be there.
pub(crate) fn writable(cx: &Cx, given: &str) -> Outcome<PathBuf> {
    let path = absolute(cx, given);
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let folder = folder.ok_or_else(|| {
        Failure::new(Code::FileNotFound, format!("there is no folder for {}.", quote(given)))
    })?;
    let name = path.file_name().ok_or_else(|| not_allowed(given, "it names no file"))?;
    let full = folder.join(name);
    allowed(cx, &full, given)?;
    if full.symlink_metadata().is_ok() {
        return Err(not_allowed(given, "there is a file of that name already"));
    }
    Ok(full)
}

/// Writes a new file; one that came meanwhile is not overwritten.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let failed =
        |error: std::io::Error| not_allowed(&path.display().to_string(), &error.to_string());
    let mut file =
        std::fs::OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(bytes).map_err(failed)
}

/// The picture's format by the file's ending.
pub(crate) fn picture_format(path: &str) -> Outcome<String> {
    match Path::new(path)
        .extension()
        .and_then(|e| e.to_str())
        .map(str::to_ascii_lowercase)
        .as_deref()
    {
        Some("png") => Ok("png".to_owned()),
        Some("jpg" | "jpeg") => Ok("jpeg".to_owned()),
        Some("webp") => Ok("webp".to_owned()),
        _ => Err(not_allowed(path, "pictures end with .png, .jpg or .webp")),
    }
}

/// Bytes of a base64 text.
pub(crate) fn decode(data: &str) -> Outcome<Vec<u8>> {
    STANDARD
        .decode(data)
        .map_err(|_| Failure::new(Code::Internal, "the picture came back damaged."))
}

fn absolute(cx: &Cx, given: &str) -> PathBuf {
    let given = given.strip_prefix("file://").unwrap_or(given);
    let path = Path::new(given);
    if path.is_absolute() {
        return path.to_owned();
    }
    let cwd = cx.engine.state().sessions.get(&cx.session).and_then(|session| session.cwd.clone());
    cwd.map_or_else(std::env::temp_dir, PathBuf::from).join(path)
}

fn allowed(cx: &Cx, real: &Path, given: &str) -> Outcome<()> {
    let hidden = |part: Component<'_>| part.as_os_str().to_string_lossy().starts_with('.');
    let roots = roots(cx);
    let Some(root) = roots.iter().find(|root| real.starts_with(root)) else {
        let names: Vec<_> = roots.iter().map(|root| root.display().to_string()).collect();
        return Err(not_allowed(given, &format!("it is outside {}", names.join(", "))));
    };
    let inner = real.strip_prefix(root).unwrap_or(real);
    if inner.components().any(hidden) {
        return Err(not_allowed(given, "hidden files and folders are out of bounds"));
    }
    let name =
        real.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let secret = CREDENTIALS.contains(&name.as_str())
        || name.ends_with(".pem")
        || name.ends_with(".p8")
        || name.ends_with(".key");
    if secret {
        return Err(not_allowed(given, "it may hold credentials"));
    }
    Ok(())
}

/// The client's roots, or its working folder; and downloads and temp.
fn roots(cx: &Cx) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = Vec::new();
    if let Some(session) = cx.engine.state().sessions.get(&cx.session) {
        out.extend(
            session
                .roots
                .iter()
                .map(|root| PathBuf::from(root.strip_prefix("file://").unwrap_or(root))),
        );
        if session.roots.is_empty() {
            out.extend(session.cwd.iter().map(PathBuf::from));
        }
    }
    out.push(std::env::temp_dir());
    if let Some(home) = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")) {
        out.push(Path::new(&home).join("Downloads"));
    }
    out.into_iter().filter_map(|root| root.canonicalize().ok()).collect()
}

fn not_allowed(given: &str, why: &str) -> Failure {
    Failure::new(Code::FileNotAllowed, format!("{}: {why}.", quote(given)))
}

fn mime(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase().as_str() {
        "txt" | "log" | "md" => "text/plain",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "json" => "application/json",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "zip" => "application/zip",
        "xml" => "text/xml",
        "mp4" => "video/mp4",
        "mp3" => "audio/mpeg",
        _ => "application/octet-stream",
    }
}
