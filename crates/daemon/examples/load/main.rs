//! The daemon under load: a daemon in a process of its own, simulated profiles and real clients in
//! this one. Run by `cargo xtask bench daemon`; prints one table. Only here is the rate limit off.

#![expect(clippy::unwrap_used, reason = "a measurement: whatever fails ends it")]
#![expect(clippy::print_stdout, reason = "what was measured is printed")]

mod measure;
mod process;

use measure::{Load, Measured, share};
use pillion_client::Client;
use pillion_daemon::{Config, Home, run_with};
use pillion_testkit::simulation::Random;
use pillion_testkit::simulation::{Fleet, call, client, tab_number};
use pillion_wire::local::Role;
use process::DaemonProcess;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Sessions that are active while the daemon's own share is measured.
const SHARE_SESSIONS: usize = 32;
/// What a page takes meanwhile, microseconds.
const SHARE_PAGE: u64 = 10_000;
/// A daemon whose bench went away ends after this long.
const ORPHANED: Duration = Duration::from_secs(20);

/// What to put on the daemon.
#[derive(Debug, Clone, Copy)]
struct Plan {
    sessions: usize,
    profiles: usize,
    tabs: usize,
    seconds: u64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    match words.as_slice() {
        ["daemon", home] => runtime.block_on(daemon(Path::new(home))),
        [sessions, profiles, tabs, seconds] => {
            let number = |text: &str| text.parse::<usize>().unwrap();
            let plan = Plan {
                sessions: number(sessions).max(1),
                profiles: number(profiles).clamp(1, pillion_wire::limits::LIVE_PROFILES),
                tabs: number(tabs),
                seconds: number(seconds).max(1) as u64,
            };
            runtime.block_on(bench(plan));
        }
        _ => println!("load SESSIONS PROFILES TABS SECONDS"),
    }
}

async fn daemon(home: &Path) {
    let home = Home::open(Some(home)).unwrap();
    let config =
        Config { ports: vec![0], idle: ORPHANED, calls_a_minute: u32::MAX, ..Config::default() };
    run_with(home, config, CancellationToken::new()).await.unwrap();
}

async fn bench(plan: Plan) {
    let Plan { sessions, profiles, tabs, seconds } = plan;
    let dir = tempfile::tempdir().unwrap();
    let home = Home::open(Some(&dir.path().join("home"))).unwrap();
    let daemon = DaemonProcess::start(&home).await;
    let keeper = client(&home, Role::Cli, "keeper");
    keeper.warm().await.unwrap();
    let latency = Arc::new(AtomicU64::new(0));
    let first = link(&home, 0..1, &latency).await;
    let idle = daemon.memory();
    let rest = link(&home, 1..profiles.max(2), &latency).await;
    let slugs: Vec<_> =
        first.profiles.iter().chain(&rest.profiles).map(|profile| profile.slug.clone()).collect();
    let (begun, before) = (Instant::now(), daemon.processor().0);
    let clients = open(&home, plan, &slugs).await;
    let (opening, processor) = (begun.elapsed(), daemon.processor().0 - before);
    let loaded = daemon.memory();
    println!("{sessions} sessions, {} profiles, {tabs} tabs, {seconds} s each", slugs.len());
    println!(
        "opening the tabs: {:.1} s, {processor:.1} s of it in the daemon",
        opening.as_secs_f64()
    );
    println!("memory: idle with 1 profile {:.1} MB, with all tabs {:.1} MB", idle.0, loaded.0);

    latency.store(SHARE_PAGE, Ordering::Relaxed);
    let active: Vec<_> = clients.iter().take(SHARE_SESSIONS).cloned().collect();
    let shares = share(&active, Duration::from_secs(seconds)).await;
    println!("own share, {} sessions on pages that take 10 ms: {shares}", active.len());
    latency.store(0, Ordering::Relaxed);

    println!("{}", Measured::HEAD);
    for load in [Load::Evaluate, Load::Snapshot, Load::Click, Load::Tabs] {
        println!("{}", measure::run(load, &clients, Duration::from_secs(seconds), &daemon).await);
    }
    let after = daemon.memory();
    println!("memory: after the load {:.1} MB, highest {:.1} MB", after.0, after.1);
    drop((clients, keeper));
    daemon.end().await;
}

async fn link(home: &Home, numbers: std::ops::Range<usize>, latency: &Arc<AtomicU64>) -> Fleet {
    Fleet::start(home, numbers, None, |link, _| link.latency = Arc::clone(latency)).await.unwrap()
}

/// A client with its own tabs, spread over the profiles.
struct Agent {
    pub(crate) client: Client,
    pub(crate) tabs: Vec<u64>,
}

async fn open(home: &Home, plan: Plan, slugs: &[String]) -> Vec<Arc<Agent>> {
    let mut opening = JoinSet::new();
    for nth in 0..plan.sessions {
        let client = client(home, Role::Mcp, &format!("agent {nth}"));
        let each = (plan.tabs / plan.sessions).max(1);
        let slugs = slugs.to_vec();
        opening.spawn(async move {
            let mut random = Random::new(nth as u64);
            let mut tabs = Vec::new();
            for tab in 0..each {
                let url = format!("http://sim.test/{nth}/{tab}");
                let slug = &slugs[random.below(slugs.len())];
                let reply = call(&client, "navigate", json!({"url": url, "profile": slug})).await;
                assert!(reply.ok, "{}", reply.text);
                tabs.push(tab_number(&reply).unwrap());
            }
            Arc::new(Agent { client, tabs })
        });
    }
    opening.join_all().await
}
