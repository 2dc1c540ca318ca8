//! The documents of a tab and how they sit in each other.

use crate::failure::Outcome;
use crate::handle::{Handle, parse};
use pillion_core::outline::{FrameContent, Tree, stitch};
use pillion_wire::code::Code;
use pillion_wire::id::{DocumentId, FrameId, LocalId};
use pillion_wire::page::{DocumentInfo, Node, Outline, PageCall, PageError, Point};
use pillion_wire::verb::FrameReply;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::time::Duration;

/// One document that answered.
pub(crate) struct Doc<T> {
    pub(crate) frame: FrameId,
    pub(crate) parent: FrameId,
    pub(crate) document: DocumentId,
    pub(crate) value: T,
}

/// Replies of all frames with their typed values; frames that failed are left out.
pub(crate) fn docs<T: DeserializeOwned>(replies: Vec<FrameReply>) -> Vec<Doc<T>> {
    replies
        .into_iter()
        .filter_map(|reply| {
            let value = parse(reply.value?).ok()?;
            Some(Doc { frame: reply.frame, parent: reply.parent, document: reply.document, value })
        })
        .collect()
}

/// The whole tab's outline.
pub(crate) struct Whole {
    pub(crate) info: DocumentInfo,
    pub(crate) document: DocumentId,
    pub(crate) trees: Vec<Tree>,
    pub(crate) matches: Option<u32>,
    pub(crate) size: u32,
    pub(crate) cut: bool,
    pub(crate) canvas_only: bool,
}

/// Asks every frame for its outline and puts them into each other.
pub(crate) async fn whole(handle: &Handle, call: PageCall) -> Outcome<Whole> {
    let queried = matches!(&call, PageCall::Snapshot { query, .. } if !query.is_empty());
    let mut replies = handle.page_all(call.clone()).await?;
    if top_fault(&replies).is_some_and(|(error, _)| error.code == Code::RefGone) {
        // The page changed while it was asked: the one that is there now is meant.
        replies = handle.page_all(call).await?;
    }
    if let Some((error, document)) = top_fault(&replies) {
        return Err(handle.page_failure(error.clone(), document));
    }
    let broken: Vec<FrameId> =
        replies.iter().filter(|reply| reply.error.is_some()).map(|reply| reply.frame).collect();
    let mut outlines: Vec<Doc<Outline>> = docs(replies);
    learn_tokens(handle, &mut outlines).await?;
    let Some(top) = outlines.iter().position(|doc| doc.frame == FrameId(0)) else {
        return Err(crate::handle::document_gone());
    };
    let top = outlines.swap_remove(top);
    let matches = queried.then(|| {
        top.value.matches.unwrap_or(0)
            + outlines.iter().filter_map(|doc| doc.value.matches).sum::<u32>()
    });
    let size = top.value.size + outlines.iter().map(|doc| doc.value.size).sum::<u32>();
    let cut = top.value.cut || outlines.iter().any(|doc| doc.value.cut);
    let mut by_token: HashMap<String, (Vec<Node>, DocumentId)> = HashMap::new();
    let mut orphans = Vec::new();
    for doc in outlines {
        match doc.value.document.token.clone() {
            Some(token) => {
                by_token.insert(token, (doc.value.nodes, doc.document));
            }
            None => orphans.push((doc.value.nodes, doc.document)),
        }
    }
    let reason = if broken.is_empty() {
        "it is still loading"
    } else {
        "it shows an error page or does not answer"
    };
    let info = top.value.document;
    let mut trees =
        stitch(top.value.nodes, &top.document, &mut |token| match by_token.remove(token) {
            Some((nodes, document)) => FrameContent::Nodes(nodes, document),
            None if queried => FrameContent::Omitted,
            None => FrameContent::Unreadable(reason),
        });
    if queried {
        // A query leaves out frames' own lines; what matched inside them still counts.
        for (nodes, document) in by_token.into_values().chain(orphans) {
            if !nodes.is_empty() {
                trees.extend(stitch(nodes, &document, &mut |_| FrameContent::Omitted));
            }
        }
    }
    Ok(Whole {
        info,
        document: top.document,
        trees,
        matches,
        size,
        cut,
        canvas_only: top.value.canvas_only,
    })
}

/// Why the top frame could not answer.
fn top_fault(replies: &[FrameReply]) -> Option<(&PageError, &DocumentId)> {
    let top = replies.iter().find(|reply| reply.frame == FrameId(0))?;
    Some((top.error.as_ref()?, &top.document))
}

/// Child documents that do not know their place yet are asked once more: the parent's message to
/// them was on its way.
async fn learn_tokens(handle: &Handle, outlines: &mut [Doc<Outline>]) -> Outcome<()> {
    for pause_ms in [4_u64, 25, 60] {
        if outlines.iter().all(|doc| doc.frame == FrameId(0) || doc.value.document.token.is_some())
        {
            return Ok(());
        }
        // Not a guess at how long the page needs: each round asks, and the last one gives up.
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        let infos: Vec<Doc<DocumentInfo>> = docs(handle.page_all(PageCall::Hello {}).await?);
        for info in infos {
            if let Some(doc) = outlines.iter_mut().find(|doc| doc.document == info.document) {
                doc.value.document.token = info.value.token.or(doc.value.document.token.take());
            }
        }
    }
    Ok(())
}

