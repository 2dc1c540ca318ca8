//! `browser_patch`: a change that is tried on the live page.

use super::{Answer, Cx, Effect, Kind, ToolDef, may};
use crate::failure::{Failure, Outcome};
use crate::frames::docs;
use crate::handle::Handle;
use crate::random;
use pillion_core::page_text::{PageText, fence, quote};
use pillion_wire::code::Code;
use pillion_wire::id::DocumentId;
use pillion_wire::limits;
use pillion_wire::page::PageCall;
use pillion_wire::trying::{Patch, PatchChange, Patched, Spot};
use std::sync::Arc;

/// Longest value in an answer, characters.
const VALUE_CHARS: usize = 80;
/// Changes of one patch that are told one by one.
const CHANGES_TOLD: usize = 8;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_patch",
    doc: "Try a change on the live page (styles, text, attributes, classes), read back; list, rollback, commit, export as CSS.",
    details: "`styles`: declarations as in CSS (`position:static; color:red`); `!important` is added when the page's own rules win otherwise, and said. `text`: the element's words; elements inside it stay. `attributes`: `name=value`, `-name` takes one away. `classes`: `open -hidden`. `rollback`: `p1`, several, or `all`, in any order: what other patches and the page itself changed since stays. `commit`: it stays when the tab is let go. `export`: what is left as CSS. Without parameters, or with `list`: the patches of the page as they are now. A patch ends with its document; all are taken back when the session ends, lets the tab go, or is stopped. No script of the page sees anything but the effect.",
    effect: Effect::Act,
    params: &[
        may("tab", Kind::Integer, ""),
        may("target", Kind::Text, "what to change"),
        may("styles", Kind::Json, "CSS declarations"),
        may("text", Kind::Text, ""),
        may("attributes", Kind::Texts, "name=value, or -name"),
        may("classes", Kind::Text, "open -hidden"),
        may("list", Kind::Boolean, ""),
        may("rollback", Kind::Text, "p1, or all"),
        may("commit", Kind::Text, "p1, or all"),
        may("export", Kind::Boolean, "as CSS"),
    ],
    positional: &["target"],
    idempotent: false,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

/// Patches with the document that each is in.
type Found = Vec<(Patched, DocumentId)>;

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let changes = ["styles", "text", "attributes", "classes"].iter().any(|name| cx.args.has(name));
    let ways = [
        changes,
        cx.args.flag("list"),
        cx.args.has("rollback"),
        cx.args.has("commit"),
        cx.args.flag("export"),
    ];
    if ways.iter().filter(|way| **way).count() > 1 {
        return Err(Failure::invalid(
            "one at a time: a change, list, rollback, commit or export. Nothing was done.",
        ));
    }
    if changes {
        return apply(&cx, &handle).await;
    }
    if let Some(which) = cx.args.text("rollback") {
        return end(&handle, &which, false).await;
    }
    if let Some(which) = cx.args.text("commit") {
        return end(&handle, &which, true).await;
    }
    if cx.args.has("target") && !cx.args.flag("list") && !cx.args.flag("export") {
        return Err(Failure::invalid(
            "what is to change? styles, text, attributes or classes. Nothing was done.",
        ));
    }
    let found = all(&handle).await?;
    if cx.args.flag("export") { Ok(export(&handle, &found)) } else { Ok(list(&handle, &found)) }
}

async fn apply(cx: &Cx, handle: &Arc<Handle>) -> Outcome<Answer> {
    let target = cx.args.text("target").ok_or_else(|| {
        Failure::invalid("a change needs target: the element to change. Nothing was done.")
    })?;
    let patch = read(cx)?;
    let located = handle.resolve_element(&target).await?;
    let there = all(handle).await?;
    let number = {
        let mut state = handle.tab.state();
        state.tried.by(&handle.session);
        let most = there.iter().map(|(patched, _)| patched.number).max().unwrap_or(0);
        state.tried.last_patch = state.tried.last_patch.max(most) + 1;
        state.tried.last_patch
    };
    handle.acting();
    let call = PageCall::Patch { number, id: located.id, patch };
    let patched: Patched = handle.page(&located.document, call).await?;
    let mut out = format!(
        "patched p{number}: {} on {}{}{}, read back",
        changes_words(&patched.changes),
        handle.words(&patched.element, &located.document),
        located.note,
        super::tab_note(handle)
    );
    let same = patched.changes.iter().all(|change| change.before == change.after);
    match moved(handle, &patched, &located.document) {
        Some(line) => out.push_str(&format!("\nchanged: {line}")),
        None if same => out.push_str("\nno visible effect"),
        None => {}
    }
    Ok(out.into())
}

