//! What the person at the browser is told of the calls of agents.

use crate::code::Code;
use serde::{Deserialize, Serialize};

/// One call of an agent, as the person at the browser sees it. Everything in it is redacted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "activity.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// Unique in one run of the daemon; begins anew with it.
    pub id: u32,
    /// Milliseconds since 1970 at which the call began.
    pub at_ms: f64,
    /// The session.
    pub session: String,
    /// The agent's name.
    pub agent: String,
    /// `browser_click`.
    pub tool: String,
    /// The arguments in one line of at most 200 characters; typed text as its length.
    pub about: String,
    /// Pillion's number of the tab, where the call has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<u32>,
    /// The tab's origin as the call began, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// How it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<ActivityEnd>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "activity.ts"))]
#[serde(rename_all = "camelCase")]
pub struct ActivityEnd {
    /// Why it failed; absent when it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// Milliseconds that it took.
    pub took_ms: u32,
    /// Characters of the answer.
    pub chars: u32,
    /// The first lines of the answer, at most 400 characters.
    pub words: String,
}
