//! What is in view and can be acted on, with its ref and its box in the viewport.

use crate::failure::Outcome;
use crate::frames::{self, Whole, snapshot_call};
use crate::handle::Handle;
use pillion_core::outline::Tree;
use pillion_core::refs::Key;
use pillion_wire::id::{DocumentId, LocalId};
use pillion_wire::limits;
use pillion_wire::page::{PageCall, Point};
use pillion_wire::verb::{Label, Rect};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most of one answer: more labels on a picture hide what they are about.
const LABELS: usize = 150;
/// How much of the page is looked through, in characters of its outline.
const LOOKED: usize = 12 * limits::SNAPSHOT_CHARS;

/// Those of a tab, in the order of its outline.
pub(super) async fn of(handle: &Arc<Handle>) -> Outcome<Vec<Label>> {
    let whole: Whole = frames::whole(handle, snapshot_call(None, LOOKED)).await?;
    let mut found = BTreeMap::new();
    collect(&whole.trees, &mut found);
    let mut labels = Vec::new();
    for (document, named) in found {
        let ids: Vec<_> = named.iter().map(|(id, ..)| *id).collect();
        let call = PageCall::Rects { ids };
        // A frame that went away meanwhile has nothing in view.
        let Ok(rects) = handle.page::<Vec<Option<Rect>>>(&document, call).await else { continue };
        // A frame's boxes are moved to where the frame is; one that is out of view has none.
        let corner = Point { x: 0.0, y: 0.0 };
        let is_top = document == whole.document;
        let corner = if is_top {
            Some(corner)
        } else {
            frames::to_top(handle, &document, corner).await.ok()
        };
        let Some(corner) = corner else { continue };
        for ((id, role, name), rect) in named.iter().zip(rects) {
            let Some(rect) = rect else { continue };
            if labels.len() >= LABELS {
                return Ok(labels);
            }
            let key = Key { document: document.clone(), id: *id };
            let number = handle.tab.state().refs.issue(&key, role, name);
            let rect = Rect { x: rect.x + corner.x, y: rect.y + corner.y, ..rect };
            labels.push(Label { text: format!("e{}", number.0), rect });
        }
    }
    Ok(labels)
}

type Named = (LocalId, String, String);

fn collect(trees: &[Tree], into: &mut BTreeMap<DocumentId, Vec<Named>>) {
    for tree in trees {
        if let (true, Some(key)) = (tree.node.acts, &tree.key) {
            let named = (key.id, tree.node.role.clone(), tree.node.name.clone());
            into.entry(key.document.clone()).or_default().push(named);
        }
        collect(&tree.children, into);
    }
}
