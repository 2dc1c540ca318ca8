//! Calls into the page agent of one document, and what it answers.
//!
//! The agent reports facts about elements; it formats nothing and knows no ref. The engine turns
//! local ids into refs, stitches frames together and writes the text. Every string that a page can
//! influence is page words: it may only be printed through `PageText`.

use crate::code::Code;
use crate::id::LocalId;
use crate::verb::Rect;
use serde::{Deserialize, Serialize};

/// One call. The agent answers with the type named at each, or a [`PageError`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(tag = "op", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum PageCall {
    /// Which document is this? Reply: [`DocumentInfo`].
    Hello {},
    /// The outline. Reply: [`Outline`].
    Snapshot {
        /// Only this element's subtree.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        root: Option<LocalId>,
        /// Only elements that hold every word, with their ancestors and their whole repeated item.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        query: Vec<String>,
        /// With `root` a folded list: start at this item.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<u32>,
        /// Only what follows this element in document order.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<LocalId>,
        /// Stop the walk after about this many characters of names.
        max_chars: u32,
        /// Deepest level; unlimited when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        depth: Option<u32>,
    },
    /// Visible text in reading order. Reply: [`PageTextReply`].
    Text {
        /// Only this element's subtree.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        root: Option<LocalId>,
    },
    /// Which elements fit? Reply: [`Matches`].
    Resolve {
        /// What to look for.
        step: Step,
        /// Only inside this element.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        within: Option<LocalId>,
        /// Most candidates described.
        limit: u32,
    },
    /// What is that element now? Reply: [`Element`]. Fails `REF_GONE` when it is gone.
    Describe {
        /// Which.
        id: LocalId,
    },
    /// What is at that point of this document's viewport? Reply: [`Element`].
    At {
        /// CSS px.
        x: f64,
        /// CSS px.
        y: f64,
    },
    /// What has focus? Reply: [`Element`]. Fails `NO_FOCUS`.
    Focused {},
    /// Make ready for an act: scroll into view only if needed, wait until the box holds still
    /// (bounded), check enabled, visible, uncovered, and take the baseline for `Changes`.
    /// Reply: [`Ready`].
    Prepare {
        /// Which.
        id: LocalId,
        /// For what.
        act: Act,
    },
    /// A point of a child frame, seen from here: scrolls it into view if needed and checks that the
    /// frame is not covered there. Reply: [`Point`].
    Through {
        /// Token of the child frame's document, as [`DocumentInfo::token`] gave it.
        token: String,
        /// CSS px in the child's viewport.
        x: f64,
        /// CSS px in the child's viewport.
        y: f64,
    },
    /// Take the baseline for `Changes` without a target. Reply: null.
    Baseline {},
    /// Resolve when nothing changed for so many animation frames. Reply: [`Quiet`].
    Settle {
        /// Frames without a change.
        frames: u32,
        /// Give up after this long, milliseconds.
        cap_ms: u32,
    },
    /// What changed since the baseline. Reply: [`Changes`].
    Changes {
        /// Most lines of each kind.
        limit: u32,
    },
    /// Set one form field. Reply: [`FillOutcome`].
    Fill {
        /// Which.
        id: LocalId,
        /// What, as the agent wrote it.
        value: String,
    },
    /// Read a field back after the engine typed into it. Reply: [`FillOutcome`].
    FillCheck {
        /// Which.
        id: LocalId,
        /// What it should be.
        value: String,
    },
    /// Focus an element that takes text. Reply: [`Element`]. Fails `NO_FOCUS`.
    Focus {
        /// Which.
        id: LocalId,
        /// Where the caret goes.
        caret: Caret,
    },
    /// Where does an element scroll? Reply: [`ScrollPlan`]. Fails `NOT_SCROLLABLE`.
    Scroll {
        /// Which; the page when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<LocalId>,
        /// What to do.
        how: ScrollHow,
    },
    /// Resolve when the step has a visible match, or has none any more (`gone`). Reply: [`Matches`],
    /// with `total` 0 and `timed_out` when the time was over.
    Wait {
        /// What to look for.
        step: Step,
        /// Only inside this element.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        within: Option<LocalId>,
        /// Wait until there is none.
        gone: bool,
        /// At most, milliseconds.
        timeout_ms: u32,
    },
    /// Stop a `wait` or `settle` that nobody waits for. Reply: null.
    Abort {},
}

/// Why the agent could not answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct PageError {
    /// For programs.
    pub code: Code,
    /// What happened, lower case, without a full stop. Page words in it are marked by nobody: it
    /// must hold none.
    pub message: String,
    /// The element that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<Element>,
    /// What is in the way: the cover, the opener, the near matches, empty required fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Element>,
}

/// Reply to `hello`; also part of other replies that stitch frames.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct DocumentInfo {
    /// Address.
    pub url: String,
    /// Title.
    pub title: String,
    /// `loading`, `interactive` or `complete`.
    pub ready_state: String,
    /// In a child frame: the token that the parent's agent gave to the frame element that shows
    /// this document, once it is known. Random, unguessable, unique in the tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Scroll position, CSS px.
    pub scroll_y: f64,
    /// Height of the whole document, CSS px.
    pub height: f64,
    /// Viewport, CSS px.
    pub viewport: [f64; 2],
}

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
