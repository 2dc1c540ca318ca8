//! Browsers without the extension: opened for the sessions that ask for one, shared by those that ask
//! for the same, and let go with the last of them. Whoever named one on the command line gave consent.

mod named;
mod opened;

use crate::calls::failure;
use crate::state::Daemon;
use opened::{Opened, Unopened};
use pillion_cdp::CdpLink;
use pillion_engine::{Browser, ProfileLink, ToolCall};
use pillion_os::home::Home;
use pillion_wire::code::Code;
use pillion_wire::id::{ProfileId, SessionId};
use pillion_wire::limits::ANSWER_TIME;
use pillion_wire::limits::cdp::BACK;
use pillion_wire::local::{BrowserWish, Reply};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// See the module.
pub(crate) struct Browsers {
    places: opened::Places,
    own: Mutex<HashMap<ProfileId, Arc<Own>>>,
}

/// One browser that somebody asked for.
struct Own {
    id: ProfileId,
    wish: BrowserWish,
    label: String,
    state: watch::Sender<State>,
    /// Sessions with how many of their connections stand.
    users: Mutex<HashMap<SessionId, usize>>,
    /// The last session left.
    unwanted: Mutex<CancellationToken>,
}

#[derive(Clone)]
enum State {
    /// Not begun, or ended and told.
    Idle,
    Opening,
    Open(Arc<CdpLink>),
    /// It ended, or did not open, and why.
    Ended(Code, String),
}

impl Browsers {
    /// None yet. What a daemon that was killed left of its temporary profiles goes.
    pub(crate) fn new(home: &Home) -> Self {
        let places = opened::Places::of(home);
        places.tidy();
        Self { places, own: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProfileId, Arc<Own>>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, session: &SessionId) -> Option<Arc<Own>> {
        self.lock().values().find(|own| own.users().contains_key(session)).cloned()
    }
}

impl Own {
    fn new(id: ProfileId, wish: BrowserWish) -> Self {
        let label = named::label(&wish);
        Self {
            id,
            wish,
            label,
            state: watch::Sender::new(State::Idle),
            users: Mutex::default(),
            unwanted: Mutex::default(),
        }
    }

