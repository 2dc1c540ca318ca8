//! `pillion doctor` is shown each fault that it knows, provoked for real, and names it with what mends it.

mod peer;

use crate::rig::{Home, signal, stderr_of, stdout_of};
use peer::Peer;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Whatever is wrong, it has come to an end by then.
const ENDS: Duration = Duration::from_secs(40);
const PROGRAM: &str = env!("CARGO_BIN_EXE_pillion");

/// What it found, and whether it said that something is wrong.
fn findings(command: &mut Command) -> Vec<Value> {
    let begun = Instant::now();
    let output = command.output().unwrap();
    assert!(begun.elapsed() < ENDS);
    let answer: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let findings = answer["findings"].as_array().unwrap().clone();
    let wrong = findings.iter().any(|finding| finding["state"] == "bad");
    assert_eq!((output.status.code(), &answer["ok"]), (Some(i32::from(wrong)), &json!(!wrong)));
    findings
}

fn doctor(home: &Home) -> Command {
    home.sealed(&["doctor", "--json"])
}

/// The finding of that fault.
#[track_caller]
fn fault<'a>(findings: &'a [Value], code: &str) -> &'a Value {
    let found = findings.iter().find(|finding| finding["fault"] == code);
    let found = found.unwrap_or_else(|| panic!("no {code}: {findings:#?}"));
    assert!(found["mend"].as_str().is_some_and(|mend| !mend.is_empty()), "{found}");
    found
}

#[track_caller]
fn has_none_of(findings: &[Value], codes: &[&str]) {
    for code in codes {
        assert!(!findings.iter().any(|finding| finding["fault"] == *code), "{code}: {findings:#?}");
    }
}

#[test]
fn a_machine_with_nothing_on_it_lacks_a_browser_and_no_more() {
    let home = Home::new();
    let found = findings(&mut doctor(&home));
    let bad: Vec<_> = found.iter().filter(|finding| finding["state"] == "bad").collect();
    assert_eq!(bad.len(), 1, "{bad:#?}");
    assert!(fault(&found, "EXTENSION_ABSENT")["mend"].as_str().unwrap().contains("pillion setup"));
    let timed =
        |hop: &str| found.iter().any(|finding| finding["hop"] == hop && finding["ms"].is_u64());
    assert!(timed("thin") && timed("daemon") && timed("port"), "{found:#?}");
    let text = stdout_of(home.sealed(&["doctor"]).output().unwrap());
    assert!(
        text.trim_end()
            .lines()
            .last()
            .unwrap()
            .starts_with("One thing is wrong. Do this: pillion setup"),
        "{text}"
    );
}

#[test]
fn clients_whose_settings_or_program_are_broken() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "{broken");
    home.write(
        ".gemini/settings.json",
        r#"{"mcpServers": {"pillion": {"command": "/nowhere/pillion", "args": ["mcp"]}}}"#,
    );
    let dead = home.script("bin/pillion-dead", "exit 7");
    home.write(
        ".codex/config.toml",
        &format!("[mcp_servers.pillion]\ncommand = \"{}\"\n", dead.display()),
    );
    let hung = home.script("bin/pillion-hung", "exec /bin/sleep 60");
    home.write(
        ".claude.json",
        &json!({"mcpServers": {"pillion": {"command": hung, "args": ["mcp"]}}}).to_string(),
    );
    home.write(".config/zed/settings.json", "{}");
    let found = findings(&mut doctor(&home));
    assert!(
        fault(&found, "CLIENT_UNREADABLE")["what"]
            .as_str()
            .unwrap()
            .starts_with("Cursor: ~/.cursor/mcp.json")
    );
    assert_eq!(fault(&found, "CLIENT_PROGRAM_GONE")["mend"], "pillion setup gemini");
    let dead: Vec<_> =
        found.iter().filter(|finding| finding["fault"] == "CLIENT_PROGRAM_DEAD").collect();
    assert_eq!(dead.len(), 2, "one ends at once, one hangs: {found:#?}");
    assert!(
        found.iter().any(|finding| finding["what"] == "Zed does not know Pillion"),
        "{found:#?}"
    );
}

#[test]
fn a_program_that_was_moved_away_serves_no_client() {
    let home = Home::new();
    let copy = home.0.path().join("moved/pillion");
    std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
    std::fs::copy(PROGRAM, &copy).unwrap();
    // Asked for its version, it takes the running program away.
    let script = home
        .script("bin/pillion-thief", &format!("/bin/rm -f {}; echo pillion 0.1.0", copy.display()));
    home.write(
        ".codex/config.toml",
        &format!("[mcp_servers.pillion]\ncommand = \"{}\"\n", script.display()),
    );
    let mut command = Command::new(&copy);
    let like = doctor(&home);
    command.args(["doctor", "--json"]);
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let found = findings(&mut command);
    fault(&found, "THIN_SILENT");
    // And no daemon can be started from it.
    fault(&found, "DAEMON_FAILS");
}

