//! `browser_audit`: axe-core's rules for accessibility, in every frame that can be read.

mod told;

use super::{Answer, Cx, Effect, Kind, ToolDef, may};
use crate::failure::{Failure, Outcome};
use crate::frames;
use crate::handle::{Handle, parse};
use pillion_core::page_text::quote;
use pillion_wire::code::Code;
use pillion_wire::id::{DocumentId, FrameId};
use pillion_wire::limits;
use pillion_wire::measuring::Audited;
use pillion_wire::page::PageCall;
use pillion_wire::verb::FrameReply;
use std::sync::Arc;

/// Longest name of a rule or tag.
const NAME: usize = 60;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_audit",
    doc: "Accessibility check by axe-core, in all frames: breaches by impact, with refs. rules or tags narrow it.",
    details: "`tags`: `wcag2a`, `wcag2aa`, `wcag21aa`, `wcag22aa`, `best-practice`, `section508`, …; without, all rules that axe-core has on by itself. `rules`: these only, each told in full: more elements, each with why. `target`: that part of its document. Frames are judged as frames: one by one, also those of other sites, and not those of sites that the user closed to agents. Writes nothing into the page, asks for nothing over the network (so rules that would need sheets of other sites or media are not judged) and needs no debugger. A document of more than 15000 elements is not looked at: name a target.",
    effect: Effect::Read,
    params: &[
        may("tab", Kind::Integer, ""),
        may("target", Kind::Text, ""),
        may("rules", Kind::Texts, "color-contrast, …"),
        may("tags", Kind::Texts, "wcag2a, wcag2aa, best-practice, …"),
        may("max_chars", Kind::Integer, ""),
    ],
    positional: &["target"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

/// What came of it.
struct Found {
    documents: Vec<(DocumentId, Audited)>,
    /// Why frames were not looked at.
    unread: Vec<Code>,
}

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let (rules, tags) = (names(&cx, "rules")?, names(&cx, "tags")?);
    if !rules.is_empty() && !tags.is_empty() {
        return Err(Failure::invalid("rules or tags, not both. Nothing was done."));
    }
    let budget = cx.args.characters(handle.budget(limits::AUDIT_CHARS))?;
    let whole = !rules.is_empty();
    let limit = if whole { limits::AUDIT_ELEMENTS_MOST } else { limits::AUDIT_ELEMENTS };
    let call = |root| PageCall::Audit { root, rules: rules.clone(), tags: tags.clone(), limit };
    let found = match cx.args.text("target") {
        Some(target) => {
            let located = handle.resolve_element(&target).await?;
            let (document, root) = match frames::own_frame(&handle, &located).await? {
                Some(inner) => (inner, None),
                None => (located.document, Some(located.id)),
            };
            let audited = handle.page_within(&document, call(root), limits::AUDIT).await?;
            Found { documents: vec![(document, audited)], unread: vec![] }
        }
        None => read(&handle, handle.page_all_within(call(None), limits::AUDIT).await?)?,
    };
    refuse_unknown(&found)?;
    refuse_too_large(&handle, &found)?;
    Ok(told::answer(&handle, &found, whole, budget).into())
}

/// Names as axe-core has them: nothing else is asked for.
fn names(cx: &Cx, name: &str) -> Outcome<Vec<String>> {
    let given = cx.args.list(name);
    let bad = |what: &str| Failure::invalid(format!("{name}: {what}. Nothing was done."));
    if given.len() > limits::AUDIT_NAMES {
        return Err(bad(&format!("at most {}", limits::AUDIT_NAMES)));
    }
    let is_name = |text: &&str| {
        (1..=NAME).contains(&text.len())
            && text
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c))
    };
    given
        .iter()
        .map(|value| {
            let text = value.as_str().map(str::trim).filter(is_name);
            text.map(str::to_owned).ok_or_else(|| {
                bad(&format!("{} is no name of axe-core's", quote(&value.to_string())))
            })
        })
        .collect()
}

fn read(handle: &Handle, replies: Vec<FrameReply>) -> Outcome<Found> {
    let mut found = Found { documents: vec![], unread: vec![] };
    for reply in replies {
        match (reply.value, reply.error) {
            (_, Some(error)) if reply.frame == FrameId(0) => {
                return Err(handle.page_failure(error, &reply.document));
            }
            (_, Some(error)) => found.unread.push(error.code),
            (Some(value), None) => found.documents.push((reply.document, parse(value)?)),
            (None, None) => found.unread.push(Code::Internal),
        }
    }
    if found.documents.is_empty() { Err(crate::handle::document_gone()) } else { Ok(found) }
}

fn refuse_unknown(found: &Found) -> Outcome<()> {
    let unknown: Vec<String> = found
        .documents
        .first()
        .map(|(_, audited)| audited.unknown.iter().map(|name| quote(name)).collect())
        .unwrap_or_default();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Failure::invalid(format!(
        "axe-core knows no {}. Nothing was done. Next: without rules and tags.",
        unknown.join(", ")
    )))
}

fn refuse_too_large(handle: &Handle, found: &Found) -> Outcome<()> {
    let sizes = || found.documents.iter().map(|(_, audited)| audited.too_large);
    if !sizes().all(|size| size.is_some()) {
        return Ok(());
    }
    let largest = sizes().flatten().max().unwrap_or_default();
    Err(Failure::new(
        Code::ResponseTooLarge,
        format!(
            "{largest} elements are too many for one audit. Nothing was checked. Next: browser_audit {{\"tab\":{},\"target\":\"…\"}} for a part of the page.",
            handle.tab.number
        ),
    ))
}
