//! A lock between processes that the system frees when its holder dies. Never a file to tidy up.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

/// How often a taken lock is tried again.
const LOOKERS: u32 = 20;
/// A look takes far less.
const LOOKED: Duration = Duration::from_millis(2);

/// Held until dropped.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the open file is the lock")] File);

impl Lock {
    /// As [`Lock::try_take`], but passes over a holder that only looks whether it is free.
    pub fn take_from_lookers(path: &Path) -> io::Result<Option<Self>> {
        for _ in 0..LOOKERS {
            if let Some(lock) = Self::try_take(path)? {
                return Ok(Some(lock));
            }
            std::thread::sleep(LOOKED);
        }
        Self::try_take(path)
    }

    /// Takes the lock, or `None` when another process holds it.
    pub fn try_take(path: &Path) -> io::Result<Option<Self>> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_has_one_holder() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = Lock::try_take(&path).unwrap();
        assert!(held.is_some());
        assert!(Lock::try_take(&path).unwrap().is_none());
        drop(held);
        assert!(Lock::try_take(&path).unwrap().is_some());
    }

    #[test]
    fn a_look_keeps_nobody_from_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let look = Lock::try_take(&path).unwrap().unwrap();
        std::thread::scope(|scope| {
            let taken = scope.spawn(|| Lock::take_from_lookers(&path).unwrap());
            drop(look);
            let held = taken.join().unwrap();
            assert!(held.is_some());
            assert!(Lock::take_from_lookers(&path).unwrap().is_none());
        });
    }
}
