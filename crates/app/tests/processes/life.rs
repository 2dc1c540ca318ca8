//! What befalls a daemon: ports taken, locks left behind, a sleeping machine, a sudden end.

use crate::rig::{ANSWERED, Agent, Home, code_of, json_of, signal, until};
use pillion_client::{Client, Launch, Options};
use pillion_link::PublicKey;
use pillion_testkit::extension_peer::{ExtensionPeer, PeerProfile};
use pillion_wire::local::{Admin, Role};
use pillion_wire::verb::{TabList, Verb};
use serde_json::{Value, json};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long the daemon sleeps: longer than a client waits for a welcome.
const SLEEP: Duration = Duration::from_millis(3_500);

fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

fn on_ports(home: &Home, ports: &[u16], args: &[&str]) -> Command {
    let mut command = home.command(args);
    let ports: Vec<String> = ports.iter().map(ToString::to_string).collect();
    command.env("PILLION_PORTS", ports.join(","));
    command
}

/// Whoever holds it still takes connections.
fn is_alive((listener, port): &(TcpListener, u16)) -> bool {
    let knock = TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).unwrap();
    let (_, from) = listener.accept().unwrap();
    from == knock.local_addr().unwrap()
}

#[test]
fn twenty_agents_at_the_same_moment_have_one_daemon() {
    let home = Home::new();
    std::thread::scope(|scope| {
        let agents: Vec<_> = (0..20).map(|_| scope.spawn(|| Agent::of(&home).ask())).collect();
        for agent in agents {
            assert_eq!(agent.join().unwrap(), ANSWERED);
        }
    });
    // The log is written by a thread of its own.
    until("the log", || home.log().contains("daemon started").then_some(()));
    assert_eq!(home.log().matches("daemon started").count(), 1);
    assert!(!home.path().join("run/failed-starts").exists());
}

#[test]
fn a_port_of_another_program_is_skipped() {
    let home = Home::new();
    let other = listener();
    let status = json_of(&mut on_ports(&home, &[other.1, 0], &["status", "--json"]));
    let port = status["port"].as_u64().unwrap();
    assert!(port != 0 && port != u64::from(other.1));
    assert!(status["note"].is_null());
    assert!(is_alive(&other));
}

#[test]
fn without_a_free_port_the_daemon_serves_native_links_and_says_so() {
    let home = Home::new();
    let others = [listener(), listener(), listener()];
    let ports = [others[0].1, others[1].1, others[2].1];
    let status = json_of(&mut on_ports(&home, &ports, &["status", "--json"]));
    assert!(status["port"].is_null());
    let note = status["note"].as_str().unwrap();
    assert!(note.contains(&ports[2].to_string()) && note.contains("native"), "{note}");
    assert_eq!(Agent::of(&home).ask(), ANSWERED);
    let text = String::from_utf8(home.run(&["status"]).stdout).unwrap();
    assert!(text.contains("no port") && text.contains("native"), "{text}");
    assert!(others.iter().all(is_alive));
}

#[test]
fn files_of_locks_that_nobody_holds_are_no_locks() {
    let home = Home::new();
    let before = home.pid();
    signal("-9", before);
    for name in ["daemon.lock", "start.lock"] {
        std::fs::write(home.path().join("run").join(name), before.to_string()).unwrap();
    }
    assert_ne!(home.pid(), before);
}

#[test]
fn a_record_that_is_garbage_is_no_obstacle() {
    let home = Home::new();
    let before = home.pid();
    signal("-9", before);
    std::fs::write(home.path().join("run/daemon.json"), "{\"pid\": 1, \"po").unwrap();
    assert_ne!(home.pid(), before);
}

#[test]
fn who_comes_while_the_daemon_ends_waits_for_the_next() {
    let home = Home::new();
    let before = home.pid();
    std::thread::scope(|scope| {
        let stop = scope.spawn(|| home.run(&["daemon", "stop"]));
        let agents: Vec<_> = (0..6).map(|_| scope.spawn(|| Agent::of(&home).ask())).collect();
        assert!(stop.join().unwrap().status.success());
        for agent in agents {
            assert_eq!(agent.join().unwrap(), ANSWERED);
        }
    });
    assert!(!home.path().join("run/failed-starts").exists(), "no start failed: {}", home.log());
    assert_ne!(home.pid(), before);
}

#[test]
fn a_lost_daemon_is_back_before_the_next_call() {
    let home = Home::new();
    let mut agent = Agent::of(&home);
    assert_eq!(agent.ask(), ANSWERED);
    let before = home.pid();
    // What dies at once is not started again by itself: let it stand.
    std::thread::sleep(Duration::from_millis(2_100));
    signal("-9", before);
    let record = home.path().join("run/daemon.json");
    until("another daemon", || {
        let record: Value = serde_json::from_slice(&std::fs::read(&record).ok()?).ok()?;
        record["pid"].as_u64().filter(|pid| *pid != before)
    });
    assert_eq!(agent.ask(), ANSWERED);
}

/// A process that stands still. A test that fails leaves none behind.
struct Frozen(u64);

