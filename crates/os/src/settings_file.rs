//! Settings of other programs: read whole, replaced in one step, with what was there kept beside them.
//! Follows links (people keep their settings elsewhere and link to them), keeps the mode, never writes half a file.

use crate::file;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Larger ones are no settings.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// What was there before lies beside the file under this ending.
const BACKUP: &str = "pillion-backup";
/// Backups of one file; the last one is written over.
const BACKUPS: u32 = 9;

/// Why a file was left as it is.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file system says no.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is no text.
    #[error("it is no text in UTF-8")]
    NoText,
    /// Far too large.
    #[error("it is larger than {} MiB", MOST_BYTES / 1024 / 1024)]
    Large,
    /// Somebody wrote it meanwhile.
    #[error("another program changed it in this moment; run the command again")]
    Changed,
}

/// The text, or `None` where there is no file.
pub fn read(path: &Path) -> Result<Option<String>, SettingsError> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A link that leads nowhere is not "no file": writing would go we know not where.
            return match fs::symlink_metadata(path) {
                Ok(_) => Err(error.into()),
                Err(_) => Ok(None),
            };
        }
        Err(error) => return Err(error.into()),
    };
    if !meta.is_file() {
        return Err(io::Error::other("it is no file").into());
    }
    if meta.len() > MOST_BYTES {
        return Err(SettingsError::Large);
    }
    let bytes = fs::read(path)?;
    String::from_utf8(bytes).map(Some).map_err(|_| SettingsError::NoText)
}

/// Replaces `old`, as [`read`] gave it, by `new`. Gives the backup's path where there was something to keep.
pub fn replace(
    path: &Path,
    old: Option<&str>,
    new: &str,
) -> Result<Option<PathBuf>, SettingsError> {
    let Some(old) = old else {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        return match file::create_new(path, new.as_bytes()) {
            Ok(()) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(SettingsError::Changed)
            }
            Err(error) => Err(error.into()),
        };
    };
    let target = fs::canonicalize(path)?;
    let mode = fs::metadata(&target)?.permissions();
    if mode.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only").into());
    }
    let backup = keep(&target, old, &mode)?;
    let temporary = file::sibling(&target)?;
    let written = file::create_new(&temporary, new.as_bytes())
        .and_then(|()| fs::set_permissions(&temporary, mode))
        .map_err(SettingsError::from)
        .and_then(|()| match read(&target)? {
            Some(now) if now == old => Ok(fs::rename(&temporary, &target)?),
            _ => Err(SettingsError::Changed),
        });
    if written.is_err() {
        // The first error is the one to report; a leftover is harmless.
        fs::remove_file(&temporary).ok();
    }
    written.map(|()| Some(backup))
}

/// Keeps `old` beside the file, unless a backup says the same.
fn keep(target: &Path, old: &str, mode: &fs::Permissions) -> io::Result<PathBuf> {
    let mut last = backup_path(target, 1);
    for number in 1..=BACKUPS {
        last = backup_path(target, number);
        match fs::read(&last) {
            Ok(there) if there == old.as_bytes() => return Ok(last),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) => return Err(error),
        }
    }
    file::write_atomic(&last, old.as_bytes())?;
    fs::set_permissions(&last, mode.clone())?;
    Ok(last)
}

fn backup_path(target: &Path, number: u32) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(BACKUP);
    if number > 1 {
        name.push(format!("-{number}"));
    }
    target.with_file_name(name)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_was_there_is_kept_with_its_mode_and_links_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("real.json");
        let link = dir.path().join("link.json");
        fs::write(&real, "one").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        let backup = replace(&link, Some("one"), "two").unwrap().unwrap();
        assert_eq!((fs::read_to_string(&backup).unwrap().as_str(), mode(&backup)), ("one", 0o640));
        assert_eq!((fs::read_to_string(&real).unwrap().as_str(), mode(&real)), ("two", 0o640));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let second = replace(&link, Some("two"), "three").unwrap().unwrap();
        assert_ne!(second, backup);
        replace(&link, Some("three"), "one").unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 5, "link, file and three backups");
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        fs::write(&path, "theirs").unwrap();
        assert!(matches!(replace(&path, Some("old"), "ours"), Err(SettingsError::Changed)));
        assert!(matches!(replace(&path, None, "ours"), Err(SettingsError::Changed)));
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    fn what_is_no_settings_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        assert!(read(&path).unwrap().is_none());
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(matches!(read(&path), Err(SettingsError::NoText)));
        assert!(read(dir.path()).is_err());
        let nowhere = dir.path().join("nowhere");
        symlink("/nonexistent/file", &nowhere).unwrap();
        assert!(read(&nowhere).is_err());
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        assert!(replace(&path, Some("x"), "y").is_err(), "its owner made it read-only");
    }
}
