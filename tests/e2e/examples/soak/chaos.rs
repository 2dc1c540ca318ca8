//! Kills what keeps things together, again and again, in an order that the seed tells.

use crate::stage::Stage;
use anyhow::Result;
use pillion_testkit::kill;
use pillion_testkit::simulation::Random;
use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// Between two kills.
const CALM: Duration = Duration::from_millis(2_000);
/// Between two looks at where the daemon is.
const LOOK: Duration = Duration::from_millis(50);

/// What was killed, how often.
pub type Losses = BTreeMap<&'static str, u32>;

/// Kills until then, and tells the simulated profiles where the daemon is.
pub async fn until(stage: &Stage, seed: u64, end: Instant) -> Result<Losses> {
    let mut losses = Losses::new();
    let mut random = Random::new(seed);
    let mut due = Instant::now() + CALM;
    while Instant::now() < end {
        tokio::time::sleep(LOOK).await;
        stage.fleet.moved(&stage.home);
        if Instant::now() < due {
            continue;
        }
        if let Some(what) = one(stage, &mut random).await? {
            *losses.entry(what).or_default() += 1;
        }
        due = Instant::now() + CALM;
    }
    Ok(losses)
}

/// One kill; nothing when what was chosen does not run just now.
async fn one(stage: &Stage, random: &mut Random) -> Result<Option<&'static str>> {
    let (_, browser) = &stage.browsers[random.below(stage.browsers.len())];
    Ok(match random.below(10) {
        0..4 => {
            let targets = browser.cdp.targets().await?;
            let worker = targets.iter().find(|target| target["type"] == "service_worker");
            match worker.and_then(|target| target["targetId"].as_str()) {
                Some(id) => browser.cdp.close(id).await.is_ok().then_some("worker"),
                None => None,
            }
        }
        4 => browser
            .extension_process()?
            .and_then(|pid| kill(pid).ok())
            .map(|()| "extension process"),
        5..8 => {
            let pid = stage.env.daemon_pid().await.ok();
            pid.and_then(|pid| kill(pid).ok()).map(|()| "daemon")
        }
        _ => {
            let clients = stage.clients.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let pids: Vec<u32> = clients.into_values().collect();
            let pid = (!pids.is_empty()).then(|| pids[random.below(pids.len())]);
            pid.and_then(|pid| kill(pid).ok()).map(|()| "client")
        }
    })
}
