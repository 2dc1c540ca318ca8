//! Whatever becomes of browsers, connections and the engine: a tab's number means one page for ever,
//! also where several profiles use the same ids and one browser uses an id again. No sockets here.

use async_trait::async_trait;
use pillion_engine::{
    Browser, ConnectionId, Engine, EngineConfig, FileError, Files, LinkError, ProfileLink,
    SessionOptions, Sink, Source, ToolCall,
};
use pillion_testkit::simulation::{Answer, PageId, Record, SimBrowser};
use pillion_wire::id::{ProfileId, SessionId};
use pillion_wire::limits::{CALL, ORPHAN};
use pillion_wire::link::Asker;
use pillion_wire::local::{Reply, Role};
use pillion_wire::verb::{Event, Verb};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const PROFILES: usize = 3;
const SESSIONS: usize = 2;

/// One thing that happens. Numbers choose among what there is.
#[derive(Debug, Clone)]
enum Step {
    /// A session opens a tab.
    Open { profile: usize, session: usize },
    /// The user shares a new tab; told at once, or with the next connection.
    Share { profile: usize, told: bool },
    /// A session looks which tabs there are.
    List { session: usize },
    /// A session acts in a tab by a number that was ever shown.
    Act { nth: usize, session: usize },
    /// The connection is lost and comes back, in the same run of the browser.
    Reconnect { profile: usize },
    /// The browser ends and is opened again; its ids start anew.
    RestartBrowser { profile: usize, rotate: usize },
    /// Chrome gives a tab another id; told, or not seen because the link was down.
    Renumber { profile: usize, nth: usize, told: bool },
    /// The user closes a tab; told, or not seen.
    Close { profile: usize, nth: usize, told: bool },
    /// The daemon is killed and started again.
    RestartEngine,
}

fn step() -> impl Strategy<Value = Step> {
    let (profile, session, nth) = (0..PROFILES, 0..SESSIONS, 0..30_usize);
    prop_oneof![
        4 => (profile.clone(), session.clone())
            .prop_map(|(profile, session)| Step::Open { profile, session }),
        2 => (profile.clone(), any::<bool>())
            .prop_map(|(profile, told)| Step::Share { profile, told }),
        2 => session.clone().prop_map(|session| Step::List { session }),
        8 => (nth.clone(), session).prop_map(|(nth, session)| Step::Act { nth, session }),
        2 => profile.clone().prop_map(|profile| Step::Reconnect { profile }),
        1 => (profile.clone(), 0..4_usize)
            .prop_map(|(profile, rotate)| Step::RestartBrowser { profile, rotate }),
        2 => (profile.clone(), nth.clone(), any::<bool>())
            .prop_map(|(profile, nth, told)| Step::Renumber { profile, nth, told }),
        1 => (profile, nth, any::<bool>())
            .prop_map(|(profile, nth, told)| Step::Close { profile, nth, told }),
        1 => Just(Step::RestartEngine),
    ]
}

/// A simulated browser as the engine calls it.
struct Wire {
    browser: Arc<SimBrowser>,
    up: AtomicBool,
    engine: Arc<Engine>,
    connection: OnceLock<ConnectionId>,
}

impl Wire {
    fn tell(&self, event: Event) {
        if let Some(connection) = self.connection.get() {
            self.engine.event(*connection, event);
        }
    }
}

#[async_trait]
impl Browser for Wire {
    async fn call(&self, verb: Verb, _: Option<Asker>, _: Duration) -> Result<Value, LinkError> {
        if !self.is_connected() {
            return Err(LinkError::Lost { sent: false });
        }
        let Answer { before, value, after } = self.browser.answer(verb);
        before.into_iter().chain(after).for_each(|event| self.tell(event));
        value.map_err(LinkError::Refused)
    }

    fn is_connected(&self) -> bool {
        self.up.load(Ordering::Relaxed)
    }
}

/// What a number was shown to mean.
struct Known {
    page: PageId,
    /// The session that opened it.
    owner: Option<usize>,
    /// Nothing has happened that may end the number.
    stands: bool,
}

struct World {
    dir: TempDir,
    engine: Arc<Engine>,
    record: Record,
    browsers: Vec<Arc<SimBrowser>>,
    boots: Vec<u32>,
    wires: Vec<Arc<Wire>>,
    sessions: Vec<(SessionId, String)>,
    known: BTreeMap<u64, Known>,
    marks: u32,
}

/// These tests name no files.
struct NoFiles;

#[async_trait]
impl Files for NoFiles {
    async fn open(&self, path: &str) -> Result<Box<dyn Source>, FileError> {
        panic!("{path} was named")
    }

    async fn create(&self, path: &str) -> Result<Box<dyn Sink>, FileError> {
        panic!("{path} was named")
    }
}

