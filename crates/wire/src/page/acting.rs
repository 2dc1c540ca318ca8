//! What the page agent answers around an act: readiness, quiet, what changed, fields, scrolling.

use super::{Element, Node, State};
use crate::code::Code;
use crate::id::LocalId;
use serde::{Deserialize, Serialize};

/// What an element is made ready for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// A press: must be enabled and uncovered.
    Click,
    /// The pointer only.
    Hover,
    /// The start of a drag.
    Drag,
    /// The end of a drag.
    Drop,
    /// Wheel.
    Wheel,
    /// Only into view: pictures.
    View,
}

/// Reply to `prepare`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Ready {
    /// The element.
    pub element: Element,
    /// Where to press, CSS px in this document's viewport.
    pub point: Point,
    /// An `<option>` of a closed list: the agent chose it, nothing is to be pressed.
    #[serde(default)]
    pub chosen: bool,
    /// Whether the press would land inside a child frame (the element is an iframe).
    #[serde(default)]
    pub in_frame: bool,
}

/// A point in CSS px.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
pub struct Point {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
}

/// Reply to `settle`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Quiet {
    /// False when the cap was reached.
    pub quiet: bool,
    /// DOM changes seen since the baseline.
    pub mutations: u32,
}

/// Reply to `changes`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Changes {
    /// New in the outline, as trees.
    pub added: Vec<Node>,
    /// Gone from the outline: the top element of each part.
    pub removed: Vec<Removed>,
    /// There before and after, and different.
    pub changed: Vec<Changed>,
    /// Lines left out.
    pub more: u32,
    /// What has focus, when that changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<Element>,
    /// What became of the input that was expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<InputSeen>,
    /// The page scrolled by this much, CSS px.
    pub scrolled: [f64; 2],
    /// The baseline is of this document. False: the document is new, nothing is known of before.
    pub same_document: bool,
}

/// Something that is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    /// What it was.
    pub element: Element,
    /// Outline lines inside it.
    pub inside: u32,
}

/// Something that is different.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// What it is now; `role` `text` for plain words. Without children.
    pub node: Node,
    /// The name or words before, when they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_name: Option<String>,
    /// States that were true before and are not now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<State>,
    /// States that are true now and were not before (a value that differs counts).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub begun: Vec<State>,
    /// Name of the row or item that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
    /// What is inside is in another order: the words of its first items now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
}

/// What became of expected input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct InputSeen {
    /// Trusted presses or moves that arrived in this document since the baseline.
    pub arrived: u32,
    /// The last press landed on the target, something inside it, or its label.
    pub on_target: bool,
    /// Where it landed instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landed: Option<Element>,
}

/// Reply to `fill` and `fill_check`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(tag = "is", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum FillOutcome {
    /// Set. `shows` when what is shown differs from what was asked.
    Set {
        /// The field.
        element: Element,
        /// What it shows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shows: Option<String>,
    },
    /// Focused with all of its text selected: the engine types `text`, then calls `fill_check`.
    Insert {
        /// The field.
        element: Element,
        /// What to type; empty means press Delete.
        text: String,
    },
    /// A combobox, switch or other widget that takes presses: the engine clicks it.
    Press {
        /// What to press.
        element: Element,
        /// Then look for this option, by role `option`, and press it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        option: Option<String>,
    },
    /// A file input or drop zone: the engine sends the files.
    Files {
        /// The field.
        element: Element,
        /// Takes more than one.
        multiple: bool,
    },
    /// Not set.
    Failed {
        /// `VALUE_NOT_SET`, `OPTION_NOT_FOUND`, `ELEMENT_DISABLED`, `ELEMENT_READONLY`, `INVALID_ARGUMENT`.
        code: Code,
        /// The field.
        element: Element,
        /// What the field kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<String>,
        /// The rule that it breaks: `pattern [0-9]{5}`, `max 10`. Attribute values only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
        /// Options near to what was asked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        near: Vec<String>,
        /// How many options there are.
        #[serde(default)]
        options: u32,
    },
}

/// A field that holds something else than when it was filled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    /// Which.
    pub id: LocalId,
    /// What it holds now; absent where that is nobody's to see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<String>,
}

/// Where the caret goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Caret {
    /// Where it was, or at the end.
    Keep,
    /// All text selected.
    All,
}

/// What to do about scrolling.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(tag = "to", rename_all = "snake_case")]
pub enum ScrollHow {
    /// Only into view.
    View,
    /// To its start.
    Top,
    /// To its end.
    Bottom,
    /// Tell where the wheel has to turn; the engine turns it.
    By {
        /// CSS px.
        dx: f64,
        /// CSS px.
        dy: f64,
    },
    /// Only tell the position.
    Where,
}

/// Reply to `scroll`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct ScrollPlan {
    /// What scrolls: the element or its nearest scrolling ancestor; absent for the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<Element>,
    /// A point over it where the wheel reaches it, CSS px in this viewport.
    pub point: Point,
    /// Position now, CSS px: left, top.
    pub at: [f64; 2],
    /// Furthest position, CSS px.
    pub max: [f64; 2],
}
