//! Extension and daemon: the handshake, then requests, responses and events.
//!
//! The same frames travel as WebSocket text messages and inside native messaging (`nm`), where the
//! helper only carries them. `docs/SECURITY.md` says what each handshake frame proves.

use crate::code::Code;
use crate::verb::{Event, Verb};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Label of the daemon's signature over the transcript of frames 1 and 2.
pub const LABEL_DAEMON: &str = "pillion/1/daemon";
/// Label of the extension's signature over the transcript of frames 1 to 4.
pub const LABEL_EXTENSION: &str = "pillion/1/extension";
/// Label of the extension's signature over the transcript of frames 1 to 4 when it pairs by code.
pub const LABEL_PAIR: &str = "pillion/1/pair";
/// Label of the extension's MAC over the transcript of frames 1 to 5 when it pairs by code.
pub const LABEL_PAIR_EXTENSION: &str = "pillion/1/pair/extension";
/// Label of the daemon's MAC over the transcript of frames 1 to 6 when it pairs by code.
pub const LABEL_PAIR_DAEMON: &str = "pillion/1/pair/daemon";

/// How the frames travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "link.ts"))]
#[serde(rename_all = "lowercase")]
pub enum LinkKind {
    /// WebSocket on loopback.
    Ws,
    /// Native messaging, relayed by the helper.
    Nm,
}

/// Handshake frames. Binary fields are base64url without padding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "link.ts"))]
#[serde(tag = "t", rename_all = "snake_case")]
pub enum Handshake {
    /// F1, extension: who dials.
    Hello {
        /// Lowest and highest protocol number spoken.
        proto: [u32; 2],
        /// 32 random bytes.
        nonce: String,
        /// The port that was dialled; 0 over native messaging.
        port: u16,
        /// How.
        link: LinkKind,
        /// The extension's version.
        ext: String,
        /// What the extension can do beyond the protocol number.
        caps: Vec<String>,
    },
    /// F2, daemon: who answers.
    Daemon {
        /// The protocol number chosen.
        proto: u32,
        /// 32 random bytes.
        nonce: String,
        /// 65-byte SEC1 key.
        pk: String,
        /// The port that the daemon listens on; 0 over native messaging.
        port: u16,
        /// The daemon's version.
        ver: String,
        /// What the daemon can do beyond the protocol number.
        caps: Vec<String>,
    },
    /// F3, F5 and P5: 64 bytes r‖s over `label ‖ 0x00 ‖ T(k)`.
    Sig {
        /// The signature.
        sig: String,
    },
    /// F4, extension: which profile.
    Profile {
        /// 65-byte SEC1 key.
        pk: String,
        /// 16 random bytes of this browser run: tells a copied profile from a reconnect.
        boot: String,
        /// What the user calls the profile.
        label: String,
        /// Whether the user has let agents use this profile.
        consent: bool,
    },
    /// P4, extension: which profile wants to be paired by code.
    Pair {
        /// 65-byte SEC1 key.
        pk: String,
        /// 16 random bytes of this browser run.
        boot: String,
        /// What the user calls the profile.
        label: String,
    },
    /// P6 and P7: 32 bytes HMAC-SHA-256 over `label ‖ 0x00 ‖ T(k)`, keyed by the code.
    Mac {
        /// The MAC.
        mac: String,
    },
    /// In place of P7, daemon: not paired. Of nobody that is proven: words for the user, no more.
    Unpaired {
        /// `no_code`, `wrong_code`, `full` or `failed`.
        code: Unpaired,
    },
    /// F6, daemon: the link stands.
    Welcome {
        /// The profile's slug.
        profile: String,
    },
    /// F6, daemon: the link is not wanted.
    Refused {
        /// `unknown_profile`, `version`, `copy` or `full`.
        code: Refusal,
    },
}

/// Why a proven daemon refuses a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "link.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The key is not enrolled.
    UnknownProfile,
    /// No common protocol number.
    Version,
    /// The same key is alive from another browser run.
    Copy,
    /// Too many profiles.
    Full,
}

/// Why a daemon does not pair with a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "link.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Unpaired {
    /// No code waits: none was made, its time is over, it was used, or guessed at too often.
    NoCode,
    /// Another code waits.
    WrongCode,
    /// Too many profiles are known.
    Full,
    /// The profile could not be remembered.
    Failed,
}

/// After `welcome`, daemon to extension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "link.ts"))]
#[serde(tag = "t", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[expect(
    clippy::large_enum_variant,
    reason = "one frame at a time, written at once: nothing keeps many of them"
)]
pub enum ToExtension {
    /// Do something.
    Request {
        /// Unique in the connection while in flight.
        id: u32,
        /// Milliseconds after which nobody waits any more.
        deadline_ms: u32,
        /// Which agent wants it; absent for what the daemon does by itself. The daemon may lie about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asker: Option<Asker>,
        /// What.
        verb: Verb,
    },
    /// Nobody waits for that request any more: stop it where it can be stopped.
    Cancel {
        /// The request's id.
        id: u32,
    },
    /// Alive? Sent at least every 20 s, which also keeps the worker awake.
    Ping {},
}

/// The agent that a request is for, as it calls itself and as the daemon's machine saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "link.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Asker {
    /// The session.
    pub session: String,
    /// The name that the agent gave itself.
    pub client: String,
    /// The program that started its side of the connection, where the system tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Its working folder, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// After `welcome`, extension to daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "link.ts"))]
#[serde(tag = "t", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum FromExtension {
    /// The request was done.
    Response {
        /// The request's id.
        id: u32,
        /// The verb's own reply type.
        value: Value,
    },
    /// The request was refused or failed.
    Error {
        /// The request's id.
        id: u32,
        /// Why.
        error: VerbError,
    },
    /// Something happened.
    Event {
        /// What.
        event: Event,
    },
    /// Alive.
    Pong {},
    /// One part of a frame that is too large for one message.
    Part {
        /// Which frame.
        of: u32,
        /// From 0.
        index: u32,
        /// Whether it is the last.
        last: bool,
        /// A piece of the frame's text.
        text: String,
    },
}

/// Why the extension did not do a verb.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "link.ts"))]
#[serde(rename_all = "camelCase")]
pub struct VerbError {
    /// For programs: `POLICY` from the guard, else what fits.
    pub code: Code,
    /// For the reader: what happened, lower case, without a full stop.
    pub message: String,
    /// `APPROVAL_PENDING`: the question that waits for the user. [`crate::verb::Event::Decided`] names it
    /// when the same verb may be sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
}
