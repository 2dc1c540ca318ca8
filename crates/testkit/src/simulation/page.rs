//! What the page agent of a simulated page says: one heading, one field and three buttons, nothing
//! ever moves. An element of any id exists, so that a CSS target `#e77` carries a mark.

use pillion_wire::code::Code;
use pillion_wire::id::LocalId;
use pillion_wire::looking::{Looks, SourceMapReply};
use pillion_wire::measuring::Audited;
use pillion_wire::page::{
    Changes, Column, DocumentInfo, Element, Extracted, FillOutcome, Fit, InputSeen, Matches,
    NextControl, Node, Outline, PageCall, PageError, PageTextReply, Point, Quiet, Ready, Row,
    RowsKind, ScrollPlan, Step, TextPart,
};
use pillion_wire::trying::{Patched, Stored};
use serde_json::{Value, json};

/// Where the mark of a click is carried: every element lies at `x` equal to its id.
pub(super) fn point(id: LocalId) -> Point {
    Point { x: f64::from(id.0), y: 10.0 }
}

fn element(id: LocalId) -> Element {
    Element {
        id,
        role: "button".to_owned(),
        name: format!("Button {id}"),
        states: vec![],
        row: None,
        rect: None,
        frames: vec![],
        refound: false,
    }
}

fn document(url: &str) -> DocumentInfo {
    DocumentInfo {
        url: url.to_owned(),
        title: "Simulated".to_owned(),
        ready_state: "complete".to_owned(),
        pdf: false,
        token: None,
        scroll_y: 0.0,
        height: 800.0,
        viewport: [1_200.0, 800.0],
    }
}

fn outline(url: &str) -> Outline {
    let node = |role: &str, name: &str, id, acts| Node {
        role: role.to_owned(),
        name: name.to_owned(),
        id: Some(LocalId(id)),
        acts,
        ..Node::default()
    };
    let nodes = vec![
        node("heading", "Simulated", 1, false),
        node("textbox", "Name", 2, true),
        node("button", "Save", 3, true),
        node("button", "Cancel", 4, true),
        node("link", "Help", 5, true),
    ];
    let size = nodes.len() as u32;
    Outline { document: document(url), nodes, matches: None, cut: false, size, canvas_only: false }
}

fn resolve(step: &Step) -> Matches {
    let id = match step {
        Step::Css { selector } => selector.strip_prefix("#e").and_then(|id| id.parse().ok()),
        _ => Some(3),
    };
    let candidates: Vec<_> = id.map(|id| element(LocalId(id))).into_iter().collect();
    Matches {
        fit: if candidates.is_empty() { Fit::Near } else { Fit::Equal },
        total: candidates.len() as u32,
        candidates,
        hidden: 0,
        first_hidden: None,
        timed_out: false,
    }
}

fn value(of: &impl serde::Serialize) -> Value {
    serde_json::to_value(of).expect("plain data")
}

fn rows(url: &str) -> Extracted {
    Extracted {
        document: document(url),
        kind: RowsKind::List,
        element: element(LocalId(1)),
        inside: LocalId(1),
        shape: "list".to_owned(),
        score: 1.0,
        total: 1,
        declared: None,
        columns: vec![Column { name: "item".to_owned(), aside: false }],
        rows: vec![Row { cells: vec!["Simulated".to_owned()], at: None }],
        next: None,
    }
}

fn refused(code: Code, message: &str) -> Box<PageError> {
    Box::new(PageError { code, message: message.to_owned(), element: None, others: vec![] })
}

/// The answer of a page at that address.
pub(super) fn answer(url: &str, call: &PageCall) -> Result<Value, Box<PageError>> {
    Ok(match call {
        PageCall::Hello {} => value(&document(url)),
        PageCall::Snapshot { .. } => value(&outline(url)),
        PageCall::Text { .. } => {
            let parts = vec![TextPart::Words("Simulated".to_owned())];
            value(&PageTextReply { document: document(url), parts })
        }
        PageCall::Extract { .. } => value(&rows(url)),
        PageCall::NextControl { .. } => value(&NextControl::default()),
        PageCall::Pdf { .. } => {
            return Err(refused(Code::InvalidArgument, "the document is no PDF"));
        }
        PageCall::Rects { ids } => value(&vec![Value::Null; ids.len()]),
        PageCall::Resolve { step, .. } | PageCall::Wait { step, .. } => value(&resolve(step)),
        PageCall::Describe { id } | PageCall::Focus { id, .. } => value(&element(*id)),
        PageCall::At { x, .. } => value(&element(LocalId(*x as u32))),
        PageCall::Focused {} => return Err(refused(Code::NoFocus, "nothing has focus")),
        PageCall::Prepare { id, .. } => value(&Ready {
            element: element(*id),
            point: point(*id),
            chosen: false,
            in_frame: false,
        }),
        PageCall::Through { x, y, .. } => value(&Point { x: *x, y: *y }),
        PageCall::Settle { .. } => value(&Quiet { quiet: true, mutations: 0 }),
        PageCall::Changes { .. } => value(&Changes {
            added: vec![],
            removed: vec![],
            changed: vec![],
            more: 0,
            focus: None,
            input: Some(InputSeen { arrived: 1, on_target: true, landed: None }),
            scrolled: [0.0, 0.0],
            same_document: true,
        }),
        PageCall::Fill { id, .. } | PageCall::FillCheck { id, .. } => {
            value(&FillOutcome::Set { element: element(*id), shows: None })
        }
        PageCall::Scroll { .. } => value(&ScrollPlan {
            element: None,
            point: Point { x: 1.0, y: 1.0 },
            at: [0.0, 0.0],
            max: [0.0, 0.0],
        }),
        PageCall::Baseline {} | PageCall::Abort {} | PageCall::LookEnd {} => json!(null),
        PageCall::Look { .. } => json!({}),
        PageCall::Inspect { id, .. } => value(&Looks {
            element: element(*id),
            tag: "button".to_owned(),
            styles: vec![],
            edges: [[0.0; 4]; 3],
            content: [10.0, 10.0],
            rendered: true,
            in_view: true,
            cover: None,
            attributes: vec![],
            html: None,
            html_size: 0,
        }),
        PageCall::SourceMap { .. } => value(&SourceMapReply::default()),
        PageCall::Patch { number, id, .. } => value(&Patched {
            number: *number,
            element: element(*id),
            selector: "#simulated".to_owned(),
            changes: vec![],
            before: None,
            after: None,
        }),
        PageCall::Patches {} | PageCall::Unpatch { .. } | PageCall::Kept { .. } => json!([]),
        PageCall::Storage { .. } => value(&Stored::default()),
        PageCall::Audit { .. } => value(&Audited::default()),
    })
}
