//! The MCP server without a daemon: what it answers by itself.

use crate::rig::{Home, INITIALIZE};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

/// A client that sends lines and reads lines.
fn converse(home: &Home, args: &[&str], lines: &[&str], answers: usize) -> Vec<Value> {
    let mut command = home.command(args);
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = server.stdin.take().unwrap();
    for line in lines {
        writeln!(stdin, "{line}").unwrap();
    }
    let stdout = BufReader::new(server.stdout.take().unwrap());
    let read =
        stdout.lines().take(answers).map(|line| serde_json::from_str(&line.unwrap()).unwrap());
    let answers = read.collect();
    drop(stdin);
    assert!(server.wait().unwrap().success());
    answers
}

#[test]
fn the_list_of_tools_needs_no_daemon() {
    let home = Home::new();
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    let answers = converse(&home, &["mcp"], &[INITIALIZE, list], 2);
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "pillion");
    assert!(!answers[0]["result"]["instructions"].as_str().unwrap().is_empty());
    let list = &answers[1]["result"];
    assert!(list["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "browser_click"));
    let size = list.to_string().chars().count();
    assert!(size <= pillion_wire::limits::TOOLS_LIST_CHARS, "{size}");
    assert!(!home.path().join("run/daemon.json").exists());
}

#[test]
fn a_fence_is_one_and_a_remembered_name_is_put_right() {
    let home = Home::new();
    let call = |name: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"{name}","arguments":{{}}}}}}"#
        )
    };
    let fenced = ["mcp", "--tools", "snapshot"];
    let answers = converse(&home, &fenced, &[INITIALIZE, &call("browser_click")], 2);
    let text = answers[1]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("--tools browser_snapshot"), "{text}");

    let answers = converse(&home, &["mcp"], &[INITIALIZE, &call("browser_hover")], 2);
    let result = &answers[1]["result"];
    assert_eq!(result["isError"], true);
    assert_eq!(result["_meta"]["pillion/error"]["code"], "INVALID_ARGUMENT");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("browser_click {target, hover: true}"), "{text}");
}

#[test]
fn one_tool_is_all_that_a_thrifty_client_reads() {
    let home = Home::new();
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    let answers = converse(&home, &["mcp", "--single-tool"], &[INITIALIZE, list], 2);
    let tools = &answers[1]["result"]["tools"];
    assert_eq!((tools.as_array().unwrap().len(), &tools[0]["name"]), (1, &"browser".into()));
    let size = answers[1]["result"].to_string().chars().count();
    assert!(size <= 1_000, "{size}");
    // With every parameter, for who wants that.
    let answers = converse(&home, &["mcp", "--tools", "all"], &[INITIALIZE, list], 2);
    let all = answers[1]["result"].to_string();
    assert!(all.contains("\"modifiers\"") && all.contains("\"depth\""), "{all}");
}
