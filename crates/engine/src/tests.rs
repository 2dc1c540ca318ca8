//! The engine on a browser that is not there: numbers, owners, lost connections.

use super::*;
use async_trait::async_trait;
use pillion_core::record::Note;
use pillion_wire::code::Code;
use pillion_wire::id::ChromeTab;
use pillion_wire::link::{Asker, VerbError};
use pillion_wire::local::Role;
use pillion_wire::verb::TabInfo;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use tokio_util::sync::CancellationToken;

mod bad_input;
mod batch;
mod extract;
mod meanwhile;
mod measuring;
mod records;

/// A browser whose page is one button. Loses the connection when it is told to.
struct Fake {
    tabs: Vec<i32>,
    connected: AtomicBool,
    /// The verb that is never answered, by its name, and how often it was asked.
    loses: &'static str,
    asked: AtomicU32,
    /// What it was told of calls.
    told: Mutex<Vec<Value>>,
}

impl Fake {
    fn with(tabs: &[i32]) -> Arc<Self> {
        Self::losing(tabs, "")
    }

    fn losing(tabs: &[i32], loses: &'static str) -> Arc<Self> {
        let (connected, asked) = (AtomicBool::new(true), AtomicU32::new(0));
        Arc::new(Self { tabs: tabs.to_vec(), connected, loses, asked, told: Mutex::default() })
    }
}

fn info(tab: i32) -> TabInfo {
    TabInfo {
        tab: ChromeTab(tab),
        window: 1,
        url: format!("https://shop.example/{tab}"),
        title: format!("Page {tab}"),
        active: false,
        focused: false,
        loading: false,
        discarded: false,
        shared: true,
        held: true,
        incognito: false,
    }
}

fn element() -> Value {
    json!({"id": 1, "role": "button", "name": "Pay"})
}

fn page_reply(call: &Value) -> Value {
    let document = json!({"url": "https://shop.example/", "title": "Shop", "readyState": "complete",
        "scrollY": 0, "height": 100, "viewport": [100, 100]});
    match call["op"].as_str().unwrap_or_default() {
        "hello" => document,
        "snapshot" => json!({"document": document, "size": 1,
            "nodes": [{"role": "button", "name": "Pay", "id": 1, "acts": true}]}),
        "resolve" => json!({"fit": "equal", "candidates": [element()], "total": 1, "hidden": 0}),
        "describe" => element(),
        "extract" => extract::rows(call),
        "next_control" => json!({"element": element()}),
        "prepare" => json!({"element": element(), "point": {"x": 1, "y": 1}}),
        "settle" => json!({"quiet": true, "mutations": 0}),
        "audit" => measuring::audited(call),
        "changes" => {
            json!({"added": [], "removed": [], "changed": [], "more": 0, "scrolled": [0, 0],
            "sameDocument": true, "input": {"arrived": 1, "onTarget": true}})
        }
        _ => Value::Null,
    }
}

#[async_trait]
impl Browser for Fake {
    async fn call(&self, verb: Verb, _: Option<Asker>, _: Duration) -> Result<Value, LinkError> {
        let verb = serde_json::to_value(verb).unwrap();
        let name = verb["verb"].as_str().unwrap().to_owned();
        if name == self.loses {
            self.asked.fetch_add(1, Ordering::Relaxed);
            self.connected.store(false, Ordering::Relaxed);
            return Err(LinkError::Lost { sent: true });
        }
        // The first press is asked about.
        if self.loses == "a yes"
            && name == "press"
            && self.asked.fetch_add(1, Ordering::Relaxed) == 0
        {
            let (code, message) = (Code::ApprovalPending, "the user was asked".to_owned());
            let ask = Some("a1".to_owned());
            return Err(LinkError::Refused(VerbError { code, message, ask }));
        }
        Ok(match name.as_str() {
            "tabs" => {
                let tabs: Vec<_> = self.tabs.iter().copied().map(info).collect();
                serde_json::to_value(TabList { tabs, unshared: 0 }).unwrap()
            }
            "page" => json!([{"frame": 0, "parent": -1, "document": format!("d{}", verb["tab"]),
                "value": page_reply(&verb["call"])}]),
            "activity" => {
                self.told.lock().unwrap().push(verb["entry"].clone());
                if self.loses == "patience" {
                    std::future::pending::<()>().await;
                }
                Value::Null
            }
            "open" => json!(info(70 + self.asked.fetch_add(1, Ordering::Relaxed) as i32)),
            "attach" => json!({"epoch": 1, "fresh": true}),
            "cdp" | "press" | "keys" => json!({"results": [], "epoch": 1}),
            "plan" => json!({"asks": false}),
            "trace" if verb["on"] == false => measuring::traced(),
            _ => Value::Null,
        })
    }

