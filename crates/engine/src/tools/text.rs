//! `browser_text`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::failure::{Failure, Outcome};
use crate::frames::{Doc, docs};
use crate::handle::Handle;
use crate::random;
use pillion_core::page_text::{fence, quote, url_words_whole};
use pillion_wire::id::{DocumentId, FrameId, LocalId};
use pillion_wire::limits;
use pillion_wire::page::{PageCall, PageTextReply, TextPart};
use std::collections::HashMap;
use std::sync::Arc;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_text",
    doc: "Visible text in reading order.",
    details: "",
    effect: Effect::Read,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param { name: "target", kind: Kind::Text, doc: "", required: false, rare: false },
        Param { name: "from", kind: Kind::Text, doc: "", required: false, rare: false },
        Param { name: "max_chars", kind: Kind::Integer, doc: "", required: false, rare: false },
    ],
    positional: &["target"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let start = match cx.args.text("from") {
        Some(from) => from.trim_start_matches('@').parse::<usize>().map_err(|_| {
            Failure::invalid(format!(
                "from is @ and a number of a cut answer, not {}.",
                quote(&from)
            ))
        })?,
        None => 0,
    };
    let budget = cx.args.characters(handle.budget(limits::TEXT_CHARS))?;
    let (head, text) = read(&handle, cx.args.text("target")).await?;
    let all = text.chars().count();
    let part: String = text.chars().skip(start).take(budget).collect();
    let shown = start.min(all) + part.chars().count();
    let mut out = format!("{head}\n{}", fence(&random::word(5), &part));
    if shown < all {
        out.push_str(&format!(
            "\ncut at {shown} of {all}. Rest: browser_text {{\"tab\":{},\"from\":\"@{shown}\"}}",
            handle.tab.number
        ));
    }
    Ok(out.into())
}

/// The header and the whole text, frames in place.
async fn read(handle: &Arc<Handle>, target: Option<String>) -> Outcome<(String, String)> {
    let (root, start): (Option<LocalId>, Option<DocumentId>) = match target {
        Some(target) => {
            let located = handle.resolve_element(&target).await?;
            // An iframe's own ref means its document.
            match crate::frames::own_frame(handle, &located).await? {
                Some(inner) => (None, Some(inner)),
                None => (Some(located.id), Some(located.document)),
            }
        }
        None => (None, None),
    };
    let top: PageTextReply = match &start {
        Some(document) => handle.page(document, PageCall::Text { root }).await?,
        None => {
            let (document, _) = crate::frames::top(handle).await?;
            handle.page(&document, PageCall::Text { root: None }).await?
        }
    };
    let head = format!(
        "tab {} {} {}",
        handle.tab.number,
        quote(&top.document.title),
        url_words_whole(&top.document.url)
    );
    let mut frames = HashMap::new();
    if top.parts.iter().any(|part| matches!(part, TextPart::Frame(_))) {
        let all: Vec<Doc<PageTextReply>> =
            docs(handle.page_all(PageCall::Text { root: None }).await?);
        for doc in all.into_iter().filter(|doc| doc.frame != FrameId(0)) {
            if let Some(token) = doc.value.document.token {
                frames.insert(token, doc.value.parts);
            }
        }
    }
    let mut text = String::new();
    join(top.parts, &mut frames, &mut text);
    Ok((head, text))
}

fn join(parts: Vec<TextPart>, frames: &mut HashMap<String, Vec<TextPart>>, out: &mut String) {
    for part in parts {
        match part {
            TextPart::Words(words) => out.push_str(&words),
            TextPart::Frame(token) => {
                if let Some(inner) = frames.remove(&token) {
                    if !out.is_empty() && !out.ends_with('\n') {
                        out.push('\n');
                    }
                    join(inner, frames, out);
                    out.push('\n');
                }
            }
        }
    }
}
