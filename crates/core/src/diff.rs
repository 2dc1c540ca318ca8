//! What changed between two outlines of a tab: the answer to `diff`.

use crate::outline::{Style, Tree, print, state_words};
use crate::page_text::quote;
use crate::receipt::mark_added;
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

/// The lines of a diff, grouped by landmark; empty when nothing changed. New parts are printed as
/// outlines are, and their refs are issued.
pub fn lines(
    old: &[Told],
    new: &[Tree],
    refs: &mut RefTable,
    page_url: Option<&str>,
    budget: usize,
) -> String {
    let now = tell(new);
    let before: HashMap<&LineKey, &Told> = old.iter().map(|told| (&told.key, told)).collect();
    let after: HashSet<&LineKey> = now.iter().map(|told| &told.key).collect();
    let mut nodes = Vec::with_capacity(now.len());
    preorder(new, &mut nodes);
    let mut out = Writer { groups: Vec::new(), left: budget, page_url, full: false };
    let mut at = 0;
    while at < now.len() {
        let told = &now[at];
        match before.get(&told.key) {
            None => {
                let run = new_siblings(&now[at..], &before);
                let trees: Vec<Tree> = run.iter().map(|nth| nodes[at + nth].clone()).collect();
                out.added(&told.landmark, &trees, refs);
                let last = run.last().copied().unwrap_or(0);
                at += last + 1 + now[at + last].inside as usize;
                continue;
            }
            Some(was) if was.name != told.name || was.states != told.states => {
                out.line(&told.landmark, format!("  ~ {}", change(was, told, refs)));
            }
            Some(_) => {}
        }
        at += 1;
    }
    let mut skip = 0;
    for was in old {
        if skip > 0 {
            skip -= 1;
        } else if !after.contains(&was.key) {
            skip = was.inside;
            let inside =
                if was.inside > 0 { format!(" and {} inside", was.inside) } else { String::new() };
            out.line(&was.landmark, format!("  - {}{inside}", words_before(was, refs)));
        }
    }
    out.finish()
}

/// Places of new parts that follow each other without anything old between them, so that they are
/// printed together. The first is at 0.
fn new_siblings(rest: &[Told], before: &HashMap<&LineKey, &Told>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(told) = rest.get(at) {
        if before.contains_key(&told.key) || told.landmark != rest[0].landmark {
            break;
        }
        found.push(at);
        at += 1 + told.inside as usize;
    }
    found
}

fn preorder<'a>(trees: &'a [Tree], out: &mut Vec<&'a Tree>) {
    for tree in trees {
        out.push(tree);
        preorder(&tree.children, out);
    }
}

/// Gathers lines by landmark until the budget is spent.
struct Writer<'a> {
    groups: Vec<(String, String)>,
    left: usize,
    page_url: Option<&'a str>,
    full: bool,
}

impl Writer<'_> {
    fn group(&mut self, landmark: &str) -> &mut String {
        let at = self.groups.iter().position(|(name, _)| name == landmark).unwrap_or_else(|| {
            self.groups.push((landmark.to_owned(), String::new()));
            self.groups.len() - 1
        });
        &mut self.groups[at].1
    }

    fn line(&mut self, landmark: &str, line: String) {
        let length = line.chars().count() + 1;
        if length > self.left {
            self.full = true;
            return;
        }
        self.left -= length;
        let group = self.group(landmark);
        group.push_str(&line);
        group.push('\n');
    }

    fn added(&mut self, landmark: &str, trees: &[Tree], refs: &mut RefTable) {
        let style = Style { page_url: self.page_url, budget: self.left, indent: 4, folds: true };
        let printed = print(trees, refs, &style);
        self.full = self.full || printed.cut_of.is_some();
        self.left = self.left.saturating_sub(printed.text.chars().count());
        let marked = mark_added(&printed.text);
        self.group(landmark).push_str(&marked);
    }

    fn finish(self) -> String {
        let mut out = String::new();
        for (landmark, lines) in self.groups.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            out.push_str(&format!("in {landmark}\n{lines}"));
        }
        if self.full {
            out.push_str("  … more: browser_snapshot without diff\n");
        }
        out
    }
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
        .assert_eq(&lines(&tell(&old), &new, &mut refs, None, 4000));
        assert_eq!(lines(&tell(&new), &new, &mut refs, None, 4000), "");
    }
}
