//! The arguments of a call in one line. Only values of the named parameters are shown: whatever a new
//! tool takes is told as its length until it is added here.

use super::{GONE, Given, page_of, record};
use crate::secret::{Reference, reference};
use serde_json::Value;

/// Most characters of the line.
const LINE: usize = 200;
/// Most characters of one value in it.
const VALUE: usize = 80;
/// Items of a list of which each is named.
const ITEMS: usize = 8;

/// Parameters whose values say what a call is about and are no content: texts are shown redacted.
const SHOWN: &[&str] = &[
    "accept",
    "action",
    "button",
    "clear",
    "click",
    "count",
    "diff",
    "drag_to",
    "dx",
    "dy",
    "element",
    "format",
    "from",
    "full_page",
    "gone",
    "height",
    "hover",
    "idle",
    "level",
    "max_chars",
    "modifiers",
    "ms",
    "next",
    "page_id",
    "pages",
    "parallel",
    "profile",
    "quality",
    "ref",
    "region",
    "scroll",
    "selector",
    "snapshot",
    "submit",
    "tab",
    "tab_id",
    "target",
    "timeout",
    "timeout_ms",
    "to",
    "tool",
    "wait",
    "width",
];
/// Parameters that hold an address, or `back`, `forward`, `reload`.
const ADDRESSES: &[&str] = &["url"];
/// Parameters that name a file: its name is shown, not where it lies.
const FILES: &[&str] = &["path", "file"];
/// Parameters that name keys to press.
const KEYS: &[&str] = &["key", "keys"];

/// `tab=7 target=button "Save"`, at most 200 characters: typed text, values and scripts as their
/// length, addresses as in records.
pub fn about(args: &Value) -> String {
    let Some(args) = args.as_object() else { return String::new() };
    let mut parts: Vec<String> = Vec::new();
    for (name, value) in args.iter().filter(|(_, value)| !value.is_null()) {
        parts.push(format!("{}={}", name_words(name), value_words(&snake(name), value)));
    }
    cut(&parts.join(" "), LINE)
}

/// The texts of the arguments that [`about`] does not show: a record of the answer may not repeat
/// them either.
pub fn given(args: &Value) -> Given {
    let mut texts = Vec::new();
    collect(args, false, &mut texts);
    Given::new(texts)
}

fn collect(value: &Value, shown: bool, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = snake(name);
                let name = name.as_str();
                let shown =
                    SHOWN.contains(&name) || ADDRESSES.contains(&name) || KEYS.contains(&name);
                collect(value, shown, into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, shown, into)),
        Value::String(text) if !shown => into.push(text.clone()),
        Value::Number(number) if !shown => into.push(number.to_string()),
        _ => {}
    }
}

fn value_words(name: &str, value: &Value) -> String {
    match value {
        Value::Array(items) if items.iter().all(Value::is_object) => list(items),
        Value::Array(items) => format!("({} items)", items.len()),
        Value::Object(fields) => format!("({} fields)", fields.len()),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) if SHOWN.contains(&name) => number.to_string(),
        Value::Number(number) => length(&number.to_string()),
        Value::String(text) => text_words(name, text),
        Value::Null => String::new(),
    }
}

fn text_words(name: &str, text: &str) -> String {
    if SHOWN.contains(&name) {
        return cut(&record(text), VALUE);
    }
    if ADDRESSES.contains(&name) {
        let is_word = text.bytes().all(|byte| byte.is_ascii_alphabetic());
        let whole =
            if is_word || text.contains(':') { text.to_owned() } else { format!("https://{text}") };
        return if is_word { cut(text, VALUE) } else { cut(&page_of(&whole).words(), VALUE) };
    }
    if FILES.contains(&name) {
        return cut(&record(text.rsplit(['/', '\\']).next().unwrap_or_default()), VALUE);
    }
    if KEYS.contains(&name) && text.split_whitespace().all(is_named_key) {
        return cut(&record(text), VALUE);
    }
    if let Reference::Whole(_) = reference(text) {
        // A name that the user chose, and no value.
        return text.trim().to_owned();
    }
    length(text)
}

/// `Enter`, `Control+A`; a letter alone may be one of a password.
fn is_named_key(word: &str) -> bool {
    let last = word.rsplit('+').next().unwrap_or(word);
    word.len() <= 24
        && (word.contains('+') || last.chars().count() > 1)
        && last.chars().next().is_some_and(|c| c.is_ascii_uppercase())
}

/// Fields of a form: which, and how long their values are.
fn list(items: &[Value]) -> String {
    let shown = items.iter().take(ITEMS).map(|item| {
        let fields = item.as_object().into_iter().flatten();
        let parts: Vec<_> = fields
            .map(|(name, value)| match snake(name).as_str() {
                "target" | "ref" | "selector" | "element" => value_words("target", value),
                // One level is enough: what lies deeper is told as a number.
                other => value_words(other, value),
            })
            .collect();
        parts.join(" ")
    });
    let mut out = shown.collect::<Vec<_>>().join(", ");
    if items.len() > ITEMS {
        out.push_str(&format!(", +{}", items.len() - ITEMS));
    }
    format!("[{out}]")
}

fn length(text: &str) -> String {
    format!("({} characters)", text.chars().count())
}

/// A name that no tool has may be anything.
fn name_words(name: &str) -> String {
    let is_name =
        name.len() <= 24 && name.chars().all(|c| c.is_ascii_alphabetic() || "-_".contains(c));
    if is_name { name.to_owned() } else { GONE.to_owned() }
}

fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        match c {
            'A'..='Z' => out.extend(['_', c.to_ascii_lowercase()]),
            '-' => out.push('_'),
            other => out.push(other),
        }
    }
    out
}

pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => {
            let end = text.char_indices().nth(most - 1).map_or(text.len(), |(at, _)| at);
            format!("{}…", &text[..end])
        }
        None => text.to_owned(),
    }
}
