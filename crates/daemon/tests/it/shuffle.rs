//! Many sessions in many tabs of many profiles, while connections and the daemon itself come and go:
//! every act arrives at most once, in the session's own tab, and whoever is told that nothing was
//! done is told the truth.

use crate::rig::{Rig, soon};
use pillion_client::Client;
use pillion_daemon::Config;
use pillion_os::home::Home;
use pillion_testkit::simulation::{
    Faults, Fleet, PageId, Random, Record, call, client, tab_number,
};
use pillion_wire::code::{Code, Done};
use pillion_wire::local::{Reply, Role};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

const SEED: u64 = 0x5eed;
const PROFILES: usize = 5;
const SESSIONS: usize = 6;
const TABS: usize = 3;
const ACTS: usize = 50;

/// One act as its client saw it.
struct Told {
    mark: String,
    session: String,
    /// The tab that was named, and whether it is the session's own.
    tab: Option<(u64, bool)>,
    reply: Reply,
}

fn config() -> Config {
    Config { ports: vec![0], calls_a_minute: u32::MAX, ..Config::default() }
}

/// What one agent does: opens tabs, then acts in them, and now and then in somebody else's.
struct Agent {
    client: Client,
    session: String,
    random: Random,
    slugs: Arc<Vec<String>>,
    own: Vec<u64>,
    marks: Arc<AtomicU32>,
    /// Numbers of everybody's tabs, as far as their openers know them.
    all: Arc<Mutex<Vec<u64>>>,
    /// Whether a daemon is there.
    up: watch::Receiver<bool>,
    told: Vec<Told>,
}

impl Agent {
    fn next_mark(&self) -> u32 {
        self.marks.fetch_add(1, Ordering::Relaxed)
    }

    async fn open(&mut self) {
        let mark = format!("o{}", self.next_mark());
        let url = format!("http://sim.test/?mark={mark}");
        let slug = self.slugs[self.random.below(self.slugs.len())].clone();
        let reply = call(&self.client, "navigate", json!({"url": url, "profile": slug})).await;
        let number = tab_number(&reply).filter(|_| reply.ok);
        if let Some(number) = number {
            self.own.push(number);
            self.all.lock().unwrap().push(number);
        }
        let tab = number.map(|number| (number, true));
        self.told.push(Told { mark, session: self.session.clone(), tab, reply });
    }

    async fn act(&mut self) {
        let number = self.next_mark();
        let others = self.random.per_mille(100);
        let tab = {
            let all = self.all.lock().unwrap();
            let tabs = if others { &all } else { &self.own };
            tabs[self.random.below(tabs.len())]
        };
        let own = self.own.contains(&tab);
        let (mark, tool, args) = match self.random.below(4) {
            0 => {
                let mark = format!("v{number}");
                (mark.clone(), "evaluate", json!({"tab": tab, "expression": mark}))
            }
            1 => {
                let target = format!("css=#e{number}");
                (format!("e{number}"), "click", json!({"tab": tab, "target": target}))
            }
            2 => {
                let mark = format!("f{number}");
                let fields = json!([{"target": "label=Name", "value": mark}]);
                (mark, "fill", json!({"tab": tab, "fields": fields}))
            }
            _ => {
                let mark = format!("n{number}");
                let url = format!("http://sim.test/?mark={mark}");
                (mark, "navigate", json!({"tab": tab, "url": url}))
            }
        };
        let reply = call(&self.client, tool, args).await;
        let session = self.session.clone();
        self.told.push(Told { mark, session, tab: Some((tab, own)), reply });
    }

    /// Where there is none, there is nothing to be learned from more calls.
    async fn wait_for_a_daemon(&mut self) {
        let failure = self.told.last().and_then(|told| told.reply.failure.as_ref());
        if failure.is_some_and(|failure| failure.code == Code::NotConnected) {
            self.up.wait_for(|up| *up).await.unwrap();
        }
    }

    async fn work(mut self, half: Arc<Notify>) -> Vec<Told> {
        while self.own.len() < TABS {
            self.open().await;
            self.wait_for_a_daemon().await;
        }
        for nth in 0..ACTS {
            if nth == ACTS / 2 {
                half.notify_one();
            }
            if self.random.per_mille(50) {
                // The next call goes over a new connection of the same session.
                let root = format!("/{nth}");
                self.client.update(|options| options.roots = vec![root]);
            }
            self.act().await;
            self.wait_for_a_daemon().await;
        }
        self.told
    }
}

/// Which page each number means, from the acts that opened tabs.
fn pages(told: &[Told], record: &Record) -> HashMap<u64, (PageId, String)> {
    let opened = told.iter().filter(|told| told.mark.starts_with('o') && told.reply.ok);
    let pages: HashMap<_, _> = opened
        .map(|told| {
            let arrivals = record.of(&told.mark);
            assert_eq!(arrivals.len(), 1, "{}", told.reply.text);
            let (number, _) = told.tab.unwrap();
            (number, (arrivals[0].page, told.session.clone()))
        })
        .collect();
    let mut distinct: Vec<_> = pages.values().map(|(page, _)| *page).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), pages.len(), "two numbers mean one page");
    pages
}

