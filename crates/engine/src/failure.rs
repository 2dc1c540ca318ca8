//! Failures as the reader gets them: a code, what happened, what was done, what to do next.

use crate::browser::LinkError;
use pillion_wire::code::{Code, Done, Retry};
use pillion_wire::local::{FailureInfo, Reply};

/// A tool's failure. Prints as `CODE: text`.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) code: Code,
    /// Everything after `CODE: `, with the next step.
    pub(crate) text: String,
    pub(crate) done: Done,
    pub(crate) retry: Retry,
    pub(crate) retry_after_ms: Option<u32>,
    /// The connection was lost: the dispatcher may try a read again.
    pub(crate) lost: bool,
    /// The question that the user has to answer before the same verb can work.
    pub(crate) ask: Option<String>,
}

impl Failure {
    pub(crate) fn new(code: Code, text: impl Into<String>) -> Self {
        Self {
            code,
            text: text.into(),
            done: code.done(),
            retry: code.retry(),
            retry_after_ms: None,
            lost: false,
            ask: None,
        }
    }

    pub(crate) fn invalid(text: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, text)
    }

    pub(crate) fn done(mut self, done: Done) -> Self {
        self.done = done;
        self
    }

    pub(crate) fn after(mut self, ms: u32) -> Self {
        self.retry_after_ms = Some(ms);
        self
    }

    /// As an answer.
    pub(crate) fn into_reply(self) -> Reply {
        let failure = FailureInfo {
            code: self.code,
            done: self.done,
            retry: self.retry,
            retry_after_ms: self.retry_after_ms,
        };
        Reply {
            ok: false,
            text: format!("{}: {}", self.code.as_str(), self.text),
            failure: Some(failure),
            images: vec![],
            data: None,
            ms: 0,
        }
    }
}

/// What is said where nobody knows whether something was done.
const MAYBE: &str = " It may have had its effect. Next: browser_snapshot.";

impl Failure {
    /// The same of a call that only looks.
    pub(crate) fn of_look(mut self) -> Self {
        if let Some(what) = self.text.strip_suffix(MAYBE) {
            self.text = format!("{what} Next: the same call again.");
            self.done = Done::No;
        }
        self
    }
}

impl From<LinkError> for Failure {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::Refused(error) if error.code == Code::Timeout => {
                Self::new(Code::Timeout, format!("{}{MAYBE}", sentence(&error.message)))
            }
            LinkError::Refused(error) => {
                let text = sentence(&error.message);
                let text = match next_step(error.code) {
                    Some(next) => format!("{text} {next}"),
                    None => text,
                };
                Self { ask: error.ask, ..Self::new(error.code, text) }
            }
            LinkError::Lost { sent } => {
                let mut failure = Self::new(
                    Code::ProfileDisconnected,
                    "the connection to the browser was lost. Next: the same call again.",
                );
                failure.lost = true;
                failure.done = if sent { Done::Maybe } else { Done::No };
                failure
            }
            LinkError::Timeout => Self::new(
                Code::TabWedged,
                "the page did not answer in time; a script in it may run for ever. Next: the same call again, or browser_tabs close and a new tab.",
            ),
        }
    }
}

/// What an agent can do about a refusal by the user's rules.
const fn next_step(code: Code) -> Option<&'static str> {
    match code {
        Code::SiteBlocked => Some(
            "Nothing was done. There is no way round: tell the user, who can change the rule in Pillion's side panel.",
        ),
        Code::ReadOnlySite => Some(
            "Nothing was done. Reading works: browser_snapshot, browser_text. For more, tell the user, who can change the rule in Pillion's side panel.",
        ),
        Code::ApprovalPending => Some(
            "Nothing was done. Next: tell the user to answer in the Pillion popup, then make the same call again: it waits for the same question.",
        ),
        Code::ApprovalDenied => {
            Some("Nothing was done. Next: do without it, or ask the user what to do.")
        }
        _ => None,
    }
}

/// Ends words with a full stop.
pub(crate) fn sentence(words: &str) -> String {
    let words = words.trim();
    if words.ends_with(['.', '!', '?']) { words.to_owned() } else { format!("{words}.") }
}

/// Words of the browser's side as part of a line: nothing but plain letters, at most 160.
pub(crate) fn plain(words: &str) -> String {
    let is_plain = |c: &char| (c.is_ascii_graphic() && *c != '"') || *c == ' ';
    words.chars().filter(is_plain).take(160).collect()
}

/// Why code stopped early.
pub(crate) type Outcome<T> = Result<T, Failure>;
