//! `pillion pair` and `pillion pairing` as a person runs them.

use crate::rig::{Home, json_of, signal, stderr_of, stdout_of, until};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Stdio};

fn fingerprint(home: &Home) -> String {
    let status = json_of(&mut home.command(&["pairing", "status", "--json"]));
    status["daemon"].as_str().unwrap().to_owned()
}

/// `pillion pair ARGS` with its first line.
fn pair(home: &Home, args: &[&str]) -> (Child, BufReader<ChildStdout>, String) {
    let args: Vec<&str> = ["pair"].iter().chain(args).copied().collect();
    let mut process = home.command(&args).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(process.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    (process, stdout, line)
}

#[test]
fn a_code_is_shown_and_withdrawn_by_ctrl_c() {
    let home = Home::new();
    let (mut process, mut stdout, line) = pair(&home, &[]);
    let code = line.strip_prefix("Code: ").unwrap().trim();
    assert!(code.len() == 9 && code.as_bytes()[4] == b'-', "{line}");
    signal("-INT", process.id().into());
    assert_eq!(process.wait().unwrap().code(), Some(130));
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert!(!home.log().contains(code) && !home.log().contains(&code.replace('-', "")));
}

#[test]
fn a_second_code_ends_the_first_with_words() {
    let home = Home::new();
    let (mut first, mut told, line) = pair(&home, &["--json"]);
    let made: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(made["expires_in_s"], 120);
    let (mut second, _told, _) = pair(&home, &[]);
    assert_eq!(first.wait().unwrap().code(), Some(1));
    let mut outcome = String::new();
    told.read_line(&mut outcome).unwrap();
    let outcome: Value = serde_json::from_str(&outcome).unwrap();
    assert_eq!((&outcome["paired"], &outcome["outcome"]), (&json!(false), &json!("replaced")));
    signal("-INT", second.id().into());
    second.wait().unwrap();
}

#[test]
fn a_reset_needs_a_yes_and_makes_a_running_daemon_another_one() {
    let home = Home::new();
    let (before, pid) = (fingerprint(&home), home.pid());
    let refused = home.run(&["pairing", "reset"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr_of(refused).contains("--yes"));
    assert_eq!((fingerprint(&home), home.pid()), (before.clone(), pid));

    let output = home.run(&["pairing", "reset", "--yes"]);
    assert!(output.status.success(), "{output:?}");
    let said = stdout_of(output);
    until("the daemon", || home.run(&["daemon", "status"]).status.success().then_some(()));
    let after = fingerprint(&home);
    assert!(after != before && said.contains(&after), "{said}");
    assert_ne!(home.pid(), pid);
}

#[test]
fn a_reset_of_a_stopped_daemon_leaves_it_stopped() {
    let home = Home::new();
    let before = fingerprint(&home);
    home.run(&["daemon", "stop"]);
    let reset = json_of(&mut home.command(&["pairing", "reset", "--yes", "--json"]));
    assert!(!home.path().join("run/daemon.json").exists());
    assert_ne!(reset["daemon"], json!(before));
    assert_eq!(fingerprint(&home), reset["daemon"].as_str().unwrap());
}

#[test]
fn a_damaged_identity_names_the_reset_and_the_reset_mends_it() {
    let home = Home::new();
    fingerprint(&home);
    home.run(&["daemon", "stop"]);
    std::fs::write(home.path().join("state/identity.p8"), "damaged").unwrap();
    let output = home.run(&["pairing", "status"]);
    assert!(!output.status.success());
    assert!(stderr_of(output).contains("pillion pairing reset"));
    assert!(home.run(&["pairing", "reset", "--yes"]).status.success());
    fingerprint(&home);
}

#[test]
fn while_nobody_is_paired_another_extension_is_allowed_at_once() {
    let home = Home::new();
    let id = "d".repeat(32);
    let output = home.run(&["allow-extension", &id]);
    assert!(output.status.success());
    assert!(stdout_of(output).contains("may connect"));
    let list = std::fs::read_to_string(home.path().join("state/extensions")).unwrap();
    assert_eq!(list.trim(), id);
    let wrong = home.run(&["allow-extension", "http://a.example"]);
    assert!(!wrong.status.success() && stderr_of(wrong).contains("32 letters"));
}