/// The top document's id and facts.
pub(crate) async fn top(handle: &Handle) -> Outcome<(DocumentId, DocumentInfo)> {
    let infos: Vec<Doc<DocumentInfo>> = docs(handle.page_all(PageCall::Hello {}).await?);
    infos
        .into_iter()
        .find(|doc| doc.frame == FrameId(0))
        .map(|doc| (doc.document, doc.value))
        .ok_or_else(crate::handle::document_gone)
}

/// A point of a document's viewport as a point of the tab's viewport, frame by frame to the top.
/// Each parent scrolls the frame into view if need be and checks that nothing covers it there.
pub(crate) async fn to_top(handle: &Handle, document: &DocumentId, point: Point) -> Outcome<Point> {
    let mut chain = ancestors(handle, document).await?;
    let mut at = point;
    while let Some((token, parent)) = chain.pop() {
        at = handle.page(&parent, PageCall::Through { token, x: at.x, y: at.y }).await?;
    }
    Ok(at)
}

/// Every ancestor of a document with the token that it gave to the frame below, outermost first.
pub(crate) async fn ancestors(
    handle: &Handle,
    document: &DocumentId,
) -> Outcome<Vec<(String, DocumentId)>> {
    if handle.tab.state().nav.document.as_ref() == Some(document) {
        return Ok(vec![]);
    }
    let infos: Vec<Doc<DocumentInfo>> = docs(handle.page_all(PageCall::Hello {}).await?);
    let mut chain = Vec::new();
    let mut current = infos
        .iter()
        .find(|doc| doc.document == *document)
        .ok_or_else(crate::handle::document_gone)?;
    while current.frame != FrameId(0) && chain.len() < 32 {
        let token = current.value.token.clone().ok_or_else(crate::handle::document_gone)?;
        let parent = infos
            .iter()
            .find(|doc| doc.frame == current.parent)
            .ok_or_else(crate::handle::document_gone)?;
        chain.push((token, parent.document.clone()));
        current = parent;
    }
    chain.reverse();
    Ok(chain)
}

/// Documents inside frames with these tokens, at any depth, for searches inside an element.
pub(crate) fn below(infos: &[Doc<DocumentInfo>], tokens: &[String]) -> Vec<DocumentId> {
    let mut found: Vec<FrameId> = infos
        .iter()
        .filter(|doc| doc.value.token.as_ref().is_some_and(|token| tokens.contains(token)))
        .map(|doc| doc.frame)
        .collect();
    let mut at = 0;
    while at < found.len() {
        let inner =
            infos.iter().filter(|doc| doc.parent == found[at] && !found.contains(&doc.frame));
        let inner: Vec<_> = inner.map(|doc| doc.frame).collect();
        found.extend(inner);
        at += 1;
    }
    infos.iter().filter(|doc| found.contains(&doc.frame)).map(|doc| doc.document.clone()).collect()
}

/// The document inside an iframe element, when the element is one.
pub(crate) async fn inside(handle: &Handle, token: &str) -> Outcome<Option<DocumentId>> {
    let infos: Vec<Doc<DocumentInfo>> = docs(handle.page_all(PageCall::Hello {}).await?);
    Ok(infos
        .into_iter()
        .find(|doc| doc.value.token.as_deref() == Some(token))
        .map(|doc| doc.document))
}

/// A snapshot call with the usual settings.
pub(crate) fn snapshot_call(root: Option<LocalId>, max_chars: usize) -> PageCall {
    PageCall::Snapshot {
        root,
        query: vec![],
        any: false,
        item: None,
        after: None,
        max_chars: max_chars as u32,
        depth: None,
    }
}

/// One element's part of the page, with the frames in it.
pub(crate) async fn part(
    handle: &Handle,
    located: &crate::handle::Located,
    call: PageCall,
) -> Outcome<Whole> {
    let outline: Outline = handle.page(&located.document, call.clone()).await?;
    let mut by_token: HashMap<String, (Vec<Node>, DocumentId)> = HashMap::new();
    if holds_frames(&outline.nodes) {
        let inner = match call {
            PageCall::Snapshot { query, any, max_chars, depth, .. } => PageCall::Snapshot {
                root: None,
                query,
                any,
                item: None,
                after: None,
                max_chars,
                depth,
            },
            other => other,
        };
        let mut outlines: Vec<Doc<Outline>> = docs(handle.page_all(inner).await?);
        learn_tokens(handle, &mut outlines).await?;
        for doc in outlines {
            if let Some(token) = doc.value.document.token {
                by_token.insert(token, (doc.value.nodes, doc.document));
            }
        }
    }
    let mut info = outline.document;
    {
        let state = handle.tab.state();
        state.title().clone_into(&mut info.title);
        state.url().clone_into(&mut info.url);
    }
    info.height = info.viewport[1];
    let trees =
        stitch(outline.nodes, &located.document, &mut |token| match by_token.remove(token) {
            Some((nodes, document)) => FrameContent::Nodes(nodes, document),
            None => FrameContent::Unreadable("it is still loading"),
        });
    Ok(Whole {
        info,
        document: located.document.clone(),
        trees,
        matches: outline.matches,
        size: outline.size,
        cut: outline.cut,
        canvas_only: false,
    })
}

fn holds_frames(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| node.frame.is_some() || holds_frames(&node.children))
}

/// The document inside an element that is an iframe.
pub(crate) async fn own_frame(
    handle: &Handle,
    located: &crate::handle::Located,
) -> Outcome<Option<DocumentId>> {
    if located.element.role != "iframe" {
        return Ok(None);
    }
    match located.element.frames.first() {
        Some(token) => inside(handle, token).await,
        None => Ok(None),
    }
}
