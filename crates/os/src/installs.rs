//! Every Chromium browser that is installed, channel by channel, and those in a sandbox that can start no helper.
//! Facts and looks only; starts nothing.

use crate::browsers::config_base;
use std::path::{Path, PathBuf};

/// One browser in one channel.
#[derive(Debug, PartialEq, Eq)]
pub struct Known {
    /// As users write it.
    pub id: &'static str,
    /// As it calls itself.
    pub title: &'static str,
    /// Profiles on Linux, below the settings folder.
    linux: &'static [&'static str],
    /// On macOS.
    mac: &'static [&'static str],
    /// On Windows.
    windows: &'static [&'static str],
    /// Programs on the search path.
    programs: &'static [&'static str],
    /// Programs where installers put them.
    paths: &'static [&'static str],
    /// Folder of its policies on Linux.
    pub policies: Option<&'static str>,
}

/// A browser that is installed as programs usually are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Install {
    /// Which.
    pub known: &'static Known,
    /// Its program.
    pub program: PathBuf,
}

/// What keeps a browser from starting helpers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sandbox {
    /// Snap.
    Snap,
    /// Flatpak.
    Flatpak,
}

/// A browser in a sandbox: it cannot start our helper, but can be paired by a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandboxed {
    /// As it calls itself.
    pub title: &'static str,
    /// In which.
    pub sandbox: Sandbox,
}

impl Sandbox {
    /// As users know it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Snap => "snap",
            Self::Flatpak => "flatpak",
        }
    }
}

const CHROME_POLICIES: Option<&str> = Some("etc/opt/chrome/policies/managed");
const EDGE_POLICIES: Option<&str> = Some("etc/opt/edge/policies/managed");
const BRAVE_POLICIES: Option<&str> = Some("etc/brave/policies/managed");

macro_rules! known {
    ($id:literal, $title:literal, $linux:expr, $mac:expr, $windows:expr, $programs:expr, $paths:expr, $policies:expr) => {
        Known {
            id: $id,
            title: $title,
            linux: &$linux,
            mac: &$mac,
            windows: &$windows,
            programs: &$programs,
            paths: &$paths,
            policies: $policies,
        }
    };
}

