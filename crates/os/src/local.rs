//! The local socket between thin processes and the daemon, and its lines. Unix: a socket file
//! 0600 whose peers must be of the same user. Windows: a named pipe that refuses remote clients.
//! Knows nothing of what the lines say.

use std::io;
use std::path::Path;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};

#[cfg(unix)]
pub use unix::{Listener, ReadHalf, Stream, WriteHalf};
#[cfg(windows)]
pub use windows::{Listener, ReadHalf, Stream, WriteHalf};

/// Reads lines up to a size. Safe to drop between two polls: what was read is kept.
pub struct LineReader<R> {
    inner: BufReader<R>,
    partial: Vec<u8>,
    cap: usize,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Lines of at most `cap` bytes.
    pub fn new(inner: R, cap: usize) -> Self {
        Self { inner: BufReader::with_capacity(16 * 1024, inner), partial: Vec::new(), cap }
    }

    /// From now on lines of at most `cap` bytes.
    pub fn set_cap(&mut self, cap: usize) {
        self.cap = cap;
    }

    /// The next line without its end, or `None` at the end of the stream. A line that is too long
    /// or not UTF-8 is an `InvalidData` error, after which the stream is of no more use.
    pub async fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            let available = self.inner.fill_buf().await?;
            if available.is_empty() {
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.unwrap_or(available.len());
            if self.partial.len() + taken > self.cap {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "line too long"));
            }
            self.partial.extend_from_slice(&available[..taken]);
            self.inner.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                let line = std::mem::take(&mut self.partial);
                return String::from_utf8(line)
                    .map(Some)
                    .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "line is not UTF-8"));
            }
        }
    }
}

/// Writes one line and hands it to the system.
pub async fn write_line<W: AsyncWrite + Unpin>(writer: &mut W, line: &str) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(line.len() + 1);
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
    writer.write_all(&bytes).await?;
    writer.flush().await
}

