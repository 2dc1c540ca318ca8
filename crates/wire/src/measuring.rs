//! What is found out about a page as a whole: breaches of accessibility rules, and how it performs.

use crate::page::Element;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Reply of the page agent to `audit`: one document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "measuring.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct Audited {
    /// Version of axe-core.
    pub version: String,
    /// Rules that were looked at and found something to judge.
    pub rules: u32,
    /// Elements of the document, when they are too many: then nothing was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub too_large: Option<u32>,
    /// Rules and tags that axe-core does not know: then nothing was looked at.
    pub unknown: Vec<String>,
    /// Breaches, the worst first.
    pub violations: Vec<Finding>,
    /// What a machine cannot judge.
    pub unsure: Vec<Finding>,
}

/// One rule, and where it is broken.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "measuring.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct Finding {
    /// `color-contrast`.
    pub rule: String,
    /// `critical`, `serious`, `moderate`, `minor`.
    pub impact: String,
    /// What should be.
    pub help: String,
    /// `wcag2aa`, `best-practice`.
    pub tags: Vec<String>,
    /// How many elements.
    pub total: u32,
    /// The first of them.
    pub elements: Vec<FoundElement>,
}

/// One element that breaks a rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "measuring.ts"))]
#[serde(rename_all = "camelCase")]
pub struct FoundElement {
    /// It.
    pub element: Element,
    /// What is wrong with it. Page words may be among these.
    pub why: Vec<String>,
}

/// Reply to the end of a trace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "measuring.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct Traced {
    /// Trace events of the tab's own frames, of known names, with known fields.
    pub events: Vec<Value>,
    /// Events of those that were too many.
    pub dropped: u32,
    /// Chrome's own buffer was full: something is missing.
    pub lost: bool,
    /// Frames that agents may not be told of.
    pub hidden: u32,
    /// Elements that events name by their number, in words: `P id='late'`.
    pub nodes: Vec<TracedNode>,
}

/// An element of a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "measuring.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct TracedNode {
    /// Number.
    pub id: u32,
    /// Words.
    pub words: String,
}
