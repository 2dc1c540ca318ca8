//! Files that only their owner may read, written so that a reader never sees half of one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Options that create a file for its owner only.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options
}

/// Replaces `path` in one step: readers see the old content or the new, never a part.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = sibling(path)?;
    let written = create_new(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report; a leftover is harmless.
        fs::remove_file(&temporary).ok();
    }
    written
}

/// Creates `path`; fails when anything, also a dangling link, has that name.
pub fn create_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = private().create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes an empty file for its owner only, unless something has that name.
pub fn create_if_missing(path: &Path) -> io::Result<()> {
    match private().create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other.map(drop),
    }
}

/// Opens a log for appending; starts it anew when it has grown past `cap` bytes.
pub fn open_log(path: &Path, cap: u64) -> io::Result<File> {
    let full = fs::metadata(path).is_ok_and(|meta| meta.len() > cap);
    let mut options = private();
    if full {
        options.create(true).truncate(true).open(path)
    } else {
        options.create(true).append(true).open(path)
    }
}

/// Removes a file; that it is not there is fine.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Letters that nobody can guess: `bytes` random bytes in hex.
pub fn random_hex(bytes: usize) -> io::Result<String> {
    let mut raw = vec![0u8; bytes];
    getrandom::fill(&mut raw).map_err(io::Error::other)?;
    Ok(raw.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A fresh name beside `path`, on the same file system so that a rename is one step.
pub(crate) fn sibling(path: &Path) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "path has no file name"))?;
    let mut fresh = std::ffi::OsString::from(".");
    fresh.push(name);
    fresh.push(format!(".{}", random_hex(6)?));
    Ok(path.with_file_name(fresh))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_write_replaces_the_first_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn files_are_for_their_owner_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        create_new(&path, b"x").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(create_new(&path, b"y").is_err());
    }
}
