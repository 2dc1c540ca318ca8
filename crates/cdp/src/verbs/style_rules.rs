//! `CSS.getMatchedStylesForNode` as the rules that somebody wrote: weakest first, without the browser's
//! own sheet. Pure; the same rules as the extension's `style-rules.ts`.

use crate::reduce::cut;
use pillion_wire::limits::cdp::EVENT_URL_CHARS;
use pillion_wire::looking::{CallFrame, Declaration, StyleRule};
use serde_json::Value;
use std::collections::HashMap;

/// What is known of a sheet.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    url: String,
    /// From 0: where an inline sheet begins in its document.
    line: u32,
    column: u32,
    map: Option<String>,
}

impl Sheet {
    pub(super) fn of(header: &Value) -> Self {
        let text = |key: &str| header[key].as_str().unwrap_or_default().to_owned();
        Self {
            url: text("sourceURL"),
            line: number(&header["startLine"]),
            column: number(&header["startColumn"]),
            map: Some(text("sourceMapURL")).filter(|map| !map.is_empty()),
        }
    }
}

type Sheets = HashMap<String, Sheet>;

const SELECTOR_CHARS: usize = 300;
const VALUE_CHARS: usize = 300;
const CONDITION_CHARS: usize = 120;

/// Rules of ancestors come first, as the weakest.
pub(super) fn rules_of(matched: &Value, sheets: &Sheets) -> Vec<StyleRule> {
    let mut out = Vec::new();
    let levels: Vec<&Value> = list(&matched["inherited"]).collect();
    for (index, level) in levels.iter().enumerate().rev() {
        let from = u32::try_from(index + 1).unwrap_or(u32::MAX);
        for rule in list(&level["matchedCSSRules"]) {
            add(&mut out, rule_of(&rule["rule"], sheets, from));
        }
        add(&mut out, own_style(&level["inlineStyle"], from, ""));
    }
    add(&mut out, own_style(&matched["attributesStyle"], 0, "(attributes)"));
    for rule in list(&matched["matchedCSSRules"]) {
        add(&mut out, rule_of(&rule["rule"], sheets, 0));
    }
    add(&mut out, own_style(&matched["inlineStyle"], 0, ""));
    out
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn add(out: &mut Vec<StyleRule>, rule: Option<StyleRule>) {
    let Some(mut rule) = rule else { return };
    if rule.from_ancestor > 0 {
        rule.declarations.retain(|declaration| is_inherited(&declaration.name));
    }
    if !rule.declarations.is_empty() {
        out.push(rule);
    }
}

fn rule_of(rule: &Value, sheets: &Sheets, from_ancestor: u32) -> Option<StyleRule> {
    if rule["origin"] == "user-agent" {
        return None;
    }
    let sheet = rule["styleSheetId"].as_str().and_then(|id| sheets.get(id));
    let first = &rule["selectorList"]["selectors"][0]["range"];
    let range = if first.is_object() { first } else { &rule["style"]["range"] };
    let place = sheet.map(|sheet| {
        let row = number(&range["startLine"]);
        let indent = if row == 0 && range.is_object() { sheet.column } else { 0 };
        CallFrame {
            function: String::new(),
            url: cut(&sheet.url, EVENT_URL_CHARS),
            line: row + sheet.line + 1,
            column: number(&range["startColumn"]) + indent + 1,
        }
    });
    let selector = rule["selectorList"]["text"].as_str().unwrap_or_default();
    Some(StyleRule {
        selector: cut(selector, SELECTOR_CHARS),
        place,
        map: sheet.and_then(|sheet| sheet.map.clone()),
        conditions: conditions_of(rule),
        from_ancestor,
        declarations: declared(&rule["style"]),
    })
}

fn conditions_of(rule: &Value) -> Vec<String> {
    const KINDS: [(&str, &str); 4] = [
        ("media", "@media"),
        ("supports", "@supports"),
        ("containerQueries", "@container"),
        ("layers", "@layer"),
    ];
    let named = KINDS.iter().flat_map(|(key, word)| {
        list(&rule[*key]).map(move |one| {
            let text = one["text"].as_str().unwrap_or_default();
            cut(format!("{word} {text}").trim(), CONDITION_CHARS)
        })
    });
    named.collect()
}

fn own_style(style: &Value, from_ancestor: u32, selector: &str) -> Option<StyleRule> {
    style.is_object().then(|| StyleRule {
        selector: selector.to_owned(),
        from_ancestor,
        declarations: declared(style),
        ..StyleRule::default()
    })
}

/// What was written, not what it was expanded to.
fn declared(style: &Value) -> Vec<Declaration> {
    let is_written = |property: &&Value| {
        (property["range"].is_object() || property["text"].is_string())
            && property["disabled"] != true
            && property["parsedOk"] != false
    };
    let all = || list(&style["cssProperties"]);
    let written: Vec<&Value> = all().filter(is_written).collect();
    // The attributes of old have no text at all.
    let chosen = if style["styleSheetId"].is_null() && written.is_empty() {
        all().collect()
    } else {
        written
    };
    chosen.into_iter().map(declaration).collect()
}

fn declaration(property: &Value) -> Declaration {
    let text = |key: &str| property[key].as_str().unwrap_or_default();
    let (value, marked) = without_important(text("value"));
    Declaration {
        name: text("name").to_owned(),
        value: cut(value, VALUE_CHARS),
        important: property["important"] == true || marked,
        longhands: list(&property["longhandProperties"])
            .filter_map(|one| one["name"].as_str().map(str::to_owned))
            .collect(),
    }
}

fn without_important(value: &str) -> (&str, bool) {
    let trimmed = value.trim_end();
    let at = trimmed.len().saturating_sub("!important".len());
    match trimmed.get(at..) {
        Some(end) if end.eq_ignore_ascii_case("!important") => {
            (trimmed.get(..at).unwrap_or_default().trim_end(), true)
        }
        _ => (value, false),
    }
}

/// Properties that come from an ancestor unless somebody says otherwise.
fn is_inherited(name: &str) -> bool {
    const BEGINNINGS: [&str; 40] = [
        "--",
        "azimuth",
        "border-collapse",
        "border-spacing",
        "caption-side",
        "caret-color",
        "color-scheme",
        "cursor",
        "direction",
        "empty-cells",
        "font",
        "hyphens",
        "letter-spacing",
        "line-height",
        "line-break",
        "list-style",
        "orphans",
        "overflow-wrap",
        "pointer-events",
        "quotes",
        "tab-size",
        "text-align",
        "text-indent",
        "text-rendering",
        "text-shadow",
        "text-transform",
        "text-size-adjust",
        "visibility",
        "white-space",
        "widows",
        "word-break",
        "word-spacing",
        "writing-mode",
        "-webkit-font",
        "-webkit-text",
        "font-variant",
        "font-feature",
        "line-height-step",
        "text-align-last",
        "list-style-type",
    ];
    name == "color" || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

fn number(value: &Value) -> u32 {
    value.as_f64().map_or(0, |number| number.max(0.0) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_written_comes_weakest_first_with_its_place() {
        let matched = json!({
            "inlineStyle": {"styleSheetId": "I", "cssProperties": [
                {"name": "margin", "value": "1px", "text": "margin: 1px"}]},
            "matchedCSSRules": [
                {"rule": {"origin": "user-agent", "selectorList": {"text": "div"}, "style": {"cssProperties": []}}},
                {"rule": {"origin": "regular", "styleSheetId": "S", "media": [{"text": "print"}],
                    "selectorList": {"text": ".a", "selectors": [{"range": {"startLine": 0, "startColumn": 4}}]},
                    "style": {"styleSheetId": "S", "cssProperties": [
                        {"name": "color", "value": "red !important", "text": "x"},
                        {"name": "gone", "value": "1", "text": "x", "disabled": true}]}}}],
            "inherited": [{"matchedCSSRules": [{"rule": {"origin": "regular", "selectorList": {"text": "body"},
                "style": {"styleSheetId": "S", "cssProperties": [
                    {"name": "font-size", "value": "12px", "text": "x"},
                    {"name": "width", "value": "1px", "text": "x"}]}}}]}],
        });
        let header = json!({"sourceURL": "http://a.example/", "startLine": 9, "startColumn": 7});
        let sheets = HashMap::from([("S".to_owned(), Sheet::of(&header))]);
        let rules = rules_of(&matched, &sheets);
        let names: Vec<_> = rules
            .iter()
            .map(|rule| {
                (rule.selector.as_str(), rule.from_ancestor, rule.declarations[0].name.as_str())
            })
            .collect();
        assert_eq!(names, [("body", 1, "font-size"), (".a", 0, "color"), ("", 0, "margin")]);
        let place = rules[1].place.as_ref().unwrap();
        assert_eq!((place.line, place.column), (10, 12));
        assert_eq!(rules[1].conditions, ["@media print"]);
        let color = &rules[1].declarations[0];
        assert_eq!((color.value.as_str(), color.important), ("red", true));
        assert_eq!(rules[0].declarations.len(), 1);
    }
}