    fn users(&self) -> MutexGuard<'_, HashMap<SessionId, usize>> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unwanted(&self) -> CancellationToken {
        self.unwanted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets the sessions that asked for it use it.
    fn admit(&self, link: &CdpLink) {
        self.users().keys().for_each(|session| link.admit(&session.0, true));
    }
}

/// The same wish is the same profile, also after a restart.
fn id_of(wish: &BrowserWish) -> ProfileId {
    let written = serde_json::to_string(wish).unwrap_or_default();
    let hash = Sha256::digest(written.as_bytes());
    ProfileId(format!(
        "cdp-{}",
        hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>()
    ))
}

/// A session's connection wants a browser: it uses no other from now on, unless it says so.
pub(crate) fn join(daemon: &Arc<Daemon>, session: &SessionId, wish: BrowserWish) {
    let id = id_of(&wish);
    let own = {
        let mut all = daemon.browsers.lock();
        Arc::clone(all.entry(id.clone()).or_insert_with(|| Arc::new(Own::new(id, wish))))
    };
    *own.users().entry(session.clone()).or_default() += 1;
    daemon.engine.use_profile(session, &own.id, &own.label);
    if let State::Open(link) = &*own.state.borrow() {
        own.admit(link);
    }
    open(daemon, &own);
}

/// A connection of a session ended. Its client may be back in a moment.
pub(crate) fn leave(daemon: &Arc<Daemon>, session: &SessionId) {
    let Some(own) = daemon.browsers.of(session) else { return };
    let (daemon, session) = (Arc::clone(daemon), session.clone());
    daemon.tasks.clone().spawn("leave a browser", async move {
        tokio::select! {
            () = tokio::time::sleep(BACK) => {}
            () = daemon.shutdown.cancelled() => return,
        }
        let is_unwanted = {
            let mut users = own.users();
            if let Some(count) = users.get_mut(&session) {
                *count = count.saturating_sub(1);
            }
            users.retain(|_, count| *count > 0);
            users.is_empty()
        };
        if is_unwanted {
            own.unwanted().cancel();
        }
    });
}

/// Opens it, unless it is open or just being opened.
fn open(daemon: &Arc<Daemon>, own: &Arc<Own>) {
    let begins = own.state.send_if_modified(|state| {
        let begins = matches!(state, State::Idle);
        if begins {
            *state = State::Opening;
        }
        begins
    });
    if !begins {
        return;
    }
    let fresh = CancellationToken::new();
    fresh.clone_into(&mut own.unwanted.lock().unwrap_or_else(PoisonError::into_inner));
    let (daemon, own) = (Arc::clone(daemon), Arc::clone(own));
    daemon.tasks.clone().spawn("a browser", async move {
        let after = tokio::select! {
            () = fresh.cancelled() => State::Idle,
            () = daemon.shutdown.cancelled() => State::Idle,
            opened = opened::open(&daemon.browsers.places, &own.wish) => match opened {
                Ok(opened) => live(&daemon, &own, opened, &fresh).await,
                Err(Unopened { code, why }) => {
                    tracing::info!(label = own.label, why, "a browser did not open");
                    State::Ended(code, why)
                }
            },
        };
        own.state.send_replace(after);
    });
}

/// From the first tab to the last.
async fn live(
    daemon: &Arc<Daemon>,
    own: &Arc<Own>,
    opened: Opened,
    unwanted: &CancellationToken,
) -> State {
    let link = Arc::clone(&opened.link);
    own.admit(&link);
    let (slug, connection) = daemon.engine.connect(ProfileLink {
        id: own.id.clone(),
        label: own.label.clone(),
        consent: true,
        boot: opened.boot.clone(),
        version: link.product().to_owned(),
        reserved: true,
        browser: Arc::clone(&link) as Arc<dyn Browser>,
    });
    let engine = Arc::clone(&daemon.engine);
    link.listen(move |event| engine.event(connection, event));
    tracing::info!(profile = slug, product = link.product(), "a browser is open");
    own.state.send_replace(State::Open(Arc::clone(&link)));
    // Who joined meanwhile.
    own.admit(&link);
    let told = tokio::select! {
        () = link.ended() => false,
        () = unwanted.cancelled() => true,
        () = daemon.shutdown.cancelled() => true,
    };
    daemon.engine.disconnect(connection);
    let how = opened.end().await;
    tracing::info!(profile = slug, told, how, "a browser is closed");
    if told {
        State::Idle
    } else {
        State::Ended(Code::ProfileDisconnected, named::lost(&own.wish, &how))
    }
}

/// Before a call: its session's own browser is open, or the call is answered here. A browser that
/// ended is told once; the next call opens it again.
pub(crate) async fn ready(
    daemon: &Arc<Daemon>,
    session: &SessionId,
    deadline: Duration,
    call: &ToolCall,
) -> Result<(), Reply> {
    let Some(own) = daemon.browsers.of(session) else { return Ok(()) };
    let mut state = own.state.subscribe();
    let end = tokio::time::Instant::now() + deadline.saturating_sub(ANSWER_TIME);
    let mut is_told = false;
    loop {
        let now = state.borrow_and_update().clone();
        match now {
            State::Open(link) if link.is_connected() => return Ok(()),
            State::Open(_) | State::Opening => {}
            State::Idle => open(daemon, &own),
            State::Ended(code, why) => {
                own.state.send_replace(State::Idle);
                return Err(failure(code, &why, named::next(&own.wish)));
            }
        }
        if !is_told {
            is_told = true;
            // Nobody may listen to progress: the wait goes on all the same.
            call.progress.try_send(named::waiting(&own.wish).to_owned()).ok();
        }
        tokio::select! {
            // The sender lives in `own`: waiting cannot fail.
            _ = state.changed() => {}
            () = call.cancel.cancelled() => {
                return Err(failure(Code::Timeout, "the call was cancelled", "call again"));
            }
            () = tokio::time::sleep_until(end) => {
                let why = format!("still {}", named::waiting(&own.wish));
                return Err(failure(Code::NotConnected, &why, named::next(&own.wish)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_wish_is_the_same_profile() {
        let wish = |url: &str| BrowserWish::Cdp { url: url.to_owned() };
        assert_eq!(id_of(&wish("http://a")), id_of(&wish("http://a")));
        assert_ne!(id_of(&wish("http://a")), id_of(&wish("http://b")));
        assert!(!id_of(&wish("wss://h/?token=secret")).0.contains("secret"));
    }
}
