//! The copy of this binary that browsers start. Lives in a folder that only the user can write.

use crate::file;
use crate::home::Home;
use std::io;
use std::path::{Path, PathBuf};

/// Name of the copy.
pub const HOST_NAME: &str = if cfg!(windows) { "pillion-host.exe" } else { "pillion-host" };

/// Why the copy was not made.
#[derive(Debug, thiserror::Error)]
pub enum ExeError {
    /// A folder above the copy can be written by others, who could then exchange it.
    #[error("`{0}` can be written by other users: a browser must not start a program from there")]
    OpenFolder(PathBuf),
    /// The file system said no.
    #[error("cannot copy the helper to `{path}`: {source}")]
    Io {
        /// Where to.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Where the copy lies.
pub fn host_path(home: &Home) -> PathBuf {
    home.bin_dir().join(HOST_NAME)
}

/// Copies the running binary to `<home>/bin/pillion-host` in one step, also while a browser runs
/// the old one.
pub fn install_host(home: &Home) -> Result<PathBuf, ExeError> {
    let path = host_path(home);
    let io = |source| ExeError::Io { path: path.clone(), source };
    check_ancestors(home.root())?;
    let running = std::env::current_exe().map_err(io)?;
    if running == path {
        return Ok(path);
    }
    let temporary = file::sibling(&path).map_err(io)?;
    let copied = std::fs::copy(&running, &temporary)
        .and_then(|_| executable(&temporary))
        .and_then(|()| std::fs::rename(&temporary, &path));
    if copied.is_err() {
        // The first error is the one to report.
        std::fs::remove_file(&temporary).ok();
    }
    copied.map_err(io)?;
    Ok(path)
}

#[cfg(unix)]
fn executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))
}

#[cfg(windows)]
fn executable(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Every folder above must be closed to others, but for sticky ones: there nobody can rename what
/// is not theirs.
#[cfg(unix)]
fn check_ancestors(folder: &Path) -> Result<(), ExeError> {
    use std::os::unix::fs::MetadataExt as _;
    for ancestor in folder.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty()) {
        let meta = std::fs::metadata(ancestor)
            .map_err(|source| ExeError::Io { path: ancestor.to_owned(), source })?;
        let open = meta.mode() & 0o022 != 0;
        let sticky = meta.mode() & 0o1000 != 0;
        if open && !sticky {
            return Err(ExeError::OpenFolder(ancestor.to_owned()));
        }
    }
    Ok(())
}

#[cfg(windows)]
fn check_ancestors(_folder: &Path) -> Result<(), ExeError> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn the_copy_is_executable_and_a_folder_open_to_others_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(Some(&dir.path().join("home"))).unwrap();
        let path = install_host(&home).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(install_host(&home), Err(ExeError::OpenFolder(_))));
    }
}
