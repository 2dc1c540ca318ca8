//! A trace as a file that Chrome's own tools open. Addresses lose their credentials.

use crate::redact;
use serde_json::{Value, json};

/// The events as text, each on a line of its own.
pub fn file(events: &[Value]) -> String {
    let lines: Vec<String> = events.iter().map(|event| clean(event, 0).to_string()).collect();
    let about = json!({"source": "pillion", "what": "events of one tab's own frames, reduced"});
    format!("{{\"traceEvents\":[\n{}\n],\"metadata\":{about}}}\n", lines.join(",\n"))
}

/// Deeper is nothing that the extension tells.
const DEEPEST: usize = 16;

fn clean(value: &Value, depth: usize) -> Value {
    match value {
        Value::String(text) if text.contains(':') => redact::address(text).into(),
        Value::Array(all) if depth < DEEPEST => {
            all.iter().map(|one| clean(one, depth + 1)).collect()
        }
        Value::Object(all) if depth < DEEPEST => {
            let entries = all.iter().map(|(name, one)| (name.clone(), clean(one, depth + 1)));
            Value::Object(entries.collect())
        }
        Value::Array(_) | Value::Object(_) => Value::Null,
        other => other.clone(),
    }
}
