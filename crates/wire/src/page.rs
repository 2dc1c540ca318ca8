//! Calls into the page agent of one document, and what it answers.
//!
//! The agent reports facts about elements; it formats nothing and knows no ref. The engine turns
//! local ids into refs, stitches frames together and writes the text. Every string that a page can
//! influence is page words: it may only be printed through `PageText`.

mod acting;
mod outline;
mod rows;
mod target;
mod words;

pub use acting::{
    Act, Caret, Changed, Changes, FillOutcome, InputSeen, Kept, Point, Quiet, Ready, Removed,
    ScrollHow, ScrollPlan,
};
pub use outline::{Element, ListInfo, Node, Outline, State};
pub use target::{Fit, Matches, Step};

pub use rows::{Column, Extracted, NextControl, PdfPiece, Row, RowsKind};
pub use words::{PageTextReply, TextFormat, TextPart};

use crate::code::Code;
use crate::id::LocalId;
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
        /// One of the words is enough.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<bool>"))]
        any: bool,
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
        /// Plain text when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        format: Option<TextFormat>,
    },
    /// Rows of a table, a list or repeated cards. Reply: [`Extracted`]. Fails `TARGET_NOT_FOUND`.
    Extract {
        /// In, at or around this element; the largest of the document when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        root: Option<LocalId>,
        /// Rather the one of that shape.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        like: Option<String>,
        /// The first row that is wanted.
        from: u32,
        /// Most rows; the agent may end earlier.
        limit: u32,
    },
    /// What goes to the next page of a list. Reply: [`NextControl`].
    NextControl {
        /// The element that holds the rows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        root: Option<LocalId>,
    },
    /// The bytes of the document itself, which is a PDF: asked for as the page itself may, at its own
    /// address. Reply: [`PdfPiece`]. Fails `RESPONSE_TOO_LARGE`, `NAVIGATION_FAILED`.
    Pdf {
        /// The first byte that is wanted. At 0 it is asked for anew.
        from: u32,
    },
    /// Where elements are. Reply: a list of [`Rect`] or null, in the order of the ids; null for what is
    /// not seen in the viewport or is gone.
    Rects {
        /// Which.
        ids: Vec<LocalId>,
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
    /// Which of these fields hold something else than when they were filled? Reply: `Vec<`[`Kept`]`>`.
    Kept {
        /// Which.
        ids: Vec<LocalId>,
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
    /// How does an element look, and why? Reply: [`crate::looking::Looks`].
    Inspect {
        /// Which.
        id: LocalId,
        /// Styles of these names; those that differ from the element type's default when empty.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        properties: Vec<String>,
        /// Characters of outer HTML; none when 0.
        html: u32,
    },
    /// The source map of a script or sheet, when the document's own origin serves it, or it is part
    /// of the file. Asked for without cookies. Reply: [`crate::looking::SourceMapReply`].
    SourceMap {
        /// Address of the script or sheet.
        url: String,
        /// Address of its map, where it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        map: Option<String>,
    },
    /// Try a change on an element. Reply: [`crate::trying::Patched`]. Fails `VALUE_NOT_SET`.
    Patch {
        /// The patch's number, not used before in this tab.
        number: u32,
        /// Which element.
        id: LocalId,
        /// What.
        patch: crate::trying::Patch,
    },
    /// Patches of this document. Reply: `Vec<Patched>`.
    Patches {},
    /// Undo patches, or let them be for good. Reply: `Vec<Patched>`, those that were meant, with what
    /// is true now.
    Unpatch {
        /// Which; all when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        numbers: Option<Vec<u32>>,
        /// They stay as they are and are forgotten.
        keep: bool,
    },
    /// Look into a store of the page's, or change it. Reply: [`crate::trying::Stored`].
    Storage {
        /// Which.
        store: crate::trying::Store,
        /// What.
        what: crate::trying::StoreOp,
        /// The name, or a part of the way to it; empty for all.
        key: String,
        /// For `set`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// With values.
        values: bool,
        /// Most entries.
        limit: u32,
    },
    /// Judge the document by axe-core's rules, which the extension puts beside the agent first.
    /// Reply: [`crate::measuring::Audited`].
    Audit {
        /// Only this element's subtree.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        root: Option<LocalId>,
        /// Only these rules.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<String>>"))]
        rules: Vec<String>,
        /// Only rules with one of these tags.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<String>>"))]
        tags: Vec<String>,
        /// Most elements described of each rule.
        limit: u32,
    },
    /// Stop a `wait` or `settle` that nobody waits for. Reply: null.
    Abort {},
    /// Let the user point at an element, and tell at once what they pointed at so far. Only the
    /// extension itself calls it, for an ask. Reply: [`Looked`].
    Look {
        /// The ask: what was pointed at for another one does not count.
        ask: String,
        /// What is said at the top of the page.
        words: String,
    },
    /// Nothing of that is left in the page. Reply: null.
    LookEnd {},
}

/// Reply to `look`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export, export_to = "page.ts"))]
#[serde(rename_all = "camelCase")]
pub struct Looked {
    /// What the user pointed at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<Element>,
    /// The user pressed Escape.
    #[serde(default)]
    pub cancelled: bool,
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
    /// Chrome's viewer shows a PDF: the document has no words of its own.
    #[serde(default)]
    pub pdf: bool,
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
