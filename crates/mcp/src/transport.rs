//! Lines of JSON on stdin and stdout. Whatever a line holds, the stream goes on: what is no
//! message is answered with an error where it has an id, and ignored where it has none.
//!
//! Knows no tool. stdout is written by one thread only, one message a line.

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, JsonRpcMessage,
    ServerJsonRpcMessage,
};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::future::Future;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Longest line that is taken; a longer one is skipped.
const LINE_BYTES: usize = 64 * 1024 * 1024;
/// Lines that wait to be understood.
const WAITING: usize = 256;
/// Lines that wait for the client to read them.
const WAITING_OUT: usize = 4096;
/// Most messages of one batch.
const BATCH: usize = 256;
/// How long the end waits for a client that does not read.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// stdin and stdout.
pub(crate) struct Stdio {
    lines: mpsc::Receiver<Vec<u8>>,
    out: Option<mpsc::Sender<Vec<u8>>>,
    written: Option<oneshot::Receiver<()>>,
    /// Messages of a batch that were not yet handed on.
    queue: VecDeque<ClientJsonRpcMessage>,
    /// Error answers that were not yet handed to the writer.
    answers: VecDeque<Vec<u8>>,
    /// Until the first request, notifications and answers are noise.
    opened: bool,
}

impl Stdio {
    /// Starts the two threads. stdin may block for ever: a thread does not hold up the end.
    pub(crate) fn start() -> io::Result<Self> {
        let (line_in, lines) = mpsc::channel(WAITING);
        let (out, mut to_write) = mpsc::channel::<Vec<u8>>(WAITING_OUT);
        let (done, written) = oneshot::channel();
        std::thread::Builder::new()
            .name("stdin".into())
            .spawn(move || read_lines(BufReader::new(io::stdin().lock()), &line_in))?;
        std::thread::Builder::new().name("stdout".into()).spawn(move || {
            let mut stdout = io::stdout().lock();
            while let Some(line) = to_write.blocking_recv() {
                if stdout.write_all(&line).and_then(|()| stdout.flush()).is_err() {
                    break;
                }
            }
            // Nobody may be waiting any more.
            done.send(()).ok();
        })?;
        Ok(Self {
            lines,
            out: Some(out),
            written: Some(written),
            queue: VecDeque::new(),
            answers: VecDeque::new(),
            opened: false,
        })
    }

    fn take(&mut self, line: &[u8]) {
        for read in understand(line) {
            match read {
                Read::Message(message) => {
                    let request = matches!(*message, JsonRpcMessage::Request(_));
                    self.opened |= request;
                    if self.opened {
                        self.queue.push_back(*message);
                    }
                }
                Read::Answer(answer) => self.answers.push_back(line_of(&answer)),
            }
        }
    }
}

fn read_lines(mut input: impl io::BufRead, lines: &mpsc::Sender<Vec<u8>>) {
    loop {
        let mut line = Vec::new();
        let limit = u64::try_from(LINE_BYTES).unwrap_or(u64::MAX);
        match io::Read::take(&mut input, limit).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.last() != Some(&b'\n') && line.len() == LINE_BYTES => {
                if !skip_line(&mut input) {
                    return;
                }
            }
            // A line without an end is half a message: its sender is gone.
            Ok(_) if line.last() != Some(&b'\n') => return,
            Ok(_) => {
                if lines.blocking_send(line).is_err() {
                    return;
                }
            }
        }
    }
}

fn skip_line(input: &mut impl io::BufRead) -> bool {
    loop {
        let (used, ended) = match input.fill_buf() {
            Ok([]) | Err(_) => return false,
            Ok(bytes) => match bytes.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (bytes.len(), false),
            },
        };
        input.consume(used);
        if ended {
            return true;
        }
    }
}

fn line_of(value: &impl serde::Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("messages are plain data");
    line.push(b'\n');
    line
}

/// What a line holds.
enum Read {
    Message(Box<ClientJsonRpcMessage>),
    Answer(Value),
}

fn understand(line: &[u8]) -> Vec<Read> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    // An answer to noise could be echoed and answered again without end, so there is none.
    let Ok(value) = serde_json::from_slice::<Value>(line) else { return Vec::new() };
    match value {
        Value::Array(batch) => batch.into_iter().take(BATCH).filter_map(one).collect(),
        value => one(value).into_iter().collect(),
    }
}

