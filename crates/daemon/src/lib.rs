//! The daemon: listens, admits peers, owns the engine and its own life cycle.
//!
//! A library with [`run`]: it never exits the process, never prints, and knows no tool by name.

mod admin;
mod allow;
mod browsers;
mod calls;
mod client_files;
mod codes;
mod config;
mod consent;
mod counters;
mod files;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod gate;
mod http;
mod journal;
mod keyfile;
mod life;
mod links;
mod listener;
mod local;
mod log;
mod loosen;
mod mismatch;
mod pairing;
mod pdf;
mod profiles;
mod reset;
mod secrets;
mod sessions;
mod slots;
mod state;
mod tasks;
mod websocket;

pub use config::Config;
pub use pillion_os::home::Home;
pub use reset::{Reset, reset};

use crate::state::Daemon;
use crate::tasks::Tasks;
use pillion_link::{KeyError, PublicKey};
use pillion_os::file;
use pillion_os::local::Listener;
use pillion_os::lock::Lock;
use pillion_os::record::DaemonRecord;
use pillion_os::version;
use pillion_wire::limits::SHUTDOWN;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Why the daemon could not run.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// Another daemon of this home lives.
    #[error("a daemon already runs for this home")]
    AlreadyRunning,
    /// The home folder is not usable.
    #[error(transparent)]
    Home(#[from] pillion_os::home::HomeError),
    /// A file or socket in the home folder is not usable.
    #[error("cannot use `{path}`")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The identity cannot be read. It is never made anew: every profile has pinned it.
    #[error(
        "the identity in `{path}` is damaged; restore it, or pair anew with `pillion pairing reset`"
    )]
    Identity {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: KeyError,
    },
    /// The list of profiles cannot be read. It is never emptied by itself.
    #[error(
        "the list of profiles in `{path}` is damaged; restore it, or pair anew with `pillion pairing \
         reset`"
    )]
    Profiles {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The operating system gives no randomness.
    #[error("no random bytes")]
    Random(#[source] KeyError),
}

impl DaemonError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::Io { path, source }
    }
}

/// The daemon of this home, as its own process runs it: with its log, its signals and the
/// environment's settings. Returns after a clean end.
///
/// # Errors
/// When it cannot start; [`DaemonError::AlreadyRunning`] when another one lives.
pub async fn run(home: Home, shutdown: CancellationToken) -> Result<(), DaemonError> {
    let _log = log::start(&home.log_dir());
    run_with(home, Config::from_env(), shutdown).await
}

/// The daemon of this home with those settings, without a log of its own.
///
/// # Errors
/// As [`run`].
pub async fn run_with(
    home: Home,
    config: Config,
    shutdown: CancellationToken,
) -> Result<(), DaemonError> {
    Started::start(home, &config, shutdown)?.to_the_end().await;
    Ok(())
}

/// A daemon that listens.
pub struct Started {
    home: Home,
    daemon: Arc<Daemon>,
    record: DaemonRecord,
    idle: Duration,
    /// Given back last of all: whoever takes it finds a home that nobody uses.
    _lock: Lock,
}

impl Started {
    /// Take the home, listen, and say so in `daemon.json`. Inside a tokio runtime.
    ///
    /// # Errors
    /// As [`run`].
    pub fn start(
        home: Home,
        config: &Config,
        shutdown: CancellationToken,
    ) -> Result<Self, DaemonError> {
        let lock_path = home.daemon_lock();
        let lock = Lock::take_from_lookers(&lock_path)
            .map_err(DaemonError::io(&lock_path))?
            .ok_or(DaemonError::AlreadyRunning)?;
        let socket = home.socket_path()?;
        let local = Listener::bind(&socket).map_err(DaemonError::io(&socket))?;
        let loopback = listener::bind(&config.ports);
        let port = loopback.as_ref().map(|loopback| loopback.port);
        let daemon = Daemon::open(&home, config, port, Tasks::default(), shutdown)?;
        let record = DaemonRecord {
            pid: std::process::id(),
            port: port.unwrap_or(0),
            version: version::version().to_owned(),
            proto: version::protocol(),
            token: daemon.token.clone(),
            socket,
        };
        record.write(&home).map_err(DaemonError::io(home.daemon_json()))?;
        tracing::info!(pid = record.pid, port = record.port, "daemon started");
        daemon.tasks.spawn("local listener", local::serve(Arc::clone(&daemon), local));
        if let Some(loopback) = loopback {
            let listener = listener::serve(Arc::clone(&daemon), loopback);
            daemon.tasks.spawn("loopback listener", listener);
        }
        Ok(Self { home, daemon, record, idle: config.idle, _lock: lock })
    }

    /// How to reach it.
    pub fn record(&self) -> &DaemonRecord {
        &self.record
    }

    /// Its public key, which profiles pin.
    pub fn public_key(&self) -> &PublicKey {
        self.daemon.identity.public()
    }

    /// Until there is a reason to end, and through the end.
    pub async fn to_the_end(self) {
        let Self { home, daemon, record, idle, _lock } = self;
        life::wait_for_the_end(&daemon, idle).await;
        // Before the sockets close: a client that is turned away must not be sent here again.
        if let Err(error) = record.remove(&home) {
            tracing::warn!(%error, "daemon.json stays behind");
        }
        daemon.shutdown.cancel();
        daemon.tasks.close();
        if timeout(SHUTDOWN, daemon.tasks.wait()).await.is_err() {
            tracing::warn!("some tasks did not end in time");
        }
        let journal = Arc::clone(&daemon.journal);
        if tokio::task::spawn_blocking(move || journal.close()).await.is_err() {
            tracing::warn!("the journal was not closed");
        }
        tracing::info!("daemon ended");
    }
}

/// A fresh secret in hex.
pub(crate) fn secret() -> Result<String, DaemonError> {
    file::random_hex(32).map_err(DaemonError::io("random bytes"))
}
