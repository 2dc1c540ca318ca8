//! What changed between two outlines of a tab: the answer to `diff`.

use crate::outline::{Tree, state_words};
use crate::page_text::quote;
use crate::refs::{Key, RefTable};
use pillion_wire::page::State;
use std::collections::{HashMap, HashSet};

/// One line of an outline as it was told, without its place in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    key: LineKey,
    role: String,
    name: String,
    states: Vec<State>,
    acts: bool,
    landmark: String,
    inside: u32,
}

/// An element, or the nth words of one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum LineKey {
    Element(Key),
    Words(Option<Key>, u32),
}

/// Flattens an outline for a later comparison.
pub fn tell(trees: &[Tree]) -> Vec<Told> {
    let mut out = Vec::new();
    let mut seen = HashMap::new();
    flatten(trees, None, "page", &mut seen, &mut out);
    out
}

fn flatten(
    trees: &[Tree],
    parent: Option<&Key>,
    landmark: &str,
    seen: &mut HashMap<Option<Key>, u32>,
    out: &mut Vec<Told>,
) -> u32 {
    let mut count = 0;
    for tree in trees {
        let node = &tree.node;
        let key = match (&tree.key, node.role.as_str()) {
            (Some(key), role) if role != "text" => LineKey::Element(key.clone()),
            (own, _) => {
                let owner = own.as_ref().or(parent).cloned();
                let nth = seen.entry(owner.clone()).or_default();
                *nth += 1;
                LineKey::Words(owner, *nth)
            }
        };
        let at = out.len();
        out.push(Told {
            key,
            role: node.role.clone(),
            name: node.name.clone(),
            states: node.states.iter().filter(|state| **state != State::Focused).cloned().collect(),
            acts: node.acts,
            landmark: landmark.to_owned(),
            inside: 0,
        });
        let inner = if is_landmark(&node.role) { node.role.as_str() } else { landmark };
        let inside = flatten(&tree.children, tree.key.as_ref().or(parent), inner, seen, out);
        out[at].inside = inside;
        count += 1 + inside;
    }
    count
}

fn is_landmark(role: &str) -> bool {
    matches!(
        role,
        "banner"
            | "main"
            | "navigation"
            | "contentinfo"
            | "complementary"
            | "search"
            | "dialog"
            | "alertdialog"
    )
}

/// The lines of a diff, grouped by landmark; empty when nothing changed. Refs of new lines are
/// issued.
pub fn lines(old: &[Told], new: &[Told], refs: &mut RefTable, budget: usize) -> String {
    let before: HashMap<&LineKey, &Told> = old.iter().map(|told| (&told.key, told)).collect();
    let after: HashSet<&LineKey> = new.iter().map(|told| &told.key).collect();
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for told in new {
        match before.get(&told.key) {
            None => add(&mut groups, &told.landmark, format!("  + {}", words(told, refs))),
            Some(was) if was.name != told.name || was.states != told.states => {
                add(&mut groups, &told.landmark, format!("  ~ {}", change(was, told, refs)));
            }
            Some(_) => {}
        }
    }
    let mut skip = 0;
    for was in old {
        if skip > 0 {
            skip -= 1;
        } else if !after.contains(&was.key) {
            skip = was.inside;
            let inside =
                if was.inside > 0 { format!(" and {} inside", was.inside) } else { String::new() };
            add(&mut groups, &was.landmark, format!("  - {}{inside}", words_before(was, refs)));
        }
    }
    let mut out = String::new();
    for (landmark, group) in groups {
        out.push_str(&format!("in {landmark}\n"));
        for line in group {
            if out.chars().count() + line.chars().count() > budget {
                out.push_str("  … more: browser_snapshot without diff\n");
                return out;
            }
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}

fn add<'a>(groups: &mut Vec<(&'a str, Vec<String>)>, landmark: &'a str, line: String) {
    match groups.iter_mut().find(|(name, _)| *name == landmark) {
        Some((_, lines)) => lines.push(line),
        None => groups.push((landmark, vec![line])),
    }
}

fn words(told: &Told, refs: &mut RefTable) -> String {
    if told.role == "text" {
        return quote(&told.name);
    }
    let mut out = head(told);
    if let (true, LineKey::Element(key)) = (told.acts, &told.key) {
        out.push_str(&format!(" [e{}]", refs.issue(key, &told.role, &told.name)));
    }
    for state in &told.states {
        state_words(state, &mut out);
    }
    out
}

fn words_before(told: &Told, refs: &RefTable) -> String {
    if told.role == "text" {
        return quote(&told.name);
    }
    let mut out = head(told);
    if let LineKey::Element(key) = &told.key
        && let Some(number) = refs.get(key)
    {
        out.push_str(&format!(" [e{number}]"));
    }
    out
}

fn head(told: &Told) -> String {
    if told.name.is_empty() {
        told.role.clone()
    } else {
        format!("{} {}", told.role, quote(&told.name))
    }
}

fn change(was: &Told, told: &Told, refs: &mut RefTable) -> String {
    let renamed = was.name != told.name;
    if told.role == "text" {
        return format!("{} → {}", quote(&was.name), quote(&told.name));
    }
    let mut out = if renamed {
        format!("{} {} → {}", told.role, quote(&was.name), quote(&told.name))
    } else {
        head(told)
    };
    if let (true, LineKey::Element(key)) = (told.acts, &told.key) {
        out.push_str(&format!(" [e{}]", refs.issue(key, &told.role, &told.name)));
    }
    for state in told.states.iter().filter(|state| !was.states.contains(state)) {
        state_words(state, &mut out);
    }
    let kind = std::mem::discriminant::<State>;
    for state in
        was.states.iter().filter(|state| !told.states.iter().any(|now| kind(now) == kind(state)))
    {
        out.push_str(" not");
        state_words(state, &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::{FrameContent, stitch};
    use expect_test::expect;
    use serde_json::json;

    fn trees(nodes: serde_json::Value) -> Vec<Tree> {
        let nodes = serde_json::from_value(nodes).unwrap();
        stitch(nodes, &"d".into(), &mut |_| FrameContent::Omitted)
    }

    #[test]
    fn only_what_differs_is_told() {
        let old = trees(json!([{"role": "main", "id": 1, "children": [
            {"role": "spinbutton", "name": "Quantity", "id": 2, "acts": true, "states": [{"k": "value", "v": "1"}]},
            {"role": "text", "name": "Total 407.00"}, {"role": "dialog", "name": "Hi", "id": 3, "children": [
                {"role": "button", "name": "Close", "id": 4, "acts": true}]}]}]));
        let new = trees(json!([{"role": "main", "id": 1, "children": [
            {"role": "spinbutton", "name": "Quantity", "id": 2, "acts": true, "states": [{"k": "value", "v": "2"}]},
            {"role": "text", "name": "Total 756.00"}, {"role": "alert", "name": "Only 1 left", "id": 5}]}]));
        let mut refs = RefTable::default();
        expect![[r#"
            in main
              ~ spinbutton "Quantity" [e1] value="2"
              ~ "Total 407.00" → "Total 756.00"
              + alert "Only 1 left"
              - dialog "Hi" and 1 inside
        "#]]
        .assert_eq(&lines(&tell(&old), &tell(&new), &mut refs, 4000));
        assert_eq!(lines(&tell(&new), &tell(&new), &mut refs, 4000), "");
    }
}