fn one(value: Value) -> Option<Read> {
    let id = value.get("id").cloned();
    let asks =
        value.get("method").is_some() || value.get("result").or(value.get("error")).is_none();
    let error = |code: ErrorCode, message: String| {
        let id = id.clone().filter(|id| id.is_string() || id.is_number())?;
        asks.then(|| {
            let error = json!({"code": code.0, "message": message});
            Read::Answer(json!({"jsonrpc": "2.0", "id": id, "error": error}))
        })
    };
    if value.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return error(ErrorCode::INVALID_REQUEST, "not a JSON-RPC 2.0 message".into());
    }
    let Some(method) = value.get("method").and_then(Value::as_str).map(str::to_owned) else {
        if asks {
            return error(ErrorCode::INVALID_REQUEST, "`method` must be a string".into());
        }
        return serde_json::from_value(value).ok().map(|m| Read::Message(Box::new(m)));
    };
    if method == "ping" {
        // Answered here: the server's tasks would answer many at once in any order.
        let id = id.filter(|id| id.is_string() || id.is_number())?;
        return Some(Read::Answer(json!({"jsonrpc": "2.0", "id": id, "result": {}})));
    }
    match serde_json::from_value::<ClientJsonRpcMessage>(value) {
        Ok(message) if fits(&message, &method) => Some(Read::Message(Box::new(message))),
        _ => error(ErrorCode::INVALID_PARAMS, format!("`params` do not fit `{method}`")),
    }
}

/// A known method whose params do not fit is read as an unknown one: then it does not fit.
fn fits(message: &ClientJsonRpcMessage, method: &str) -> bool {
    const KNOWN: [&str; 4] = ["initialize", "tools/list", "tools/call", "notifications/cancelled"];
    let custom = match message {
        JsonRpcMessage::Request(request) => {
            matches!(request.request, ClientRequest::CustomRequest(_))
        }
        JsonRpcMessage::Notification(notification) => {
            matches!(notification.notification, ClientNotification::CustomNotification(_))
        }
        _ => false,
    };
    !(custom && KNOWN.contains(&method))
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        // Queued here and not in the future: futures of several answers run in any order, and
        // answers should leave in the order in which they were given.
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        let queued = match &self.out {
            Some(out) => out.try_send(line_of(&item)).map_err(|error| match error {
                mpsc::error::TrySendError::Full(line) => Some((out.clone(), line)),
                mpsc::error::TrySendError::Closed(_) => None,
            }),
            None => Err(None),
        };
        async move {
            match queued {
                Ok(()) => Ok(()),
                Err(Some((out, line))) => out.send(line).await.map_err(|_| closed()),
                Err(None) => Err(closed()),
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Dropping this future between two polls loses nothing: the answer leaves its queue
            // only once it has a place in the writer's.
            while !self.answers.is_empty() {
                let place = self.out.as_ref()?.reserve().await.ok()?;
                if let Some(answer) = self.answers.pop_front() {
                    place.send(answer);
                }
            }
            if let Some(message) = self.queue.pop_front() {
                return Some(message);
            }
            let line = self.lines.recv().await?;
            self.take(&line);
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.out = None;
        if let Some(written) = self.written.take() {
            // A client that reads nothing any more is not waited for.
            tokio::time::timeout(LAST_WORDS, written).await.ok();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(line: &str) -> Option<i64> {
        match understand(line.as_bytes()).pop() {
            Some(Read::Answer(value)) => value["error"]["code"].as_i64(),
            _ => None,
        }
    }

    fn is_message(line: &str) -> bool {
        matches!(understand(line.as_bytes()).pop(), Some(Read::Message(_)))
    }

    #[test]
    fn requests_that_do_not_fit_are_answered_with_their_id() {
        assert_eq!(answer(r#"{"jsonrpc":"2.0","id":1}"#), Some(-32600));
        assert_eq!(answer(r#"{"id":1,"method":"ping"}"#), Some(-32600));
        assert_eq!(answer(r#"{"jsonrpc":"2.0","id":1,"method":5}"#), Some(-32600));
        assert_eq!(
            answer(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#),
            Some(-32602)
        );
    }

    #[test]
    fn noise_is_not_answered() {
        for noise in ["", "hello", "null", "7", "{}", r#"{"jsonrpc":"2.0"}"#, "[1]", "{\"a\":"] {
            assert!(understand(noise.as_bytes()).is_empty(), "{noise}");
        }
    }

    #[test]
    fn messages_pass_with_a_mark_in_front_and_in_a_batch() {
        let list = r#"{"jsonrpc":"2.0","id":19,"method":"tools/list"}"#;
        assert!(is_message(&format!("\u{feff}{list}\r\n")));
        assert!(is_message(&format!("[{list}]")));
        assert!(is_message(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        assert!(is_message(r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#));
    }

    #[test]
    fn a_ping_is_answered_at_once() {
        let Some(Read::Answer(pong)) =
            understand(br#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#).pop()
        else {
            panic!("no answer")
        };
        assert_eq!(pong, json!({"jsonrpc": "2.0", "id": "a", "result": {}}));
    }

    #[test]
    fn half_a_line_at_the_end_is_dropped() {
        let (send, mut lines) = mpsc::channel(4);
        read_lines(&b"one\ntw"[..], &send);
        drop(send);
        assert_eq!(lines.blocking_recv().as_deref(), Some(&b"one\n"[..]));
        assert_eq!(lines.blocking_recv(), None);
    }
}
