//! Tool calls of one client: each in a task of its own, cancelled with the client, answered once.
//!
//! A fault in the engine fails its call only.

use crate::files::Whose;
use crate::state::Daemon;
use crate::{browsers, sessions};
use futures_util::FutureExt;
use pillion_engine::ToolCall;
use pillion_link::PairingCode;
use pillion_wire::code::{Code, Done};
use pillion_wire::id::SessionId;
use pillion_wire::limits::{CALL, CALL_GRACE, CLIENT_CALLS};
use pillion_wire::local::{FailureInfo, Reply, ToClient};
use serde_json::Value;
use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Progress messages of one call that wait to be sent; more are dropped.
const PROGRESS: usize = 8;

/// One call as it came.
pub(crate) struct Request {
    pub(crate) id: u32,
    pub(crate) tool: String,
    pub(crate) args: Value,
    pub(crate) deadline_ms: u32,
    pub(crate) again: bool,
}

/// The client used the id of a call in flight.
#[derive(Debug)]
pub(crate) struct Reused;

/// The calls in flight of one client.
pub(crate) struct Calls {
    daemon: Arc<Daemon>,
    session: SessionId,
    files: Whose,
    out: mpsc::Sender<ToClient>,
    /// Cancelled with the client's connection.
    end: CancellationToken,
    /// Cancelled when the user ended the session.
    killed: CancellationToken,
    flying: Arc<Mutex<HashMap<u32, CancellationToken>>>,
}

impl Calls {
    pub(crate) fn new(
        daemon: Arc<Daemon>,
        session: SessionId,
        files: Whose,
        out: mpsc::Sender<ToClient>,
        end: CancellationToken,
    ) -> Self {
        let killed = daemon.sessions.join(&session);
        Self { daemon, session, files, out, end, killed, flying: Arc::default() }
    }

    /// The answer to a call of a session that was ended, if it was.
    pub(crate) fn ended(&self) -> Option<Reply> {
        self.killed.is_cancelled().then(|| sessions::ended(&self.session, Done::No))
    }

    /// Start a call; its result is sent when it ends.
    pub(crate) fn start(&self, request: Request) -> Result<(), Reused> {
        let Request { id, tool, args, deadline_ms, again } = request;
        let cancel = self.end.child_token();
        let is_crowded = {
            let mut flying = self.flying.lock().unwrap_or_else(PoisonError::into_inner);
            if flying.contains_key(&id) {
                return Err(Reused);
            }
            let is_crowded = flying.len() >= CLIENT_CALLS;
            if !is_crowded {
                flying.insert(id, cancel.clone());
            }
            is_crowded
        };
        if is_crowded {
            let what = format!("{CLIENT_CALLS} calls are in flight");
            let reply = failure(Code::RateLimited, &what, "wait for one of them to end");
            // A client that also lets its answers pile up has no claim to this one.
            self.out.try_send(ToClient::Result { id, reply }).ok();
            return Ok(());
        }
        let deadline = Duration::from_millis(deadline_ms.into()).min(CALL);
        let (progress, told) = mpsc::channel(PROGRESS);
        let files = self.files.of_call(id);
        let record = self.daemon.engine.begin(&self.session, &tool, &args);
        let shown = Arc::clone(&record);
        let call = ToolCall { tool, args, deadline, cancel, progress, files, record: shown };
        if again {
            self.daemon.counters.retried();
        }
        let (daemon, session) = (Arc::clone(&self.daemon), self.session.clone());
        let (out, flying, killed) =
            (self.out.clone(), Arc::clone(&self.flying), self.killed.clone());
        self.daemon.tasks.spawn("call", async move {
            let answer = async {
                match browsers::ready(&daemon, &session, deadline, &call).await {
                    Ok(()) => daemon.engine.call(&session, call).await,
                    Err(reply) => reply,
                }
            };
            let answer = bounded(answer, deadline + CALL_GRACE);
            let reply = with_progress(answer, told, |message| {
                out.try_send(ToClient::Progress { id, message }).ok();
            });
            let reply = tokio::select! {
                reply = reply => {
                    let reply = explained(reply, daemon.mismatch.sentence());
                    with_code(reply, || code_for_call(&daemon))
                }
                () = killed.cancelled() => sessions::ended(&session, Done::Maybe),
            };
            record.end(&reply);
            flying.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            // The client may be gone.
            out.send(ToClient::Result { id, reply }).await.ok();
        });
        Ok(())
    }

