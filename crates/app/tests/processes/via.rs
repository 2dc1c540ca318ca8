//! Agents elsewhere: `ssh` and `docker` are scripts that run the far end here, under another home,
//! in another working folder, and with another folder for temporary files.

use crate::rig::{ANSWERED, Agent, Home, code_of, json_of, signal, stderr_of, text_of};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// Notes its arguments and runs what stands behind the name.
const SSH: &str = r#"#!/bin/sh
printf '%s\n' "$@" > "$FAR/arguments"
while [ "$1" != "--" ]; do shift; done
shift 2
cd "$FAR/work"
export PATH="$FAR/bin:/usr/bin:/bin" PILLION_HOME="$FAR/home" HOME="$FAR" TMPDIR="$FAR/tmp"
exec sh -c "$*"
"#;

const DOCKER: &str = r#"#!/bin/sh
printf '%s\n' "$@" > "$FAR/arguments"
shift 3
cd "$FAR/work"
export PATH="$FAR/bin:/usr/bin:/bin" PILLION_HOME="$FAR/home" HOME="$FAR" TMPDIR="$FAR/tmp"
exec "$@"
"#;

const SILENT: &str = r#"#!/bin/sh
echo "ssh: connect to host box port 22: Connection refused" >&2
exit 255
"#;

fn script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The agent's home, and beside it the far machine.
pub struct Far {
    pub near: Home,
    pub far: Home,
}

impl Far {
    pub fn new() -> Self {
        let this = Self { near: Home::new(), far: Home::new() };
        script(&this.near.0.path().join("bin/ssh"), SSH);
        script(&this.near.0.path().join("bin/docker"), DOCKER);
        for folder in ["bin", "work", "tmp"] {
            std::fs::create_dir(this.far.0.path().join(folder)).unwrap();
        }
        for folder in ["work", "tmp"] {
            std::fs::create_dir(this.near.0.path().join(folder)).unwrap();
        }
        let there = this.far.0.path().join("bin/pillion");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_pillion"), there).unwrap();
        this
    }

    pub fn mcp(&self, via: &str) -> Command {
        let near = self.near.0.path();
        let mut command = self.near.command(&["mcp", "--via", via]);
        command.current_dir(near.join("work")).env("TMPDIR", near.join("tmp"));
        command.env("PATH", format!("{}:/usr/bin:/bin", self.near.0.path().join("bin").display()));
        command.env("FAR", self.far.0.path());
        command
    }

    fn arguments(&self) -> String {
        std::fs::read_to_string(self.far.0.path().join("arguments")).unwrap()
    }

    fn far_status(&self) -> Value {
        json_of(&mut self.far.command(&["daemon", "status", "--json"]))
    }

    fn no_daemon_here(&self) {
        assert!(!self.near.path().join("run/daemon.json").exists());
    }
}

#[test]
fn an_agent_uses_the_daemon_of_another_machine_and_finds_it_again() {
    let far = Far::new();
    let mut agent = Agent::start(&mut far.mcp("ssh:ada@box"));
    assert_eq!(agent.ask(), ANSWERED);
    assert!(far.arguments().ends_with("--\nada@box\npillion\nstdio\n"), "{}", far.arguments());
    far.no_daemon_here();
    let status = far.far_status();
    let sessions = status["sessions"].as_array().unwrap();
    let session = sessions.iter().find(|session| session["client"] == "test").unwrap().clone();
    assert_eq!(session["role"], "mcp");

    signal("-9", status["pid"].as_u64().unwrap());
    // The first call may still be under way to the dead one; it only looks and is sent again.
    assert_eq!(agent.ask(), ANSWERED);
    let status = far.far_status();
    let again = status["sessions"].as_array().unwrap().iter().any(|one| one["id"] == session["id"]);
    assert!(again, "the same session: {status}");
}

#[test]
fn a_container_is_another_machine() {
    let far = Far::new();
    let mut agent = Agent::start(&mut far.mcp("docker:web_1"));
    assert_eq!(agent.ask(), ANSWERED);
    assert_eq!(far.arguments(), "exec\n-i\nweb_1\npillion\nstdio\n");
    far.no_daemon_here();
}

#[test]
fn the_far_end_leaves_when_the_client_does() {
    let far = Far::new();
    let mut agent = Agent::start(&mut far.mcp("ssh:box"));
    assert_eq!(agent.ask(), ANSWERED);
    drop(agent);
    crate::rig::until("the far client's end", || (far.far_status()["clients"] == 1).then_some(()));
}

#[test]
fn what_is_missing_is_named() {
    let far = Far::new();
    let text = |command: &mut Command| {
        let result = Agent::start(command).call("browser_tabs", json!({}));
        assert_eq!(code_of(&result), "NOT_CONNECTED");
        text_of(&result)
    };
    std::fs::remove_file(far.far.0.path().join("bin/pillion")).unwrap();
    let missing = text(&mut far.mcp("ssh:box"));
    assert!(missing.contains("`pillion` was not found on box"), "{missing}");
    script(&far.near.0.path().join("bin/ssh"), SILENT);
    let refused = text(&mut far.mcp("ssh:box"));
    assert!(refused.contains("Connection refused"), "{refused}");
    let mut without = far.mcp("docker:box");
    let nothing = text(without.env("PATH", far.far.0.path()));
    assert!(nothing.contains("no program `docker`"), "{nothing}");
}

#[test]
fn a_name_that_is_an_option_or_a_command_is_refused_at_once() {
    let far = Far::new();
    for name in ["ssh:-oProxyCommand=touch x", "ssh:box;id", "docker:--privileged", "box"] {
        let output = far.mcp(name).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(stderr_of(output).contains("--via"), "{name}");
    }
}

#[cfg(debug_assertions)]
#[test]
fn a_far_machine_of_another_protocol_is_told_with_what_to_update() {
    let far = Far::new();
    let newer =
        SSH.replace("exec sh", "PILLION_TEST_PROTOCOL=7 PILLION_TEST_VERSION=99.0.0 exec sh");
    script(&far.near.0.path().join("bin/ssh"), &newer);
    let result = Agent::start(&mut far.mcp("ssh:box")).call("browser_tabs", json!({}));
    assert_eq!(code_of(&result), "VERSION_MISMATCH");
    let text = text_of(&result);
    assert!(text.contains("99.0.0") && text.contains("on the agent's machine"), "{text}");
    assert!(!far.far.path().join("run/daemon.json").exists());
}
