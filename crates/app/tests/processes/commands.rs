//! Help, completions, man pages, `run`, `watch`, `skill` and `update`, as the binary has them.

use crate::rig::{Agent, Home, json_of, signal, stderr_of, stdout_of, until};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

/// Every command and tool that the help lists.
fn listed(home: &Home) -> Vec<String> {
    let help = stdout_of(home.run(&["--help"]));
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("    "));
    names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn every_help_shows_an_example() {
    let home = Home::new();
    let commands = listed(&home);
    assert!(commands.len() > 40, "{commands:?}");
    for name in commands {
        let help = home.run(&[&name, "--help"]);
        assert!(help.status.success(), "{name}");
        let help = stdout_of(help);
        let example = help.contains("xample") && help.contains(&format!("pillion {name}"));
        assert!(example, "{name} shows no example:\n{help}");
    }
    let help = stdout_of(home.run(&["--help"]));
    assert!(help.contains("Exit status: 0 done"), "{help}");
}

#[test]
fn completions_know_commands_tools_and_flags() {
    let home = Home::new();
    for (shell, words) in [
        ("bash", ["complete -F _pillion", "handle-dialog", "--user-data-dir"]),
        ("zsh", ["#compdef pillion", "handle-dialog", "--user-data-dir"]),
        ("fish", ["complete -c pillion", "handle-dialog", "user-data-dir"]),
        ("powershell", ["Register-ArgumentCompleter", "handle-dialog", "--user-data-dir"]),
    ] {
        let script = stdout_of(home.run(&["completions", shell]));
        for word in words {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    // The shell itself is asked.
    let script = "source <(\"$0\" completions bash); COMP_WORDS=(pillion scr); COMP_CWORD=1; _pillion pillion scr pillion; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let bash = std::process::Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_pillion")])
        .output()
        .unwrap();
    let said = stdout_of(bash);
    assert!(
        said.lines().any(|word| word == "screenshot") && said.lines().any(|word| word == "scroll"),
        "{said}"
    );
    assert_eq!(home.run(&["completions", "tcsh"]).status.code(), Some(2));
}

#[test]
fn there_is_a_man_page_for_each_command() {
    let home = Home::new();
    let folder = home.0.path().join("man1");
    let said = stdout_of(home.run(&["man", folder.to_str().unwrap()]));
    assert!(said.starts_with("wrote "), "{said}");
    for name in listed(&home) {
        let page = std::fs::read_to_string(folder.join(format!("pillion-{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH NAME"), "{name}");
    }
    assert!(
        folder.join("pillion.1").is_file() && folder.join("pillion-daemon-restart.1").is_file()
    );
}

#[test]
fn a_file_of_commands_is_understood_before_anything_is_done() {
    let home = Home::new();
    let file = home.write("a.pillion", "# one\nnavigate https://shop.example/${ID}\nclik e5\n");
    let name = file.to_str().unwrap();
    let output = home.run(&["run", name]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr_of(output);
    assert!(
        said.contains(":2: ID has no value; give it with --var ID=…. Nothing was done."),
        "{said}"
    );
    let output = home.run(&["run", name, "--var", "ID=118"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr_of(output).contains(":3: there is no command \"clik\""));
    assert!(!home.path().join("run/daemon.json").exists(), "nothing was done");
}

#[test]
fn a_run_stops_at_the_first_failure_with_its_status() {
    let home = Home::new();
    // No browser is there.
    let lines = "wait text=Done\nscreenshot\n";
    let run = |args: &[&str]| {
        let mut command = home.command(args);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let output = run(&["run", "-"]);
    let code = output.status.code();
    let said = stderr_of(output);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("-:1: wait text=Done") && !said.contains("-:2:"), "{said}");
    let said = stderr_of(run(&["run", "-", "--keep-going"]));
    assert!(said.contains("-:1:") && said.contains("-:2:"), "{said}");
}

#[test]
fn a_dash_is_standard_input() {
    let home = Home::new();
    let mut child = home
        .command(&["fill", "label=Name=-", "label=Other=-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr_of(output).contains("only once"));
}

#[test]
fn watching_tells_who_comes_and_goes_and_ends_with_ctrl_c() {
    let home = Home::new();
    let mut child = home.command(&["watch"]).stdout(Stdio::piped()).spawn().unwrap();
    let (lines, told) = std::sync::mpsc::channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            lines.send(line).ok();
        }
    });
    let mut seen: Vec<String> = Vec::new();
    let mut until_told = |what: &str| {
        until(what, || {
            seen.extend(told.try_iter());
            seen.iter().any(|line| line.contains(what)).then_some(())
        });
    };
    until_told("daemon does not run");
    let mut agent = Agent::of(&home);
    until_told("daemon runs");
    agent.ask();
    until_told("agent came: test (s");
    until_told("test  tabs  INVALID_ARGUMENT");
    drop(agent);
    until_told("agent left: test (s");
    signal("-INT", child.id().into());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    reader.join().unwrap();
}

#[test]
fn the_live_view_leaves_the_terminal_as_it_was() {
    let home = Home::new();
    home.status();
    let mut command = std::process::Command::new("script");
    let watch = format!("timeout --foreground -s INT 2 {} watch", env!("CARGO_BIN_EXE_pillion"));
    command.args(["-qec", &watch, "/dev/null"]).stdin(Stdio::null());
    for (name, value) in home.command(&[]).get_envs() {
        value.map(|value| command.env(name, value));
    }
    let said = stdout_of(command.env("NO_COLOR", "1").output().unwrap());
    let (shown, after) =
        said.split_once("\u{1b}[?1049h").unwrap().1.rsplit_once("\u{1b}[?1049l").unwrap();
    assert!(shown.contains("Agents") && shown.contains("No browser is connected"), "{shown:?}");
    assert!(shown.ends_with("\u{1b}[?25h") && after.is_empty(), "{said:?}");
}

#[test]
fn the_skill_is_served_in_each_form() {
    let home = Home::new();
    let skill = stdout_of(home.run(&["skill"]));
    assert!(skill.starts_with("---\nname: pillion\ndescription: ") && skill.len() < 6_000);
    assert!(stdout_of(home.run(&["skill", "--as", "rules"])).starts_with("# Riding along"));
    assert!(stdout_of(home.run(&["skill", "--as", "cursor"])).contains("\nalwaysApply: false\n"));
    let claude = stdout_of(home.run(&["skill", "--permissions", "claude-code"]));
    let json = &claude[claude.find('{').unwrap()..];
    let settings: Value = serde_json::from_str(json).unwrap();
    let allowed = settings["permissions"]["allow"].as_array().unwrap();
    assert!(allowed.contains(&json!("mcp__pillion__browser_snapshot")), "{claude}");
}

#[test]
fn versions_are_compared_without_asking_anybody() {
    let home = Home::new();
    let answer = json_of(&mut home.command(&["update", "--check", "--json"]));
    assert_eq!((&answer["ok"], &answer["askedServer"]), (&json!(true), &json!(false)));
    assert!(!home.path().join("run/daemon.json").exists(), "it starts nothing");
    let mut newer = home.command(&["daemon", "start"]);
    assert!(newer.env("PILLION_TEST_VERSION", "7.0.0").output().unwrap().status.success());
    let output = home.run(&["update", "--check"]);
    assert_eq!(output.status.code(), Some(1));
    let said = stdout_of(output);
    assert!(
        said.contains("daemon              7.0.0  too far apart: pillion daemon restart"),
        "{said}"
    );
    assert_eq!(home.run(&["update"]).status.code(), Some(2));
}
