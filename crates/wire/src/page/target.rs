//! What an element is looked for by, and what was found.

use super::Element;
use serde::{Deserialize, Serialize};

/// What to look for; the target grammar itself is parsed in `core`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Step {
    /// `button "Save"`; an empty name fits any.
    Role {
        /// Role as snapshots show it.
        role: String,
        /// Name.
        name: String,
    },
    /// `text=Sign in`: the innermost visible element with that text.
    Text {
        /// The text.
        text: String,
    },
    /// `label=Email`: the control with that label, name or placeholder.
    Label {
        /// The label.
        text: String,
    },
    /// A CSS selector.
    Css {
        /// The selector.
        selector: String,
    },
}

/// How well a match fits: the best class with a match decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Fit {
    /// Equal, without case and with spaces collapsed.
    Equal,
    /// Begins so.
    Starts,
    /// Contains it.
    Contains,
    /// No match; near in spelling.
    Near,
}

/// Reply to `resolve` and `wait`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Matches {
    /// Class of all candidates; `near` when nothing fits.
    pub fit: Fit,
    /// Visible elements of that class, in document order, at most the limit.
    pub candidates: Vec<Element>,
    /// How many there are.
    pub total: u32,
    /// Elements that fit but are not visible.
    pub hidden: u32,
    /// The first of those, when nothing visible fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_hidden: Option<Element>,
    /// `wait`: the time was over.
    #[serde(default)]
    pub timed_out: bool,
}
