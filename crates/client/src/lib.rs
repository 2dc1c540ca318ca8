//! Finds or starts the daemon, keeps a connection with it, and makes calls over it.
//!
//! Prints nothing, and knows of tools only which of their arguments name files (`core::files`). A call that was under way when the connection broke
//! is repeated only when its caller says that repeating is safe.

mod connection;
mod error;
mod files;
mod greeting;
mod reach;
mod starts;
mod stdio;
mod via;

pub use connection::Relay;
pub use error::ClientError;
pub use reach::{Launch, running};
pub use stdio::carry;
pub use via::Via;

use connection::{Connection, Lost};
use files::CallFiles;
use pillion_core::files::Named;
use pillion_os::home::Home;
use pillion_os::record::DaemonRecord;
use pillion_wire::code::Code;
use pillion_wire::local::{Admin, BrowserWish, FailureInfo, Reply, Role};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

/// The daemon answers a call within its deadline; this much later the client stops waiting.
const GRACE: Duration = Duration::from_secs(3);
/// How often a call is put on a new connection before it was ever sent.
const UNSENT_TRIES: u32 = 3;
/// A connection that stood for less than this is made again by the next call only: a daemon that
/// dies at its start is not started in a loop.
const STEADY: Duration = Duration::from_secs(2);
/// And so is one that was made again unasked this often within [`OFTEN_WITHIN`].
const OFTEN: usize = 3;
/// See [`OFTEN`].
const OFTEN_WITHIN: Duration = Duration::from_secs(60);

/// Who speaks, and how the daemon is started when it does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Where everything lies.
    pub home: Home,
    /// What kind of process this is.
    pub role: Role,
    /// The client's name.
    pub client: String,
    /// Resume token of an earlier session, or a name for one.
    pub resume: Option<String>,
    /// Working directory.
    pub cwd: Option<String>,
    /// Folders that files may be read from and written to.
    pub roots: Vec<String>,
    /// Percent by which every ceiling is scaled.
    pub budget_percent: Option<u32>,
    /// A fence: only these tools.
    pub tools: Option<Vec<String>>,
    /// Whether a daemon that does not run is started.
    pub launch: Launch,
    /// The daemon is on another machine: files that calls name are read and written here, and
    /// working directory and roots are not told.
    pub serves_files: bool,
    /// A browser without the extension that the session wants.
    pub browser: Option<BrowserWish>,
}

/// Whether a call may be sent a second time when its answer was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// It only looks.
    Safe,
    /// It acts.
    Never,
}

/// One call of a tool.
#[derive(Debug)]
pub struct Call {
    /// `browser_click`.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// See [`Repeat`].
    pub repeat: Repeat,
    /// How long the daemon has.
    pub deadline: Duration,
    /// Told while the call goes on.
    pub progress: Option<mpsc::Sender<String>>,
}

/// How a call ended.
#[derive(Debug)]
pub enum Called {
    /// The daemon answered, or was never reached.
    Answered(Reply),
    /// It went away after the call was sent. The reply says so.
    Lost(Reply),
}

impl Called {
    /// The reply, either way.
    pub fn into_reply(self) -> Reply {
        match self {
            Self::Answered(reply) | Self::Lost(reply) => reply,
        }
    }
}

/// A session with the daemon that outlives its connections.
#[derive(Debug)]
pub struct Client {
    options: Mutex<Options>,
    /// The connection said a hello that no longer holds.
    outdated: AtomicBool,
    /// Held while connecting, so that callers at the same moment share one connection.
    current: tokio::sync::Mutex<Option<Arc<Connection>>>,
    /// Tells of every new connection.
    made: watch::Sender<()>,
}

impl Client {
    /// A client that connects when it is first used.
    pub fn new(options: Options) -> Self {
        Self {
            options: Mutex::new(options),
            outdated: AtomicBool::new(false),
            current: tokio::sync::Mutex::new(None),
            made: watch::Sender::new(()),
        }
    }

    /// A client that is connected.
    pub async fn connect(options: Options) -> Result<Self, ClientError> {
        let client = Self::new(options);
        client.connection().await?;
        Ok(client)
    }

    /// Connects now, so that the first call need not.
    pub async fn warm(&self) -> Result<(), ClientError> {
        self.connection().await.map(drop)
    }

    /// Connects, and connects again whenever the daemon was lost rather than ended, so that it is
    /// back before the next call. Never ends by itself.
    pub async fn keep(&self) {
        let mut made = self.made.subscribe();
        let mut unasked: Vec<Instant> = Vec::new();
        loop {
            let since = Instant::now();
            made.mark_unchanged();
            if let Ok(connection) = self.connection().await {
                made.mark_unchanged();
                let ended = connection.ended();
                // Kept by the client only: a later hello may replace it.
                drop(connection);
                ended.await;
                unasked.retain(|time| time.elapsed() < OFTEN_WITHIN);
                if since.elapsed() >= STEADY && unasked.len() < OFTEN && self.was_lost() {
                    unasked.push(Instant::now());
                    continue;
                }
            }
            // Whoever needs it makes it. The sender lives in this client: this cannot fail.
            made.changed().await.ok();
        }
    }