fn read(cx: &Cx) -> Outcome<Patch> {
    let mut patch = Patch { text: cx.args.text("text"), ..Patch::default() };
    if cx.args.has("text") && patch.text.is_none() {
        patch.text = Some(String::new());
    }
    for declaration in declarations(&cx.args.text("styles").unwrap_or_default()) {
        let Some((name, value)) = declaration.split_once(':') else {
            return Err(Failure::invalid(format!(
                "styles are declarations as in CSS (position:static; color:red), not {}. Nothing was done.",
                quote(&declaration)
            )));
        };
        let name = name.trim();
        let name = if name.starts_with("--") { name.to_owned() } else { name.to_ascii_lowercase() };
        patch.styles.push([name, value.trim().to_owned()]);
    }
    for value in cx.args.list("attributes") {
        let text = value.as_str().unwrap_or_default().trim();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text.trim_start_matches('-'), (!text.starts_with('-')).then_some("")),
        };
        if name.is_empty() || name.contains([' ', '"', '\'', '<', '>', '/', '=']) {
            return Err(Failure::invalid(format!(
                "attributes are name=value, or -name, not {}. Nothing was done.",
                quote(text)
            )));
        }
        match value {
            Some(value) => patch.attributes.push([name.to_owned(), value.to_owned()]),
            None => patch.bare.push(name.to_owned()),
        }
    }
    for word in cx.args.text("classes").unwrap_or_default().split([' ', ',', '.']) {
        match word.strip_prefix('-') {
            Some(name) if !name.is_empty() => patch.remove.push(name.to_owned()),
            Some(_) => {}
            None if word.trim_start_matches('+').is_empty() => {}
            None => patch.add.push(word.trim_start_matches('+').to_owned()),
        }
    }
    Ok(patch)
}

