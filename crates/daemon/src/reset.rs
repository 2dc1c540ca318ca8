//! `pillion pairing reset`: a new identity, and no profile is known any more. Needs the home to
//! itself; touches nothing else in it.

use crate::{DaemonError, Home, keyfile, profiles};
use pillion_link::PublicKey;
use pillion_os::file;
use pillion_os::lock::Lock;
use std::path::Path;

/// What is there after a reset.
#[derive(Debug, Clone)]
pub struct Reset {
    /// The daemon's new key.
    pub key: PublicKey,
}

/// Forget every profile and the identity, and make a new one. Also where they are damaged.
///
/// # Errors
/// [`DaemonError::AlreadyRunning`] while a daemon of this home lives, which would go on with what
/// it has; or when a file cannot be removed or made.
pub fn reset(home: &Home) -> Result<Reset, DaemonError> {
    let lock_path = home.daemon_lock();
    let _lock = Lock::take_from_lookers(&lock_path)
        .map_err(DaemonError::io(&lock_path))?
        .ok_or(DaemonError::AlreadyRunning)?;
    let state = home.state_dir();
    // Cut off in between, the old identity knows nobody, which is safe and can be done again.
    remove(&state, profiles::NAME)?;
    remove(&state, keyfile::NAME)?;
    let identity = keyfile::load_or_create(&state)?;
    Ok(Reset { key: identity.public().clone() })
}

fn remove(state: &Path, name: &str) -> Result<(), DaemonError> {
    let path = state.join(name);
    file::remove_if_there(&path).map_err(DaemonError::io(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_makes_a_new_key_and_forgets_profiles_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(Some(&dir.path().join("home"))).unwrap();
        let state = home.state_dir();
        let before = keyfile::load_or_create(&state).unwrap();
        std::fs::write(state.join(profiles::NAME), "damaged").unwrap();
        std::fs::write(state.join("extensions"), "kept").unwrap();
        let after = reset(&home).unwrap().key;
        assert_ne!(&after, before.public());
        assert_eq!(keyfile::load_or_create(&state).unwrap().public(), &after);
        let mut names: Vec<_> =
            std::fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["extensions", keyfile::NAME]);
    }

    #[test]
    fn a_damaged_identity_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(Some(&dir.path().join("home"))).unwrap();
        std::fs::write(home.state_dir().join(keyfile::NAME), "damaged").unwrap();
        reset(&home).unwrap();
        keyfile::load_or_create(&home.state_dir()).unwrap();
    }

    #[test]
    fn a_home_in_use_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(Some(&dir.path().join("home"))).unwrap();
        let before = keyfile::load_or_create(&home.state_dir()).unwrap();
        let _held = Lock::try_take(&home.daemon_lock()).unwrap();
        assert!(matches!(reset(&home), Err(DaemonError::AlreadyRunning)));
        assert_eq!(keyfile::load_or_create(&home.state_dir()).unwrap().public(), before.public());
    }
}