fn engine(dir: &TempDir) -> Arc<Engine> {
    let state_dir = dir.path().to_owned();
    Engine::new(EngineConfig { state_dir, orphan: ORPHAN, calls_a_minute: u32::MAX })
}

fn session(engine: &Engine, nth: usize, resume: Option<String>) -> (SessionId, String) {
    let grant = engine.open_session(SessionOptions {
        client: format!("agent {nth}"),
        role: Role::Mcp,
        resume,
        cwd: None,
        program: None,
        budget_percent: 100,
        tools: None,
    });
    (grant.session, grant.resume)
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (engine, record) = (engine(&dir), Record::default());
        let browsers =
            (0..PROFILES).map(|nth| Arc::new(SimBrowser::new(nth, Some(record.clone()))));
        let mut world = Self {
            browsers: browsers.collect(),
            boots: vec![0; PROFILES],
            wires: vec![],
            sessions: (0..SESSIONS).map(|nth| session(&engine, nth, None)).collect(),
            known: BTreeMap::new(),
            marks: 0,
            dir,
            engine,
            record,
        };
        world.wires = (0..PROFILES).map(|profile| world.wire(profile)).collect();
        world
    }

    fn wire(&self, profile: usize) -> Arc<Wire> {
        let wire = Arc::new(Wire {
            browser: Arc::clone(&self.browsers[profile]),
            up: AtomicBool::new(true),
            engine: Arc::clone(&self.engine),
            connection: OnceLock::new(),
        });
        let (_, connection) = self.engine.connect(ProfileLink {
            id: ProfileId(format!("profile {profile}")),
            label: format!("P{profile}"),
            consent: true,
            boot: self.boots[profile].to_string(),
            version: "0.1.0".into(),
            reserved: false,
            browser: Arc::clone(&wire) as Arc<dyn Browser>,
        });
        wire.connection.set(connection).ok();
        wire
    }

    fn disconnect(&self, profile: usize) {
        self.wires[profile].up.store(false, Ordering::Relaxed);
        if let Some(connection) = self.wires[profile].connection.get() {
            self.engine.disconnect(*connection);
        }
    }

    fn reconnect(&mut self, profile: usize) {
        self.disconnect(profile);
        self.wires[profile] = self.wire(profile);
    }

    async fn call(&self, session: usize, tool: &str, args: Value) -> Reply {
        let (progress, _told) = mpsc::channel(1);
        let cancel = CancellationToken::new();
        let tool = format!("browser_{tool}");
        let session = &self.sessions[session].0;
        let record = self.engine.begin(session, &tool, &args);
        let files = Arc::new(NoFiles);
        let call = ToolCall { tool, args, deadline: CALL, cancel, progress, files, record };
        self.engine.call(session, call).await
    }

    fn mark(&mut self) -> String {
        self.marks += 1;
        format!("m{}", self.marks)
    }

    /// A number was shown for a page.
    fn learn(&mut self, number: u64, page: PageId, owner: Option<usize>) {
        let known = self.known.entry(number).or_insert(Known { page, owner, stands: true });
        assert_eq!(known.page, page, "tab {number} means another page now");
    }

    /// Something happened to a page that its number need not survive.
    fn shake(&mut self, which: impl Fn(PageId) -> bool) {
        self.known.values_mut().filter(|known| which(known.page)).for_each(|k| k.stands = false);
    }

    async fn open(&mut self, profile: usize, session: usize) {
        let mark = self.mark();
        let url = format!("http://sim.test/mark={mark}");
        let reply =
            self.call(session, "navigate", json!({"url": url, "profile": format!("p{profile}")}));
        let reply = reply.await;
        assert!(reply.ok, "{}", reply.text);
        let number = pillion_testkit::simulation::tab_number(&reply).unwrap();
        let arrivals = self.record.of(&mark);
        assert_eq!(arrivals.len(), 1);
        assert_eq!(arrivals[0].page.profile, profile);
        assert!(!self.known.contains_key(&number), "tab {number} was shown before");
        self.learn(number, arrivals[0].page, Some(session));
    }

    async fn list(&mut self, session: usize) {
        let reply = self.call(session, "tabs", json!({})).await;
        assert!(reply.ok, "{}", reply.text);
        let pages: Vec<_> = self.browsers.iter().flat_map(|browser| browser.pages()).collect();
        for line in reply.text.lines() {
            let mut words = line.split(' ');
            let Some(number) = words.next().and_then(|word| word.parse().ok()) else { continue };
            let address = words.find(|word| word.contains("sim.test/"));
            let Some((_, path)) = address.and_then(|word| word.split_once("sim.test/")) else {
                continue;
            };
            let mut here = pages.iter().filter(|(_, url)| url.ends_with(&format!("/{path}")));
            let (page, _) = here.next().unwrap_or_else(|| panic!("no such page: {line}"));
            self.learn(number, *page, None);
        }
    }

    async fn act(&mut self, nth: usize, session: usize) {
        let Some(number) = self.known.keys().nth(nth % self.known.len().max(1)).copied() else {
            return;
        };
        let mark = self.mark();
        let reply =
            self.call(session, "evaluate", json!({"tab": number, "expression": mark})).await;
        let arrivals = self.record.of(&mark);
        let known = &self.known[&number];
        let words = format!("tab {number}, session {session}: {}", reply.text);
        assert_eq!(arrivals.len(), usize::from(reply.ok), "{words}");
        if let Some(arrival) = arrivals.first() {
            assert_eq!(arrival.page, known.page, "{words}");
            assert!(known.owner.is_none_or(|owner| owner == session), "another's: {words}");
        }
        if known.stands && known.owner == Some(session) {
            assert!(reply.ok, "the tab is there and the session's own: {words}");
        }
    }

    /// Something that the browser does by itself, told over the standing link or found by the next.
    fn happens(&mut self, profile: usize, told: bool, what: impl Fn(&SimBrowser) -> Option<Event>) {
        if told {
            if let Some(event) = what(&self.browsers[profile]) {
                self.wires[profile].tell(event);
            }
        } else {
            self.disconnect(profile);
            what(&self.browsers[profile]);
            self.wires[profile] = self.wire(profile);
        }
    }

    fn nth_page(&self, profile: usize, nth: usize) -> Option<PageId> {
        let pages = self.browsers[profile].pages();
        pages.get(nth % pages.len().max(1)).map(|(page, _)| *page)
    }

    async fn step(&mut self, step: Step) {
        match step {
            Step::Open { profile, session } => self.open(profile, session).await,
            Step::Share { profile, told } => {
                let url = format!("http://sim.test/{}", self.mark());
                self.happens(profile, told, |browser| Some(browser.share(&url).0));
            }
            Step::List { session } => self.list(session).await,
            Step::Act { nth, session } => self.act(nth, session).await,
            Step::Reconnect { profile } => self.reconnect(profile),
            Step::RestartBrowser { profile, rotate } => {
                self.disconnect(profile);
                self.browsers[profile].restart(rotate);
                self.boots[profile] += 1;
                self.shake(|page| page.profile == profile);
                self.wires[profile] = self.wire(profile);
            }
            Step::Renumber { profile, nth, told } => {
                let Some(page) = self.nth_page(profile, nth) else { return };
                self.happens(profile, told, |browser| browser.renumber(page));
                if !told {
                    self.shake(|other| other == page);
                }
            }
            Step::Close { profile, nth, told } => {
                let Some(page) = self.nth_page(profile, nth) else { return };
                self.happens(profile, told, |browser| browser.close(page));
                self.shake(|other| other == page);
            }
            Step::RestartEngine => {
                (0..PROFILES).for_each(|profile| self.disconnect(profile));
                self.engine = engine(&self.dir);
                for (nth, (id, resume)) in self.sessions.iter_mut().enumerate() {
                    let (again, token) = session(&self.engine, nth, Some(resume.clone()));
                    assert_eq!((&again, &token), (&*id, &*resume), "the session goes on");
                }
                self.wires = (0..PROFILES).map(|profile| self.wire(profile)).collect();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_number_means_one_page_for_ever(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut world = World::new();
            for step in steps {
                world.step(step).await;
            }
        });
    }
}

#[tokio::test]
async fn a_ref_never_comes_twice_even_after_a_kill() {
    let mut world = World::new();
    world.open(0, 0).await;
    let highest = |text: &str| {
        let refs = text.split("[e").skip(1);
        refs.filter_map(|rest| rest.split(']').next()?.parse::<u32>().ok()).max().unwrap_or(0)
    };
    let lowest = |text: &str| {
        let refs = text.split("[e").skip(1);
        refs.filter_map(|rest| rest.split(']').next()?.parse::<u32>().ok()).min().unwrap_or(0)
    };
    let mut old = 0;
    for nth in 0..300 {
        let url = format!("http://sim.test/{nth}");
        world.call(0, "navigate", json!({"tab": 1, "url": url})).await;
        old = old.max(highest(&world.call(0, "snapshot", json!({"tab": 1})).await.text));
    }
    assert!(old > 1_000, "more than one block was used: {old}");
    world.step(Step::RestartEngine).await;
    let text = world.call(0, "snapshot", json!({"tab": 1})).await.text;
    assert!(lowest(&text) > old, "e{old} was shown before: {text}");
}
