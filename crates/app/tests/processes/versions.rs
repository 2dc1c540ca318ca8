//! Two versions meet. Only debug builds can be told to be another version.

use crate::rig::{Agent, Home, code_of, json_of, stderr_of, stdout_of, text_of, until};
use serde_json::{Value, json};
use std::process::Command;

const OLD: &str = "0.0.1";
const NEW: &str = "99.0.0";

fn of_version(home: &Home, version: &str, args: &[&str]) -> Command {
    let mut command = home.command(args);
    command.env("PILLION_TEST_VERSION", version);
    command
}

fn status(home: &Home, version: &str) -> Value {
    json_of(&mut of_version(home, version, &["status", "--json"]))
}

fn other_protocol(home: &Home, args: &[&str]) -> Command {
    let mut command = of_version(home, NEW, args);
    command.env("PILLION_TEST_PROTOCOL", "7");
    command
}

#[test]
fn a_newer_program_replaces_an_older_daemon_that_nobody_uses() {
    let home = Home::new();
    let old = status(&home, OLD);
    assert_eq!(old["version"], OLD);
    // The end of the first command is noticed by the daemon a moment later.
    let new = until("the replacement", || {
        Some(status(&home, NEW)).filter(|status| status["version"] == NEW)
    });
    assert_ne!(old["pid"], new["pid"]);
    until("the log", || home.log().contains("gives way to a newer version").then_some(()));
    assert!(!home.path().join("run/failed-starts").exists());
}

#[test]
fn an_older_daemon_in_use_is_left_and_used() {
    let home = Home::new();
    let mut agent = Agent::start(&mut of_version(&home, OLD, &["mcp"]));
    agent.ask();
    let before = status(&home, OLD);
    let after = status(&home, NEW);
    assert_eq!((&after["version"], &after["pid"]), (&json!(OLD), &before["pid"]));
    agent.ask();
}

#[test]
fn an_older_program_uses_a_newer_daemon() {
    let home = Home::new();
    let new = status(&home, NEW);
    let seen = status(&home, OLD);
    assert_eq!((&seen["version"], &seen["pid"]), (&json!(NEW), &new["pid"]));
    let mut agent = Agent::start(&mut of_version(&home, OLD, &["mcp"]));
    agent.ask();
    assert_eq!(home.pid(), new["pid"].as_u64().unwrap());
}

#[test]
fn many_newer_programs_at_once_replace_it_once_or_use_it() {
    let home = Home::new();
    status(&home, OLD);
    let start = |_| {
        let mut command = of_version(&home, NEW, &["status", "--json"]);
        command.stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..12).map(start).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert!(home.log().matches("daemon started").count() <= 2, "{}", home.log());
}

#[test]
fn another_protocol_is_told_with_what_to_update_and_restart_puts_it_right() {
    let home = Home::new();
    json_of(&mut other_protocol(&home, &["status", "--json"]));

    let output = home.run(&["tabs"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = stderr_of(output.clone()) + &stdout_of(output);
    assert!(text.contains("VERSION_MISMATCH") && text.contains(NEW), "{text}");
    assert!(text.contains("`pillion daemon restart`"), "{text}");

    let mut agent = Agent::of(&home);
    let result = agent.call("browser_tabs", json!({}));
    assert_eq!(code_of(&result), "VERSION_MISMATCH");
    assert!(
        text_of(&result).contains("Update this program")
            || text_of(&result).contains("newer program")
    );

    let output = home.run(&["daemon", "restart"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(agent.ask(), crate::rig::ANSWERED);
}