    /// Nobody waits for that call any more. Unknown ids are calls that have ended.
    pub(crate) fn cancel(&self, id: u32) {
        let flying = self.flying.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cancel) = flying.get(&id) {
            cancel.cancel();
        }
    }
}

async fn with_progress(
    answer: impl Future<Output = Reply>,
    mut told: mpsc::Receiver<String>,
    mut tell: impl FnMut(String),
) -> Reply {
    let mut answer = std::pin::pin!(answer);
    loop {
        tokio::select! {
            biased;
            Some(message) = told.recv() => tell(message),
            reply = &mut answer => return reply,
        }
    }
}

/// The answer, or a failure when the engine panics or overruns.
async fn bounded(answer: impl Future<Output = Reply>, within: Duration) -> Reply {
    match timeout(within, AssertUnwindSafe(answer).catch_unwind()).await {
        Ok(Ok(reply)) => reply,
        Ok(Err(_)) => failure(
            Code::Internal,
            "a fault in Pillion ended the call",
            "look at the page before you repeat; the daemon's log has the place",
        ),
        Err(_) => failure(
            Code::Timeout,
            "the call did not end in its time",
            "look at the page before you repeat",
        ),
    }
}

/// Where no browser is there because its extension is of another version, that is the answer.
fn explained(reply: Reply, mismatch: Option<String>) -> Reply {
    let code = reply.failure.as_ref().map(|failure| failure.code);
    match mismatch {
        Some(why) if matches!(code, Some(Code::NotConnected | Code::ProfileDisconnected)) => {
            let next = "tell the user; the same call works as soon as the versions fit";
            failure(Code::VersionMismatch, &why, next)
        }
        _ => reply,
    }
}

/// The code to pair with, where no profile was ever paired and the extension can find the daemon.
/// Elsewhere a browser that is closed is the likelier reason.
fn code_for_call(daemon: &Daemon) -> Option<(PairingCode, Duration)> {
    if daemon.profiles.count() > 0 {
        return None;
    }
    daemon.port?;
    // Without randomness there is no code, and the answer stands without it.
    daemon.pairing.current().ok()
}

/// Where no browser is connected, the answer names the way in that needs a person only.
fn with_code(mut reply: Reply, code: impl FnOnce() -> Option<(PairingCode, Duration)>) -> Reply {
    let is_alone = reply.failure.as_ref().is_some_and(|one| one.code == Code::NotConnected);
    if let Some((code, life)) = is_alone.then(code).flatten() {
        reply.text.push_str(&format!(
            " Or ask the user to click the Pillion icon in their browser, choose \"Pair with a \
             code\" and type {code} (good for {} s), then make the same call again.",
            life.as_secs()
        ));
    }
    reply
}

/// A reply of the daemon's own, in the form of the engine's.
pub(crate) fn failure(code: Code, what: &str, next: &str) -> Reply {
    Reply {
        ok: false,
        text: format!("{}: {what}. Next: {next}.", code.as_str()),
        failure: Some(FailureInfo {
            code,
            done: code.done(),
            retry: code.retry(),
            retry_after_ms: None,
        }),
        images: Vec::new(),
        data: None,
        ms: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(reply: &Reply) -> Code {
        reply.failure.as_ref().unwrap().code
    }

    #[tokio::test]
    async fn a_panicking_tool_fails_its_call_only() {
        let reply = bounded(async { panic!("at the page's words") }, CALL).await;
        assert_eq!(code(&reply), Code::Internal);
        assert!(!reply.text.contains("words"), "{}", reply.text);
    }

    #[tokio::test(start_paused = true)]
    async fn a_tool_that_never_ends_is_answered_for() {
        let reply = bounded(std::future::pending(), CALL).await;
        assert_eq!(code(&reply), Code::Timeout);
    }

    #[tokio::test]
    async fn progress_comes_before_the_answer() {
        let (progress, told) = mpsc::channel(PROGRESS);
        progress.send("waits".to_owned()).await.unwrap();
        let mut seen = Vec::new();
        let answer = async { failure(Code::Timeout, "x", "y") };
        with_progress(answer, told, |message| seen.push(message)).await;
        assert_eq!(seen, ["waits"]);
    }
}
