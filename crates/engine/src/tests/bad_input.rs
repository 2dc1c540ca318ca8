//! Every parameter of every tool with what it does not take: refused by name, before anything is done.

use super::*;
use crate::tools::{self, Kind, Param, ToolDef};

/// A value of the kind, to fill what must be given.
fn sound(param: &Param) -> Value {
    match &param.kind {
        Kind::Text | Kind::Json => json!("e1"),
        Kind::Integer => json!(1),
        Kind::Boolean => json!(true),
        Kind::OneOf(words) => json!(words[0]),
        Kind::Texts => json!(["x"]),
        Kind::Objects(_) => json!([{}]),
    }
}

/// Values that no parameter of the kind takes.
fn unsound(param: &Param) -> Vec<Value> {
    let object = json!({"a": 1});
    match &param.kind {
        Kind::Text => vec![object],
        Kind::Json => vec![],
        Kind::Integer => {
            vec![json!("seven"), json!(1.5), json!(true), json!([1]), json!("1e400"), object]
        }
        Kind::Boolean => vec![json!("maybe"), json!(2), json!([true]), object],
        Kind::OneOf(_) => vec![json!("no such word"), json!(""), json!(1), object],
        Kind::Texts | Kind::Objects(_) => vec![json!("x"), json!(1), object],
    }
}

fn required(tool: &ToolDef) -> serde_json::Map<String, Value> {
    let needed = tool.params.iter().filter(|param| param.required);
    needed.map(|param| (param.name.to_owned(), sound(param))).collect()
}

#[tokio::test]
async fn wrong_kinds_missing_and_unknown_arguments_are_named() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    // A row a value is more than an agent has in a minute.
    rig.engine.state().sessions.get_mut(&rig.session).unwrap().bucket =
        pillion_core::rate::Bucket::new(100_000, now_ms());
    for tool in tools::ALL {
        let name = tools::short(tool.name);
        for param in tool.params {
            for value in unsound(param) {
                let mut args = required(tool);
                args.insert(param.name.to_owned(), value.clone());
                let text = rig.fails(name, Value::Object(args), Code::InvalidArgument).await;
                let says = format!("INVALID_ARGUMENT: {} takes ", param.name);
                assert!(text.starts_with(&says), "{name} {}={value}: {text}", param.name);
            }
            if param.required {
                let mut args = required(tool);
                args.remove(param.name);
                let text = rig.fails(name, Value::Object(args), Code::InvalidArgument).await;
                assert!(text.contains(&format!("{} needs {}", tool.name, param.name)), "{text}");
            }
        }
        let mut args = required(tool);
        args.insert("wat".to_owned(), json!(1));
        let text = rig.fails(name, Value::Object(args), Code::InvalidArgument).await;
        assert!(text.contains("unknown \"wat\"") && text.contains(tool.params[0].name), "{text}");
        for args in [json!([1]), json!("x"), json!(7)] {
            rig.fails(name, args, Code::InvalidArgument).await;
        }
    }
}

#[tokio::test]
async fn values_out_of_their_range_are_refused_before_anything_is_done() {
    let rig = Rig::new();
    let browser = Fake::with(&[5]);
    rig.connect("home", "b1", browser.clone()).await;
    let rows = [
        ("snapshot", json!({"tab": -1}), Code::InvalidArgument),
        ("snapshot", json!({"tab": 0}), Code::TabNotFound),
        ("snapshot", json!({"tab": 4_294_967_296_u64}), Code::InvalidArgument),
        ("snapshot", json!({"tab": 1, "from": "@5"}), Code::InvalidArgument),
        ("snapshot", json!({"tab": 1, "from": "e1+x"}), Code::InvalidArgument),
        ("snapshot", json!({"tab": 1, "max_chars": -1}), Code::InvalidArgument),
        ("snapshot", json!({"tab": 1, "max_chars": 0}), Code::InvalidArgument),
        ("snapshot", json!({"tab": 1, "depth": -1}), Code::InvalidArgument),
        ("text", json!({"tab": 1, "from": "e5"}), Code::InvalidArgument),
        ("text", json!({"tab": 1, "from": "@-5"}), Code::InvalidArgument),
        ("text", json!({"tab": 1, "max_chars": -1}), Code::InvalidArgument),
        ("screenshot", json!({"tab": 1, "region": "1,2,3"}), Code::InvalidArgument),
        ("screenshot", json!({"tab": 1, "region": "1,2,x,4"}), Code::InvalidArgument),
        ("screenshot", json!({"tab": 1, "region": "0,0,0,5"}), Code::InvalidArgument),
        ("screenshot", json!({"tab": 1, "quality": 0}), Code::InvalidArgument),
        ("screenshot", json!({"tab": 1, "quality": 101}), Code::InvalidArgument),
        ("screenshot", json!({"tab": 1, "scale": "huge"}), Code::InvalidArgument),
        ("screenshot", json!({"tab": 1, "scale": "0"}), Code::InvalidArgument),
        ("screenshot", json!({"tab": 1, "scale": "nan"}), Code::InvalidArgument),
        ("click", json!({"tab": 1, "target": "e1", "count": 0}), Code::InvalidArgument),
        ("click", json!({"tab": 1, "target": "e1", "count": 4}), Code::InvalidArgument),
        ("click", json!({"tab": 1, "target": "e1", "modifiers": "Hyper"}), Code::InvalidArgument),
        ("click", json!({"tab": 1, "target": ""}), Code::InvalidArgument),
        ("click", json!({"tab": 1, "target": "e99"}), Code::RefNotFound),
        ("type", json!({"tab": 1}), Code::InvalidArgument),
        ("type", json!({"tab": 1, "key": "Nope"}), Code::UnknownKey),
        ("fill", json!({"tab": 1, "fields": []}), Code::InvalidArgument),
        ("fill", json!({"tab": 1, "fields": ["x"]}), Code::InvalidArgument),
        ("fill", json!({"tab": 1, "fields": [{"target": "e1"}]}), Code::InvalidArgument),
        ("fill", json!({"tab": 1, "fields": [{"value": "x"}]}), Code::InvalidArgument),
        ("wait", json!({"tab": 1}), Code::InvalidArgument),
        ("wait", json!({"tab": 1, "ms": -1}), Code::InvalidArgument),
        ("wait", json!({"tab": 1, "ms": 60_000}), Code::InvalidArgument),
        ("wait", json!({"tab": 1, "idle": true, "timeout_ms": -1}), Code::InvalidArgument),
        ("wait", json!({"tab": 1, "idle": true, "timeout_ms": 60_000}), Code::InvalidArgument),
        ("evaluate", json!({"tab": 1, "expression": ""}), Code::InvalidArgument),
        ("evaluate", json!({"tab": 1, "expression": "1", "timeout_ms": 0}), Code::InvalidArgument),
        (
            "evaluate",
            json!({"tab": 1, "expression": "1", "timeout_ms": 40_000}),
            Code::InvalidArgument,
        ),
        ("handle_dialog", json!({"tab": 1, "accept": true}), Code::NoDialog),
        ("navigate", json!({"url": ""}), Code::InvalidArgument),
        ("navigate", json!({"url": "javascript:alert(1)"}), Code::UrlNotAllowed),
        ("tabs", json!({"action": "close"}), Code::InvalidArgument),
        ("tabs", json!({"action": "give", "tab": 1}), Code::InvalidArgument),
        ("tabs", json!({"action": "use"}), Code::InvalidArgument),
        ("tabs", json!({"profile": "nobody"}), Code::ProfileNotFound),
        ("logs", json!({"tab": 1, "request": "x17"}), Code::InvalidArgument),
        ("logs", json!({"tab": 1, "limit": -1}), Code::InvalidArgument),
    ];
    for (tool, args, code) in rows {
        rig.fails(tool, args, code).await;
    }
    assert!(rig.call("snapshot", json!({"tab": 1, "max_chars": 200})).await.ok);
}

