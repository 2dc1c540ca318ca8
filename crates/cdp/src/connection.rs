//! Commands out and their answers back, by id; everything else is an event. Knows no command.

use pillion_wire::limits::cdp::PENDING;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Why a command has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CommandError {
    /// Chrome's own words.
    #[error("{0}")]
    Refused(String),
    /// The browser went away. `sent`: it may have got the command.
    #[error("the browser is gone")]
    Closed { sent: bool },
    /// It did not answer in time.
    #[error("the browser did not answer in time")]
    Late,
}

/// An event as it came.
#[derive(Debug)]
pub(crate) struct CdpEvent {
    /// A target's session; the browser's own when absent.
    pub(crate) session: Option<String>,
    pub(crate) method: String,
    pub(crate) params: Value,
}

type Answer = Result<Value, CommandError>;

struct Pending {
    session: Option<String>,
    answer: oneshot::Sender<Answer>,
}

#[derive(Default)]
struct Waiting {
    next: u32,
    closed: bool,
    by_id: HashMap<u32, Pending>,
}

/// One browser's commands.
pub(crate) struct Connection {
    outgoing: mpsc::Sender<String>,
    waiting: Mutex<Waiting>,
}

/// A command that was sent. Dropping it forgets the answer, not the command.
pub(crate) struct Sent<'a> {
    connection: &'a Connection,
    id: u32,
    answer: oneshot::Receiver<Answer>,
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        self.connection.lock().by_id.remove(&self.id);
    }
}

impl Sent<'_> {
    /// Its answer.
    pub(crate) async fn within(mut self, time: Duration) -> Answer {
        match tokio::time::timeout(time, &mut self.answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(CommandError::Closed { sent: true }),
            Err(_) => Err(CommandError::Late),
        }
    }
}

impl Connection {
    pub(crate) fn new(outgoing: mpsc::Sender<String>) -> Self {
        Self { outgoing, waiting: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a command over. Commands of one caller keep their order.
    pub(crate) async fn begin(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Sent<'_>, CommandError> {
        let (send, answer) = oneshot::channel();
        let id = {
            let mut waiting = self.lock();
            if waiting.closed || waiting.by_id.len() >= PENDING {
                return Err(CommandError::Closed { sent: false });
            }
            waiting.next += 1;
            let id = waiting.next;
            let session = session.map(str::to_owned);
            waiting.by_id.insert(id, Pending { session, answer: send });
            id
        };
        let sent = Sent { connection: self, id, answer };
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let handed = self.outgoing.send(message.to_string()).await;
        handed.map(|()| sent).map_err(|_| CommandError::Closed { sent: false })
    }

    /// A command and its answer.
    pub(crate) async fn send(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        time: Duration,
    ) -> Answer {
        let begun = tokio::time::timeout(time, self.begin(session, method, params)).await;
        begun.map_err(|_| CommandError::Late)??.within(time).await
    }

    /// Takes a message: an answer goes to who waits for it, an event is given back.
    pub(crate) fn take(&self, text: &str) -> Option<CdpEvent> {
        let mut message: Value = serde_json::from_str(text).ok()?;
        let Some(id) = message["id"].as_u64() else {
            let session = message["sessionId"].as_str().map(str::to_owned);
            let method = message["method"].as_str()?.to_owned();
            return Some(CdpEvent { session, method, params: message["params"].take() });
        };
        let pending = self.lock().by_id.remove(&u32::try_from(id).ok()?)?;
        let answer = match message["error"]["message"].as_str() {
            Some(words) => Err(CommandError::Refused(words.to_owned())),
            None => Ok(message["result"].take()),
        };
        // The caller may have given up meanwhile.
        pending.answer.send(answer).ok();
        None
    }

    /// A session ended: Chrome answers nothing of it any more.
    pub(crate) fn session_ended(&self, session: &str) {
        let ended: Vec<Pending> = {
            let mut waiting = self.lock();
            let of_it = |pending: &Pending| pending.session.as_deref() == Some(session);
            let ids: Vec<u32> =
                waiting.by_id.iter().filter(|(_, p)| of_it(p)).map(|(id, _)| *id).collect();
            ids.iter().filter_map(|id| waiting.by_id.remove(id)).collect()
        };
        for pending in ended {
            pending.answer.send(Err(CommandError::Refused("the session was closed".into()))).ok();
        }
    }

    /// The browser is gone.
    pub(crate) fn close(&self) {
        let pending = {
            let mut waiting = self.lock();
            waiting.closed = true;
            std::mem::take(&mut waiting.by_id)
        };
        for (_, pending) in pending {
            pending.answer.send(Err(CommandError::Closed { sent: true })).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection() -> (Connection, mpsc::Receiver<String>) {
        let (outgoing, sent) = mpsc::channel(8);
        (Connection::new(outgoing), sent)
    }

    #[tokio::test]
    async fn answers_find_their_commands_in_any_order() {
        let (connection, mut sent) = connection();
        let one = connection.begin(Some("S"), "A.a", json!({})).await.unwrap();
        let two = connection.begin(None, "B.b", json!({"x": 1})).await.unwrap();
        let first: Value = serde_json::from_str(&sent.recv().await.unwrap()).unwrap();
        assert_eq!(first, json!({"id": 1, "method": "A.a", "params": {}, "sessionId": "S"}));
        assert!(connection.take(r#"{"id":2,"error":{"code":-1,"message":"no"}}"#).is_none());
        assert!(connection.take(r#"{"id":1,"result":{"y":2},"sessionId":"S"}"#).is_none());
        assert_eq!(one.within(Duration::from_secs(1)).await.unwrap(), json!({"y": 2}));
        let refused = two.within(Duration::from_secs(1)).await.unwrap_err();
        assert_eq!(refused, CommandError::Refused("no".into()));
    }

    #[tokio::test]
    async fn a_session_or_a_browser_that_ends_answers_for_all_that_waits() {
        let (connection, _sent) = connection();
        let one = connection.begin(Some("S"), "A.a", json!({})).await.unwrap();
        let two = connection.begin(None, "B.b", json!({})).await.unwrap();
        connection.session_ended("S");
        assert!(matches!(one.within(Duration::ZERO).await, Err(CommandError::Refused(_))));
        connection.close();
        let lost = two.within(Duration::ZERO).await.unwrap_err();
        assert_eq!(lost, CommandError::Closed { sent: true });
        assert!(connection.begin(None, "C.c", json!({})).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_without_an_answer_ends_in_time_and_is_forgotten() {
        let (connection, _sent) = connection();
        let late = connection.send(None, "A.a", json!({}), Duration::from_secs(9)).await;
        assert_eq!(late.unwrap_err(), CommandError::Late);
        assert!(connection.lock().by_id.is_empty());
    }

    #[test]
    fn what_has_no_id_is_an_event() {
        let (connection, _sent) = connection();
        let event =
            connection.take(r#"{"method":"P.e","params":{"a":1},"sessionId":"S"}"#).unwrap();
        assert_eq!((event.method.as_str(), event.session.as_deref()), ("P.e", Some("S")));
        assert_eq!(event.params["a"], 1);
        assert!(connection.take("rubbish").is_none());
    }
}
