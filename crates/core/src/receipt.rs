//! Receipts as agents read them: what an act really did, in a fixed order, absent lines absent.

use crate::outline::{Printed, Style, Tree, print, state_words};
use crate::page_text::quote;
use crate::refs::{Key, RefTable};
use pillion_wire::id::DocumentId;
use pillion_wire::page::{Changed, Element, Removed, State};

/// `button "Save" [e12]`: the words of an element with its ref, which is issued.
pub fn element_words(element: &Element, document: &DocumentId, refs: &mut RefTable) -> String {
    let key = Key { document: document.clone(), id: element.id };
    let number = refs.issue(&key, &element.role, &element.name);
    format!("{} [e{number}]", bare_words(element))
}

/// `button "Save"`: without a ref.
pub fn bare_words(element: &Element) -> String {
    // The name of the page's own root would be all of its words.
    if matches!(element.role.as_str(), "body" | "html" | "document") {
        return element.role.clone();
    }
    if element.name.is_empty() {
        element.role.clone()
    } else {
        format!("{} {}", element.role, quote(&element.name))
    }
}

/// ` in row "Ann Lee"`, or nothing.
pub fn row_words(row: Option<&str>) -> String {
    row.filter(|row| !row.is_empty())
        .map_or_else(String::new, |row| format!(" in row {}", quote(row)))
}

/// The parts of a receipt that come from the page.
pub struct PageChanges {
    /// New parts of the outline.
    pub added: Vec<Tree>,
    /// Parts that are gone, with their document.
    pub removed: Vec<(Removed, DocumentId)>,
    /// Parts that are different, with their document.
    pub changed: Vec<(Changed, DocumentId)>,
    /// Lines that were left out already.
    pub more: u32,
}

/// Prints `changed:` and its lines within the budget; empty when nothing changed.
pub fn changes(
    changes: &PageChanges,
    refs: &mut RefTable,
    page_url: Option<&str>,
    budget: usize,
) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (changed, document) in changes.changed.iter().filter(|(changed, _)| !is_only_focus(changed))
    {
        lines.push(format!("  ~ {}", changed_words(changed, document, refs)));
    }
    for (removed, document) in &changes.removed {
        lines.push(format!("  - {}", removed_words(removed, document, refs)));
    }
    let mut left = changes.more as usize;
    let mut out = String::new();
    let mut used = 0;
    for line in lines {
        used += line.chars().count() + 1;
        if used > budget && !out.is_empty() {
            left += 1;
            continue;
        }
        out.push_str(&line);
        out.push('\n');
    }
    let style = Style { page_url, budget: budget.saturating_sub(used), indent: 4, folds: true };
    let Printed { text, cut_of, .. } = print(&changes.added, refs, &style);
    out.push_str(&mark_added(&text));
    if cut_of.is_some() {
        left += 1;
    }
    if out.is_empty() {
        return out;
    }
    if left > 0 {
        out.push_str("  … more changed: browser_snapshot with \"diff\":true\n");
    }
    format!("changed:\n{out}")
}