/// Every browser and channel that is known.
pub const ALL: &[Known] = &[
    known!(
        "chrome",
        "Google Chrome",
        ["google-chrome"],
        ["Google", "Chrome"],
        ["Google", "Chrome", "User Data"],
        ["google-chrome", "google-chrome-stable"],
        [
            "/opt/google/chrome/chrome",
            "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
            r"C:\Program Files\Google\Chrome\Application\chrome.exe",
            r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe"
        ],
        CHROME_POLICIES
    ),
    known!(
        "chrome-beta",
        "Google Chrome Beta",
        ["google-chrome-beta"],
        ["Google", "Chrome Beta"],
        ["Google", "Chrome Beta", "User Data"],
        ["google-chrome-beta"],
        [
            "/opt/google/chrome-beta/chrome",
            "/Applications/Google Chrome Beta.app/Contents/MacOS/Google Chrome Beta",
            r"C:\Program Files\Google\Chrome Beta\Application\chrome.exe"
        ],
        CHROME_POLICIES
    ),
    known!(
        "chrome-dev",
        "Google Chrome Dev",
        ["google-chrome-unstable"],
        ["Google", "Chrome Dev"],
        ["Google", "Chrome Dev", "User Data"],
        ["google-chrome-unstable"],
        [
            "/opt/google/chrome-unstable/chrome",
            "/Applications/Google Chrome Dev.app/Contents/MacOS/Google Chrome Dev",
            r"C:\Program Files\Google\Chrome Dev\Application\chrome.exe"
        ],
        CHROME_POLICIES
    ),
    known!(
        "chrome-canary",
        "Google Chrome Canary",
        ["google-chrome-canary"],
        ["Google", "Chrome Canary"],
        ["Google", "Chrome SxS", "User Data"],
        ["google-chrome-canary"],
        [
            "/opt/google/chrome-canary/chrome",
            "/Applications/Google Chrome Canary.app/Contents/MacOS/Google Chrome Canary"
        ],
        CHROME_POLICIES
    ),
    known!(
        "chrome-for-testing",
        "Chrome for Testing",
        ["google-chrome-for-testing"],
        ["Google", "Chrome for Testing"],
        ["Google", "Chrome for Testing", "User Data"],
        ["google-chrome-for-testing", "chrome-for-testing"],
        ["/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing"],
        Some("etc/opt/chrome_for_testing/policies/managed")
    ),
    known!(
        "chromium",
        "Chromium",
        ["chromium"],
        ["Chromium"],
        ["Chromium", "User Data"],
        ["chromium", "chromium-browser"],
        ["/Applications/Chromium.app/Contents/MacOS/Chromium"],
        Some("etc/chromium/policies/managed")
    ),
    known!(
        "edge",
        "Microsoft Edge",
        ["microsoft-edge"],
        ["Microsoft Edge"],
        ["Microsoft", "Edge", "User Data"],
        ["microsoft-edge", "microsoft-edge-stable"],
        [
            "/opt/microsoft/msedge/msedge",
            "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
            r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe"
        ],
        EDGE_POLICIES
    ),
    known!(
        "edge-beta",
        "Microsoft Edge Beta",
        ["microsoft-edge-beta"],
        ["Microsoft Edge Beta"],
        ["Microsoft", "Edge Beta", "User Data"],
        ["microsoft-edge-beta"],
        [
            "/opt/microsoft/msedge-beta/msedge",
            "/Applications/Microsoft Edge Beta.app/Contents/MacOS/Microsoft Edge Beta"
        ],
        EDGE_POLICIES
    ),
    known!(
        "edge-dev",
        "Microsoft Edge Dev",
        ["microsoft-edge-dev"],
        ["Microsoft Edge Dev"],
        ["Microsoft", "Edge Dev", "User Data"],
        ["microsoft-edge-dev"],
        [
            "/opt/microsoft/msedge-dev/msedge",
            "/Applications/Microsoft Edge Dev.app/Contents/MacOS/Microsoft Edge Dev"
        ],
        EDGE_POLICIES
    ),
    known!(
        "edge-canary",
        "Microsoft Edge Canary",
        ["microsoft-edge-canary"],
        ["Microsoft Edge Canary"],
        ["Microsoft", "Edge SxS", "User Data"],
        ["microsoft-edge-canary"],
        ["/Applications/Microsoft Edge Canary.app/Contents/MacOS/Microsoft Edge Canary"],
        EDGE_POLICIES
    ),
    known!(
        "brave",
        "Brave",
        ["BraveSoftware", "Brave-Browser"],
        ["BraveSoftware", "Brave-Browser"],
        ["BraveSoftware", "Brave-Browser", "User Data"],
        ["brave-browser", "brave", "brave-browser-stable"],
        [
            "/opt/brave.com/brave/brave",
            "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
            r"C:\Program Files\BraveSoftware\Brave-Browser\Application\brave.exe"
        ],
        BRAVE_POLICIES
    ),
    known!(
        "brave-beta",
        "Brave Beta",
        ["BraveSoftware", "Brave-Browser-Beta"],
        ["BraveSoftware", "Brave-Browser-Beta"],
        ["BraveSoftware", "Brave-Browser-Beta", "User Data"],
        ["brave-browser-beta"],
        [
            "/opt/brave.com/brave-beta/brave",
            "/Applications/Brave Browser Beta.app/Contents/MacOS/Brave Browser Beta"
        ],
        BRAVE_POLICIES
    ),
    known!(
        "brave-nightly",
        "Brave Nightly",
        ["BraveSoftware", "Brave-Browser-Nightly"],
        ["BraveSoftware", "Brave-Browser-Nightly"],
        ["BraveSoftware", "Brave-Browser-Nightly", "User Data"],
        ["brave-browser-nightly"],
        [
            "/opt/brave.com/brave-nightly/brave",
            "/Applications/Brave Browser Nightly.app/Contents/MacOS/Brave Browser Nightly"
        ],
        BRAVE_POLICIES
    ),
    known!(
        "vivaldi",
        "Vivaldi",
        ["vivaldi"],
        ["Vivaldi"],
        ["Vivaldi", "User Data"],
        ["vivaldi", "vivaldi-stable"],
        ["/opt/vivaldi/vivaldi", "/Applications/Vivaldi.app/Contents/MacOS/Vivaldi"],
        None
    ),
];

/// Flatpaks, by their ids.
const FLATPAKS: &[(&str, &str)] = &[
    ("com.google.Chrome", "Google Chrome"),
    ("com.google.ChromeDev", "Google Chrome Dev"),
    ("org.chromium.Chromium", "Chromium"),
    ("io.github.ungoogled_software.ungoogled_chromium", "Ungoogled Chromium"),
    ("com.microsoft.Edge", "Microsoft Edge"),
    ("com.microsoft.EdgeDev", "Microsoft Edge Dev"),
    ("com.brave.Browser", "Brave"),
    ("com.vivaldi.Vivaldi", "Vivaldi"),
];