/// Cut at semicolons that are not in quotes or brackets.
fn declarations(text: &str) -> Vec<String> {
    let (mut out, mut quoted, mut depth) = (vec![String::new()], None, 0_u32);
    for c in text.chars() {
        match (c, quoted) {
            ('"' | '\'', None) => quoted = Some(c),
            (c, Some(open)) if c == open => quoted = None,
            ('(', None) => depth += 1,
            (')', None) => depth = depth.saturating_sub(1),
            (';', None) if depth == 0 => {
                out.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = out.last_mut() {
            last.push(c);
        }
    }
    out.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

async fn all(handle: &Arc<Handle>) -> Outcome<Found> {
    let replies = handle.page_all(PageCall::Patches {}).await?;
    let mut found = flat(docs(replies));
    found.sort_by_key(|(patched, _)| patched.number);
    Ok(found)
}

fn flat(docs: Vec<crate::frames::Doc<Vec<Patched>>>) -> Found {
    let one = |doc: crate::frames::Doc<Vec<Patched>>| {
        let document = doc.document;
        doc.value.into_iter().map(move |patched| (patched, document.clone())).collect::<Vec<_>>()
    };
    docs.into_iter().flat_map(one).collect()
}

/// Takes patches back, or lets them be for good.
async fn end(handle: &Arc<Handle>, which: &str, keep: bool) -> Outcome<Answer> {
    let there = all(handle).await?;
    let numbers = numbers(which)?;
    if let Some(numbers) = &numbers
        && let Some(missing) = numbers
            .iter()
            .find(|number| !there.iter().any(|(patched, _)| patched.number == **number))
    {
        return Err(Failure::invalid(format!(
            "there is no patch p{missing} in tab {}: a patch ends with its document. {} Nothing was done.",
            handle.tab.number,
            left(&there)
        )));
    }
    let replies = handle.page_all(PageCall::Unpatch { numbers: numbers.clone(), keep }).await?;
    let mut ended = flat(docs(replies));
    ended.sort_by_key(|(patched, _)| patched.number);
    let lines: Vec<String> = ended
        .iter()
        .map(|(patched, _)| {
            if keep {
                format!("committed p{}: it stays when the tab is let go.", patched.number)
            } else {
                let words: Vec<_> = patched.changes.iter().map(back_words).collect();
                format!("rolled back p{}: {}.", patched.number, words.join(", "))
            }
        })
        .collect();
    let rest = left(&all(handle).await?);
    if lines.is_empty() {
        return Ok(rest.into());
    }
    Ok(format!("{} {rest}", lines.join("\n")).into())
}

/// `p1`, `p1 p2`, `all`.
fn numbers(which: &str) -> Outcome<Option<Vec<u32>>> {
    if which.trim().eq_ignore_ascii_case("all") {
        return Ok(None);
    }
    let words = which.split([' ', ',']).filter(|word| !word.is_empty());
    let numbers: Option<Vec<u32>> =
        words.map(|word| word.strip_prefix('p').unwrap_or(word).parse().ok()).collect();
    numbers.filter(|numbers| !numbers.is_empty()).map(Some).ok_or_else(|| {
        Failure::new(
            Code::InvalidArgument,
            format!("a patch is named p1, or all, not {}. Nothing was done.", quote(which)),
        )
    })
}

fn left(there: &Found) -> String {
    if there.is_empty() {
        return "No patches left.".to_owned();
    }
    let names: Vec<_> = there.iter().map(|(patched, _)| format!("p{}", patched.number)).collect();
    format!("Left: {}.", names.join(", "))
}

fn list(handle: &Arc<Handle>, found: &Found) -> Answer {
    let tab = handle.tab.number;
    if found.is_empty() {
        return format!("no patches in tab {tab}").into();
    }
    let mut out = format!("patches in tab {tab}: {}", found.len());
    for (patched, document) in found {
        let words = handle.words(&patched.element, document);
        let gone = if patched.after.is_none() { ", whose element is gone" } else { "" };
        out.push_str(&format!(
            "\n  p{} {} on {words}{gone}",
            patched.number,
            changes_words(&patched.changes)
        ));
    }
    out.into()
}

fn export(handle: &Arc<Handle>, found: &Found) -> Answer {
    let mut css = String::new();
    let comment = |text: &str| text.replace("*/", "* /");
    for (patched, _) in found {
        let styles: Vec<_> =
            patched.changes.iter().filter(|change| change.kind == "style").collect();
        if !styles.is_empty() {
            css.push_str(&format!("/* p{} */\n{} {{\n", patched.number, patched.selector));
            for change in styles {
                let mark = if change.important && !change.wanted.contains("!important") {
                    " !important"
                } else {
                    ""
                };
                css.push_str(&format!("  {}: {}{mark};\n", change.name, change.wanted));
            }
            css.push_str("}\n");
        }
        for change in patched.changes.iter().filter(|change| change.kind != "style") {
            let words = comment(&change_words(change));
            css.push_str(&format!(
                "/* p{}, no CSS: {} {words} */\n",
                patched.number, patched.selector
            ));
        }
    }
    if css.is_empty() {
        return format!("no patches in tab {}", handle.tab.number).into();
    }
    let budget = handle.budget(limits::INSPECT_CHARS);
    let part: String = css.chars().take(budget).collect();
    let cut =
        if part.len() < css.len() { "\ncut: roll back or commit some of them first" } else { "" };
    format!("{}{cut}", fence(&random::word(5), &part)).into()
}

fn changes_words(changes: &[PatchChange]) -> String {
    let told: Vec<_> = changes.iter().take(CHANGES_TOLD).map(change_words).collect();
    let more = changes.len().saturating_sub(CHANGES_TOLD);
    let more = if more > 0 { format!(", +{more}") } else { String::new() };
    format!("{}{more}", told.join(", "))
}

/// `position absolute → static`.
fn change_words(change: &PatchChange) -> String {
    let name = PageText::new(&change.name).plain();
    let (before, after) = (value_words(change, &change.before), value_words(change, &change.after));
    match change.kind.as_str() {
        "class" => {
            let sign = if change.after.is_some() { '+' } else { '-' };
            let same =
                if change.before.is_some() == change.after.is_some() { " (as before)" } else { "" };
            format!("class {sign}{name}{same}")
        }
        "text" => format!("text {before} → {after}"),
        _ => {
            let mark = if change.important && !change.wanted.contains("!important") {
                " (by !important: other rules win without)"
            } else {
                ""
            };
            format!("{name} {before} → {after}{mark}")
        }
    }
}

fn back_words(change: &PatchChange) -> String {
    let name = PageText::new(&change.name).plain();
    let now = value_words(change, &change.after);
    let what = match change.kind.as_str() {
        "class" if change.after.is_some() => format!("class {name} there"),
        "class" => format!("class {name} not there"),
        "text" => format!("text {now}"),
        _ => format!("{name} {now}"),
    };
    if change.left {
        format!("{what} (left: the page changed it meanwhile)")
    } else if change.after.is_some() || change.kind == "class" || change.kind == "attribute" {
        format!("{what} again")
    } else {
        what
    }
}

/// Styles as they stand, where they are plain words; everything else quoted.
fn value_words(change: &PatchChange, value: &Option<String>) -> String {
    let Some(value) = value else { return "(none)".to_owned() };
    let text = PageText::new(value);
    let plain = text.plain();
    let is_plain = change.kind == "style"
        && !plain.is_empty()
        && plain.chars().count() <= VALUE_CHARS
        && !plain.contains(['"', '→', '\n']);
    if is_plain { plain } else { text.quoted_to(VALUE_CHARS) }
}

/// `box 940,388 → 940,352; no longer covered`.
fn moved(handle: &Handle, patched: &Patched, document: &DocumentId) -> Option<String> {
    let (before, after) = (patched.before.as_ref()?, patched.after.as_ref()?);
    let mut parts = Vec::new();
    match (before.rect, after.rect) {
        (Some(was), Some(now)) => {
            let at =
                |rect: pillion_wire::verb::Rect| format!("{},{}", rect.x.round(), rect.y.round());
            let of = |rect: pillion_wire::verb::Rect| {
                format!("{}×{}", rect.width.round(), rect.height.round())
            };
            if at(was) != at(now) {
                parts.push(format!("box {} → {}", at(was), at(now)));
            }
            if of(was) != of(now) {
                parts.push(format!("size {} → {}", of(was), of(now)));
            }
        }
        (Some(_), None) => parts.push("not rendered any more".to_owned()),
        (None, Some(now)) => parts.push(format!(
            "rendered now, box {},{} {}×{}",
            now.x.round(),
            now.y.round(),
            now.width.round(),
            now.height.round()
        )),
        (None, None) => {}
    }
    let id = |spot: &Spot| spot.cover.as_ref().map(|cover| cover.id);
    match (id(before), id(after)) {
        (Some(_), None) => parts.push("no longer covered".to_owned()),
        (was, Some(now)) if was != Some(now) => {
            let cover = after.cover.as_ref()?;
            parts.push(format!("now covered by {}", handle.words(cover, document)));
        }
        _ => {}
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_cut_where_css_cuts_them() {
        let cut = declarations("position: static; background: url(\"a;b\"); x: f(a;b);; --y: ';'");
        assert_eq!(cut, ["position: static", "background: url(\"a;b\")", "x: f(a;b)", "--y: ';'"]);
    }

    #[test]
    fn patches_are_named_by_number() {
        assert_eq!(numbers("p1, 2 p3").unwrap(), Some(vec![1, 2, 3]));
        assert_eq!(numbers("All").unwrap(), None);
        assert!(numbers("x1").is_err() && numbers("").is_err());
    }
}