impl Drop for Frozen {
    fn drop(&mut self) {
        signal("-CONT", self.0);
    }
}

/// Stops every thread of it. The signal itself only begins that: a busy system takes its time.
fn freeze(pid: u64) -> Frozen {
    let frozen = Frozen(pid);
    signal("-STOP", pid);
    #[cfg(target_os = "linux")]
    until("the stop", || {
        let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
        let mut states = threads.map(|thread| {
            std::fs::read_to_string(thread.unwrap().path().join("status")).unwrap_or_default()
        });
        states.all(|status| status.contains("State:\tT")).then_some(())
    });
    frozen
}

/// The system keeps SIGTERM for that stopped process.
#[cfg(target_os = "linux")]
fn is_asked_to_end(pid: u64) -> Option<()> {
    const SIGTERM: u64 = 1 << (15 - 1);
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let pending = status.lines().find_map(|line| line.strip_prefix("ShdPnd:"))?;
    (u64::from_str_radix(pending.trim(), 16).unwrap() & SIGTERM != 0).then_some(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_that_does_not_answer_is_ended_by_signal() {
    let home = Home::new();
    let pid = home.pid();
    let frozen = freeze(pid);
    let mut stop = home.command(&["daemon", "stop"]).stdout(Stdio::piped()).spawn().unwrap();
    until("the signal", || {
        assert_eq!(stop.try_wait().unwrap(), None, "it waits for the daemon's end");
        is_asked_to_end(pid)
    });
    drop(frozen);
    let output = stop.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "daemon stopped\n");
}

#[test]
fn a_daemon_that_was_stopped_stays_stopped() {
    let home = Home::new();
    let mut agent = Agent::of(&home);
    assert_eq!(agent.ask(), ANSWERED);
    std::thread::sleep(Duration::from_millis(2_100));
    assert!(home.run(&["daemon", "stop"]).status.success());
    // An agent that started it again would do so within this time.
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(home.run(&["daemon", "status"]).status.code(), Some(3));
    assert_eq!(agent.ask(), ANSWERED);
}

#[test]
fn a_look_after_a_sudden_end_is_answered_within_a_second() {
    let home = Home::new();
    let mut agent = Agent::of(&home);
    let mut times: Vec<Duration> = (0..10)
        .map(|_| {
            assert_eq!(agent.ask(), ANSWERED);
            signal("-9", home.pid());
            let since = Instant::now();
            assert_eq!(agent.ask(), ANSWERED);
            since.elapsed()
        })
        .collect();
    times.sort();
    println!("from the end of the daemon to the answer: {times:?}");
    assert!(times[8] < Duration::from_secs(1), "{times:?}");
}

fn native(home: &Home) -> Options {
    Options {
        home: pillion_os::home::Home::open(Some(&home.path())).unwrap(),
        role: Role::Native,
        client: "test".into(),
        resume: None,
        cwd: None,
        roots: Vec::new(),
        budget_percent: None,
        tools: None,
        launch: Launch::Never,
        serves_files: false,
        browser: None,
    }
}

/// A profile with a link to the daemon of that home.
pub async fn linked(home: &Home) -> ExtensionPeer {
    let profile = PeerProfile::new("Work").unwrap();
    let helper = Client::connect(native(home)).await.unwrap();
    linked_by(&helper, &profile).await
}

/// That profile with a link to the helper's daemon.
pub async fn linked_by(helper: &Client, profile: &PeerProfile) -> ExtensionPeer {
    let ask = Admin::Enrol {
        pk: profile.identity.public().to_text(),
        ext: pillion_wire::EXTENSION_ID.into(),
        parent: None,
        consent: None,
    };
    let answer = helper.admin(ask).await.unwrap();
    let key = PublicKey::from_text(answer["pk"].as_str().unwrap()).unwrap();
    let port = u16::try_from(answer["port"].as_u64().unwrap()).unwrap();
    ExtensionPeer::connect(port, profile, &key).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sleeping_machine_wakes_with_everything_in_place() {
    let home = Home::new();
    let pid = home.pid();
    let mut peer = linked(&home).await;
    let link = tokio::spawn(async move {
        peer.serve(|verb| match verb {
            Verb::Tabs {} => Ok(json!(TabList { tabs: vec![], unshared: 3 })),
            _ => Ok(Value::Null),
        })
        .await;
    });
    tokio::task::spawn_blocking(move || {
        let mut agent = Agent::of(&home);
        assert_eq!(code_of(&agent.call("browser_tabs", json!({}))), "");
        let frozen = freeze(pid);
        let asked = agent.begin("browser_tabs", json!({}));
        let status = home.command(&["status", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
        // The sleep itself, not a wait for anything.
        std::thread::sleep(SLEEP);
        drop(frozen);
        assert_eq!(code_of(&agent.end(asked)), "", "a call that waited is answered");
        let output = status.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let status: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&status["pid"], &status["connected"]), (&json!(pid), &json!(1)));
        assert!(!home.path().join("run/failed-starts").exists());
        assert_eq!(code_of(&agent.call("browser_tabs", json!({}))), "");
        assert!(!link.is_finished(), "the link stands");
    })
    .await
    .unwrap();
}
