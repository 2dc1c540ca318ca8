//! Console events as entries: level, words, place. Pure; the same words as the extension's
//! `console-text.ts`.

use crate::reduce::cut;
use pillion_wire::limits::cdp::{CONSOLE_CHARS, EVENT_URL_CHARS, STACK_MOST};
use pillion_wire::looking::{CallFrame, ConsoleEntry};
use serde_json::Value;
use std::collections::HashMap;

/// The words of objects that were looked into, by id.
type Looked = HashMap<String, String>;

const PROPERTIES_SHOWN: usize = 12;
const VALUE_CHARS: usize = 80;

/// Entries of one session's events, in order; equal neighbours are one entry.
pub(super) fn entries_of(told: &[(String, Value)], looked: &Looked) -> Vec<ConsoleEntry> {
    let mut out: Vec<ConsoleEntry> = vec![];
    let mut depth = 0;
    for (method, params) in told {
        let kind = params["type"].as_str().unwrap_or_default();
        // What Chrome advises the page's maker of.
        if params["entry"]["level"] == "verbose" {
            continue;
        }
        if method == "Runtime.consoleAPICalled" && kind == "endGroup" {
            depth = u32::saturating_sub(depth, 1);
            continue;
        }
        let entry = ConsoleEntry { depth, ..entry_of(method, params, looked) };
        if matches!(kind, "startGroup" | "startGroupCollapsed") {
            depth += 1;
        }
        match out.last_mut() {
            Some(last) if is_same(last, &entry) => last.times += 1,
            _ => out.push(entry),
        }
    }
    out
}

/// Whether two entries say the same at the same place.
pub(super) fn is_same(one: &ConsoleEntry, other: &ConsoleEntry) -> bool {
    one.text == other.text
        && one.level == other.level
        && one.source == other.source
        && one.depth == other.depth
        && one.stack.first() == other.stack.first()
}

fn level(name: &str, otherwise: &str) -> String {
    match name {
        "error" | "assert" => "error",
        "warning" => "warning",
        "info" => "info",
        "debug" | "verbose" => "debug",
        _ => otherwise,
    }
    .to_owned()
}

fn entry_of(method: &str, params: &Value, looked: &Looked) -> ConsoleEntry {
    match method {
        "Runtime.exceptionThrown" => return thrown(params),
        "Log.entryAdded" => return logged(&params["entry"]),
        _ => {}
    }
    let kind = params["type"].as_str().unwrap_or("log");
    let args = params["args"].as_array().cloned().unwrap_or_default();
    let words = match kind {
        "clear" => "(the console was cleared)".to_owned(),
        _ => formatted(&args, looked),
    };
    let mut stack = stack_of(&params["stackTrace"]);
    if kind == "log" && args.first().is_none_or(|arg| arg["subtype"] != "error") {
        stack.truncate(1);
    }
    let empty = kind == "assert" && words.is_empty();
    ConsoleEntry {
        at: params["timestamp"].as_f64().unwrap_or(0.0),
        level: level(kind, "log"),
        text: short(if empty { "assertion failed" } else { &words }),
        times: 1,
        depth: 0,
        stack,
        source: "console".to_owned(),
    }
}

fn thrown(params: &Value) -> ConsoleEntry {
    let details = &params["exceptionDetails"];
    let exception = &details["exception"];
    let what = if exception.is_object() { words(exception, &Looked::new()) } else { String::new() };
    let what = what.split("\n    at ").next().unwrap_or_default();
    let told = stack_of(&details["stackTrace"]);
    // Of a rejection Chrome tells the innermost place only; the error's own words have them all.
    let own = stack_in_words(exception["description"].as_str().unwrap_or_default());
    let stack = if own.len() > told.len() { own } else { told };
    let place = frame_of(details);
    let head = details["text"].as_str().unwrap_or("Uncaught");
    let text = if what.is_empty() { head.to_owned() } else { format!("{head} {what}") };
    ConsoleEntry {
        at: params["timestamp"].as_f64().unwrap_or(0.0),
        level: "error".to_owned(),
        text: short(&text),
        times: 1,
        depth: 0,
        stack: if stack.is_empty() && !place.url.is_empty() { vec![place] } else { stack },
        source: "exception".to_owned(),
    }
}

