//! What every part of one daemon shares. Each field has one owner of its changes.

use crate::allow::AllowList;
use crate::browsers::Browsers;
use crate::consent::Nonces;
use crate::counters::Counters;
use crate::gate::Gate;
use crate::journal::Scribe;
use crate::links::Links;
use crate::mismatch::Mismatch;
use crate::pairing::Pairing;
use crate::profiles::Profiles;
use crate::secrets::Vault;
use crate::sessions::Sessions;
use crate::tasks::Tasks;
use crate::{Config, DaemonError, Home, keyfile};
use pillion_engine::{Engine, EngineConfig};
use pillion_journal::{Journal, Keep};
use pillion_link::Identity;
use pillion_os::version;
use pillion_secrets::Store;
use pillion_wire::id::SessionId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// One daemon.
pub(crate) struct Daemon {
    pub(crate) engine: Arc<Engine>,
    pub(crate) identity: Identity,
    pub(crate) profiles: Profiles,
    pub(crate) links: Links,
    /// Browsers without the extension.
    pub(crate) browsers: Browsers,
    pub(crate) pairing: Pairing,
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
    /// Clients; native helpers do not count.
    pub(crate) gate: Arc<Gate>,
    pub(crate) sessions: Sessions,
    pub(crate) mismatch: Mismatch,
    pub(crate) counters: Counters,
    pub(crate) journal: Arc<Journal>,
    /// Somebody asks it to end. What follows is `life`'s affair.
    pub(crate) asked_to_end: CancellationToken,
    /// It ends: every connection closes. Cancelled after `daemon.json` is gone.
    pub(crate) shutdown: CancellationToken,
    nonces: Mutex<Nonces>,
}

impl Daemon {
    /// Ends a session that its user wants to end; false when there is none of that id. The engine
    /// first: what is in flight cannot get another tab meanwhile.
    pub(crate) fn end_session(&self, session: &SessionId) -> bool {
        if !self.engine.sessions().iter().any(|known| known["id"] == session.0.as_str()) {
            return false;
        }
        self.engine.end_session(session);
        self.sessions.end(session);
        tracing::info!(session = session.0, "session ended by its user");
        true
    }

    pub(crate) fn open(
        home: &Home,
        config: &Config,
        port: Option<u16>,
        tasks: Tasks,
        asked_to_end: CancellationToken,
    ) -> Result<Arc<Self>, DaemonError> {
        let state = home.state_dir();
        let identity = keyfile::load_or_create(&state)?;
        let profiles = Profiles::load(&state)?;
        let journal = Arc::new(Journal::start(home.journal(), version::version(), Keep::default()));
        let engine = EngineConfig {
            state_dir: state.clone(),
            orphan: config.orphan,
            calls_a_minute: config.calls_a_minute,
        };
        let engine = Engine::witnessed(engine, Arc::new(Scribe(Arc::clone(&journal))));
        engine.use_secrets(Arc::new(Vault(Store::open(home))));
        engine.use_pdfs(Arc::new(crate::pdf::Reader::default()));
        crate::log::scrub_with(&engine);
        Ok(Arc::new(Self {
            engine,
            identity,
            profiles,
            links: Links::default(),
            browsers: Browsers::new(home),
            pairing: Pairing::new(config.pair_code),
            allow: AllowList::new(&state),
            tasks,
            port,
            ports: config.ports.clone(),
            token: crate::secret()?,
            dismiss_path: format!("/{}", crate::secret()?),
            started: Instant::now(),
            gate: Gate::new(),
            sessions: Sessions::default(),
            mismatch: Mismatch::default(),
            counters: Counters::default(),
            journal,
            asked_to_end,
            shutdown: CancellationToken::new(),
            nonces: Mutex::default(),
        }))
    }

    /// Nonces of consent in advance.
    pub(crate) fn nonces(&self) -> MutexGuard<'_, Nonces> {
        self.nonces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
