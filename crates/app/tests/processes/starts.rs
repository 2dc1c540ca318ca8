//! The start race, what a dead daemon leaves behind, rights of files, the command line.

use crate::rig::{Home, signal, stderr_of, stdout_of, until};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Stdio};

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
    let first = home.pid();
    signal("-9", first);
    assert!(home.path().join("run/daemon.sock").exists(), "the stale socket is the point");
    let second = home.pid();
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
    assert_eq!(stdout_of(home.run(&["daemon", "stop"])), "no daemon was running\n");
    home.status();
    assert_eq!(stdout_of(home.run(&["daemon", "stop"])), "daemon stopped\n");
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
    let text = stderr_of(output);
    assert!(text.contains("chmod 700"), "{text}");
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_wrong_command_line_is_told_apart() {
    let home = Home::new();
    assert_eq!(home.run(&["click", "e5", "--nope"]).status.code(), Some(2));
    assert_eq!(home.run(&["tabs", "destroy"]).status.code(), Some(2));
    assert_eq!(home.run(&["--version"]).status.code(), Some(0));
}

#[test]
fn one_that_dies_while_it_starts_a_daemon_is_no_obstacle() {
    for round in 0..4u64 {
        let home = Home::new();
        let mut child = home.command(&["daemon", "start"]).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(round * 5));
        child.kill().unwrap();
        child.wait().unwrap();
        let output = home.run(&["status", "--json"]);
        assert!(output.status.success(), "round {round}: {}", stderr_of(output));
        // The daemon of the one that died may come up after the other one was stopped.
        until("no daemon of that home", || {
            home.run(&["daemon", "stop"]);
            (!runs_for(&home)).then_some(())
        });
    }
}

/// Whether a process of that home is there.
fn runs_for(home: &Home) -> bool {
    let home = home.path().display().to_string();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(&home))
}
