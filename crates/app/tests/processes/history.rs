//! What agents did, told with and without a daemon, also after one was killed.

use crate::rig::{ANSWERED, Agent, Home, json_of, signal, stderr_of, stdout_of, until};
use serde_json::{Value, json};

fn entries(home: &Home, args: &[&str]) -> Vec<Value> {
    let args = [&["history", "--json"], args].concat();
    json_of(&mut home.command(&args))["entries"].as_array().unwrap().clone()
}

fn outcomes(home: &Home) -> Vec<String> {
    let outcomes = entries(home, &[]).into_iter().map(|entry| entry["outcome"].clone());
    outcomes.map(|outcome| outcome.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_call_is_in_the_journal_and_stays_when_the_daemon_ends() {
    let home = Home::new();
    assert_eq!(stdout_of(home.run(&["history"])), "nothing in the journal\n");
    assert!(!home.path().join("run/daemon.json").exists(), "reading starts no daemon");
    let mut agent = Agent::of(&home);
    agent.call("browser_type", json!({"text": "hunter2hunter2", "nonsense": 1}));
    assert!(home.run(&["daemon", "stop"]).status.success());
    let all = entries(&home, &["--session", "test"]);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0]["tool"], "browser_type");
    assert_eq!(all[0]["outcome"], ANSWERED);
    assert_eq!(all[0]["about"], "nonsense=(1 characters) text=(14 characters)");
    assert!(entries(&home, &["--session", "other"]).is_empty());
    assert!(entries(&home, &["--site", "a.example"]).is_empty());
    assert_eq!(entries(&home, &["--since", "2h"]).len(), 1);
    let plain = stdout_of(home.run(&["history"]));
    assert_eq!(plain.trim_end().split('\t').count(), 7, "{plain}");
    for file in std::fs::read_dir(home.path().join("state")).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(14).any(|window| window == b"hunter2hunter2"));
    }
}

#[test]
fn a_call_that_a_killed_daemon_left_has_an_unknown_outcome() {
    let home = Home::new();
    let pid = home.pid();
    let mut agent = Agent::of(&home);
    // No browser is there: this one waits.
    agent.begin("browser_tabs", json!({}));
    until("the call in the journal", || (outcomes(&home) == ["running"]).then_some(()));
    signal("-KILL", pid);
    drop(agent);
    until("the end of it", || (outcomes(&home) == ["OUTCOME_UNKNOWN"]).then_some(()));
    // The next daemon says the same.
    home.pid();
    until("a new journal", || (home.status()["journal"]["on"] == true).then_some(()));
    assert_eq!(outcomes(&home), ["OUTCOME_UNKNOWN"]);
}

#[test]
fn a_report_is_one_file_that_is_never_written_over_another() {
    let home = Home::new();
    assert_eq!(Agent::of(&home).ask(), ANSWERED);
    until("the call in the journal", || (outcomes(&home) == [ANSWERED]).then_some(()));
    let file = home.0.path().join("report.html");
    let name = file.to_str().unwrap();
    let said = stdout_of(home.run(&["history", "--html", name]));
    assert_eq!(said, format!("saved: {name} (1 calls)\n"));
    let html = std::fs::read_to_string(&file).unwrap();
    assert!(html.contains("default-src 'none'") && html.contains(ANSWERED));
    let again = home.run(&["history", "--html", name]);
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr_of(again).contains("is there already"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), html);
}

#[test]
fn a_damaged_journal_is_set_aside_and_told() {
    let home = Home::new();
    home.pid();
    assert!(home.run(&["daemon", "stop"]).status.success());
    let path = home.path().join("state/journal.db");
    std::fs::write(&path, vec![0xa5; 20_000]).unwrap();
    let output = home.run(&["history"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr_of(output).contains("damaged"));
    let mut agent = Agent::of(&home);
    assert_eq!(agent.ask(), ANSWERED);
    until("a new journal", || (outcomes_or_none(&home) == [ANSWERED]).then_some(()));
    let status = stdout_of(home.run(&["status"]));
    assert!(status.contains("journal   the journal was damaged; it lies in "), "{status}");
}

fn outcomes_or_none(home: &Home) -> Vec<String> {
    let output = home.run(&["history", "--json"]);
    if output.status.success() { outcomes(home) } else { vec![] }
}
