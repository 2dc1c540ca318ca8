//! `browser_inspect_element`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::failure::{Failure, Outcome};
use crate::frames;
use crate::handle::{Handle, Located};
use crate::random;
use crate::sources;
use pillion_core::cascade;
use pillion_core::console_log::place;
use pillion_core::page_text::{PageText, fence};
use pillion_wire::limits;
use pillion_wire::looking::{CallFrame, Inspected, Listener, Looks, StyleRule};
use pillion_wire::page::{PageCall, Point};
use pillion_wire::verb::Verb;
use std::collections::BTreeMap;
use std::sync::Arc;

const PARTS: [&str; 5] = ["rules", "listeners", "box", "attributes", "html"];
/// Longest value of a style or attribute in an answer, characters.
const VALUE_CHARS: usize = 120;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_inspect_element",
    doc: "Styles that differ from default; show adds rules, listeners with file:line, box, HTML.",
    details: "`show`: any of rules (matched rules, strongest first, with file:line and what overrode them), listeners (its own, then those of its ancestors, with file:line), box (position, margin, border, padding, and what covers its centre), attributes, html. Only rules and listeners need the debugger. `properties`: styles by name (`*` for all) instead of those that differ from what an element of that type has by itself. Places are those of the sources when a source map is part of the file or served by the page's own origin.",
    effect: Effect::Read,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param { name: "target", kind: Kind::Text, doc: "", required: true, rare: false },
        Param {
            name: "show",
            kind: Kind::Texts,
            doc: "of rules, listeners, box, attributes, html",
            required: false,
            rare: false,
        },
        Param {
            name: "properties",
            kind: Kind::Texts,
            doc: "style names",
            required: false,
            rare: true,
        },
    ],
    positional: &["target"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let show = texts(&cx, "show")?;
    if let Some(wrong) = show.iter().find(|part| !PARTS.contains(&part.as_str())) {
        return Err(Failure::invalid(format!(
            "show takes {}, not {}. Nothing was done.",
            PARTS.join(", "),
            pillion_core::page_text::quote(wrong)
        )));
    }
    let wants = |part: &str| show.iter().any(|one| one == part);
    let budget = handle.budget(limits::INSPECT_CHARS);
    let target = cx.args.text("target").unwrap_or_default();
    let located = handle.resolve_element(&target).await?;
    let call = PageCall::Inspect {
        id: located.id,
        properties: texts(&cx, "properties")?,
        html: if wants("html") { (budget / 2) as u32 } else { 0 },
    };
    let looks: Looks = handle.page(&located.document, call).await?;
    let mut inspected = Inspected::default();
    if wants("rules") || wants("listeners") {
        handle.attach().await?;
        let verb = Verb::Inspect {
            tab: handle.chrome(),
            document: located.document.clone(),
            element: located.id,
            rules: wants("rules"),
            listeners: wants("listeners"),
        };
        inspected = handle.or_dialog(handle.verb(verb, limits::VERB)).await??;
        in_sources(&handle, &mut inspected).await;
    }
    let mut out = first_line(&handle, &located, &looks, wants("box")).await;
    let mut body = Vec::new();
    let named = cx.args.has("properties");
    body.push(format!(
        "{}: {}",
        if named { "styles" } else { "differs" },
        pairs(&looks.styles, "=")
    ));
    if wants("rules") {
        body.push(rules_words(&inspected));
    }
    if wants("listeners") {
        body.push(listener_words(&inspected));
    }
    if wants("attributes") {
        body.push(format!("attributes: {}", pairs(&looks.attributes, "=")));
    }
    if let Some(html) = &looks.html {
        body.push(format!("html:\n{html}"));
    }
    let text = pillion_core::redact::answer(&body.join("\n")).into_owned();
    let all = text.chars().count();
    let part: String = text.chars().take(budget).collect();
    out.push('\n');
    out.push_str(&fence(&random::word(5), &part));
    if all > budget {
        out.push_str(&format!(
            "\ncut at {budget} of {all} characters. Ask for less at once: browser_inspect_element {{\"tab\":{},\"target\":\"e{}\",\"show\":[\"rules\"]}}",
            handle.tab.number,
            handle.issue(&looks.element, &located.document)
        ));
    }
    if let Some(html) = &looks.html
        && looks.html_size as usize > html.chars().count() + 64
    {
        out.push_str(&format!(
            "\nhtml cut: its outer HTML has {} characters. A part of it: inspect an element inside",
            looks.html_size
        ));
    }
    Ok(out.into())
}

/// A list of texts, or one text with commas.
fn texts(cx: &Cx, name: &str) -> Outcome<Vec<String>> {
    let wrong = || Failure::invalid(format!("{name} is a list of texts. Nothing was done."));
    cx.args
        .list(name)
        .iter()
        .map(|value| value.as_str().map(str::to_owned).ok_or_else(wrong))
        .collect()
}

