//! State files that are damaged, from a newer version, or cannot be written.

use crate::rig::{ANSWERED, Agent, Home, until};
use serde_json::Value;
use std::process::Command;

/// Starts a daemon that finds this in its state file.
fn with_state(text: &str) -> Home {
    let home = Home::new();
    home.pid();
    assert!(home.run(&["daemon", "stop"]).status.success());
    std::fs::write(home.path().join("state/engine.json"), text).unwrap();
    assert_eq!(Agent::of(&home).ask(), ANSWERED);
    home
}

fn kept_aside(home: &Home, text: &str) {
    let aside = home.path().join("state/engine.json.unreadable");
    assert_eq!(std::fs::read_to_string(aside).unwrap(), text);
    until("the line in the log", || home.log().contains("kept aside").then_some(()));
    let now = std::fs::read(home.path().join("state/engine.json")).unwrap();
    let now: Value = serde_json::from_slice(&now).unwrap();
    assert!(now["next_tab"].as_u64().unwrap() >= 41, "no number comes back: {now}");
}

#[test]
fn a_truncated_state_file_is_kept_aside() {
    let text = r#"{"version":1,"next_tab":41,"next_session":3,"tabs":[{"num"#;
    kept_aside(&with_state(text), text);
}

#[test]
fn a_state_file_of_a_newer_version_is_kept_aside() {
    let text = r#"{"version":99,"next_tab":41,"tabs":{"of":"another shape"}}"#;
    kept_aside(&with_state(text), text);
}

#[test]
fn an_empty_state_file_costs_nothing_but_itself() {
    let home = with_state("");
    until("the line in the log", || home.log().contains("kept aside").then_some(()));
}

/// Every write of the state file meets "no space left on device".
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_only_what_would_be_written() {
    let home = Home::new();
    home.pid();
    let pending = home.path().join("state/engine.json.new");
    std::os::unix::fs::symlink("/dev/full", pending).unwrap();
    let mut agent = Agent::of(&home);
    assert_eq!(agent.ask(), ANSWERED);
    until("the line in the log", || {
        let log = home.log();
        (log.contains("state file could not be written") && log.contains("No space left"))
            .then_some(())
    });
    assert_eq!(agent.ask(), ANSWERED);
    assert_eq!(Agent::of(&home).ask(), ANSWERED);
}

/// A real one, where this user may mount: state, log and sockets on a disk without a free byte.
#[cfg(target_os = "linux")]
#[test]
fn a_home_on_a_full_disk_is_still_served() {
    let home = Home::new();
    std::fs::create_dir(home.path()).unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=512k,mode=700", "tmpfs"])
        .arg(home.path())
        .output();
    if !mount.is_ok_and(|output| output.status.success()) {
        println!("this user may not mount: skipped");
        return;
    }
    let _mounted = Mounted(&home);
    let mut agent = Agent::of(&home);
    assert_eq!(agent.ask(), ANSWERED);
    let filler = home.path().join("filler");
    // Until the disk is full: that error is the point.
    let full = std::fs::write(&filler, vec![0; 1 << 20]).unwrap_err();
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    for _ in 0..3 {
        assert_eq!(Agent::of(&home).ask(), ANSWERED);
        assert_eq!(agent.ask(), ANSWERED);
    }
    let told = until("the journal's trouble, told", || {
        assert_eq!(agent.ask(), ANSWERED);
        home.status()["journal"]["note"].as_str().map(str::to_owned)
    });
    assert!(told.contains("disk is full") || told.contains("cannot be "), "{told}");
    std::fs::remove_file(&filler).unwrap();
    assert_eq!(Agent::of(&home).ask(), ANSWERED);
    until("a journal that goes on", || {
        assert_eq!(agent.ask(), ANSWERED);
        (home.status()["journal"]["on"] == true).then_some(())
    });
}

#[cfg(target_os = "linux")]
struct Mounted<'a>(&'a Home);

#[cfg(target_os = "linux")]
impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        self.0.run(&["daemon", "stop"]);
        // Whatever is still open there goes with the process that holds it.
        Command::new("umount").arg("-l").arg(self.0.path()).status().ok();
    }
}
