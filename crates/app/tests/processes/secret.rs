//! Secrets on the command line: kept, listed and removed without a daemon, and never shown.

use crate::rig::{Agent, Home, json_of, stderr_of, stdout_of};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Output, Stdio};

const VALUE: &str = "correct horse battery";

fn set(home: &Home, args: &[&str], input: &[u8]) -> Output {
    let args = [&["secret", "set"], args].concat();
    let mut command = home.command(&args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that refuses its arguments reads nothing.
    child.stdin.take().unwrap().write_all(input).ok();
    child.wait_with_output().unwrap()
}

fn list(home: &Home) -> Vec<Value> {
    json_of(&mut home.command(&["secret", "list", "--json"]))["secrets"].as_array().unwrap().clone()
}

fn holds_value(home: &Home) -> bool {
    let files = ["state", "log", "run"].map(|folder| home.path().join(folder));
    let files = files.into_iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let bytes = files.filter_map(|file| std::fs::read(file.unwrap().path()).ok());
    let words: &[u8] = b"horse";
    bytes.into_iter().any(|bytes| bytes.windows(words.len()).any(|window| window == words))
}

#[test]
fn a_secret_is_kept_listed_and_removed_without_a_daemon() {
    let home = Home::new();
    let sites = ["--origin", "https://Shop.example/", "--origin", "http://localhost:3000"];
    let kept = set(&home, &[&["work"], &sites[..], &["-"]].concat(), b"correct horse battery\r\n");
    let said = stdout_of(kept);
    assert_eq!(
        said,
        "Kept \"work\" for https://shop.example, http://localhost:3000 in an encrypted file in \
         Pillion's folder.\n"
    );
    let listed = list(&home);
    assert_eq!(listed.len(), 1);
    assert_eq!(
        listed[0],
        json!({"name": "work", "origins": ["http://localhost:3000", "https://shop.example"],
            "in": "file", "last_used": null})
    );
    assert!(stdout_of(home.run(&["secret", "list"])).contains("never used"));
    assert!(!holds_value(&home));
    assert!(!home.path().join("run/daemon.json").exists(), "a daemon was started");
    assert_eq!(stdout_of(home.run(&["secret", "remove", "work"])), "Removed \"work\".\n");
    assert!(list(&home).is_empty());
    let again = home.run(&["secret", "remove", "work"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr_of(again).contains("there is no secret"));
}

#[test]
fn what_cannot_be_kept_is_refused_with_the_reason() {
    let home = Home::new();
    let site = "https://shop.example";
    for (args, input, why) in [
        (&["work", "-"][..], VALUE, "--origin"),
        (&["work", "--origin", "http://shop.example", "-"], VALUE, "https sites"),
        (&["work", "--origin", "https://shop.example/login", "-"], VALUE, "name the site alone"),
        (&["Work", "--origin", site, "-"], VALUE, "1 to 64 of a-z"),
        (&["work", "--origin", site, "-"], "", "one line"),
        (&["work", "--origin", site, "-"], "two\nlines", "one line"),
        (&["work", "--origin", site], VALUE, "pipe the value in"),
        // A value is never an argument.
        (&["work", "--origin", site, VALUE], "", "possible values: -"),
    ] {
        let refused = set(&home, args, input.as_bytes());
        assert!(!refused.status.success(), "{args:?}");
        let said = stderr_of(refused);
        assert!(said.contains(why), "{args:?}: {said}");
    }
    assert!(list(&home).is_empty());
}

#[test]
fn a_secret_is_named_in_one_place_only() {
    let home = Home::new();
    set(&home, &["work", "--origin", "https://shop.example", "-"], VALUE.as_bytes());
    let mut agent = Agent::of(&home);
    let answer = agent.call("browser_type", json!({"text": "{{secret:work}}"})).to_string();
    assert!(answer.contains("INVALID_ARGUMENT") && answer.contains("browser_fill"), "{answer}");
    drop(agent);
    assert!(home.run(&["daemon", "stop"]).status.success());
    assert!(!holds_value(&home));
}