#[tokio::test]
async fn so_are_those_of_tools_that_are_not_listed() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5])).await;
    let rows = [
        ("audit", json!({"tab": 1, "rules": ["NO GOOD"]}), Code::InvalidArgument),
        ("audit", json!({"tab": 1, "rules": [7]}), Code::InvalidArgument),
        ("audit", json!({"tab": 1, "tags": [""]}), Code::InvalidArgument),
        ("audit", json!({"tab": 1, "tags": vec!["wcag2a"; 51]}), Code::InvalidArgument),
        (
            "audit",
            json!({"tab": 1, "rules": ["region"], "tags": ["wcag2a"]}),
            Code::InvalidArgument,
        ),
        ("audit", json!({"tab": 1, "rules": ["no-such-rule"]}), Code::InvalidArgument),
        ("audit", json!({"tab": 1, "max_chars": 0}), Code::InvalidArgument),
        ("audit", json!({"tab": 1, "target": "e99"}), Code::RefNotFound),
        (
            "perf",
            json!({"tab": 1, "action": "start", "path": "a.trace.json"}),
            Code::InvalidArgument,
        ),
        ("perf", json!({"tab": 1, "action": "stop", "path": "package.json"}), Code::FileNotAllowed),
        ("perf", json!({"tab": 1, "action": "stop", "max_chars": 0}), Code::InvalidArgument),
        ("perf", json!({"tab": 9}), Code::TabNotFound),
        ("bridge", json!({"limit": 0}), Code::InvalidArgument),
        ("bridge", json!({"limit": 201}), Code::InvalidArgument),
        ("patch", json!({"tab": 1, "target": "e1"}), Code::InvalidArgument),
        ("patch", json!({"tab": 1, "rollback": "p99x"}), Code::InvalidArgument),
        ("storage", json!({"tab": 1, "action": "get"}), Code::InvalidArgument),
        ("storage", json!({"tab": 1, "kind": "local", "action": "set"}), Code::InvalidArgument),
        ("emulate", json!({"tab": 1, "viewport": "0x0"}), Code::InvalidArgument),
        ("emulate", json!({"tab": 1, "cpu": "1000"}), Code::InvalidArgument),
        ("mock", json!({"tab": 1, "url": "/a", "status": 99}), Code::InvalidArgument),
        ("mock", json!({"tab": 1, "url": "/a", "delay_ms": -1}), Code::InvalidArgument),
        ("mock", json!({"tab": 1, "body": "x"}), Code::InvalidArgument),
        ("files", json!({"tab": 1, "action": "save_pdf"}), Code::InvalidArgument),
        ("files", json!({"tab": 1, "action": "save_har", "path": "a.txt"}), Code::FileNotAllowed),
        ("ask", json!({"for": "confirm"}), Code::InvalidArgument),
        ("batch", json!({"steps": []}), Code::InvalidArgument),
        ("batch", json!({"steps": [{"tool": "fly"}]}), Code::InvalidArgument),
    ];
    for (tool, args, code) in rows {
        rig.fails(tool, args, code).await;
    }
}
