//! Values of scripts as the DevTools console would show them: nothing that differs looks the same.
//!
//! Input is a `Runtime.RemoteObject` with `deepSerializedValue` (Chrome DevTools Protocol; the
//! serialisation is WebDriver BiDi's `script.RemoteValue`).

use serde_json::Value;
use std::fmt::Write;

/// Most items of one collection that are shown.
const ITEMS: usize = 100;

/// A remote object as text. Strings at the top are bare; inside they are quoted.
pub fn remote(object: &Value) -> String {
    if let Some(words) = object.get("unserializableValue").and_then(Value::as_str) {
        return words.to_owned();
    }
    if object["type"] == "undefined" {
        return "undefined".to_owned();
    }
    if object["type"] == "string"
        && let Some(text) =
            object["value"].as_str().or_else(|| object["deepSerializedValue"]["value"].as_str())
    {
        return text.to_owned();
    }
    if (object["subtype"] == "error" || object["type"] == "function")
        && let Some(text) = object["description"].as_str()
    {
        return text.to_owned();
    }
    match object.get("deepSerializedValue") {
        Some(deep) => {
            let mut out = String::new();
            deep_value(deep, object["description"].as_str(), &mut Vec::new(), 0, &mut out);
            out
        }
        None => match object.get("value") {
            Some(value) => value.to_string(),
            None => object["description"].as_str().unwrap_or("undefined").to_owned(),
        },
    }
}

fn deep_value(
    deep: &Value,
    description: Option<&str>,
    path: &mut Vec<i64>,
    depth: usize,
    out: &mut String,
) {
    let value = &deep["value"];
    let reference = deep["weakLocalObjectReference"].as_i64();
    if let Some(reference) = reference {
        if path.contains(&reference) {
            out.push_str("[Circular]");
            return;
        }
        if value.is_null()
            && matches!(deep["type"].as_str(), Some("object" | "array" | "map" | "set"))
        {
            out.push_str(if path.is_empty() { "{…}" } else { "[Circular or seen before]" });
            return;
        }
        path.push(reference);
    }
    collection(deep, value, description, path, depth, out);
    if reference.is_some() {
        path.pop();
    }
}

fn collection(
    deep: &Value,
    value: &Value,
    description: Option<&str>,
    path: &mut Vec<i64>,
    depth: usize,
    out: &mut String,
) {
    match deep["type"].as_str().unwrap_or_default() {
        "undefined" => out.push_str("undefined"),
        "null" => out.push_str("null"),
        "string" => out.push_str(&value.to_string()),
        "number" => match value {
            // BiDi writes what JSON cannot as a word.
            Value::String(word) => out.push_str(word),
            number => number_words(number, out),
        },
        "boolean" => write!(out, "{value}").ok().unwrap_or_default(),
        "bigint" => write!(out, "{}n", value.as_str().unwrap_or_default()).ok().unwrap_or_default(),
        "date" => {
            write!(out, "Date {}", value.as_str().unwrap_or_default()).ok().unwrap_or_default()
        }
        "regexp" => {
            let (pattern, flags) = (&value["pattern"], &value["flags"]);
            write!(
                out,
                "/{}/{}",
                pattern.as_str().unwrap_or_default(),
                flags.as_str().unwrap_or_default()
            )
            .ok()
            .unwrap_or_default();
        }
        "array" | "nodelist" | "htmlcollection" => list("[", "]", value, path, depth, out),
        "set" => list("Set {", "}", value, path, depth, out),
        "object" => pairs("{", ": ", "}", value, path, depth, out),
        "map" => pairs("Map {", " => ", "}", value, path, depth, out),
        "node" => node_words(value, out),
        "window" => out.push_str("Window"),
        "function" => out.push_str(description.unwrap_or("function")),
        other => match description {
            Some(words) => out.push_str(words),
            None => write!(out, "[{other}]").ok().unwrap_or_default(),
        },
    }
}

