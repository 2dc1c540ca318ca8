//! What every part of one daemon shares. Each field has one owner of its changes.

use crate::allow::AllowList;
use crate::consent::Nonces;
use crate::links::Links;
use crate::profiles::Profiles;
use crate::tasks::Tasks;
use crate::{Config, DaemonError, Home, keyfile};
use pillion_engine::{Engine, EngineConfig};
use pillion_link::Identity;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The version of this build.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// One daemon.
pub(crate) struct Daemon {
    pub(crate) engine: Arc<Engine>,
    pub(crate) identity: Identity,
    pub(crate) profiles: Profiles,
    pub(crate) links: Links,
    pub(crate) allow: AllowList,
    pub(crate) tasks: Tasks,
    /// The loopback port, when one was free.
    pub(crate) port: Option<u16>,
    /// The ports that were to be tried.
    pub(crate) ports: Vec<u16>,
    /// In every hello of a local client.
    pub(crate) token: String,
    /// The one path that answers 204 without an `Origin`: a navigation there dismisses a dialog
    /// that opened before the debugger was attached, and leaves the page as it is.
    pub(crate) dismiss_path: String,
    pub(crate) started: Instant,
    /// Clients but native helpers, written by `local`.
    pub(crate) clients: watch::Sender<usize>,
    pub(crate) shutdown: CancellationToken,
    nonces: Mutex<Nonces>,
}

impl Daemon {
    pub(crate) fn open(
        home: &Home,
        config: &Config,
        port: Option<u16>,
        tasks: Tasks,
        shutdown: CancellationToken,
    ) -> Result<Arc<Self>, DaemonError> {
        let state = home.state_dir();
        Ok(Arc::new(Self {
            engine: Engine::new(EngineConfig {
                state_dir: state.clone(),
                orphan: config.orphan,
                calls_a_minute: config.calls_a_minute,
            }),
            identity: keyfile::load_or_create(&state)?,
            profiles: Profiles::load(&state)?,
            links: Links::default(),
            allow: AllowList::new(&state),
            tasks,
            port,
            ports: config.ports.clone(),
            token: crate::secret()?,
            dismiss_path: format!("/{}", crate::secret()?),
            started: Instant::now(),
            clients: watch::Sender::new(0),
            shutdown,
            nonces: Mutex::default(),
        }))
    }

    /// Nonces of consent in advance.
    pub(crate) fn nonces(&self) -> MutexGuard<'_, Nonces> {
        self.nonces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