    /// Whether the daemon left without a word: one that ends takes its record away first.
    fn was_lost(&self) -> bool {
        let options = self.options.lock().unwrap_or_else(PoisonError::into_inner);
        match options.launch {
            Launch::Via(_) => true,
            Launch::With(_) | Launch::Never => DaemonRecord::read(&options.home).is_some(),
        }
    }

    /// Changes what the next hello says. An existing connection is left: calls under way end on
    /// it, later ones go over a new connection of the same session.
    pub fn update(&self, change: impl FnOnce(&mut Options)) {
        let mut options = self.options.lock().unwrap_or_else(PoisonError::into_inner);
        let before = options.clone();
        change(&mut options);
        if *options != before {
            self.outdated.store(true, Ordering::Release);
        }
    }

    /// Name of the session, once connected.
    pub async fn session(&self) -> Result<String, ClientError> {
        Ok(self.connection().await?.session.clone())
    }

    async fn connection(&self) -> Result<Arc<Connection>, ClientError> {
        let mut current = self.current.lock().await;
        if self.outdated.swap(false, Ordering::AcqRel) {
            *current = None;
        }
        if let Some(connection) = current.as_ref().filter(|connection| connection.is_open()) {
            return Ok(connection.clone());
        }
        let options = self.options.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let connection = Arc::new(Connection::start(reach::connect(&options).await?));
        self.options.lock().unwrap_or_else(PoisonError::into_inner).resume =
            Some(connection.resume.clone());
        *current = Some(connection.clone());
        self.made.send_replace(());
        Ok(connection)
    }

    /// What a daemon elsewhere may ask for while the call is in flight.
    fn files_of(&self, call: &Call) -> Option<CallFiles> {
        let options = self.options.lock().unwrap_or_else(PoisonError::into_inner);
        let named = options.serves_files.then(|| Named::of(&call.tool, &call.args))?;
        (!named.is_empty())
            .then(|| CallFiles::new(named, options.roots.clone(), options.cwd.clone()))
    }

    /// Makes a call. Always gives a reply: what went wrong on the way has a code too. Dropping the
    /// future cancels the call in the browser.
    pub async fn call(&self, call: Call) -> Called {
        let mut repeat = call.repeat;
        let mut unsent = 0;
        let mut again = false;
        // One budget for all tries: whoever called gives up once.
        let until = Instant::now() + call.deadline;
        loop {
            let connection = match self.connection().await {
                Ok(connection) => connection,
                Err(error) => return Called::Answered(error.into_reply()),
            };
            let left = until.saturating_duration_since(Instant::now());
            let answer = connection.call(&call, left, again, self.files_of(&call));
            match tokio::time::timeout(left + GRACE, answer).await {
                Ok(Ok(reply)) => return Called::Answered(reply),
                Ok(Err(Lost::Unsent)) if unsent < UNSENT_TRIES => unsent += 1,
                Ok(Err(Lost::Sent)) if repeat == Repeat::Safe => {
                    repeat = Repeat::Never;
                    again = true;
                }
                Ok(Err(_)) if call.repeat == Repeat::Safe => {
                    return Called::Answered(lost_twice(&call.tool));
                }
                Ok(Err(Lost::Unsent)) => return Called::Answered(never_sent(&call.tool)),
                Ok(Err(Lost::Sent)) => return Called::Lost(outcome_unknown(&call.tool)),
                Err(_) => return Called::Answered(silent(&call.tool, call.deadline)),
            }
        }
    }

    /// Asks the daemon something about itself.
    pub async fn admin(&self, ask: Admin) -> Result<Value, ClientError> {
        let body = self.connection().await?.admin(ask).await?;
        match body.get("error").and_then(Value::as_str) {
            Some(error) => Err(ClientError::Daemon(error.to_owned())),
            None => Ok(body),
        }
    }

    /// Role `native`: from now on frames of the extension go both ways.
    pub async fn open_relay(&self) -> Result<Relay, ClientError> {
        let connection = self.connection().await?;
        let relay = connection.relay().ok_or(ClientError::Lost)?;
        connection.admin(Admin::OpenRelay).await?;
        Ok(relay)
    }
}

fn failed(code: Code, text: String) -> Reply {
    let failure =
        FailureInfo { code, done: code.done(), retry: code.retry(), retry_after_ms: None };
    Reply {
        ok: false,
        text: format!("{}: {text}", code.as_str()),
        failure: Some(failure),
        images: Vec::new(),
        data: None,
        ms: 0,
    }
}

fn outcome_unknown(tool: &str) -> Reply {
    failed(
        Code::OutcomeUnknown,
        format!(
            "Pillion's daemon went away after {tool} was sent, so it may or may not have \
             happened. It was not sent again. Look at the page before you repeat it."
        ),
    )
}

fn never_sent(tool: &str) -> Reply {
    failed(
        Code::NotConnected,
        format!(
            "Pillion's daemon went away several times before {tool} was sent. Nothing was done. \
             `pillion daemon logs` says why."
        ),
    )
}

fn lost_twice(tool: &str) -> Reply {
    failed(
        Code::Internal,
        format!(
            "Pillion's daemon went away twice during {tool}. Nothing was changed. \
             `pillion daemon logs` says why."
        ),
    )
}

fn silent(tool: &str, deadline: Duration) -> Reply {
    failed(
        Code::Timeout,
        format!(
            "{tool} was not answered in {} s and was cancelled. Look at the page before you \
             repeat it.",
            deadline.as_secs()
        ),
    )
}