fn judge(told: &[Told], record: &Record) {
    for (mark, count) in record.counts() {
        assert_eq!(count, 1, "{mark} arrived {count} times");
    }
    let pages = pages(told, record);
    for Told { mark, session, tab, reply } in told {
        let arrived = record.of(mark);
        let words = format!("{mark} of {session} in {tab:?}: {}", reply.text);
        if let Some(arrival) = arrived.first() {
            assert_eq!(arrival.holder.as_ref(), Some(session), "another's tab: {words}");
            if let Some((page, owner)) = tab.and_then(|(number, _)| pages.get(&number)) {
                assert_eq!((&arrival.page, session), (page, owner), "another page: {words}");
            }
        }
        let repeats = reply.text.contains("same call again");
        assert!(arrived.is_empty() || !repeats, "told to do it again and arrived: {words}");
        match &reply.failure {
            None => assert_eq!(arrived.len(), 1, "told done and never arrived: {words}"),
            Some(failure) if failure.done == Done::No => {
                assert!(arrived.is_empty(), "told not done and arrived: {words}");
            }
            Some(_) => {}
        }
        if matches!(tab, Some((_, false))) {
            assert!(!reply.ok, "acted in another's tab: {words}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acts_arrive_at_most_once_and_in_their_own_tab() {
    let rig = Rig::with(config()).await;
    let home: Home = rig.home.clone();
    let record = Record::default();
    let fleet = Fleet::start(&home, 0..PROFILES, Some(&record), |link, number| {
        link.faults = Faults { before: 15, after: 15, seed: SEED + number as u64 };
    })
    .await
    .unwrap();
    let slugs: Arc<Vec<_>> = Arc::new(fleet.profiles.iter().map(|p| p.slug.clone()).collect());
    let (marks, all) = (Arc::new(AtomicU32::new(1)), Arc::default());
    let (half, up) = (Arc::new(Notify::new()), watch::Sender::new(true));
    let mut agents = JoinSet::new();
    for nth in 0..SESSIONS {
        let client = client(&home, Role::Mcp, &format!("agent {nth}"));
        let agent = Agent {
            session: client.session().await.unwrap(),
            client,
            random: Random::new(SEED * 31 + nth as u64),
            slugs: Arc::clone(&slugs),
            own: vec![],
            marks: Arc::clone(&marks),
            all: Arc::clone(&all),
            up: up.subscribe(),
            told: vec![],
        };
        agents.spawn(agent.work(Arc::clone(&half)));
    }
    // Half way the daemon ends and another takes its place.
    soon(half.notified()).await;
    up.send_replace(false);
    let rig = rig.restart_with(config()).await;
    fleet.moved(&home);
    up.send_replace(true);
    let told: Vec<Told> = soon(agents.join_all()).await.into_iter().flatten().collect();
    let lost: u32 = fleet.lost();
    assert!(lost > PROFILES as u32, "connections were lost: {lost}");
    judge(&told, &record);
    let done = told.iter().filter(|told| told.reply.ok).count();
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for failure in told.iter().filter_map(|told| told.reply.failure.as_ref()) {
        *codes.entry(failure.code.as_str()).or_default() += 1;
    }
    let summary =
        format!("{} acts, {done} done, {lost} connections lost, failures {codes:?}", told.len());
    assert!(done > told.len() / 2, "{summary}");
    assert!(codes.contains_key(Code::OutcomeUnknown.as_str()), "{summary}");
    println!("{summary}");
    rig.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_read_one_tab_get_equal_shares() {
    const READERS: u32 = 5;
    const READS: u32 = 200;
    const PAGE: u64 = 5_000;
    let rig = Rig::with(config()).await;
    // Pages that take longer than everything else: it is the tab that is shared out.
    let fleet = Fleet::start(&rig.home, 0..2, None, |link, number| {
        link.latency.store(PAGE, Ordering::Relaxed);
        if number == 1 {
            link.browser.share("http://sim.test/shared");
        }
    })
    .await
    .unwrap();
    let lister = client(&rig.home, Role::Mcp, "lister");
    let list = call(&lister, "tabs", json!({})).await.text;
    assert!(list.contains("sim.test/shared"), "{list}");
    let left = Arc::new(AtomicU32::new(READS));
    let mut readers = JoinSet::new();
    for nth in 0..READERS {
        let reader = client(&rig.home, Role::Mcp, &format!("reader {nth}"));
        reader.warm().await.unwrap();
        let left = Arc::clone(&left);
        readers.spawn(async move {
            let mut count = 0;
            let takes = |left: u32| left.checked_sub(1);
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, takes).is_ok() {
                let reply = call(&reader, "snapshot", json!({"tab": 1})).await;
                assert!(reply.ok, "{}", reply.text);
                count += 1;
            }
            count
        });
    }
    let counts: Vec<u32> = soon(readers.join_all()).await;
    let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
    assert!(least * 2 >= *most, "{counts:?}");
    drop(fleet);
    rig.end().await;
}
