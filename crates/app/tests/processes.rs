//! The binary as others run it: start race, what a dead daemon leaves behind, rights of files, and
//! the MCP server without any daemon. Each test has a home of its own and ends its daemon.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// A home; its daemon ends with it.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(TempDir::with_prefix("pillion-process-").unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("home")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pillion"));
        command.args(args).env("PILLION_HOME", self.path()).env("HOME", self.0.path());
        // Ports of the system's choice: the fixed ones may be in use.
        command.env("PILLION_PORTS", "0").stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn status(&self) -> Value {
        let output = self.run(&["status", "--json"]);
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.run(&["daemon", "stop"]);
    }
}

fn kill(pid: u64) {
    let status = Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn twenty_at_once_start_one_daemon() {
    let home = Home::new();
    let start = |_| home.command(&["status", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let children: Vec<Child> = (0..20).map(start).collect();
    let mut pids: Vec<u64> = children
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{output:?}");
            let status: Value = serde_json::from_slice(&output.stdout).unwrap();
            status["pid"].as_u64().unwrap()
        })
        .collect();
    pids.dedup();
    assert_eq!(pids.len(), 1, "{pids:?}");
}

#[test]
fn what_a_killed_daemon_leaves_behind_is_no_obstacle() {
    let home = Home::new();
    let first = home.status()["pid"].as_u64().unwrap();
    kill(first);
    assert!(home.path().join("run/daemon.sock").exists(), "the stale socket is the point");
    let second = home.status()["pid"].as_u64().unwrap();
    assert_ne!(first, second);
}

#[test]
fn the_token_is_for_its_owner_only() {
    let home = Home::new();
    home.status();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.path()), 0o700);
    assert_eq!(mode(&home.path().join("run")), 0o700);
    assert_eq!(mode(&home.path().join("run/daemon.json")), 0o600);
    assert_eq!(mode(&home.path().join("run/daemon.sock")), 0o600);
}

#[test]
fn stop_waits_until_it_is_gone_and_is_no_failure_without_one() {
    let home = Home::new();
    let text = |output: Output| String::from_utf8(output.stdout).unwrap();
    assert_eq!(text(home.run(&["daemon", "stop"])), "no daemon was running\n");
    home.status();
    assert_eq!(text(home.run(&["daemon", "stop"])), "daemon stopped\n");
    assert_eq!(home.run(&["daemon", "status"]).status.code(), Some(3));
    assert!(!home.path().join("run/daemon.json").exists());
}

#[test]
fn an_open_home_is_refused_with_the_remedy() {
    let home = Home::new();
    std::fs::create_dir(home.path()).unwrap();
    std::fs::write(home.path().join("someones"), "").unwrap();
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = home.run(&["status"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("chmod 700"), "{text}");
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
}

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

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}"#;

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
fn a_wrong_command_line_is_told_apart() {
    let home = Home::new();
    assert_eq!(home.run(&["click", "e5", "--nope"]).status.code(), Some(2));
    assert_eq!(home.run(&["tabs", "destroy"]).status.code(), Some(2));
    assert_eq!(home.run(&["--version"]).status.code(), Some(0));
}
