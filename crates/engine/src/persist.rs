//! What must outlive the daemon: names of profiles, tab numbers, owners and sessions, in one small
//! JSON file that is replaced whole. A file that cannot be read is kept aside and never guessed at.

use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the file. A newer one is left alone: numbers then start above it.
pub(crate) const VERSION: u32 = 1;
/// Refs are promised in blocks: after a restart a tab goes on above the block that was begun.
pub(crate) const REF_BLOCK: u32 = 1_000;

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Saved {
    pub(crate) version: u32,
    pub(crate) next_tab: u32,
    pub(crate) next_session: u32,
    pub(crate) profiles: Vec<SavedProfile>,
    pub(crate) tabs: Vec<SavedTab>,
    pub(crate) sessions: Vec<SavedSession>,
}

/// A profile that has a name: no other may get it while this one may come back.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedProfile {
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) slug: String,
    /// Milliseconds since 1970 at which it was connected last.
    pub(crate) seen: u64,
}

/// A tab that had a number.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedTab {
    pub(crate) number: u32,
    pub(crate) profile: String,
    pub(crate) chrome: i32,
    pub(crate) boot: String,
    pub(crate) owner: Option<String>,
    pub(crate) ref_floor: u32,
}

/// A session that may come back.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedSession {
    pub(crate) id: String,
    pub(crate) client: String,
    pub(crate) resume: String,
    pub(crate) cwd: Option<String>,
    /// Chosen with `use`.
    #[serde(default)]
    pub(crate) profile: Option<String>,
    #[serde(default)]
    pub(crate) last_profile: Option<String>,
    #[serde(default)]
    pub(crate) last_tab: Option<u32>,
}

const FILE: &str = "engine.json";

/// What the last daemon left; nothing when there is no file.
pub(crate) fn load(folder: &Path) -> Saved {
    let path = folder.join(FILE);
    let Ok(text) = std::fs::read_to_string(&path) else { return Saved::default() };
    match serde_json::from_str::<Saved>(&text) {
        Ok(saved) if saved.version <= VERSION => saved,
        other => {
            let reason = other
                .err()
                .map_or_else(|| "a newer version wrote it".to_owned(), |error| error.to_string());
            tracing::warn!(reason, "the state file cannot be used and is kept aside");
            let aside = path.with_extension("json.unreadable");
            if let Err(error) = std::fs::rename(&path, &aside) {
                tracing::warn!(%error, "the state file could not be kept aside");
            }
            // Numbers that may have been shown must not come back: the highest digit run in the
            // file is no proof, so a floor that nobody reaches in a run is taken.
            Saved { next_tab: floor_from(&text), ..Saved::default() }
        }
    }
}

fn floor_from(text: &str) -> u32 {
    let after = text.split("\"next_tab\":").nth(1).unwrap_or_default();
    let digits: String = after.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(10_000)
}

/// Replaces the file.
pub(crate) fn store(folder: &Path, saved: &Saved) -> std::io::Result<()> {
    let path = folder.join(FILE);
    let temporary = folder.join(format!("{FILE}.new"));
    std::fs::create_dir_all(folder)?;
    let text = serde_json::to_vec(saved)?;
    write_private(&temporary, &text)?;
    std::fs::rename(temporary, path)
}

#[cfg(unix)]
fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(bytes)
}

#[cfg(not(unix))]
fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::write(path, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_file_is_kept_aside_and_numbers_go_on_above_it() {
        let folder = std::env::temp_dir().join(format!("pillion-persist-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(FILE), "{\"version\":1,\"next_tab\":41,\"tabs\":[{\"num")
            .unwrap();
        assert_eq!(load(&folder).next_tab, 41);
        assert!(folder.join("engine.json.unreadable").exists());
        store(&folder, &Saved { next_tab: 7, ..Saved::default() }).unwrap();
        assert_eq!(load(&folder).next_tab, 7);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