    fn is_connected(&self) -> bool {
        self.connected.load(Ordering::Relaxed)
    }
}

/// These tests name no files.
pub(crate) struct NoFiles;

#[async_trait]
impl Files for NoFiles {
    async fn open(&self, path: &str) -> Result<Box<dyn Source>, FileError> {
        panic!("{path} was named")
    }

    async fn create(&self, path: &str) -> Result<Box<dyn Sink>, FileError> {
        panic!("{path} was named")
    }
}

struct Rig {
    engine: Arc<Engine>,
    session: SessionId,
    _folder: tempfile::TempDir,
}

pub(crate) fn config(folder: &std::path::Path) -> EngineConfig {
    EngineConfig {
        state_dir: folder.to_owned(),
        orphan: limits::ORPHAN,
        calls_a_minute: limits::CALLS_A_MINUTE,
    }
}

#[derive(Default)]
struct Notes(Mutex<Vec<Note>>);

impl Witness for Notes {
    fn note(&self, note: Note) {
        self.0.lock().unwrap().push(note);
    }
}

fn session(engine: &Engine, client: &str, resume: Option<String>) -> SessionGrant {
    engine.open_session(SessionOptions {
        client: client.to_owned(),
        role: Role::Mcp,
        resume,
        cwd: None,
        program: None,
        budget_percent: 100,
        tools: None,
    })
}

impl Rig {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::new(config(folder.path()));
        let session = session(&engine, "tester", None).session;
        Self { engine, session, _folder: folder }
    }

    async fn connect(&self, profile: &str, boot: &str, browser: Arc<Fake>) -> ConnectionId {
        connect(&self.engine, profile, boot, browser).await
    }

    /// Waits until the connection is lost, then brings the profile back with a sound one.
    async fn comes_back(&self, lost: ConnectionId, browser: &Fake) {
        while browser.is_connected() {
            tokio::task::yield_now().await;
        }
        self.engine.disconnect(lost);
        self.connect("home", "b1", Fake::with(&[5])).await;
    }

    async fn fails(&self, tool: &str, args: Value, code: Code) -> String {
        let reply = self.call(tool, args.clone()).await;
        let found = reply.failure.as_ref().map(|failure| failure.code);
        assert_eq!(found, Some(code), "{tool} {args}: {}", reply.text);
        reply.text
    }

    async fn call(&self, tool: &str, args: Value) -> Reply {
        call(&self.engine, &self.session, tool, args).await
    }
}

async fn connect(
    engine: &Arc<Engine>,
    profile: &str,
    boot: &str,
    browser: Arc<Fake>,
) -> ConnectionId {
    let mut changes = engine.profiles_changed.subscribe();
    let link = ProfileLink {
        id: ProfileId(profile.to_owned()),
        label: profile.to_owned(),
        consent: true,
        boot: boot.to_owned(),
        version: "1".to_owned(),
        reserved: false,
        browser,
    };
    let (_, connection) = engine.connect(link);
    changes.changed().await.unwrap();
    connection
}

async fn call(engine: &Arc<Engine>, session: &SessionId, tool: &str, args: Value) -> Reply {
    let (progress, _listener) = tokio::sync::mpsc::channel(4);
    let tool = format!("browser_{tool}");
    let record = engine.begin(session, &tool, &args);
    let call = ToolCall {
        tool,
        args,
        record: Arc::clone(&record),
        deadline: Duration::from_secs(20),
        cancel: CancellationToken::new(),
        progress,
        files: Arc::new(NoFiles),
    };
    let reply = engine.call(session, call).await;
    record.end(&reply);
    reply
}

fn numbers(engine: &Engine, profile: &str) -> Vec<u32> {
    let state = engine.state();
    let mut numbers: Vec<_> =
        state.profiles[&ProfileId(profile.to_owned())].by_chrome.values().map(|n| n.0).collect();
    numbers.sort_unstable();
    numbers
}

#[tokio::test]
async fn equal_chrome_ids_in_two_profiles_are_two_tabs() {
    let rig = Rig::new();
    rig.connect("home", "b1", Fake::with(&[5, 6])).await;
    rig.connect("work", "b1", Fake::with(&[5, 6])).await;
    let mut all = [numbers(&rig.engine, "home"), numbers(&rig.engine, "work")].concat();
    all.sort_unstable();
    assert_eq!(all, [1, 2, 3, 4]);
}

