//! Thin process and daemon: JSON lines over the local socket.
//!
//! The client speaks first with `hello`; the daemon answers `welcome` or `refused`. After that
//! requests carry an id of the client's choice and are answered in any order.

use crate::code::{Code, Done, Retry};
use crate::file::{FileAnswer, FileAsk};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What kind of process speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// `pillion mcp`.
    Mcp,
    /// One command of the shell.
    Cli,
    /// The native messaging helper that a browser started.
    Native,
}

/// From a thin process to the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ToDaemon {
    /// First line of a connection.
    Hello(Hello),
    /// Call a tool.
    Call {
        /// Chosen by the client, unique in the connection while in flight.
        id: u32,
        /// `browser_click`.
        tool: String,
        /// The tool's arguments.
        args: Value,
        /// Milliseconds that the client will wait.
        deadline_ms: u32,
        /// Sent a second time, because the connection broke under the first.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        again: bool,
    },
    /// Stop the call of that id. No answer but the call's own.
    Cancel {
        /// The call's id.
        id: u32,
    },
    /// Ask for or change something of the daemon itself.
    Admin {
        /// Chosen by the client.
        id: u32,
        /// What.
        ask: Admin,
    },
    /// Role `native` only: one frame of the extension's, as it stands.
    Relay {
        /// The frame's text.
        frame: String,
    },
    /// Answers [`ToClient::File`].
    File {
        /// The stream that was asked about.
        stream: u32,
        /// What came of it.
        file: FileAnswer,
    },
}

/// First line of a connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// [`crate::PROTOCOL`].
    pub proto: u32,
    /// The sender's version.
    pub version: String,
    /// From `daemon.json`: proves that the sender can read the user's files.
    pub token: String,
    /// What speaks.
    pub role: Role,
    /// The client's name: MCP `clientInfo`, `--agent`, or the terminal.
    #[serde(default)]
    pub client: String,
    /// A resume token of an earlier session, or a name chosen with `--session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// Working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The program that started this process, where the system tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// MCP roots: folders that files may be read from and written to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<String>,
    /// Percent by which every ceiling is scaled: 50, 100 or 400.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_percent: Option<u32>,
    /// A fence: only these tools may be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The client is on another machine: it reads and writes the files that its calls name by
    /// itself, see [`ToClient::File`]. Its working directory and roots then stay with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub serves_files: bool,
    /// The session wants a browser without the extension, and uses no other unless it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub browser: Option<BrowserWish>,
}

/// A browser without the extension, named on the command line: that is the consent to use it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum BrowserWish {
    /// One that the daemon starts, and ends with the last session that wants it.
    Launch {
        /// Without a window.
        headless: bool,
        /// A program or a family's name.
        browser: Option<String>,
        /// The profile's folder; a fresh one when absent, which goes with the browser.
        user_data_dir: Option<String>,
        /// Passed on as they are.
        flags: Vec<String>,
    },
    /// One that listens at an address. It is left as it is.
    Cdp {
        /// `http://HOST:PORT`, or `ws://` and `wss://` with path and query. May hold a key.
        url: String,
    },
    /// One of this machine whose user allowed remote debugging. It is left as it is.
    Attach {
        /// A family's name; all that are known when absent.
        browser: Option<String>,
        /// Its profile's folder, when it is not the usual one.
        user_data_dir: Option<String>,
    },
}