/// Snaps, by their names.
const SNAPS: &[(&str, &str)] =
    &[("chromium", "Chromium"), ("brave", "Brave"), ("vivaldi", "Vivaldi")];

impl Known {
    /// The folder of the user's profiles, whether or not it exists.
    pub fn user_data_dir(&self) -> Option<PathBuf> {
        let parts = match std::env::consts::OS {
            "windows" => self.windows,
            "macos" => self.mac,
            _ => self.linux,
        };
        Some(parts.iter().fold(config_base()?, |path, part| path.join(part)))
    }

    /// Its program, where it is installed outside of a sandbox.
    fn program(&self) -> Option<PathBuf> {
        let on_path = self.programs.iter().flat_map(|name| on_search_path(name));
        on_path
            .chain(self.paths.iter().map(PathBuf::from))
            .find(|path| path.is_file() && !is_snap(path))
    }
}

/// The browser of that id.
pub fn named(id: &str) -> Option<&'static Known> {
    ALL.iter().find(|known| known.id.eq_ignore_ascii_case(id))
}

/// Every browser that can start our helper.
pub fn found() -> Vec<Install> {
    ALL.iter().filter_map(|known| Some(Install { known, program: known.program()? })).collect()
}

/// Every browser in a sandbox.
pub fn sandboxed() -> Vec<Sandboxed> {
    let home = std::env::home_dir();
    let snaps = SNAPS.iter().filter(|(name, _)| {
        on_search_path(name).iter().any(|path| path.is_file() && is_snap(path))
            || home
                .as_ref()
                .is_some_and(|home| home.join("snap").join(name).join("current").exists())
    });
    let flatpaks = FLATPAKS.iter().filter(|(id, _)| {
        application_folders().iter().any(|folder| folder.join(format!("{id}.desktop")).exists())
    });
    let snaps = snaps.map(|(_, title)| Sandboxed { title, sandbox: Sandbox::Snap });
    snaps.chain(flatpaks.map(|(_, title)| Sandboxed { title, sandbox: Sandbox::Flatpak })).collect()
}

/// Programs of that name on the search path.
pub fn on_search_path(name: &str) -> Vec<PathBuf> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let name = if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() };
    std::env::split_paths(&search)
        .map(|folder| folder.join(&name))
        .filter(|path| path.is_file())
        .collect()
}

/// Whether that program is a snap's, or a script that starts one.
fn is_snap(path: &Path) -> bool {
    const SCRIPT_BYTES: u64 = 4096;
    let in_snap = |path: &Path| {
        let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_owned()).collect();
        parts.windows(2).any(|pair| pair[0] == "snap" && pair[1] == "bin")
            || path.file_name().is_some_and(|name| name == "snap")
    };
    if in_snap(path) || std::fs::canonicalize(path).is_ok_and(|real| in_snap(&real)) {
        return true;
    }
    let small = std::fs::metadata(path).is_ok_and(|meta| meta.len() <= SCRIPT_BYTES);
    small && std::fs::read_to_string(path).is_ok_and(|script| script.contains("/snap/bin/"))
}

/// Where desktop entries of flatpaks lie.
fn application_folders() -> Vec<PathBuf> {
    let named = std::env::var_os("XDG_DATA_DIRS").unwrap_or_default();
    let mut folders: Vec<PathBuf> =
        std::env::split_paths(&named).filter(|path| path.is_absolute()).collect();
    folders.push("/var/lib/flatpak/exports/share".into());
    if let Some(home) = std::env::home_dir() {
        folders.push(home.join(".local/share/flatpak/exports/share"));
    }
    folders.into_iter().map(|folder| folder.join("applications")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_browser_has_an_id_and_a_folder_of_its_own() {
        for known in ALL {
            assert_eq!(named(known.id), Some(known));
            let same =
                ALL.iter().filter(|other| other.linux == known.linux || other.mac == known.mac);
            assert_eq!(same.count(), 1, "{}", known.id);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_snap_and_a_script_that_starts_one_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("snap/bin");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("chromium"), "").unwrap();
        assert!(is_snap(&folder.join("chromium")));
        let script = dir.path().join("chromium-browser");
        std::fs::write(&script, "#!/bin/sh\nexec /snap/bin/chromium \"$@\"\n").unwrap();
        assert!(is_snap(&script));
        std::fs::write(&script, "#!/bin/sh\nexec /usr/lib/chromium/chromium \"$@\"\n").unwrap();
        assert!(!is_snap(&script));
    }
}
