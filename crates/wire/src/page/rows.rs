//! Messages about what a page repeats: rows of tables, lists and cards, and the way to more of them. And the
//! bytes of a document that is a PDF.

use super::{DocumentInfo, Element};
use crate::id::LocalId;
use serde::{Deserialize, Serialize};

/// What holds the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "snake_case")]
pub enum RowsKind {
    /// A table of HTML.
    Table,
    /// A table or grid by its roles; its rows may come and go while it scrolls.
    Grid,
    /// A list.
    List,
    /// Terms and what they mean.
    Definitions,
    /// Siblings of one shape.
    Cards,
}

/// Reply to `extract`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Extracted {
    /// The document.
    pub document: DocumentInfo,
    /// What holds the rows.
    pub kind: RowsKind,
    /// The element that holds them.
    pub element: Element,
    /// What the rows stand in: a grid's own box need not be the one that scrolls.
    pub inside: LocalId,
    /// Words that tell this structure from others of the site; given back as `like`.
    pub shape: String,
    /// How much there is of it: the largest one is what a reader means.
    pub score: f64,
    /// Rows that the document has now.
    pub total: u32,
    /// Rows that the page says there are (`aria-rowcount`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub declared: Option<u32>,
    /// Columns of these rows, each with a name of its own.
    pub columns: Vec<Column>,
    /// Rows from `from` on.
    pub rows: Vec<Row>,
    /// Where the time or the limit ended; nothing when these were the last rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub next: Option<u32>,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Column {
    /// Page words.
    pub name: String,
    /// Given only when it is asked for: addresses of links in a table.
    pub aside: bool,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Page words, in the order of the columns; missing ones at the end are empty.
    pub cells: Vec<String>,
    /// Its place among all rows, where the page says it (`aria-rowindex`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub at: Option<u32>,
}

/// Reply to `next_control`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct NextControl {
    /// What goes to the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<Element>,
    /// It is there and cannot be used: this is the last page.
    #[serde(default)]
    pub disabled: bool,
}

/// Reply to `pdf`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct PdfPiece {
    /// Bytes in all.
    pub size: u32,
    /// base64 of the bytes from `from` on.
    pub data: String,
}