/// Questions to the daemon itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Admin {
    /// Pid, port, version, uptime, sessions, profiles, counters.
    Status,
    /// End cleanly.
    Stop,
    /// Role `native`: know this profile's public key from now on. Idempotent.
    Enrol {
        /// base64url of the 65-byte SEC1 key.
        pk: String,
        /// The extension's id, from the helper's arguments.
        ext: String,
        /// The browser that started the helper, as far as the OS tells.
        parent: Option<String>,
        /// A one-time nonce from `pillion launch`: consent given in advance.
        consent: Option<String>,
    },
    /// Make a one-time nonce with which the next enrolled profile counts as consented.
    PreConsent,
    /// Role `native`: from now on `relay` frames carry a link.
    OpenRelay,
    /// End the session of this connection and free its tabs.
    EndSession,
    /// Every session that is connected or holds a tab.
    Sessions,
    /// End that session, whosever it is, and free its tabs. Its client is told at its next call.
    KillSession {
        /// Its name.
        id: String,
    },
    /// A newer version asks: end if nobody else is connected. Answers `{leaves: bool}`.
    Retire,
    /// Make a pairing code; one that waited is good no more. Answers
    /// `{code, number, expiresMs}`.
    PairCode,
    /// How that code ended: waits for it, and withdraws the code when the asker goes away.
    /// Answers `{outcome: "paired"|"expired"|"spent"|"replaced"|"failed", profile?, label?, why?}`.
    PairOutcome {
        /// From the answer to `PairCode`.
        number: u32,
    },
    /// The daemon's and every known profile's fingerprint.
    Pairing,
    /// Let that extension connect. At once while no profile is paired; else the user is asked in a paired
    /// one, and the same question again tells how it stands. Answers
    /// `{state: "allowed"|"asked"|"denied"|"expired", profile?}`.
    AllowExtension {
        /// 32 letters a to p.
        id: String,
    },
    /// Wait until a profile is connected, or the time is over.
    WaitForProfile {
        /// At most, milliseconds.
        ms: u32,
    },
}

/// From the daemon to a thin process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ToClient {
    /// The connection stands.
    Welcome {
        /// The daemon's [`crate::PROTOCOL`].
        proto: u32,
        /// The daemon's version.
        version: String,
        /// The session's name.
        session: String,
        /// Give this in the next hello to go on with the session.
        resume: String,
        /// The daemon asks the client for its files, as the hello offered. One that does not know
        /// how would take them for files of its own machine.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        asks_files: bool,
        /// The daemon knows of browsers without the extension. One that does not would take the
        /// user's own browser instead.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        opens_browsers: bool,
    },
    /// The connection is not wanted; the daemon closes it.
    Refused {
        /// Why, for programs.
        code: Code,
        /// Why and what to do.
        message: String,
    },
    /// A call is going on.
    Progress {
        /// The call's id.
        id: u32,
        /// What is being waited for.
        message: String,
    },
    /// A call ended.
    Result {
        /// The call's id.
        id: u32,
        /// What the agent gets.
        reply: Reply,
    },
    /// Answer to an admin question.
    Answer {
        /// The question's id.
        id: u32,
        /// What was asked for, or an object with `error`.
        body: Value,
    },
    /// Role `native`: a frame for the extension.
    Relay {
        /// The frame's text.
        frame: String,
    },
    /// To a client that serves files: about a file that a call of its own names. At most
    /// [`crate::limits::FILE_CHUNKS_AHEAD`] questions of one stream are unanswered.
    File {
        /// The call's id. It must be in flight.
        call: u32,
        /// Chosen by the daemon, unique in the connection.
        stream: u32,
        /// What.
        file: FileAsk,
    },
}

/// What a tool call gives: plain text, pictures, and for programs the code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reply {
    /// Whether the tool did what was asked.
    pub ok: bool,
    /// The answer as an agent reads it.
    pub text: String,
    /// Set when not ok.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureInfo>,
    /// Pictures, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// For programs that use the CLI's `--json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Milliseconds that the daemon took.
    #[serde(default)]
    pub ms: u32,
}

/// The machine-readable half of a failure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailureInfo {
    /// Which.
    pub code: Code,
    /// How much was done.
    pub done: Done,
    /// Whether to try again.
    pub retry: Retry,
    /// When to try again, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u32>,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// `image/png`, `image/jpeg` or `image/webp`.
    pub mime: String,
    /// base64.
    pub data: String,
}