#[test]
fn a_folder_that_others_can_read() {
    let home = Home::new();
    home.write("home/someones", "");
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let found = findings(&mut doctor(&home));
    assert!(fault(&found, "HOME_UNUSABLE")["mend"].as_str().unwrap().starts_with("chmod 700"));
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_daemon_that_hangs() {
    let home = Home::new();
    let pid = home.pid();
    signal("-STOP", pid);
    let found = findings(&mut doctor(&home));
    signal("-CONT", pid);
    let silent = fault(&found, "DAEMON_SILENT");
    assert!(silent["what"].as_str().unwrap().contains(&format!("pid {pid}")), "{silent}");
    assert_eq!(silent["mend"], "pillion daemon restart");
}

#[test]
fn a_daemon_of_another_version() {
    let home = Home::new();
    let mut newer = home.command(&["daemon", "start"]);
    assert!(newer.env("PILLION_TEST_VERSION", "0.9.0").output().unwrap().status.success());
    let found = findings(&mut doctor(&home));
    assert_eq!(fault(&found, "DAEMON_VERSION")["state"], "note", "within a major it is tolerated");
    let found = findings(doctor(&home).env("PILLION_TEST_PROTOCOL", "99"));
    assert_eq!(fault(&found, "DAEMON_VERSION")["state"], "bad");
}

#[test]
fn ports_that_another_program_holds() {
    let home = Home::new();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    let found = findings(doctor(&home).env("PILLION_PORTS", port));
    assert!(fault(&found, "PORTS_TAKEN")["mend"].as_str().unwrap().contains("ss -ltnp"));
}

#[test]
fn a_port_out_of_reach() {
    let home = Home::new();
    home.status();
    let mut apart = Command::new("unshare");
    apart.args(["--net", PROGRAM, "doctor", "--json"]);
    for (name, value) in doctor(&home).get_envs() {
        match value {
            Some(value) => apart.env(name, value),
            None => apart.env_remove(name),
        };
    }
    apart.env("PATH", "/usr/bin:/bin");
    let may = Command::new("unshare")
        .args(["--net", "true"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !may {
        // Only root may take the network away.
        return;
    }
    // The daemon is reached by its socket, which is a file; its port is of another network.
    fault(&findings(&mut apart), "PORT_DEAD");
}

const MANIFEST: &str = ".config/chromium/NativeMessagingHosts/dev.pillion.host.json";

fn with_browser(home: &Home) -> Value {
    home.script("bin/chromium", "exit 0");
    assert!(home.sealed(&["setup", "--native"]).output().unwrap().status.success());
    serde_json::from_str(&home.read(MANIFEST)).unwrap()
}

#[test]
fn helpers_that_are_missing_moved_foreign_or_old() {
    let home = Home::new();
    let manifest = with_browser(&home);
    let found = findings(&mut doctor(&home));
    assert!(
        found.iter().any(|finding| finding["hop"] == "helper" && finding["state"] == "good"),
        "{found:#?}"
    );
    let helper = home.path().join("bin/pillion-host");
    let changed = |name: &str, value: Value| {
        let mut changed = manifest.clone();
        changed[name] = value;
        home.write(MANIFEST, &changed.to_string());
        findings(&mut doctor(&home))
    };
    let gone = changed("path", json!("/nowhere/pillion-host"));
    assert_eq!(fault(&gone, "HELPER_GONE")["mend"], "pillion setup --native");
    let other = home.script("elsewhere/pillion-host", "exit 0");
    fault(&changed("path", json!(other)), "HELPER_FOREIGN");
    let origins = json!(["chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"]);
    fault(&changed("allowed_origins", origins), "HELPER_WRONG_EXTENSION");
    home.write(MANIFEST, "{broken");
    fault(&findings(&mut doctor(&home)), "HELPER_UNREADABLE");
    std::fs::remove_file(home.0.path().join(MANIFEST)).unwrap();
    fault(&findings(&mut doctor(&home)), "HELPER_MISSING");
    home.write(MANIFEST, &manifest.to_string());
    std::fs::set_permissions(&helper, std::fs::Permissions::from_mode(0o600)).unwrap();
    fault(&findings(&mut doctor(&home)), "HELPER_NOT_EXECUTABLE");
    home.script("home/bin/pillion-host", "exit 0");
    fault(&findings(&mut doctor(&home)), "HELPER_OLD");
    // The one command that each of them names mends them all.
    assert!(home.sealed(&["setup", "--native"]).output().unwrap().status.success());
    let found = findings(&mut doctor(&home));
    assert!(
        found.iter().all(|finding| finding["hop"] != "helper" || finding["state"] == "good"),
        "{found:#?}"
    );
}

#[test]
fn policies_that_stand_in_the_way() {
    let home = Home::new();
    let chromium = "root/etc/chromium/policies/managed";
    let with = |policy: Value| {
        home.write(&format!("{chromium}/it.json"), &policy.to_string());
        findings(&mut doctor(&home))
    };
    fault(&with(json!({"NativeMessagingBlocklist": ["*"]})), "POLICY_NATIVE_BLOCKED");
    fault(&with(json!({"NativeMessagingUserLevelHosts": false})), "POLICY_USER_HELPERS");
    let blocked = with(json!({"ExtensionInstallBlocklist": ["*"]}));
    let blocked = fault(&blocked, "POLICY_EXTENSION_BLOCKED");
    assert!(
        blocked["state"] == "bad" && blocked["what"].as_str().unwrap().contains("it.json"),
        "{blocked}"
    );
    let hosts =
        json!({"ExtensionSettings": {"*": {"runtime_blocked_hosts": ["*://bank.example"]}}});
    fault(&with(hosts), "POLICY_SITES_BLOCKED");
    fault(&with(json!({"RemoteDebuggingAllowed": false})), "POLICY_DEBUGGER");
    has_none_of(&with(json!({"HomepageLocation": "https://a.example"})), &["POLICY_DEBUGGER"]);
    home.write("root/etc/opt/chrome/policies/managed/broken.json", "{");
    fault(&findings(&mut doctor(&home)), "POLICY_UNREADABLE");
}

#[test]
fn extensions_that_wait_are_too_old_or_went_away() {
    let home = Home::new();
    let waiting = Peer::start(&home, false, None);
    let found = findings(&mut doctor(&home));
    assert!(
        fault(&found, "NO_CONSENT")["mend"]
            .as_str()
            .unwrap()
            .contains("Let agents use this profile")
    );
    drop(waiting);
    let gone = findings(&mut doctor(&home));
    assert!(fault(&gone, "EXTENSION_ABSENT")["what"].as_str().unwrap().contains("known profiles"));
}

#[test]
fn an_extension_of_another_version() {
    let home = Home::new();
    let peer = Peer::start(&home, true, None);
    has_none_of(&findings(&mut doctor(&home)), &["EXTENSION_VERSION", "EXTENSION_ABSENT"]);
    let near = findings(doctor(&home).env("PILLION_TEST_VERSION", "0.0.9"));
    assert_eq!(fault(&near, "EXTENSION_VERSION")["state"], "note");
    drop(peer);
    home.run(&["daemon", "stop"]);
    let mut later = home.command(&["daemon", "start"]);
    assert!(later.env("PILLION_TEST_VERSION", "2.0.0").output().unwrap().status.success());
    let _peer = Peer::start(&home, true, None);
    let far = findings(doctor(&home).env("PILLION_TEST_VERSION", "2.0.0"));
    assert_eq!(fault(&far, "EXTENSION_VERSION")["state"], "bad");
}

#[test]
fn a_probe_names_who_stopped_it() {
    for (answer, code) in [
        ("STOPPED_BY_USER", "STOPPED"),
        ("APPROVAL_PENDING", "WAITS_FOR_USER"),
        ("INTERNAL", "PROBE_FAILED"),
    ] {
        let home = Home::new();
        let _peer = Peer::start(&home, true, Some(answer));
        let found = findings(&mut home.sealed(&["doctor", "--json", "--probe"]));
        let found = fault(&found, code);
        assert_eq!((&found["hop"], &found["state"]), (&json!("page"), &json!("bad")), "{found}");
    }
}

#[test]
fn a_report_for_others_has_nothing_of_the_users() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "{broken");
    let _peer = Peer::start(&home, true, None);
    let path = home.0.path().join("report.json");
    let name = path.to_str().unwrap();
    home.sealed(&["doctor", "--bundle", name]).output().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["counts"]["connected"], 1);
    for word in [home.0.path().to_str().unwrap(), "doctors-own-profile", "Doctors own profile"] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    assert!(Path::new(name).metadata().unwrap().permissions().mode() & 0o077 == 0);
    let again = home.sealed(&["doctor", "--bundle", name]).output().unwrap();
    assert!(!again.status.success() && stderr_of(again).contains("cannot write"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}