/// The top lines of a printed part get their plus sign.
pub(crate) fn mark_added(text: &str) -> String {
    text.lines()
        .map(|line| match line.strip_prefix("    ") {
            Some(rest) if !rest.starts_with(' ') => format!("  + {rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect()
}

fn changed_words(changed: &Changed, document: &DocumentId, refs: &mut RefTable) -> String {
    let node = &changed.node;
    if node.role == "text" {
        let old = changed.old_name.as_deref().unwrap_or_default();
        return format!(
            "{} → {}{}",
            quote(old),
            quote(&node.name),
            row_words(changed.row.as_deref())
        );
    }
    let mut out = node.role.clone();
    match &changed.old_name {
        Some(old) if *old != node.name => {
            out.push_str(&format!(" {} → {}", quote(old), quote(&node.name)))
        }
        _ if !node.name.is_empty() => out.push_str(&format!(" {}", quote(&node.name))),
        _ => {}
    }
    if let (true, Some(id)) = (node.acts, node.id) {
        let key = Key { document: document.clone(), id };
        let number = refs.issue(&key, &node.role, &node.name);
        out.push_str(&format!(" [e{number}]"));
    }
    // Focus has a line of its own; that something opens no menu any more is no news.
    let told = |state: &&State| !matches!(state, State::Focused | State::HasPopup);
    for state in changed.begun.iter().filter(told) {
        state_words(state, &mut out);
    }
    for state in changed.ended.iter().filter(told) {
        // What has a new value, or an opposite that is told, needs no "not".
        if !changed.begun.iter().any(|begun| replaces(begun, state)) {
            out.push_str(" not");
            state_words(state, &mut out);
        }
    }
    if !changed.order.is_empty() {
        let order: Vec<_> = changed.order.iter().map(|words| quote(words)).collect();
        out.push_str(&format!(" in another order: {}", order.join(", ")));
    }
    out + &row_words(changed.row.as_deref())
}

fn is_only_focus(changed: &Changed) -> bool {
    let focus = |states: &[State]| {
        states.iter().all(|state| matches!(state, State::Focused | State::HasPopup))
    };
    let renamed = changed.old_name.as_ref().is_some_and(|old| *old != changed.node.name);
    !renamed && changed.order.is_empty() && focus(&changed.begun) && focus(&changed.ended)
}

fn replaces(begun: &State, ended: &State) -> bool {
    use State::{Checked, Collapsed, Expanded, Mixed};
    std::mem::discriminant(begun) == std::mem::discriminant(ended)
        || matches!(
            (begun, ended),
            (Expanded, Collapsed) | (Collapsed, Expanded) | (Checked, Mixed) | (Mixed, Checked)
        )
}

fn removed_words(removed: &Removed, document: &DocumentId, refs: &RefTable) -> String {
    let element = &removed.element;
    let mut out = if element.role == "text" { quote(&element.name) } else { bare_words(element) };
    let key = Key { document: document.clone(), id: element.id };
    if let (Some(number), true) = (refs.get(&key), element.role != "text") {
        out.push_str(&format!(" [e{number}]"));
    }
    if removed.inside > 0 {
        out.push_str(&format!(" and {} inside", removed.inside));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use pillion_wire::page::Node;
    use serde_json::json;

    #[test]
    fn a_receipt_reads_as_in_the_contract() {
        let mut refs = RefTable::default();
        let document = DocumentId::from("d");
        let node: Node =
            serde_json::from_value(json!({"role": "menu", "name": "More", "id": 1, "acts": true}))
                .unwrap();
        let item: Node = serde_json::from_value(
            json!({"role": "menuitem", "name": "Rename", "id": 2, "acts": true}),
        )
        .unwrap();
        let key = |id| Some(Key { document: document.clone(), id: pillion_wire::id::LocalId(id) });
        let inner = Tree { node: item, key: key(2), children: vec![], unreadable: None };
        let added = vec![Tree { node, key: key(1), children: vec![inner], unreadable: None }];
        let changed: Changed = serde_json::from_value(json!({
            "node": {"role": "button", "name": "More", "id": 3, "acts": true},
            "begun": [{"k": "expanded"}], "ended": [{"k": "collapsed"}, {"k": "focused"}]}))
        .unwrap();
        let text: Changed = serde_json::from_value(
            json!({"node": {"role": "text", "name": "2 left"}, "oldName": "3 left", "row": "Ann"}),
        )
        .unwrap();
        let removed: Removed = serde_json::from_value(
            json!({"element": {"id": 9, "role": "dialog", "name": "Edit"}, "inside": 4}),
        )
        .unwrap();
        let all = PageChanges {
            added,
            removed: vec![(removed, document.clone())],
            changed: vec![(changed, document.clone()), (text, document.clone())],
            more: 0,
        };
        expect![[r#"
            changed:
              ~ button "More" [e1] expanded
              ~ "3 left" → "2 left" in row "Ann"
              - dialog "Edit" and 4 inside
              + menu "More" [e2]
                  menuitem "Rename" [e3]
        "#]]
        .assert_eq(&changes(&all, &mut refs, None, 800));
    }
}
