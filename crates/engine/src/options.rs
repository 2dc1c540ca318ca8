//! What the daemon hands to the engine: settings, sessions, calls and browsers.

use crate::{Browser, Files, Record};
use pillion_wire::id::{ProfileId, SessionId};
use pillion_wire::local::Role;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What the engine needs to know at its start.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// Folder for what must outlive the daemon (tab numbers, resume tokens): `<home>/state`.
    pub state_dir: PathBuf,
    /// How long a vanished session keeps its tabs ([`pillion_wire::limits::ORPHAN`]).
    pub orphan: Duration,
    /// Calls a minute and client ([`pillion_wire::limits::CALLS_A_MINUTE`]).
    pub calls_a_minute: u32,
}

/// Who opens a session.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The client's name.
    pub client: String,
    /// What kind of process.
    pub role: Role,
    /// Resume token or session name.
    pub resume: Option<String>,
    /// Working directory.
    pub cwd: Option<String>,
    /// The program that started the client's side of the connection.
    pub program: Option<String>,
    /// Percent of every ceiling.
    pub budget_percent: u32,
    /// A fence: only these tools.
    pub tools: Option<Vec<String>>,
}

/// An open session.
#[derive(Debug, Clone)]
pub struct SessionGrant {
    /// Its name.
    pub session: SessionId,
    /// Token that opens it again.
    pub resume: String,
}

/// One call of a tool.
pub struct ToolCall {
    /// `browser_click`.
    pub tool: String,
    /// Arguments as they came.
    pub args: Value,
    /// How long the caller waits.
    pub deadline: Duration,
    /// Cancelled when the caller gave up.
    pub cancel: CancellationToken,
    /// Told while the call goes on.
    pub progress: tokio::sync::mpsc::Sender<String>,
    /// The files that it names.
    pub files: Arc<dyn Files>,
    /// From [`crate::Engine::begin`]; its maker ends it.
    pub record: Arc<Record>,
}

/// A profile that has proved itself.
pub struct ProfileLink {
    /// Which.
    pub id: ProfileId,
    /// What the user calls it.
    pub label: String,
    /// Whether the user lets agents use it.
    pub consent: bool,
    /// Names this run of the browser: another one means that Chrome's tab ids are new.
    pub boot: String,
    /// The extension's version.
    pub version: String,
    /// It was opened for some sessions only: others neither see nor choose it.
    pub reserved: bool,
    /// Its browser.
    pub browser: Arc<dyn Browser>,
}

/// Names one connection of one profile, so that a late goodbye cannot end its successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectionId(pub u64);
