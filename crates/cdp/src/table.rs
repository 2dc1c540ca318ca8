//! Debugger commands that agents may send, with every parameter that they may carry. The table is the
//! extension's: `commands.json` is written from `cdp-table.ts`, and a test there says when it is stale.

use pillion_wire::verb::CdpCommand;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::LazyLock;

#[derive(Deserialize)]
struct Table {
    allowed: HashMap<String, HashMap<String, Rule>>,
    required: HashMap<String, Vec<String>>,
}

/// What a parameter must be.
#[derive(Deserialize)]
#[serde(untagged)]
enum Rule {
    Kind(Kind),
    Only { only: Vec<Value> },
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Number,
    String,
    Boolean,
    Json,
    /// An object that this tab's link was given.
    Object,
    /// A request that this tab's link was told of.
    Request,
    Arguments,
    Drag,
    Commands,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    serde_json::from_str(include_str!("commands.json")).expect("the table is read by a test")
});

/// What is known of the tab that a command is for.
pub(crate) trait Facts {
    fn has_session(&self, session: &str) -> bool;
    fn has_object(&self, object: &str) -> bool;
    fn has_request(&self, request: &str) -> bool;
}

/// Why the command may not be sent.
pub(crate) fn refusal(command: &CdpCommand, facts: &impl Facts) -> Option<String> {
    let method = &command.method;
    let Some(allowed) = TABLE.allowed.get(method) else {
        return Some(format!("`{}` is not allowed", printable(method)));
    };
    if command.session.as_ref().is_some_and(|session| !facts.has_session(session)) {
        return Some("that session is not of this tab".to_owned());
    }
    let none = Map::new();
    let params = match &command.params {
        Value::Null => &none,
        Value::Object(params) => params,
        _ => return Some("parameters must be an object".to_owned()),
    };
    for (name, value) in params {
        if !allowed.get(name).is_some_and(|rule| fits(value, rule, facts)) {
            let name = printable(name);
            return Some(format!("`{name}` of `{method}` is not allowed"));
        }
    }
    let missing = TABLE.required.get(method)?.iter().find(|name| !params.contains_key(*name))?;
    Some(format!("`{method}` needs `{missing}`"))
}

fn fits(value: &Value, rule: &Rule, facts: &impl Facts) -> bool {
    let kind = match rule {
        Rule::Only { only } => return only.contains(value),
        Rule::Kind(kind) => kind,
    };
    match kind {
        Kind::Number => value.is_number(),
        Kind::String => value.is_string(),
        Kind::Boolean => value.is_boolean(),
        Kind::Json => true,
        Kind::Object => value.as_str().is_some_and(|id| facts.has_object(id)),
        Kind::Request => value.as_str().is_some_and(|id| facts.has_request(id)),
        Kind::Arguments => all(value, |item| {
            only(item, &["value", "unserializableValue", "objectId"])
                && match item.get("objectId") {
                    None => true,
                    Some(id) => id.as_str().is_some_and(|id| facts.has_object(id)),
                }
        }),
        // Dragged data without `files`: those would be read from the disk.
        Kind::Drag => {
            only(value, &["items", "dragOperationsMask"])
                && all(&value["items"], |item| {
                    only(item, &["mimeType", "data", "title", "baseURL"])
                })
        }
        Kind::Commands => all(value, |item| item.as_str().is_some_and(is_editing)),
    }
}

/// Editing commands that a key may carry; what reads the clipboard is not among them.
fn is_editing(command: &str) -> bool {
    const BEGINNINGS: [&str; 9] =
        ["move", "select", "delete", "insert", "undo", "redo", "scroll", "center", "unselect"];
    BEGINNINGS.iter().any(|beginning| {
        command
            .strip_prefix(beginning)
            .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_alphabetic() || c == ':'))
    })
}

fn all(list: &Value, fits: impl Fn(&Value) -> bool) -> bool {
    list.as_array().is_some_and(|list| list.iter().all(fits))
}

fn only(record: &Value, names: &[&str]) -> bool {
    record.as_object().is_some_and(|record| record.keys().all(|key| names.contains(&key.as_str())))
}