fn logged(entry: &Value) -> ConsoleEntry {
    let text = |key: &str| entry[key].as_str().unwrap_or_default();
    let mut stack = stack_of(&entry["stackTrace"]);
    let url = cut(text("url"), EVENT_URL_CHARS);
    if stack.is_empty() && !url.is_empty() {
        let line = number(&entry["lineNumber"]);
        stack.push(CallFrame { function: String::new(), url, line, column: 0 });
    }
    let source = cut(text("source"), 20);
    ConsoleEntry {
        at: entry["timestamp"].as_f64().unwrap_or(0.0),
        level: level(text("level"), "info"),
        text: short(text("text")),
        times: 1,
        depth: 0,
        stack,
        source: if source.is_empty() { "other".to_owned() } else { source },
    }
}

/// The arguments as the console shows them: the first may hold `%s` and its like.
fn formatted(args: &[Value], looked: &Looked) -> String {
    let all = |args: &[Value]| args.iter().map(|arg| words(arg, looked)).collect::<Vec<_>>();
    let first = args.first().filter(|first| first["type"] == "string");
    let Some(pattern) = first.and_then(|first| first["value"].as_str()) else {
        return all(args).join(" ");
    };
    let is_mark = |c: char| matches!(c, 's' | 'd' | 'i' | 'f' | 'o' | 'O' | 'c');
    let mut rest = args.iter().skip(1);
    let mut text = String::new();
    let mut chars = pattern.chars().peekable();
    let mut marked = false;
    while let Some(c) = chars.next() {
        let mark =
            chars.peek().copied().filter(|next| c == '%' && (is_mark(*next) || *next == '%'));
        let Some(mark) = mark else {
            text.push(c);
            continue;
        };
        chars.next();
        marked |= mark != '%';
        match mark {
            '%' => text.push('%'),
            mark => match rest.next() {
                None => text.extend(['%', mark]),
                Some(_) if mark == 'c' => {}
                Some(arg) => text.push_str(&words(arg, looked)),
            },
        }
    }
    if !marked {
        return all(args).join(" ");
    }
    std::iter::once(text).chain(rest.map(|arg| words(arg, looked))).collect::<Vec<_>>().join(" ")
}

/// A value in words.
fn words(value: &Value, looked: &Looked) -> String {
    let text = |key: &str| value[key].as_str();
    if value["type"] == "string" {
        return cut(text("value").unwrap_or_default(), CONSOLE_CHARS);
    }
    if let Some(special) = text("unserializableValue") {
        return special.to_owned();
    }
    if value["type"] == "undefined" {
        return "undefined".to_owned();
    }
    if value["subtype"] == "null" {
        return "null".to_owned();
    }
    if let Some(known) = text("objectId").and_then(|id| looked.get(id)) {
        return known.clone();
    }
    if let Some(description) = text("description") {
        return cut(description, CONSOLE_CHARS);
    }
    match &value["value"] {
        Value::Null => text("type").unwrap_or_default().to_owned(),
        plain => plain.to_string(),
    }
}

/// `{a: 1, b: Array(2)}` without running a getter.
pub(super) fn object_words(value: &Value, properties: &[Value]) -> String {
    let is_list = value["subtype"] == "array" || value["subtype"] == "typedarray";
    let shown: Vec<_> = properties.iter().filter(|one| one["enumerable"] == true).collect();
    let mut parts: Vec<String> = shown
        .iter()
        .take(PROPERTIES_SHOWN)
        .map(|property| {
            let inner = match &property["value"] {
                Value::Null => "(getter)".to_owned(),
                inner => inside(inner),
            };
            let name = property["name"].as_str().unwrap_or_default();
            if is_list { inner } else { format!("{name}: {inner}") }
        })
        .collect();
    if shown.len() > PROPERTIES_SHOWN {
        parts.push(format!("… {} more", shown.len() - PROPERTIES_SHOWN));
    }
    let class = value["className"].as_str().unwrap_or_default();
    let head = match class {
        "" | "Object" | "Array" => String::new(),
        class => format!("{} ", value["description"].as_str().unwrap_or(class)),
    };
    let (open, close) = if is_list { ('[', ']') } else { ('{', '}') };
    format!("{head}{open}{}{close}", parts.join(", "))
}

fn inside(value: &Value) -> String {
    let plain = words(value, &Looked::new());
    let line = plain.split('\n').next().unwrap_or_default();
    let short = if line.chars().count() > VALUE_CHARS {
        format!("{}…", cut(line, VALUE_CHARS))
    } else {
        line.to_owned()
    };
    if value["type"] == "string" { Value::String(short).to_string() } else { short }
}