/// `div "Total 42 EUR" [e61] box 940,388 220×24, covered by footer [e90] at its centre`.
async fn first_line(
    handle: &Arc<Handle>,
    located: &Located,
    looks: &Looks,
    wants_box: bool,
) -> String {
    let document = &located.document;
    let words = handle.words(&looks.element, document);
    let note = if located.note.is_empty() { String::new() } else { format!(" {}", located.note) };
    let mut out = format!("{words}{note}{}", super::tab_note(handle));
    if looks.element.role != looks.tag {
        out.push_str(&format!(" <{}>", tag_words(&looks.tag)));
    }
    if !wants_box {
        return out;
    }
    let Some(rect) = looks.element.rect.filter(|_| looks.rendered) else {
        out.push_str(" no box (not rendered)");
        return out;
    };
    let inside = Point { x: rect.x, y: rect.y };
    let in_frame = handle.tab.state().nav.document.as_ref() != Some(document);
    let top =
        if in_frame { frames::to_top(handle, document, inside).await.ok() } else { Some(inside) };
    let (at, of) = top.map_or((inside, " in its frame"), |at| (at, ""));
    out.push_str(&format!(
        " box {},{} {}×{}{of}",
        at.x.round(),
        at.y.round(),
        rect.width.round(),
        rect.height.round()
    ));
    match &looks.cover {
        Some(cover) => {
            out.push_str(&format!(", covered by {} at its centre", handle.words(cover, document)));
        }
        None if !looks.in_view => out.push_str(", its centre is out of view"),
        None => out.push_str(", not covered"),
    }
    for (name, edges) in ["margin", "border", "padding"].iter().zip(looks.edges) {
        if edges.iter().any(|edge| *edge != 0.0) {
            let sides: Vec<_> = edges.iter().map(f64::to_string).collect();
            out.push_str(&format!("\n{name} {}", sides.join(" ")));
        }
    }
    out.push_str(&format!("\ncontent {}×{}", looks.content[0].round(), looks.content[1].round()));
    out
}

fn tag_words(tag: &str) -> String {
    tag.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | ':')).take(40).collect()
}

fn pairs(pairs: &[[String; 2]], joint: &str) -> String {
    if pairs.is_empty() {
        return "nothing".to_owned();
    }
    let told = pairs.iter().map(|[name, value]| {
        let value = PageText::new(value);
        let plain = value.plain();
        let quoted = if plain.is_empty()
            || plain.contains([' ', '"'])
            || plain.chars().count() > VALUE_CHARS
        {
            value.quoted_to(VALUE_CHARS)
        } else {
            plain
        };
        format!("{}{joint}{quoted}", PageText::new(name).plain())
    });
    told.collect::<Vec<_>>().join(" ")
}

fn rules_words(inspected: &Inspected) -> String {
    let mut out = "rules:".to_owned();
    if inspected.rules.is_empty() {
        out.push_str(" none but the browser's own");
    }
    for line in cascade::lines(&inspected.rules) {
        out.push_str(&format!("\n  {line}"));
    }
    if inspected.more_rules > 0 {
        out.push_str(&format!("\n  +{} weaker ones", inspected.more_rules));
    }
    out
}

fn listener_words(inspected: &Inspected) -> String {
    let mut out = "listeners:".to_owned();
    if inspected.listeners.is_empty() {
        out.push_str(" none");
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut order = Vec::new();
    for listener in &inspected.listeners {
        let line = listener_line(listener);
        let count = seen.entry(line.clone()).or_default();
        if *count == 0 {
            order.push(line);
        }
        *count += 1;
    }
    for line in order {
        let times = seen
            .get(&line)
            .filter(|count| **count > 1)
            .map_or_else(String::new, |n| format!(" ×{n}"));
        out.push_str(&format!("\n  {line}{times}"));
    }
    if inspected.more_listeners > 0 {
        out.push_str(&format!("\n  +{} more", inspected.more_listeners));
    }
    out
}

fn listener_line(listener: &Listener) -> String {
    let on = if listener.on.is_empty() {
        String::new()
    } else {
        format!(" on {}", PageText::new(&listener.on).plain())
    };
    let flags = if listener.flags.is_empty() {
        String::new()
    } else {
        format!(" ({})", listener.flags.join(", "))
    };
    let function = if listener.place.function.is_empty() {
        String::new()
    } else {
        format!(" {}", listener.place.function)
    };
    format!(
        "{}{on} {}{function}{flags}",
        PageText::new(&listener.event).plain(),
        place(&listener.place)
    )
}

/// Places as their sources have them.
async fn in_sources(handle: &Handle, inspected: &mut Inspected) {
    let sheets = inspected
        .rules
        .iter()
        .filter_map(|rule| Some((rule.place.as_ref()?.url.clone(), Some(rule.map.clone()?))));
    let scripts =
        inspected.listeners.iter().filter(|listener| listener.place.url.starts_with("http"));
    let mut wanted: Vec<sources::Wanted> = sheets.collect();
    wanted.extend(scripts.map(|listener| (listener.place.url.clone(), None)));
    wanted.sort();
    wanted.dedup();
    if wanted.is_empty() {
        return;
    }
    let rule_place = |rule: &StyleRule| rule.place.clone();
    let mut places: Vec<CallFrame> = inspected.rules.iter().filter_map(rule_place).collect();
    places.extend(inspected.listeners.iter().map(|listener| listener.place.clone()));
    let found = sources::map(handle, places, wanted).await;
    let of_rules = inspected.rules.iter_mut().filter_map(|rule| rule.place.as_mut());
    let of_listeners = inspected.listeners.iter_mut().map(|listener| &mut listener.place);
    for at in of_rules.chain(of_listeners) {
        if let Some(source) = found.get(&sources::key(at)) {
            at.clone_from(source);
        }
    }
}