/// Connects to the daemon's socket.
pub async fn connect(path: &Path) -> io::Result<Stream> {
    Stream::connect(path).await
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
    use std::path::{Path, PathBuf};
    use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
    use tokio::net::{UnixListener, UnixStream};

    /// Half of a connection.
    pub type ReadHalf = OwnedReadHalf;
    /// Half of a connection.
    pub type WriteHalf = OwnedWriteHalf;

    /// Takes connections of this user's processes.
    pub struct Listener {
        inner: UnixListener,
        path: PathBuf,
    }

    /// One connection.
    pub struct Stream(UnixStream);

    impl Listener {
        /// Listens at `path`. The caller holds the daemon's lock, so a socket that is there was
        /// left behind and is replaced; anything that is not a socket is not touched.
        pub fn bind(path: &Path) -> io::Result<Self> {
            match std::fs::symlink_metadata(path) {
                Ok(meta) if meta.file_type().is_socket() => std::fs::remove_file(path)?,
                Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => {}
            }
            let inner = UnixListener::bind(path)?;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
            Ok(Self { inner, path: path.to_owned() })
        }

        /// The next connection. A peer of another user is `PermissionDenied`: go on with the next.
        pub async fn accept(&self) -> io::Result<Stream> {
            let (stream, _) = self.inner.accept().await?;
            if stream.peer_cred()?.uid() != rustix::process::geteuid().as_raw() {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            Ok(Stream(stream))
        }
    }

    impl Drop for Listener {
        fn drop(&mut self) {
            // A socket that stays behind is replaced by the next daemon.
            std::fs::remove_file(&self.path).ok();
        }
    }

    impl Stream {
        /// Connects; the listener must be of this user.
        pub async fn connect(path: &Path) -> io::Result<Self> {
            let stream = UnixStream::connect(path).await?;
            if stream.peer_cred()?.uid() != rustix::process::geteuid().as_raw() {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            Ok(Self(stream))
        }

        /// Two halves that may live in two tasks.
        pub fn split(self) -> (ReadHalf, WriteHalf) {
            self.0.into_split()
        }

        /// The peer's process, where the system tells.
        pub fn peer_pid(&self) -> Option<u32> {
            self.0.peer_cred().ok()?.pid().and_then(|pid| u32::try_from(pid).ok())
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::io;
    use std::path::Path;
    use std::pin::Pin;
    use tokio::io::{AsyncRead, AsyncWrite};
    use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeServer, ServerOptions};
    use tokio::sync::Mutex;

    /// Either end of a pipe.
    pub trait Duplex: AsyncRead + AsyncWrite + Send {}
    impl<T: AsyncRead + AsyncWrite + Send> Duplex for T {}

    /// Half of a connection.
    pub type ReadHalf = tokio::io::ReadHalf<Pin<Box<dyn Duplex>>>;
    /// Half of a connection.
    pub type WriteHalf = tokio::io::WriteHalf<Pin<Box<dyn Duplex>>>;

    /// Takes connections. The pipe has the default access list (owner, administrators, system may
    /// write); the token in the hello is what keeps others out.
    pub struct Listener {
        name: String,
        waiting: Mutex<NamedPipeServer>,
    }

    /// One connection.
    pub struct Stream(Pin<Box<dyn Duplex>>);

    fn pipe_name(path: &Path) -> String {
        let hash = path
            .as_os_str()
            .as_encoded_bytes()
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
            });
        format!(r"\\.\pipe\pillion-{hash:016x}")
    }

    impl Listener {
        /// Listens on the pipe that is named after `path`; fails when somebody else does.
        pub fn bind(path: &Path) -> io::Result<Self> {
            let name = pipe_name(path);
            let first = ServerOptions::new()
                .first_pipe_instance(true)
                .reject_remote_clients(true)
                .create(&name)?;
            Ok(Self { name, waiting: Mutex::new(first) })
        }

        /// The next connection.
        pub async fn accept(&self) -> io::Result<Stream> {
            let mut waiting = self.waiting.lock().await;
            waiting.connect().await?;
            let next = ServerOptions::new().reject_remote_clients(true).create(&self.name)?;
            let taken = std::mem::replace(&mut *waiting, next);
            Ok(Stream(Box::pin(taken)))
        }
    }

    impl Stream {
        /// Connects.
        pub async fn connect(path: &Path) -> io::Result<Self> {
            const PIPE_BUSY: i32 = 231;
            const TRIES: u32 = 200;
            const PAUSE: std::time::Duration = std::time::Duration::from_millis(5);
            let name = pipe_name(path);
            for _ in 0..TRIES {
                match ClientOptions::new().open(&name) {
                    // Between two instances of the pipe there is none that listens.
                    Err(error) if error.raw_os_error() == Some(PIPE_BUSY) => {
                        tokio::time::sleep(PAUSE).await;
                    }
                    other => return Ok(Self(Box::pin(other?))),
                }
            }
            Err(io::ErrorKind::TimedOut.into())
        }

        /// Two halves that may live in two tasks.
        pub fn split(self) -> (ReadHalf, WriteHalf) {
            tokio::io::split(self.0)
        }

        /// Not asked for here.
        pub fn peer_pid(&self) -> Option<u32> {
            None
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_arrive_whole_and_a_stale_socket_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.sock");
        std::mem::forget(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let listener = Listener::bind(&path).unwrap();
        let client = async {
            let (_read, mut write) = connect(&path).await.unwrap().split();
            write_line(&mut write, "one").await.unwrap();
            write_line(&mut write, &"x".repeat(50_000)).await.unwrap();
        };
        let server = async {
            let (read, _write) = listener.accept().await.unwrap().split();
            let mut lines = LineReader::new(read, 60_000);
            assert_eq!(lines.next().await.unwrap().as_deref(), Some("one"));
            assert_eq!(lines.next().await.unwrap().map(|line| line.len()), Some(50_000));
            assert_eq!(lines.next().await.unwrap(), None);
        };
        tokio::join!(client, server);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_an_error() {
        let mut lines = LineReader::new(&b"abcdef\n"[..], 5);
        assert_eq!(lines.next().await.unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