fn stack_of(trace: &Value) -> Vec<CallFrame> {
    let frames = trace["callFrames"].as_array().into_iter().flatten();
    frames.take(STACK_MOST).map(frame_of).collect()
}

/// `    at load (https://a.example/app.js:7:3)`, as V8 writes an error's stack.
fn stack_in_words(description: &str) -> Vec<CallFrame> {
    let lines = description.lines().filter_map(|line| line.strip_prefix("    at "));
    let frames = lines.filter_map(|line| {
        let line = line.strip_suffix(')').unwrap_or(line);
        let (function, place) = line.split_once(" (").unwrap_or(("", line));
        let mut parts = place.rsplitn(3, ':');
        let (column, row) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let url = parts.next().filter(|url| !url.contains(' '))?;
        let function = cut(function.trim(), 80);
        Some(CallFrame { function, url: cut(url, EVENT_URL_CHARS), line: row, column })
    });
    frames.take(STACK_MOST).collect()
}

fn frame_of(frame: &Value) -> CallFrame {
    let text = |key: &str| frame[key].as_str().unwrap_or_default();
    CallFrame {
        function: cut(text("functionName"), 80),
        url: cut(text("url"), EVENT_URL_CHARS),
        line: number(&frame["lineNumber"]),
        column: number(&frame["columnNumber"]),
    }
}

/// From 1; 0 when it is not told.
fn number(value: &Value) -> u32 {
    value.as_i64().and_then(|number| u32::try_from(number + 1).ok()).unwrap_or(0)
}

fn short(text: &str) -> String {
    if text.chars().count() > CONSOLE_CHARS {
        format!("{}…", cut(text, CONSOLE_CHARS))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn log(args: Value) -> String {
        let told = [("Runtime.consoleAPICalled".to_owned(), json!({"type": "log", "args": args}))];
        entries_of(&told, &Looked::new()).remove(0).text
    }

    #[test]
    fn arguments_read_as_in_the_console() {
        let string = |text: &str| json!({"type": "string", "value": text});
        let number = json!({"type": "number", "value": 3, "description": "3"});
        assert_eq!(log(json!([string("a"), number])), "a 3");
        assert_eq!(
            log(json!([
                string("%s is %d%% %c!"),
                string("x"),
                number,
                string("color: red"),
                string("y")
            ])),
            "x is 3% ! y"
        );
        assert_eq!(log(json!([string("50%"), number])), "50% 3");
        assert_eq!(
            log(json!([{"type": "object", "subtype": "null"}, {"type": "undefined"}])),
            "null undefined"
        );
    }

    #[test]
    fn groups_indent_and_equal_neighbours_are_one() {
        let line = |kind: &str, text: &str| {
            let args = json!([{"type": "string", "value": text}]);
            ("Runtime.consoleAPICalled".to_owned(), json!({"type": kind, "args": args}))
        };
        let told = [
            line("startGroup", "g"),
            line("log", "x"),
            line("log", "x"),
            line("endGroup", ""),
            line("error", "y"),
        ];
        let entries = entries_of(&told, &Looked::new());
        let read: Vec<_> = entries.iter().map(|e| (e.text.as_str(), e.depth, e.times)).collect();
        assert_eq!(read, [("g", 0, 1), ("x", 1, 2), ("y", 0, 1)]);
        assert_eq!(entries[2].level, "error");
    }

    #[test]
    fn a_rejections_stack_is_read_from_its_words() {
        let description = "Error: no\n    at load (https://a.example/app.js:7:3)\n    at https://a.example/b.js:1:2";
        let stack = stack_in_words(description);
        assert_eq!((stack[0].function.as_str(), stack[0].line, stack[0].column), ("load", 7, 3));
        assert_eq!(stack[1].url, "https://a.example/b.js");
    }

    #[test]
    fn objects_are_shown_without_running_anything() {
        let value = json!({"type": "object", "className": "Cart", "description": "Cart"});
        let properties = [
            json!({"name": "a", "enumerable": true, "value": {"type": "number", "value": 1, "description": "1"}}),
            json!({"name": "b", "enumerable": true, "get": {}}),
            json!({"name": "c", "enumerable": false}),
        ];
        assert_eq!(object_words(&value, &properties), "Cart {a: 1, b: (getter)}");
    }
}
