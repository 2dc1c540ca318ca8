//! Which browsers are on this machine and where they keep their things. Starts none of them.

use std::path::{Path, PathBuf};

/// Names a browser's program from outside.
pub const BROWSER_ENV: &str = "PILLION_BROWSER";

/// A family of browsers with folders of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowserKind {
    /// Chromium as distributions ship it.
    Chromium,
    /// Chrome for Testing.
    ChromeForTesting,
    /// Google Chrome.
    Chrome,
    /// Microsoft Edge.
    Edge,
    /// Brave.
    Brave,
}

/// A browser's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its family.
    pub kind: BrowserKind,
    /// Its executable.
    pub path: PathBuf,
}

impl BrowserKind {
    /// All, those first that load an unpacked extension from the command line.
    pub const ALL: [Self; 5] =
        [Self::Chromium, Self::ChromeForTesting, Self::Brave, Self::Edge, Self::Chrome];

    /// As users write it: `chromium`, `chrome-for-testing`, `chrome`, `edge`, `brave`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::ChromeForTesting => "chrome-for-testing",
            Self::Chrome => "chrome",
            Self::Edge => "edge",
            Self::Brave => "brave",
        }
    }

    /// The family of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }

    /// Whether `--load-extension` works. Branded Chrome refuses it since version 137.
    pub const fn loads_unpacked(self) -> bool {
        !matches!(self, Self::Chrome)
    }

    /// The family that a program's path suggests.
    pub fn of_program(path: &Path) -> Self {
        let text = path.to_string_lossy().to_lowercase();
        if text.contains("brave") {
            Self::Brave
        } else if text.contains("edge") {
            Self::Edge
        } else if text.contains("testing") || text.contains("chrome-linux") {
            Self::ChromeForTesting
        } else if text.contains("chromium") {
            Self::Chromium
        } else {
            Self::Chrome
        }
    }

    /// The folder of the user's own profiles, whether or not it exists.
    pub fn user_data_dir(self) -> Option<PathBuf> {
        let parts: &[&str] = match (self, std::env::consts::OS) {
            (Self::Chromium, "windows") => &["Chromium", "User Data"],
            (Self::ChromeForTesting, "windows") => &["Google", "Chrome for Testing", "User Data"],
            (Self::Chrome, "windows") => &["Google", "Chrome", "User Data"],
            (Self::Edge, "windows") => &["Microsoft", "Edge", "User Data"],
            (Self::Brave, "windows") => &["BraveSoftware", "Brave-Browser", "User Data"],
            (Self::Chromium, "macos") => &["Chromium"],
            (Self::ChromeForTesting, "macos") => &["Google", "Chrome for Testing"],
            (Self::Chrome, "macos") => &["Google", "Chrome"],
            (Self::Edge, "macos") => &["Microsoft Edge"],
            (Self::Chromium, _) => &["chromium"],
            (Self::ChromeForTesting, _) => &["google-chrome-for-testing"],
            (Self::Chrome, _) => &["google-chrome"],
            (Self::Edge, _) => &["microsoft-edge"],
            (Self::Brave, _) => &["BraveSoftware", "Brave-Browser"],
        };
        Some(parts.iter().fold(config_base()?, |path, part| path.join(part)))
    }

    /// Names of its program on the search path, and full paths where installers put it.
    fn candidates(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Chromium => (
                &["chromium", "chromium-browser"],
                &["/Applications/Chromium.app/Contents/MacOS/Chromium"],
            ),
            Self::ChromeForTesting => (
                &["google-chrome-for-testing", "chrome-for-testing"],
                &[
                    "/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
                ],
            ),
            Self::Chrome => (
                &["google-chrome", "google-chrome-stable"],
                &[
                    "/opt/google/chrome/chrome",
                    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
                    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
                    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
                ],
            ),
            Self::Edge => (
                &["microsoft-edge", "microsoft-edge-stable"],
                &[
                    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
                    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
                ],
            ),
            Self::Brave => (
                &["brave-browser", "brave"],
                &[
                    "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
                    r"C:\Program Files\BraveSoftware\Brave-Browser\Application\brave.exe",
                ],
            ),
        }
    }

    /// Its program, where it is installed.
    pub fn program(self) -> Option<Program> {
        let (names, paths) = self.candidates();
        let search = std::env::var_os("PATH").unwrap_or_default();
        let on_path = names.iter().flat_map(|name| {
            std::env::split_paths(&search).map(move |folder| folder.join(name)).collect::<Vec<_>>()
        });
        let path = on_path.chain(paths.iter().map(PathBuf::from)).find(|path| path.is_file())?;
        Some(Program { kind: self, path })
    }
}

