//! Connections by their session, so that a session can be ended from outside. Ends nothing of the
//! engine's: the caller does.

use pillion_wire::code::{Code, Done, Retry};
use pillion_wire::id::SessionId;
use pillion_wire::local::{FailureInfo, Reply};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// The sessions that have connections.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<SessionId, CancellationToken>>);

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection of that session; the token says when the session was ended.
    pub(crate) fn join(&self, session: &SessionId) -> CancellationToken {
        // Names are never used twice: what is here is this session's own.
        self.lock().entry(session.clone()).or_default().clone()
    }

    /// Every connection of that session learns that it has ended.
    pub(crate) fn end(&self, session: &SessionId) {
        if let Some(ended) = self.lock().remove(session) {
            ended.cancel();
        }
    }
}

/// The answer to a call of a session that its user ended.
pub(crate) fn ended(session: &SessionId, done: Done) -> Reply {
    let code = Code::StoppedByUser;
    let what = match done {
        Done::No => "nothing was done",
        Done::Partly | Done::Maybe => "this call may or may not have had its effect",
    };
    Reply {
        ok: false,
        text: format!(
            "{}: the user ended this session ({}) and {what}. Its tabs are not yours any more. \
             Next: stop, and go on only if the user asks for it; a call then begins a new session.",
            code.as_str(),
            session.0
        ),
        failure: Some(FailureInfo { code, done, retry: Retry::Never, retry_after_ms: None }),
        images: Vec::new(),
        data: None,
        ms: 0,
    }
}