/// Ids of objects in a result, for the ledger of what was issued.
pub(crate) fn object_ids(result: &Value, into: &mut Vec<String>) {
    match result {
        Value::Array(items) => items.iter().for_each(|item| object_ids(item, into)),
        Value::Object(record) => {
            for (key, value) in record {
                match value {
                    Value::String(id) if key == "objectId" => into.push(id.clone()),
                    value => object_ids(value, into),
                }
            }
        }
        _ => {}
    }
}

/// The agent's own words, made harmless for a message.
fn printable(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    struct Known;

    impl Facts for Known {
        fn has_session(&self, session: &str) -> bool {
            session == "child"
        }
        fn has_object(&self, object: &str) -> bool {
            object == "o1"
        }
        fn has_request(&self, request: &str) -> bool {
            request == "r1"
        }
    }

    fn check(method: &str, params: Value, session: Option<&str>) -> Option<String> {
        let session = session.map(str::to_owned);
        refusal(&CdpCommand { method: method.into(), params, session, no_wait: false }, &Known)
    }

    #[test]
    fn what_is_in_the_table_may_be_sent() {
        let mouse = json!({"type": "mousePressed", "x": 1, "y": 2.5, "button": "left"});
        assert_eq!(check("Input.dispatchMouseEvent", mouse, Some("child")), None);
        assert_eq!(check("Page.getLayoutMetrics", Value::Null, None), None);
        assert_eq!(check("Network.getResponseBody", json!({"requestId": "r1"}), None), None);
        let call =
            json!({"functionDeclaration": "f", "objectId": "o1", "arguments": [{"value": 1}]});
        assert_eq!(check("Runtime.callFunctionOn", call, None), None);
        let keys = json!({"type": "keyDown", "commands": ["selectAll", "moveToEndOfLine:"]});
        assert_eq!(check("Input.dispatchKeyEvent", keys, None), None);
    }

    #[test]
    fn everything_else_is_refused_and_named() {
        for (method, params, why) in [
            ("Browser.close", json!({}), "`Browser.close` is not allowed"),
            ("Target.createTarget", json!({"url": "x"}), "`Target.createTarget` is not allowed"),
            (
                "Runtime.evaluate",
                json!({"expression": "1", "contextId": 2}),
                "`contextId` of `Runtime.evaluate` is not allowed",
            ),
            (
                "Input.dispatchMouseEvent",
                json!({"type": "wheel"}),
                "`type` of `Input.dispatchMouseEvent` is not allowed",
            ),
            (
                "Network.getResponseBody",
                json!({"requestId": "other"}),
                "`requestId` of `Network.getResponseBody` is not allowed",
            ),
            (
                "Runtime.callFunctionOn",
                json!({"functionDeclaration": "f"}),
                "`Runtime.callFunctionOn` needs `objectId`",
            ),
            (
                "Input.dispatchKeyEvent",
                json!({"type": "keyDown", "commands": ["paste"]}),
                "`commands` of `Input.dispatchKeyEvent` is not allowed",
            ),
            (
                "Input.dispatchDragEvent",
                json!({"type": "drop", "data": {"items": [], "files": ["/etc/passwd"]}}),
                "`data` of `Input.dispatchDragEvent` is not allowed",
            ),
            (
                "DOM.setFileInputFiles",
                json!({"files": ["/etc/passwd"]}),
                "`DOM.setFileInputFiles` is not allowed",
            ),
            ("A\nb", json!({}), "`Ab` is not allowed"),
        ] {
            assert_eq!(check(method, params, None).as_deref(), Some(why));
        }
        let other = check("Page.getFrameTree", json!({}), Some("other"));
        assert_eq!(other.as_deref(), Some("that session is not of this tab"));
        assert!(check("Page.getFrameTree", json!([]), None).is_some());
    }

    #[test]
    fn objects_are_found_at_any_depth() {
        let mut ids = vec![];
        object_ids(
            &json!({"result": {"objectId": "a", "x": [{"value": {"objectId": "b"}}]}}),
            &mut ids,
        );
        assert_eq!(ids, ["a", "b"]);
    }
}