#[tokio::test]
async fn a_reconnect_keeps_numbers_and_another_browser_run_retires_them() {
    let rig = Rig::new();
    let first = rig.connect("home", "b1", Fake::with(&[5, 6])).await;
    rig.engine.disconnect(first);
    rig.connect("home", "b1", Fake::with(&[6, 5])).await;
    assert_eq!(numbers(&rig.engine, "home"), [1, 2]);
    rig.connect("home", "b2", Fake::with(&[5, 6])).await;
    assert_eq!(numbers(&rig.engine, "home"), [3, 4]);
    let reply = rig.call("snapshot", json!({"tab": 1})).await;
    assert_eq!(reply.failure.unwrap().code, Code::TabNotFound);
}

#[tokio::test]
async fn an_act_waits_for_the_user_and_says_so() {
    let rig = Rig::new();
    let connection = rig.connect("home", "b1", Fake::with(&[5])).await;
    let pay = json!({"tab": 1, "target": "button \"Pay\""});
    let before = rig.call("click", pay.clone()).await;
    assert!(before.ok && !before.text.contains("waited"), "{}", before.text);
    let kind = pillion_wire::verb::InputKind::Keys;
    rig.engine.event(connection, Event::UserInput { tab: ChromeTab(5), kind });
    let begun = std::time::Instant::now();
    // Reading disturbs nobody.
    assert!(rig.call("snapshot", json!({"tab": 1})).await.ok);
    assert!(begun.elapsed() < limits::USER_QUIET);
    let after = rig.call("click", pay).await;
    assert!(begun.elapsed() >= limits::USER_QUIET - std::time::Duration::from_millis(50));
    let lines: Vec<_> = after.text.lines().collect();
    assert!(lines[0].starts_with("clicked button \"Pay\""), "{}", after.text);
    assert!(lines[1].ends_with(" s: the user was typing here"), "{}", after.text);
}

#[tokio::test]
async fn an_act_that_waits_in_a_tab_that_the_user_stops_ends_as_stopped() {
    let rig = Rig::new();
    let connection = rig.connect("home", "b1", Fake::with(&[5])).await;
    let kind = pillion_wire::verb::InputKind::Pointer;
    rig.engine.event(connection, Event::UserInput { tab: ChromeTab(5), kind });
    let pay = json!({"tab": 1, "target": "button \"Pay\""});
    let stop = async {
        tokio::task::yield_now().await;
        let gone = Event::TabGone { tab: ChromeTab(5), unshared: true, stopped: Some(true) };
        rig.engine.event(connection, gone);
    };
    let (reply, ()) = tokio::join!(rig.call("click", pay.clone()), stop);
    assert_eq!(reply.failure.unwrap().code, Code::StoppedByUser, "{}", reply.text);
    assert_eq!(rig.call("click", pay).await.failure.unwrap().code, Code::StoppedByUser);
}

#[tokio::test]
async fn a_late_goodbye_does_not_end_the_successor() {
    let rig = Rig::new();
    let first = rig.connect("home", "b1", Fake::with(&[5])).await;
    rig.connect("home", "b1", Fake::with(&[5])).await;
    rig.engine.disconnect(first);
    assert_eq!(rig.engine.connected(), 1);
}

#[tokio::test]
async fn a_restarted_daemon_keeps_numbers_owners_and_the_floor_of_refs() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::new(config(folder.path()));
    let grant = session(&engine, "tester", None);
    connect(&engine, "home", "b1", Fake::with(&[5])).await;
    let claim =
        call(&engine, &grant.session, "click", json!({"tab": 1, "target": "button \"Pay\""})).await;
    assert!(claim.ok, "{}", claim.text);
    engine.state().leases.own(TabNumber(1), &grant.session, now_ms());
    engine.save();
    drop(engine);
    let engine = Engine::new(config(folder.path()));
    connect(&engine, "home", "b1", Fake::with(&[5])).await;
    let again = session(&engine, "tester", Some(grant.resume));
    assert_eq!(again.session, grant.session);
    let stale = call(&engine, &again.session, "click", json!({"target": "e1"})).await;
    assert_eq!(stale.failure.unwrap().code, Code::RefGone);
    let fresh = call(&engine, &again.session, "snapshot", json!({})).await;
    assert!(fresh.text.contains("[e1001]"), "{}", fresh.text);
}

