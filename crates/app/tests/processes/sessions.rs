//! Sessions as a person sees and ends them, and what `status` tells.

use crate::rig::{ANSWERED, Agent, Home, code_of, json_of, stderr_of, stdout_of, text_of};
use serde_json::{Value, json};

fn ids(home: &Home) -> Vec<String> {
    let listed = json_of(&mut home.command(&["sessions", "--json"]));
    let sessions = listed["sessions"].as_array().unwrap();
    sessions.iter().map(|session| session["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_ended_session_is_told_once_and_the_next_call_has_a_new_one() {
    let home = Home::new();
    let mut agent = Agent::of(&home);
    assert_eq!(agent.ask(), ANSWERED);
    let before = ids(&home);
    let mut other = Agent::of(&home);
    assert_eq!(other.ask(), ANSWERED);
    let (id, both) = (before[0].clone(), ids(&home));
    assert_eq!((before.len(), both.len()), (1, 2));
    let text = stdout_of(home.run(&["sessions"]));
    assert!(text.contains(&format!("{id}  ")) && text.contains("test (mcp): no tabs"), "{text}");

    let output = home.run(&["sessions", "kill", &id]);
    assert_eq!(stdout_of(output), format!("session {id} ended; its tabs are free\n"));
    assert_eq!(ids(&home), both[1..]);
    let result = agent.call("browser_tabs", json!({}));
    assert_eq!(code_of(&result), "STOPPED_BY_USER");
    assert!(text_of(&result).contains("nothing was done"), "{}", text_of(&result));
    assert_eq!(agent.ask(), ANSWERED);
    assert_eq!(other.ask(), ANSWERED);
    let after = ids(&home);
    assert!(after.len() == 2 && !after.contains(&id), "{after:?}");
}

#[test]
fn an_unknown_session_and_no_daemon_are_told() {
    let home = Home::new();
    assert_eq!(stdout_of(home.run(&["sessions"])), "no sessions\n");
    let output = home.run(&["sessions", "kill", "s1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!home.path().join("run/daemon.json").exists());
    home.status();
    let output = home.run(&["sessions", "kill", "s999"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr_of(output);
    assert!(text.contains("s999") && text.contains("`pillion sessions`"), "{text}");
}

#[test]
fn status_holds_what_a_program_wants_to_know() {
    let home = Home::new();
    let mut agent = Agent::of(&home);
    assert_eq!(agent.ask(), ANSWERED);
    let fields = ["pid", "port", "version", "home", "uptime_s", "sessions", "profiles"];
    for args in [["status", "--json"].as_slice(), &["daemon", "status", "--json"]] {
        let status: Value = json_of(&mut home.command(args));
        for field in fields {
            assert!(!status[field].is_null(), "{field}: {status}");
        }
        let counters = &status["counters"];
        assert_eq!(counters["failures"][ANSWERED], 1, "{status}");
        assert!(counters["reconnects"].is_u64() && counters["retries"].is_u64(), "{status}");
        assert!(status["sessions"].as_array().unwrap().iter().any(|one| one["client"] == "test"));
    }
}