fn number_words(number: &Value, out: &mut String) {
    match number.as_f64() {
        Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => {
            write!(out, "{}", whole as i64).ok().unwrap_or_default();
        }
        _ => out.push_str(&number.to_string()),
    }
}

fn list(
    open: &str,
    close: &str,
    value: &Value,
    path: &mut Vec<i64>,
    depth: usize,
    out: &mut String,
) {
    let Some(items) = value.as_array() else {
        return write!(out, "{open}…{close}").ok().unwrap_or_default();
    };
    out.push_str(open);
    for (nth, item) in items.iter().take(ITEMS).enumerate() {
        if nth > 0 {
            out.push_str(", ");
        }
        deep_value(item, None, path, depth + 1, out);
    }
    more(items.len(), out);
    out.push_str(close);
}

fn pairs(
    open: &str,
    between: &str,
    close: &str,
    value: &Value,
    path: &mut Vec<i64>,
    depth: usize,
    out: &mut String,
) {
    let Some(items) = value.as_array() else {
        return write!(out, "{open}…{close}").ok().unwrap_or_default();
    };
    out.push_str(open);
    for (nth, pair) in items.iter().take(ITEMS).enumerate() {
        if nth > 0 {
            out.push_str(", ");
        }
        match &pair[0] {
            Value::String(key) if open == "{" && is_plain_key(key) => out.push_str(key),
            Value::String(key) => out.push_str(&Value::from(key.as_str()).to_string()),
            key => deep_value(key, None, path, depth + 1, out),
        }
        out.push_str(between);
        deep_value(&pair[1], None, path, depth + 1, out);
    }
    more(items.len(), out);
    out.push_str(close);
}

fn more(count: usize, out: &mut String) {
    if count > ITEMS {
        write!(out, ", … {} more", count - ITEMS).ok().unwrap_or_default();
    }
}

fn is_plain_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

fn node_words(value: &Value, out: &mut String) {
    match value["nodeType"].as_i64() {
        Some(1) => {
            write!(out, "<{}", value["localName"].as_str().unwrap_or("?")).ok().unwrap_or_default();
            for (name, attribute) in value["attributes"].as_object().into_iter().flatten().take(8) {
                write!(out, " {name}={attribute}").ok().unwrap_or_default();
            }
            out.push('>');
            if let Some(count) = value["childNodeCount"].as_i64().filter(|count| *count > 0) {
                write!(out, " ({count} child nodes)").ok().unwrap_or_default();
            }
        }
        Some(3) => write!(out, "#text {}", value["nodeValue"]).ok().unwrap_or_default(),
        Some(9) => out.push_str("#document"),
        Some(11) => out.push_str("#document-fragment"),
        _ => out.push_str("node"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn deep(deep: Value) -> String {
        remote(&json!({"type": "object", "deepSerializedValue": deep}))
    }

    #[test]
    fn what_json_cannot_carry_is_told_apart() {
        assert_eq!(remote(&json!({"type": "number", "unserializableValue": "-0"})), "-0");
        assert_eq!(remote(&json!({"type": "undefined"})), "undefined");
        assert_eq!(remote(&json!({"type": "bigint", "unserializableValue": "9n"})), "9n");
        assert_eq!(deep(json!({"type": "null"})), "null");
        let map = json!({"type": "map", "value": [["k1", {"type": "number", "value": 1}]]});
        assert_eq!(deep(map), "Map {\"k1\" => 1}");
        let node = json!({"type": "node", "value": {"nodeType": 1, "localName": "button", "childNodeCount": 1,
            "attributes": {"id": "g"}}});
        assert_eq!(deep(node), "<button id=\"g\"> (1 child nodes)");
    }

    #[test]
    fn a_cycle_is_named() {
        let inner = json!({"type": "object", "weakLocalObjectReference": 1});
        let cycle =
            json!({"type": "object", "weakLocalObjectReference": 1, "value": [["self", inner]]});
        assert_eq!(deep(cycle), "{self: [Circular]}");
    }
}