#[tokio::test]
async fn a_restarted_daemon_keeps_the_names_of_profiles_in_whatever_order_they_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::new(config(folder.path()));
    // Labels that make one word: the second one gets a suffix.
    connect(&engine, "Home", "b1", Fake::with(&[5])).await;
    connect(&engine, "home!", "b2", Fake::with(&[5])).await;
    connect(&engine, "home?", "b3", Fake::with(&[])).await;
    let names = |engine: &Engine| -> Vec<(String, String)> {
        let state = engine.state();
        let mut all: Vec<_> =
            state.profiles.iter().map(|(id, p)| (id.0.clone(), p.slug.clone())).collect();
        all.sort();
        all
    };
    let before = names(&engine);
    drop(engine);
    let engine = Engine::new(config(folder.path()));
    for (profile, boot) in [("home?", "b3"), ("home!", "b2"), ("Home", "b1")] {
        connect(&engine, profile, boot, Fake::with(&[5])).await;
    }
    assert_eq!(names(&engine), before);
}

#[tokio::test]
async fn a_restarted_daemon_keeps_a_sessions_current_tab_and_chosen_profile() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::new(config(folder.path()));
    let grant = session(&engine, "tester", None);
    connect(&engine, "home", "b1", Fake::with(&[5, 6])).await;
    connect(&engine, "work", "b1", Fake::with(&[])).await;
    for number in [1, 2] {
        engine.state().leases.own(TabNumber(number), &grant.session, now_ms());
    }
    let chosen = json!({"action": "use", "profile": "work"});
    assert!(call(&engine, &grant.session, "tabs", chosen).await.ok);
    assert!(call(&engine, &grant.session, "snapshot", json!({"tab": 1})).await.ok);
    engine.save();
    drop(engine);
    let engine = Engine::new(config(folder.path()));
    connect(&engine, "home", "b1", Fake::with(&[5, 6])).await;
    let again = session(&engine, "tester", Some(grant.resume));
    let answer = call(&engine, &again.session, "snapshot", json!({})).await;
    assert!(answer.text.starts_with("tab 1"), "{}", answer.text);
    let state = engine.state();
    assert_eq!(state.sessions[&again.session].profile, Some(ProfileId("work".to_owned())));
}

#[tokio::test]
async fn an_act_whose_answer_is_lost_is_never_sent_twice() {
    let rig = Rig::new();
    let browser = Fake::losing(&[5], "press");
    let lost = rig.connect("home", "b1", browser.clone()).await;
    let back = rig.comes_back(lost, &browser);
    let (reply, ()) =
        tokio::join!(rig.call("click", json!({"tab": 1, "target": "button \"Pay\""})), back);
    assert_eq!(reply.failure.unwrap().code, Code::OutcomeUnknown);
    assert_eq!(browser.asked.load(Ordering::Relaxed), 1);
    assert!(reply.text.contains("button \"Pay\""), "a fresh look: {}", reply.text);
}

#[tokio::test]
async fn a_press_that_waits_for_the_user_goes_on_once_it_was_decided() {
    let rig = Rig::new();
    let browser = Fake::losing(&[5], "a yes");
    let link = rig.connect("home", "b1", browser.clone()).await;
    let decided = async {
        while browser.asked.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        rig.engine.event(link, Event::Decided { id: "another".to_owned() });
        rig.engine.event(link, Event::Decided { id: "a1".to_owned() });
    };
    let click = rig.call("click", json!({"tab": 1, "target": "button \"Pay\""}));
    let (reply, ()) = tokio::join!(click, decided);
    assert!(reply.ok, "{}", reply.text);
    assert_eq!(browser.asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_read_whose_answer_is_lost_is_made_again() {
    let rig = Rig::new();
    let browser = Fake::losing(&[5], "page");
    let lost = rig.connect("home", "b1", browser.clone()).await;
    let back = rig.comes_back(lost, &browser);
    let (reply, ()) = tokio::join!(rig.call("snapshot", json!({"tab": 1})), back);
    assert!(reply.ok && reply.text.contains("button \"Pay\" [e1]"), "{}", reply.text);
}

#[tokio::test]
async fn a_window_opened_by_an_own_tab_is_own() {
    let rig = Rig::new();
    let connection = rig.connect("home", "b1", Fake::with(&[5])).await;
    rig.engine.state().leases.own(TabNumber(1), &rig.session, now_ms());
    let other = session(&rig.engine, "other", None).session;
    rig.engine.event(connection, Event::OpenedBy { source: ChromeTab(5), tab: info(9) });
    let refused = call(&rig.engine, &other, "snapshot", json!({"tab": 2})).await;
    assert_eq!(refused.failure.unwrap().code, Code::TabLocked);
    assert!(rig.call("snapshot", json!({"tab": 2})).await.ok);
}
