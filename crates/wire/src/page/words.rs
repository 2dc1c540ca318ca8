//! Messages about the words of a page, as a reader gets them.

use super::DocumentInfo;
use serde::{Deserialize, Serialize};

/// How words are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "snake_case")]
pub enum TextFormat {
    /// Headings, links, lists, tables and code keep their form.
    Markdown,
    /// As `Markdown`, of the main content only.
    Article,
}

/// Reply to `text`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct PageTextReply {
    /// The document.
    pub document: DocumentInfo,
    /// Parts in reading order.
    pub parts: Vec<TextPart>,
}

/// A piece of text or the place of a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "snake_case")]
pub enum TextPart {
    /// Words with their line breaks.
    Words(String),
    /// Token of a child frame whose text belongs here.
    Frame(String),
}
