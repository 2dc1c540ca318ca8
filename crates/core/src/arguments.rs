//! Arguments as agents write them: forgiven once, taught once.
//!
//! camelCase and the names that other tools use are taken silently; anything unknown is named.

use serde_json::{Map, Value};

/// Names that are taken for another one, when the tool has that other one.
const ALIASES: &[(&str, &str)] = &[
    ("ref", "target"),
    ("selector", "target"),
    ("element", "target"),
    ("tab_id", "tab"),
    ("page_id", "tab"),
    ("function", "expression"),
    ("code", "expression"),
    ("script", "expression"),
    ("keys", "key"),
    ("timeout", "timeout_ms"),
];

/// The arguments under the tool's own names; nulls are left out. The error is the first unknown one.
pub fn normalise(args: &Value, known: impl Fn(&str) -> bool) -> Result<Map<String, Value>, String> {
    let Some(given) = args.as_object() else {
        return if args.is_null() {
            Ok(Map::new())
        } else {
            Err("arguments that are no object".to_owned())
        };
    };
    // The tool's own name wins, then the aliases in their order: `element` beside `ref` is only a
    // description, by another tool's habit.
    let mut ranked: std::collections::BTreeMap<String, (usize, &Value)> =
        std::collections::BTreeMap::new();
    for (name, value) in given {
        let snake = snake(name);
        let (own, rank) = if known(&snake) {
            (snake, 0)
        } else {
            let place = ALIASES.iter().position(|(alias, own)| *alias == snake && known(own));
            let place = place.ok_or_else(|| name.clone())?;
            (ALIASES[place].1.to_owned(), place + 1)
        };
        let better = ranked.get(&own).is_none_or(|(known_rank, _)| rank < *known_rank);
        if !value.is_null() && better {
            ranked.insert(own, (rank, value));
        }
    }
    Ok(ranked.into_iter().map(|(name, (_, value))| (name, value.clone())).collect())
}

fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            if !out.is_empty() {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else if c == '-' {
            out.push('_');
        } else {
            out.push(c);
        }
    }
    out
}

/// A text; numbers and booleans are taken for their words.
pub fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Array(_) | Value::Object(_) => Some(value.to_string()),
        Value::Null => None,
    }
}

/// A whole number; a string of digits is taken too.
pub fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 1e15).map(|n| n as i64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// true or false; the words are taken too.
pub fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Some(true),
            "false" | "no" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn other_spellings_are_taken_and_strangers_are_named() {
        let known = |name: &str| ["tab", "target", "drag_to"].contains(&name);
        let args =
            json!({"tabId": 7, "ref": "e1", "dragTo": "e2", "element": "the button", "x": null});
        assert_eq!(normalise(&args, known), Err("x".to_owned()));
        let args = json!({"tabId": 7, "ref": "e1", "dragTo": "e2", "element": "the button"});
        let own = normalise(&args, known).unwrap();
        assert_eq!(Value::Object(own.clone())["drag_to"], "e2");
        assert_eq!((&own["tab"], &own["target"]), (&json!(7), &json!("e1")));
    }
}
