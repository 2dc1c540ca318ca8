//! Which declaration of an element wins, and what it overrode. Rules come weakest first, as the
//! browser sorts them; `!important` is weighed here.

use crate::console_log::place;
use crate::page_text::PageText;
use pillion_wire::looking::{Declaration, StyleRule};
use std::collections::HashMap;
use std::fmt::Write;

/// Longest selector in a line, characters.
const SELECTOR_CHARS: usize = 100;
/// Longest value, characters.
const VALUE_CHARS: usize = 100;

/// The rules strongest first, a line each: `cart.css:88 .total { position: static } overridden by …`.
pub fn lines(rules: &[StyleRule]) -> Vec<String> {
    let winners = winners(rules);
    let mut order: Vec<usize> = (0..rules.len()).rev().collect();
    // What somebody marked important comes first; the sort keeps the rest as it is.
    order.sort_by_key(|at| !rules[*at].declarations.iter().any(|d| d.important));
    order.into_iter().map(|at| line(rules, at, &winners)).collect()
}

/// For each longhand, the rule and declaration that win.
fn winners(rules: &[StyleRule]) -> HashMap<&str, (usize, usize)> {
    let mut winners: HashMap<&str, (usize, usize)> = HashMap::new();
    for (at, rule) in rules.iter().enumerate() {
        for (nth, declaration) in rule.declarations.iter().enumerate() {
            for name in sets(declaration) {
                let stands = winners.get(name).is_some_and(|(old, old_nth)| {
                    let old_rule = &rules[*old];
                    let old = &old_rule.declarations[*old_nth];
                    // An ancestor's importance counts on the ancestor only.
                    old.important
                        && old_rule.from_ancestor == rule.from_ancestor
                        && !declaration.important
                });
                if !stands {
                    winners.insert(name, (at, nth));
                }
            }
        }
    }
    winners
}

fn sets(declaration: &Declaration) -> impl Iterator<Item = &str> {
    let own = declaration.longhands.is_empty().then_some(declaration.name.as_str());
    own.into_iter().chain(declaration.longhands.iter().map(String::as_str))
}

fn line(rules: &[StyleRule], at: usize, winners: &HashMap<&str, (usize, usize)>) -> String {
    let rule = &rules[at];
    // Who beats a declaration entirely; nobody while one of its longhands stands.
    let beaten = |nth: usize| {
        let mut by = None;
        for name in sets(&rule.declarations[nth]) {
            match winners.get(name) {
                Some((winner, own)) if *winner == at && *own == nth => return None,
                Some((winner, _)) => by = Some(*winner),
                None => return None,
            }
        }
        by
    };
    let by: Vec<Option<usize>> = (0..rule.declarations.len()).map(beaten).collect();
    let first = by.first().copied().flatten();
    let all = first.filter(|_| by.iter().all(|one| *one == first));
    let mut out = where_of(rule);
    for condition in &rule.conditions {
        write!(out, " {}", words(condition, SELECTOR_CHARS)).ok();
    }
    if !rule.selector.is_empty() {
        write!(out, " {}", words(&rule.selector, SELECTOR_CHARS)).ok();
    }
    out.push_str(" { ");
    let told: Vec<_> = rule
        .declarations
        .iter()
        .zip(&by)
        .map(|(declaration, by)| {
            let important = if declaration.important { " !important" } else { "" };
            let value = words(&declaration.value, VALUE_CHARS);
            let over = match by {
                Some(by) if all.is_none() => format!(" (overridden by {})", where_of(&rules[*by])),
                _ => String::new(),
            };
            format!("{}: {value}{important}{over}", words(&declaration.name, 60))
        })
        .collect();
    out.push_str(&told.join("; "));
    out.push_str(" }");
    if let Some(by) = all {
        write!(out, " overridden by {}", where_of(&rules[by])).ok();
    }
    if rule.from_ancestor > 0 {
        write!(out, " inherited from {} up", rule.from_ancestor).ok();
    }
    out
}

fn where_of(rule: &StyleRule) -> String {
    match &rule.place {
        Some(at) => place(at),
        None if rule.selector.is_empty() => "style attribute".to_owned(),
        None => "(no file)".to_owned(),
    }
}

/// A page's words on one line, without quotes: these lines stand inside a fence.
fn words(text: &str, most: usize) -> String {
    let plain = PageText::new(text).plain();
    match plain.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &plain[..end]),
        None => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use pillion_wire::looking::CallFrame;

    fn rule(selector: &str, line: u32, declarations: &[(&str, &str, bool)]) -> StyleRule {
        let place =
            CallFrame { url: "https://a.example/cart.css".into(), line, ..CallFrame::default() };
        let one = |(name, value, important): &(&str, &str, bool)| Declaration {
            name: (*name).into(),
            value: (*value).into(),
            important: *important,
            longhands: match *name {
                "margin" => vec!["margin-top".into(), "margin-left".into()],
                _ => vec![],
            },
        };
        StyleRule {
            selector: selector.into(),
            place: (line > 0).then_some(place),
            declarations: declarations.iter().map(one).collect(),
            ..StyleRule::default()
        }
    }

    #[test]
    fn strongest_first_with_what_it_overrode() {
        let rules = [
            rule("div", 3, &[("color", "blue", true)]),
            rule(".total", 41, &[("position", "static", false)]),
            rule(".box", 50, &[("margin", "1px", false), ("top", "0", false)]),
            rule(
                ".cart .total",
                88,
                &[
                    ("position", "absolute", false),
                    ("margin-top", "2px", false),
                    ("color", "red", false),
                ],
            ),
            rule("", 0, &[("top", "4px", false)]),
        ];
        expect![[r#"
            cart.css:3 div { color: blue !important }
            style attribute { top: 4px }
            cart.css:88 .cart .total { position: absolute; margin-top: 2px; color: red (overridden by cart.css:3) }
            cart.css:50 .box { margin: 1px; top: 0 (overridden by style attribute) }
            cart.css:41 .total { position: static } overridden by cart.css:88"#]]
        .assert_eq(&lines(&rules).join("\n"));
    }

    #[test]
    fn an_element_beats_what_it_inherits_however_important() {
        let mut up = rule("body", 1, &[("color", "red", true)]);
        up.from_ancestor = 1;
        let told = lines(&[up, rule("p", 2, &[("color", "blue", false)])]);
        expect![[r#"
            cart.css:1 body { color: red !important } overridden by cart.css:2 inherited from 1 up
            cart.css:2 p { color: blue }"#]]
        .assert_eq(&told.join("\n"));
    }
}
