//! How an audit looks: a line a rule, the worst first, then what was not checked.

use super::Found;
use crate::handle::Handle;
use pillion_core::page_text::{PageText, quote, url_words_whole};
use pillion_wire::id::DocumentId;
use pillion_wire::limits::AUDIT_ELEMENTS;
use pillion_wire::measuring::{Finding, FoundElement};
use std::collections::BTreeMap;

/// The worst first.
const IMPACTS: [&str; 4] = ["critical", "serious", "moderate", "minor"];
/// Longest reason.
const WHY_CHARS: usize = 240;

/// One rule over all documents.
#[derive(Default)]
struct Rule<'a> {
    help: &'a str,
    tags: &'a [String],
    total: u32,
    elements: Vec<(&'a DocumentId, &'a FoundElement)>,
}

/// Rules by impact and name.
type Rules<'a> = BTreeMap<(usize, &'a str), Rule<'a>>;

/// The answer. `whole`: each element with why.
pub(super) fn answer(handle: &Handle, found: &Found, whole: bool, budget: usize) -> String {
    let violations = gather(found, |audited| &audited.violations);
    let unsure = gather(found, |audited| &audited.unsure);
    let mut out = head(handle, found, &violations);
    let tail = tail(handle, found, &violations, &unsure, whole);
    let mut room = budget.saturating_sub(out.chars().count() + tail.chars().count());
    let mut left = 0;
    for ((impact, name), rule) in &violations {
        let line = rule_lines(handle, IMPACTS[*impact], name, rule, whole);
        let length = line.chars().count() + 1;
        if left > 0 || length > room {
            left += 1;
            continue;
        }
        room -= length;
        out.push_str(&format!("\n{line}"));
    }
    if left > 0 {
        out.push_str(&format!("\n… {left} more rules are broken: max_chars, or rules"));
    }
    out.push_str(&tail);
    out
}

fn gather<'a>(
    found: &'a Found,
    of: impl Fn(&'a pillion_wire::measuring::Audited) -> &'a Vec<Finding>,
) -> Rules<'a> {
    let mut all = Rules::new();
    for (document, audited) in &found.documents {
        for finding in of(audited) {
            let impact = IMPACTS.iter().position(|known| *known == finding.impact).unwrap_or(3);
            let rule = all.entry((impact, finding.rule.as_str())).or_default();
            rule.help = &finding.help;
            rule.tags = &finding.tags;
            rule.total = rule.total.saturating_add(finding.total);
            rule.elements.extend(finding.elements.iter().map(|element| (document, element)));
        }
    }
    all
}

fn head(handle: &Handle, found: &Found, violations: &Rules) -> String {
    let counts: Vec<String> = IMPACTS
        .iter()
        .enumerate()
        .filter_map(|(impact, name)| {
            let count = violations.keys().filter(|(of, _)| *of == impact).count();
            (count > 0).then(|| format!("{count} {name}"))
        })
        .collect();
    let counts = if counts.is_empty() { "nothing found".to_owned() } else { counts.join(" · ") };
    let checked = found.documents.iter().filter(|(_, audited)| audited.too_large.is_none());
    let rules = checked.clone().map(|(_, audited)| audited.rules).max().unwrap_or_default();
    let version = found.documents.first().map(|(_, audited)| plain(&audited.version));
    let rules = match rules {
        1 => "1 rule".to_owned(),
        rules => format!("{rules} rules"),
    };
    let documents = match checked.count() {
        1 => "1 document".to_owned(),
        count => format!("{count} documents"),
    };
    let state = handle.tab.state();
    format!(
        "tab {} {} {}\naudit: {counts} (axe-core {}, {rules} that had something to judge, {documents})",
        handle.tab.number,
        quote(state.title()),
        url_words_whole(state.url()),
        version.unwrap_or_default(),
    )
}

/// A name of axe-core's: nothing else is in it.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || "-.".contains(*c)).take(60).collect()
}

fn rule_lines(handle: &Handle, impact: &str, name: &str, rule: &Rule, whole: bool) -> String {
    let count =
        if rule.total == 1 { "1 element".to_owned() } else { format!("{} elements", rule.total) };
    let head = format!("{impact} {} {} {count}", plain(name), quote(rule.help));
    if whole {
        let tags: Vec<_> = rule.tags.iter().map(|tag| plain(tag)).collect();
        let mut out = format!("{head} ({})", tags.join(", "));
        for (document, found) in &rule.elements {
            let why = PageText::new(&found.why.join("; ")).quoted_to(WHY_CHARS);
            out.push_str(&format!("\n  {}: {why}", handle.words(&found.element, document)));
        }
        return out + &more(rule.total, rule.elements.len());
    }
    let shown = &rule.elements[..rule.elements.len().min(AUDIT_ELEMENTS as usize)];
    let words: Vec<_> =
        shown.iter().map(|(document, found)| handle.words(&found.element, document)).collect();
    let words = if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) };
    let more = rule.total as usize - words_shown(rule.total, shown.len());
    format!("{head}{words}{}", if more > 0 { format!(" +{more}") } else { String::new() })
}

fn words_shown(total: u32, shown: usize) -> usize {
    shown.min(total as usize)
}

fn more(total: u32, shown: usize) -> String {
    let more = total as usize - words_shown(total, shown);
    if more > 0 { format!("\n  +{more}") } else { String::new() }
}

fn tail(handle: &Handle, found: &Found, violations: &Rules, unsure: &Rules, whole: bool) -> String {
    let mut out = String::new();
    if !unsure.is_empty() {
        let words: Vec<_> = unsure
            .iter()
            .map(|((_, name), rule)| format!("{} {}", plain(name), rule.total))
            .collect();
        out.push_str(&format!("\nnot sure, look yourself: {}", words.join(", ")));
    }
    let mut unchecked = vec!["what only a person can judge".to_owned()];
    let large = found.documents.iter().filter(|(_, audited)| audited.too_large.is_some()).count();
    if large > 0 {
        unchecked.push(format!("{large} frames that are too large"));
    }
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for code in &found.unread {
        *codes.entry(code.as_str()).or_default() += 1;
    }
    for (code, count) in codes {
        let frames = if count == 1 { "frame" } else { "frames" };
        unchecked.push(format!("{count} {frames} ({code})"));
    }
    out.push_str(&format!("\nnot checked: {}", unchecked.join(", ")));
    if !whole && let Some((_, name)) = violations.keys().next() {
        out.push_str(&format!(
            "\none rule in full: browser_audit {{\"tab\":{},\"rules\":[\"{}\"]}}",
            handle.tab.number,
            plain(name)
        ));
    }
    out
}