/// Where browsers keep the profiles of this user.
pub(crate) fn config_base() -> Option<PathBuf> {
    let home = std::env::home_dir()?;
    match std::env::consts::OS {
        "windows" => std::env::var_os("LOCALAPPDATA").map(PathBuf::from),
        "macos" => Some(home.join("Library").join("Application Support")),
        _ => Some(
            std::env::var_os("XDG_CONFIG_HOME")
                .filter(|value| !value.is_empty())
                .map_or_else(|| home.join(".config"), PathBuf::from),
        ),
    }
}

/// Whether a browser has that profile's folder open. Its own lock is a link to `HOST-PID`; one that a
/// crash left behind names a process that is gone.
pub fn is_open(folder: &Path) -> bool {
    let Ok(target) = std::fs::read_link(folder.join("SingletonLock")) else { return false };
    let target = target.to_string_lossy();
    target
        .rsplit_once('-')
        .and_then(|(_, pid)| pid.parse().ok())
        .is_some_and(crate::spawn::is_alive)
}

/// Where a browser with that profile's folder lets debuggers in: its port and the path there. A crash
/// leaves this behind, too.
pub fn debugging(folder: &Path) -> Option<(u16, String)> {
    let text = std::fs::read_to_string(folder.join("DevToolsActivePort")).ok()?;
    let mut lines = text.lines();
    let port = lines.next()?.trim().parse().ok()?;
    let path = lines.next().map(str::trim).filter(|path| path.starts_with('/'))?;
    Some((port, path.to_owned()))
}

/// Every installed browser.
pub fn installed() -> Vec<Program> {
    BrowserKind::ALL.into_iter().filter_map(BrowserKind::program).collect()
}

/// The browser to start: the one named (a path, or a family's name), else `PILLION_BROWSER`, else
/// the first installed one.
pub fn choose(named: Option<&str>) -> Option<Program> {
    let from_environment = std::env::var(BROWSER_ENV).ok().filter(|value| !value.is_empty());
    match named.map(str::to_owned).or(from_environment) {
        None => installed().into_iter().next(),
        Some(name) => match BrowserKind::named(&name) {
            Some(kind) => kind.program(),
            None => {
                let path = PathBuf::from(name);
                path.is_file().then(|| Program { kind: BrowserKind::of_program(&path), path })
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_programs_path_tells_its_family() {
        let of = |path: &str| BrowserKind::of_program(Path::new(path));
        assert_eq!(of("/usr/bin/chromium"), BrowserKind::Chromium);
        assert_eq!(of("/opt/google/chrome/chrome"), BrowserKind::Chrome);
        assert_eq!(of("/usr/bin/brave-browser"), BrowserKind::Brave);
        assert_eq!(of("/x/chrome-linux64/chrome"), BrowserKind::ChromeForTesting);
    }

    #[test]
    fn a_debugging_port_is_read_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("DevToolsActivePort");
        assert_eq!(debugging(folder.path()), None);
        for (text, read) in [
            ("9222\n/devtools/browser/x\n", Some((9222, "/devtools/browser/x".to_owned()))),
            ("9222\n", None),
            ("0x\n/devtools", None),
            ("9222\nrelative", None),
        ] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(debugging(folder.path()), read, "{text}");
        }
    }

    #[test]
    fn every_family_is_found_by_its_name() {
        for kind in BrowserKind::ALL {
            assert_eq!(BrowserKind::named(kind.name()), Some(kind));
        }
    }
}
