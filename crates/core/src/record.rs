//! One call of an agent as it is written down and shown to the person. Redacted where it is made: whoever
//! gets one may keep it and show it.

use crate::redact::{self, Given};
use pillion_wire::code::Code;
use serde_json::Value;

/// Something to write down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A call began.
    Began(Call),
    /// It turned out where it works.
    Placed(u32, Place),
    /// It ended.
    Ended(u32, End),
}

/// A call as it began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Unique in one run of the daemon.
    pub id: u32,
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// The session's name.
    pub session: String,
    /// The agent's name.
    pub client: String,
    /// `browser_click`; as it came, at most 40 characters.
    pub tool: String,
    /// The arguments in one line, see [`redact::about`].
    pub about: String,
}

impl Call {
    /// A call with its arguments as they came.
    pub fn new(id: u32, at_ms: u64, session: &str, client: &str, tool: &str, args: &Value) -> Self {
        Self {
            id,
            at_ms,
            session: short(session),
            client: short(client),
            tool: short(tool),
            about: redact::about(args),
        }
    }
}

/// The tab in which a call works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The profile's label.
    pub profile: String,
    /// Pillion's number of the tab.
    pub tab: u32,
    /// Its origin; empty where it has none.
    pub site: String,
    /// Its path, see [`redact::page_of`].
    pub page: String,
}

impl Place {
    /// A tab that shows that address.
    pub fn new(profile: &str, tab: u32, url: &str) -> Self {
        let page = redact::page_of(url);
        Self { profile: short(profile), tab, site: page.origin, page: page.path }
    }
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// Why it failed; `None` when it did not.
    pub code: Option<Code>,
    /// Milliseconds that it took.
    pub took_ms: u32,
    /// Characters of the answer.
    pub chars: u32,
    /// The first lines of the answer, see [`redact::receipt`].
    pub words: String,
    /// A small picture that the call gave.
    pub picture: Option<Picture>,
}

impl End {
    /// The end with that answer. `lines`: how many of its first lines are told.
    pub fn new(
        code: Option<Code>,
        took_ms: u32,
        answer: &str,
        given: &Given,
        lines: usize,
    ) -> Self {
        Self {
            code,
            took_ms,
            chars: u32::try_from(answer.chars().count()).unwrap_or(u32::MAX),
            words: redact::receipt(answer, given, lines),
            picture: None,
        }
    }
}

/// An encoded picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// `image/png`, `image/jpeg` or `image/webp`.
    pub mime: String,
    /// The file.
    pub bytes: Vec<u8>,
}

/// Names come from clients and users: one short line.
fn short(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(40).collect()
}
