//! What the extension tells of requests, consoles, style rules and listeners. Reduced and bounded
//! there; every string that a page can influence is page words.

use crate::id::{ChromeTab, FrameId};
use serde::{Deserialize, Serialize};

/// One step of a request, as `webRequest` tells it. A later step of the same `id` and `hop` adds to
/// an earlier one; any step may be the first that arrives.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct NetStep {
    /// Chrome's id; the same over redirects.
    pub id: String,
    /// Address, cut, without login and fragment.
    pub url: String,
    /// `GET`.
    pub method: String,
    /// `webRequest`'s type: `xmlhttprequest`.
    pub kind: String,
    /// The frame.
    pub frame: FrameId,
    /// Origin of who asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub initiator: Option<String>,
    /// Milliseconds since 1970.
    pub at: f64,
    /// How far it is.
    pub step: Step,
    /// 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub status: Option<u32>,
    /// `net::ERR_…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub error: Option<String>,
    /// Bytes as `Content-Length` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub size: Option<f64>,
    /// `text/html`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub mime: Option<String>,
    /// No server was asked.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<bool>"))]
    pub cached: bool,
    /// Names and values, credentials replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<[String; 2]>>"))]
    pub request_headers: Vec<[String; 2]>,
    /// See `request_headers`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<[String; 2]>>"))]
    pub response_headers: Vec<[String; 2]>,
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// How far a request is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// About to be sent.
    #[default]
    Begun,
    /// Headers came of an answer that may never end.
    Open,
    /// The server sent it elsewhere: the same id begins again.
    Redirected,
    /// Over, well or not.
    Ended,
}

/// Requests of one tab, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "camelCase")]
pub struct NetSteps {
    /// Which.
    pub tab: ChromeTab,
    /// What happened.
    pub steps: Vec<NetStep>,
    /// Steps that found no room before they could be told.
    pub dropped: u32,
    /// Requests that the user's rules keep from agents: only their number is told.
    pub blocked: u32,
}

/// The body of an answer, kept for a tab whose bodies are asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "camelCase")]
pub struct NetBody {
    /// Which.
    pub tab: ChromeTab,
    /// The debugger's id of the request.
    pub request: String,
    /// Its first part: text, or base64.
    pub body: String,
    /// `body` is base64.
    pub base64: bool,
    /// Characters in all.
    pub size: u32,
}

/// Reply to `console`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "camelCase")]
pub struct ConsoleReply {
    /// Oldest first, equal neighbours already put together.
    pub entries: Vec<ConsoleEntry>,
    /// Messages that the extension left out.
    pub dropped: u32,
    /// Chrome keeps only the last ones of a page, and may have forgotten older ones.
    pub full: bool,
    /// Frames of other sites that did not answer.
    pub silent: u32,
}

/// One message, or equal ones in a row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct ConsoleEntry {
    /// Milliseconds since 1970, of the first one.
    pub at: f64,
    /// `error`, `warning`, `info`, `log`, `debug`.
    pub level: String,
    /// What it says.
    pub text: String,
    /// How many equal ones.
    pub times: u32,
    /// Depth of console groups around it.
    pub depth: u32,
    /// Where it comes from, innermost first, at most a few.
    pub stack: Vec<CallFrame>,
    /// `exception`, `console`, or the source that Chrome names: `security`.
    pub source: String,
}

/// A place in a script.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct CallFrame {
    /// Function; may be empty.
    pub function: String,
    /// Address of the script; may be empty.
    pub url: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// Reply to `inspect`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct Inspected {
    /// Matching rules, weakest first; the element's own `style` is the last one.
    pub rules: Vec<StyleRule>,
    /// Listeners, the element's own first.
    pub listeners: Vec<Listener>,
    /// What was left out.
    pub more_rules: u32,
    /// See `more_rules`.
    pub more_listeners: u32,
}

/// One rule that matches an element.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct StyleRule {
    /// `.cart .total`; empty for the element's own `style`.
    pub selector: String,
    /// Where it is written; no place for the element's own `style`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub place: Option<CallFrame>,
    /// Address of the sheet's source map, when it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub map: Option<String>,
    /// Conditions around it: `@media print`.
    pub conditions: Vec<String>,
    /// An ancestor's, inherited: how many levels up; 0 for the element itself.
    pub from_ancestor: u32,
    /// In order.
    pub declarations: Vec<Declaration>,
}

/// One `name: value`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct Declaration {
    /// `margin`.
    pub name: String,
    /// As written.
    pub value: String,
    /// `!important`.
    pub important: bool,
    /// What a shorthand sets; empty for a longhand.
    pub longhands: Vec<String>,
}

/// One event listener.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct Listener {
    /// `click`.
    pub event: String,
    /// Where its function is; the address is empty when Chrome does not tell.
    pub place: CallFrame,
    /// `capture`, `passive`, `once`.
    pub flags: Vec<String>,
    /// On an ancestor: its words, as `body` or `div#root`; empty for the element itself.
    pub on: String,
}

/// Reply of the page agent to `inspect`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Looks {
    /// The element.
    pub element: crate::page::Element,
    /// Tag and namespace: `div`, `svg:path`.
    pub tag: String,
    /// Computed styles: name and value.
    pub styles: Vec<[String; 2]>,
    /// Margin, border, padding: top, right, bottom, left each, CSS px.
    pub edges: [[f64; 4]; 3],
    /// Width and height of the content, CSS px.
    pub content: [f64; 2],
    /// It has a box at all.
    pub rendered: bool,
    /// Its centre is in the viewport.
    pub in_view: bool,
    /// What lies over its centre.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub cover: Option<crate::page::Element>,
    /// Names and values, secrets masked.
    pub attributes: Vec<[String; 2]>,
    /// Outer HTML, cut, secrets masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub html: Option<String>,
    /// Characters of the whole outer HTML.
    pub html_size: u32,
}

/// Reply of the page agent to `source_map`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "looking.ts"))]
#[serde(rename_all = "camelCase")]
pub struct SourceMapReply {
    /// The map's text; absent when there is none that the page's own origin serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub map: Option<String>,
    /// What was asked for: requests of ours, not the page's.
    #[serde(default)]
    pub asked: Vec<String>,
}
