//! The folder that holds everything of one user's Pillion, and the check that nobody else can
//! write into it. Never follows a link to get there and never loosens a mode.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Names the folder from outside: `PILLION_HOME`.
pub const HOME_ENV: &str = "PILLION_HOME";

/// Longest socket path that every system takes (macOS allows 104 with the closing zero).
const SOCKET_PATH_BYTES: usize = 100;

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Neither the environment nor the system names a home folder.
    #[error("no home folder is known; set PILLION_HOME")]
    Unknown,
    /// The folder cannot be made or read.
    #[error("cannot use `{path}`: {source}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something else stands where the folder should be.
    #[error("`{0}` is a link or a file, not a folder of its own")]
    NotAFolder(PathBuf),
    /// Another user owns it.
    #[error("`{0}` belongs to another user")]
    Foreign(PathBuf),
    /// Others may read or write it.
    #[error(
        "`{0}` is open to other users; choose another PILLION_HOME, or `chmod 700` it if nobody \
         else uses it"
    )]
    Open(PathBuf),
    /// It is a folder for everybody, like the one for temporary files.
    #[error("`{0}` is shared by all users; choose another PILLION_HOME")]
    Shared(PathBuf),
}

/// An existing, private folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// The folder that `--home` or `PILLION_HOME` names, else `~/.pillion`. Created when missing.
    pub fn open(named: Option<&Path>) -> Result<Self, HomeError> {
        let root = locate(named)?;
        private_folder(&root)?;
        for name in ["state", "run", "log", "bin"] {
            private_folder(&root.join(name))?;
        }
        Ok(Self { root })
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What must outlive the daemon: identity, profiles, tab numbers.
    pub fn state_dir(&self) -> PathBuf {
        self.root.join("state")
    }

    /// What belongs to the running daemon: socket, locks, `daemon.json`.
    pub fn run_dir(&self) -> PathBuf {
        self.root.join("run")
    }

    /// Logs.
    pub fn log_dir(&self) -> PathBuf {
        self.root.join("log")
    }

    /// The copy of the binary that browsers start.
    pub fn bin_dir(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// What agents did.
    pub fn journal(&self) -> PathBuf {
        self.state_dir().join("journal.db")
    }

    /// Where the running daemon says how to reach it.
    pub fn daemon_json(&self) -> PathBuf {
        self.run_dir().join("daemon.json")
    }

    /// What a daemon that was started in the background prints before its own log works.
    pub fn start_log(&self) -> PathBuf {
        self.log_dir().join("daemon-stderr.log")
    }

    /// Held while a daemon is being started.
    pub fn start_lock(&self) -> PathBuf {
        self.run_dir().join("start.lock")
    }

    /// Held by the running daemon as long as it lives.
    pub fn daemon_lock(&self) -> PathBuf {
        self.run_dir().join("daemon.lock")
    }

    /// The daemon's socket. A home whose path is too long for a socket gets one in the runtime
    /// folder under a name made from the home's path.
    pub fn socket_path(&self) -> Result<PathBuf, HomeError> {
        let plain = self.run_dir().join("daemon.sock");
        if plain.as_os_str().len() <= SOCKET_PATH_BYTES {
            return Ok(plain);
        }
        let base =
            std::env::var_os("XDG_RUNTIME_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
        let folder = base.join(format!("pillion-{:016x}", self.fingerprint()));
        private_folder(&folder)?;
        Ok(folder.join("daemon.sock"))
    }

    /// A number that stays the same for this home: FNV-1a over its path. Names things, protects
    /// nothing.
    pub fn fingerprint(&self) -> u64 {
        self.root.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }
}

/// Where the folder would be, without making or checking it.
pub fn locate(named: Option<&Path>) -> Result<PathBuf, HomeError> {
    let path = named
        .map(Path::to_owned)
        .or_else(|| std::env::var_os(HOME_ENV).filter(|value| !value.is_empty()).map(PathBuf::from))
        .or_else(|| std::env::home_dir().map(|home| home.join(".pillion")))
        .ok_or(HomeError::Unknown)?;
    std::path::absolute(&path).map_err(|source| HomeError::Io { path, source })
}

/// Makes `path` for its owner only, or checks that it is so.
pub fn private_folder(path: &Path) -> Result<(), HomeError> {
    let io = |source| HomeError::Io { path: path.to_owned(), source };
    match fs::symlink_metadata(path) {
        Ok(meta) => check(path, &meta),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(io)?;
            }
            match create_private(path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(io(error)),
                // Made by us or by a process that started at the same moment.
                _ => check(path, &fs::symlink_metadata(path).map_err(io)?),
            }
        }
        Err(error) => Err(io(error)),
    }
}

#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(unix)]
fn check(path: &Path, meta: &fs::Metadata) -> Result<(), HomeError> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    if !meta.file_type().is_dir() {
        return Err(HomeError::NotAFolder(path.to_owned()));
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(HomeError::Foreign(path.to_owned()));
    }
    if meta.mode() & 0o077 == 0 {
        return Ok(());
    }
    if meta.mode() & 0o1000 != 0 {
        return Err(HomeError::Shared(path.to_owned()));
    }
    // An empty folder was made for us by `mkdir`: tightening it harms nobody. One with content
    // may be somebody's shared folder, named by mistake.
    let empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    if empty && meta.mode() & 0o022 == 0 {
        return fs::set_permissions(path, fs::Permissions::from_mode(0o700))
            .map_err(|source| HomeError::Io { path: path.to_owned(), source });
    }
    Err(HomeError::Open(path.to_owned()))
}

// On Windows the user's profile folder is private by its inherited access list.
#[cfg(windows)]
fn create_private(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

#[cfg(windows)]
fn check(path: &Path, meta: &fs::Metadata) -> Result<(), HomeError> {
    if meta.file_type().is_dir() { Ok(()) } else { Err(HomeError::NotAFolder(path.to_owned())) }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_home_is_for_its_owner_only() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(Some(&dir.path().join("a/b"))).unwrap();
        assert_eq!(mode(home.root()), 0o700);
        assert_eq!(mode(&home.state_dir()), 0o700);
        assert_eq!(Home::open(Some(home.root())).unwrap(), home);
    }

    #[test]
    fn a_link_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(dir.path(), &link).unwrap();
        assert!(matches!(Home::open(Some(&link)), Err(HomeError::NotAFolder(_))));
    }

    #[test]
    fn an_empty_open_folder_is_tightened_and_a_used_one_refused() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("home");
        fs::create_dir(&root).unwrap();
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        Home::open(Some(&root)).unwrap();
        assert_eq!(mode(&root), 0o700);
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(Home::open(Some(&root)), Err(HomeError::Open(_))));
    }

    #[test]
    fn a_long_home_gets_a_short_socket() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(Some(&dir.path().join("x".repeat(120)))).unwrap();
        let socket = home.socket_path().unwrap();
        assert!(socket.as_os_str().len() <= SOCKET_PATH_BYTES, "{socket:?}");
        fs::remove_dir(socket.parent().unwrap()).unwrap();
    }
}
