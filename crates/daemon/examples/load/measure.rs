//! Closed loops of calls, and what they say: calls a second, times, shares of each session.

use crate::Agent;
use crate::process::DaemonProcess;
use pillion_testkit::simulation::Random;
use pillion_testkit::simulation::call;
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// What is called.
#[derive(Debug, Clone, Copy)]
pub enum Load {
    /// One verb.
    Evaluate,
    /// One page call with an outline.
    Snapshot,
    /// Eight verbs: resolve, baseline, ready, press, settle, changes.
    Click,
    /// The list of tabs: one verb to every profile.
    Tabs,
}

impl Load {
    fn call(self, tab: u64, nth: u64) -> (&'static str, Value) {
        match self {
            Self::Evaluate => ("evaluate", json!({"tab": tab, "expression": format!("m{nth}")})),
            Self::Snapshot => ("snapshot", json!({"tab": tab})),
            Self::Click => ("click", json!({"tab": tab, "target": "button \"Save\""})),
            Self::Tabs => ("tabs", json!({})),
        }
    }
}

/// Times, sorted.
pub struct Times(Vec<Duration>);

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    fn at(&self, per_mille: usize) -> f64 {
        let index = (self.0.len() * per_mille / 1_000).min(self.0.len().saturating_sub(1));
        self.0.get(index).map_or(f64::NAN, Duration::as_secs_f64) * 1_000.0
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.len();
        write!(f, "median {:.2} ms, p99 {:.2} ms of {count} calls", self.at(500), self.at(990))
    }
}

/// What a call takes beyond what the browser takes: both ends' frames, both sockets, the daemon.
pub async fn share(agents: &[Arc<Agent>], time: Duration) -> Times {
    let mut loops = JoinSet::new();
    for (seed, agent) in agents.iter().cloned().enumerate() {
        loops.spawn(async move {
            // A tab's first call attaches, which is a verb more.
            for tab in &agent.tabs {
                let (tool, args) = Load::Evaluate.call(*tab, 0);
                assert!(call(&agent.client, tool, args).await.ok);
            }
            let mut random = Random::new(seed as u64);
            let mut shares = Vec::new();
            let until = Instant::now() + time;
            while Instant::now() < until {
                let tab = agent.tabs[random.below(agent.tabs.len())];
                let (tool, args) = Load::Evaluate.call(tab, shares.len() as u64);
                let begun = Instant::now();
                let reply = call(&agent.client, tool, args).await;
                let took = begun.elapsed();
                assert!(reply.ok, "{}", reply.text);
                shares.push(took.saturating_sub(browser_time(&reply.text)));
            }
            shares
        });
    }
    let all = loops.join_all().await;
    Times::of(all.into_iter().flatten().collect())
}

/// The microseconds that the simulated browser says it took: the last word of the script's result.
fn browser_time(text: &str) -> Duration {
    let line = text.lines().find(|line| line.starts_with('m'));
    let micros = line.and_then(|line| line.rsplit(' ').next()).and_then(|word| word.parse().ok());
    Duration::from_micros(micros.expect("the simulated browser says how long it took"))
}

/// A load and what it gave.
pub struct Measured {
    load: Load,
    a_second: f64,
    times: Times,
    least: usize,
    most: usize,
    daemon: f64,
    others: f64,
    failed: usize,
}

impl Measured {
    /// Over the lines.
    pub const HEAD: &str = "load      calls/s   median ms   p99 ms   least/most of a session   \
                            daemon µs a call   others µs a call   daemon alone, 2 cores   failed";
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<9} {:>7.0} {:>11.2} {:>8.2} {:>16}/{:<8} {:>18.1} {:>18.1} {:>16.0} calls/s {:>8}",
            format!("{:?}", self.load).to_lowercase(),
            self.a_second,
            self.times.at(500),
            self.times.at(990),
            self.least,
            self.most,
            self.daemon,
            self.others,
            2e6 / self.daemon,
            self.failed,
        )
    }
}

/// Every session calls as fast as it is answered.
pub async fn run(
    load: Load,
    agents: &[Arc<Agent>],
    time: Duration,
    daemon: &DaemonProcess,
) -> Measured {
    let before = daemon.processor();
    let begun = Instant::now();
    let until = begun + time;
    let mut loops = JoinSet::new();
    for (seed, agent) in agents.iter().cloned().enumerate() {
        loops.spawn(async move {
            let mut random = Random::new(seed as u64);
            let (mut times, mut failed) = (Vec::new(), 0);
            while Instant::now() < until {
                let tab = agent.tabs[random.below(agent.tabs.len())];
                let (tool, args) = load.call(tab, times.len() as u64);
                let begun = Instant::now();
                let reply = call(&agent.client, tool, args).await;
                times.push(begun.elapsed());
                failed += usize::from(!reply.ok);
            }
            (times, failed)
        });
    }
    let done = loops.join_all().await;
    let took = begun.elapsed().as_secs_f64();
    let after = daemon.processor();
    let counts = || done.iter().map(|(times, _)| times.len());
    let total: usize = counts().sum();
    let micros = |from: f64, to: f64| (to - from) * 1e6 / total.max(1) as f64;
    Measured {
        load,
        a_second: total as f64 / took,
        least: counts().min().unwrap_or(0),
        most: counts().max().unwrap_or(0),
        daemon: micros(before.0, after.0),
        others: micros(before.1, after.1),
        failed: done.iter().map(|(_, failed)| failed).sum(),
        times: Times::of(done.into_iter().flat_map(|(times, _)| times).collect()),
    }
}
