//! The daemon's identity on disk. Made once, whole or not at all; a file that cannot be read is
//! an error and never a reason for a new key, because every profile has pinned the old one.

use crate::DaemonError;
use pillion_link::Identity;
use pillion_os::file;
use std::fs;
use std::io;
use std::path::Path;

/// In the state folder.
pub(crate) const NAME: &str = "identity.p8";

/// The identity in that folder. Call it under the daemon's lock.
pub(crate) fn load_or_create(state: &Path) -> Result<Identity, DaemonError> {
    let path = state.join(NAME);
    match fs::read_to_string(&path) {
        Ok(text) => {
            Identity::from_pem(&text).map_err(|source| DaemonError::Identity { path, source })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(state, &path),
        Err(error) => Err(DaemonError::io(path)(error)),
    }
}

/// Written and synced under another name, then linked: whatever has the final name is whole, and
/// a link, unlike a rename, never replaces one that is there.
fn create(state: &Path, path: &Path) -> Result<Identity, DaemonError> {
    let identity = Identity::generate().map_err(DaemonError::Random)?;
    let pem = identity.to_pem().map_err(DaemonError::Random)?;
    let fresh = state.join(format!(".{NAME}.{}", &crate::secret()?[..12]));
    file::create_new(&fresh, pem.as_bytes()).map_err(DaemonError::io(&fresh))?;
    let linked = fs::hard_link(&fresh, path);
    fs::remove_file(&fresh).map_err(DaemonError::io(&fresh))?;
    linked.map_err(DaemonError::io(path))?;
    tracing::info!("new identity");
    Ok(identity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_start_finds_the_first_ones_key() {
        let dir = tempfile::tempdir().unwrap();
        let first = load_or_create(dir.path()).unwrap();
        let second = load_or_create(dir.path()).unwrap();
        assert_eq!(first.public(), second.public());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_damaged_key_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(NAME);
        for damaged in ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
            fs::write(&path, damaged).unwrap();
            assert!(matches!(load_or_create(dir.path()), Err(DaemonError::Identity { .. })));
            assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
        }
    }
}
