//! What a page is made of, as the page agent tells it: outlines, elements, what is true of them.

use super::DocumentInfo;
use crate::id::LocalId;
use crate::verb::Rect;
use serde::{Deserialize, Serialize};

/// Reply to `snapshot`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Outline {
    /// The document.
    pub document: DocumentInfo,
    /// The outline's top nodes.
    pub nodes: Vec<Node>,
    /// Elements that hold the query's words, in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<u32>,
    /// The walk stopped at `maxChars`.
    #[serde(default)]
    pub cut: bool,
    /// How many elements an unstopped walk would show, roughly.
    #[serde(default)]
    pub size: u32,
    /// The page draws on a canvas and has next to nothing else.
    #[serde(default)]
    pub canvas_only: bool,
}

/// One line of the outline, or one part of a line.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase", default)]
pub struct Node {
    /// ARIA role, or `text`, `clickable`, `iframe`, `item`, `row`, `table`.
    pub role: String,
    /// Accessible name, or the words of a `text`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<String>"))]
    pub name: String,
    /// The element. Present on everything that is an element, also where no ref is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub id: Option<LocalId>,
    /// Whether it gets a ref: it can be acted on, or is a folded list.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<bool>"))]
    pub acts: bool,
    /// What is true of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<State>>"))]
    pub states: Vec<State>,
    /// Where a link goes, when that says more than its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub url: Option<String>,
    /// What is inside, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<Node>>"))]
    pub children: Vec<Node>,
    /// For a table or list whose items are folded, or that has a head.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub list: Option<ListInfo>,
    /// For an iframe: the token of the document in it (see [`DocumentInfo::token`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub frame: Option<String>,
    /// The element's only name is text that a person cannot see.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<bool>"))]
    pub unseen: bool,
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// How many items a list or table has, and which are shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct ListInfo {
    /// Items in all.
    pub total: u32,
    /// Index of the first item in `children`.
    pub first: u32,
    /// How many items are in `children`.
    pub shown: u32,
    /// Column heads of a table; `(select)` and `(actions)` for columns without one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub head: Vec<String>,
    /// The items are rows of cells.
    pub table: bool,
}

/// One thing that is true of an element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(tag = "k", content = "v", rename_all = "snake_case")]
pub enum State {
    /// Value of a field, or of what shows one. Never of a password or one-time code.
    Value(String),
    /// Ticked.
    Checked,
    /// Neither ticked nor not.
    Mixed,
    /// Cannot be used.
    Disabled,
    /// Cannot be changed.
    Readonly,
    /// Must be filled.
    Required,
    /// The browser or the page says that the value is wrong; the message where there is one.
    Invalid(String),
    /// Open.
    Expanded,
    /// Closed.
    Collapsed,
    /// Chosen.
    Selected,
    /// Pressed toggle.
    Pressed,
    /// The current page, step or date.
    Current,
    /// Has focus.
    Focused,
    /// Heading or tree level.
    Level(u32),
    /// A password or one-time code: the value is not shown. The number of characters.
    Masked(u32),
    /// Placeholder.
    Placeholder(String),
    /// Accessible description.
    Description(String),
    /// The options' words, when five or fewer.
    Options(Vec<String>),
    /// How many options, when more.
    OptionCount(u32),
    /// A modal dialog.
    Modal,
    /// Opens a menu or dialog.
    HasPopup,
    /// More than one line.
    Multiline,
    /// autocomplete attribute that tells what belongs here: `cc-number`.
    Autocomplete(String),
    /// Can be scrolled: it has more than it shows.
    Scrollable,
    /// Kind of input whose look differs from text: `date`, `file`, `color` …
    Kind(String),
}

/// Words that tell an element from others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Element {
    /// Its number.
    pub id: LocalId,
    /// ARIA role or `clickable`; the tag's name when there is none.
    pub role: String,
    /// Accessible name; visible words when there is none.
    pub name: String,
    /// What is true of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<State>,
    /// Name of the row or item that it is in, when it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
    /// Where it is in the viewport.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rect: Option<Rect>,
    /// Tokens of the frames inside it, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<String>,
    /// It was re-rendered: another element of the same description and place took over the id.
    #[serde(default)]
    pub refound: bool,
}
