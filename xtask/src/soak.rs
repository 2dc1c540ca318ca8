//! `cargo xtask soak`: many agents in several real browsers while workers and the daemon are killed
//! at random. Every act carries a mark that the page's server records: no mark may arrive twice or
//! from another agent's page, and none may be told done that did not arrive.

use crate::shell::root;
use crate::{build, prepare, ui};
use anyhow::{Context, Result, ensure};
use clap::Args;
use pillion_testkit::{McpClient, OneDaemon, RideBrowser, Server, TestEnv, Window, kill, until};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two acts of one agent: below the rate limit.
const PACE: Duration = Duration::from_millis(550);
/// Between two kills.
const CALM: Duration = Duration::from_millis(2_500);
/// Everything connects within this.
const CONNECT: Duration = Duration::from_secs(60);

/// How long and how hard.
#[derive(Args)]
pub struct Plan {
    /// Seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Agents.
    #[arg(long, default_value_t = 6)]
    agents: usize,
    /// Browsers.
    #[arg(long, default_value_t = 2)]
    browsers: usize,
    /// For the order of the kills.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What one act was answered with: `ok`, or the code.
type Answers = BTreeMap<String, String>;

/// The chore: builds, runs the soak and prints its report.
pub fn run(plan: &Plan) -> Result<()> {
    prepare::browser()?;
    let binary = build::run_all(false)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(soak(plan, &binary, &root().join("tests/fixtures/e2e")))
}

async fn soak(plan: &Plan, pillion: &Path, fixtures: &Path) -> Result<()> {
    let _lock = OneDaemon::lock()?;
    let server = Arc::new(Server::start(&[("/", fixtures)]).await?);
    let env = Arc::new(TestEnv::new(pillion)?);
    let mut browsers = Vec::new();
    for nth in 0..plan.browsers {
        browsers
            .push(RideBrowser::launch_as(&env, Window::Headless, &format!("browser-{nth}")).await?);
    }
    let slugs = slugs(&env, plan.browsers).await?;
    let end = Instant::now() + Duration::from_secs(plan.seconds);
    let agents: Vec<_> = (0..plan.agents)
        .map(|nth| {
            let (env, server) = (Arc::clone(&env), Arc::clone(&server));
            let slug = slugs[nth % slugs.len()].clone();
            tokio::spawn(async move { agent(&env, &server, nth, &slug, end).await })
        })
        .collect();
    let kills = chaos(&env, &browsers, plan.seed, end).await?;
    let mut answers = Answers::new();
    for agent in agents {
        answers.extend(agent.await?.context("an agent gave up")?);
    }
    judge(&server, &answers, &kills)
}

async fn slugs(env: &TestEnv, wanted: usize) -> Result<Vec<String>> {
    let client = McpClient::start(env, "soak").await?;
    let wait = if wanted == 1 { "one profile" } else { "all profiles" };
    until(wait, CONNECT, || async {
        let status = env.status().await?.unwrap_or(Value::Null);
        client.call("browser_tabs", json!({})).await?;
        let profiles = status["profiles"].as_array().cloned().unwrap_or_default();
        let slugs: Vec<String> = profiles
            .iter()
            .filter(|profile| profile["connected"] == true)
            .filter_map(|profile| profile["slug"].as_str().map(str::to_owned))
            .collect();
        Ok((slugs.len() == wanted).then_some(slugs))
    })
    .await
}

/// One agent's acts and how each was answered.
async fn agent(
    env: &TestEnv,
    server: &Server,
    nth: usize,
    slug: &str,
    end: Instant,
) -> Result<Answers> {
    let client = McpClient::start(env, &format!("agent-{nth}")).await?;
    let url = server.url(&format!("/mark.html?client={nth}"));
    let mut answers = Answers::new();
    let mut tab = None;
    let mut count = 0;
    while Instant::now() < end {
        tokio::time::sleep(PACE).await;
        let Some(number) = tab else {
            let opened =
                client.call("browser_navigate", json!({"url": url, "profile": slug})).await?;
            tab = (!opened.is_error).then(|| opened.tab()).transpose()?;
            continue;
        };
        count += 1;
        let mark = format!("a{nth}m{count}");
        let fields = json!([{"target": "label=Mark", "value": mark}]);
        let filled = client.call("browser_fill", json!({"tab": number, "fields": fields})).await?;
        if filled.is_error {
            if matches!(filled.code(), "TAB_NOT_FOUND" | "TAB_NOT_SHARED") {
                tab = None;
            }
            answers.insert(mark, format!("fill {}", filled.code()));
            continue;
        }
        let click = json!({"tab": number, "target": "button \"Send\""});
        let clicked = client.call("browser_click", click).await?;
        let answer = if clicked.is_error { clicked.code().to_owned() } else { "ok".to_owned() };
        answers.insert(mark, answer);
    }
    Ok(answers)
}

/// Kills a worker or the daemon, again and again. Gives what was killed how often.
async fn chaos(
    env: &TestEnv,
    browsers: &[RideBrowser],
    seed: u64,
    end: Instant,
) -> Result<BTreeMap<&'static str, u32>> {
    let mut kills = BTreeMap::new();
    let mut state = seed.max(1);
    while Instant::now() + CALM < end {
        tokio::time::sleep(CALM).await;
        // Xorshift: the same seed, the same kills.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let what = if state.is_multiple_of(3) {
            // None may run just now: then there is nothing to kill.
            let Ok(pid) = env.daemon_pid().await else { continue };
            kill(pid)?;
            "daemon"
        } else {
            let browser = &browsers[(state >> 8) as usize % browsers.len()];
            let targets = browser.cdp.targets().await?;
            let worker = targets.iter().find(|target| target["type"] == "service_worker");
            let Some(id) = worker.and_then(|target| target["targetId"].as_str()) else { continue };
            browser.cdp.close(id).await?;
            "worker"
        };
        *kills.entry(what).or_insert(0) += 1;
    }
    Ok(kills)
}

fn judge(server: &Server, answers: &Answers, kills: &BTreeMap<&'static str, u32>) -> Result<()> {
    let mut arrived: BTreeMap<String, u32> = BTreeMap::new();
    let mut astray = 0;
    for seen in server.seen("/echo/mark?page=") {
        let field = |name: &str| {
            let rest = seen.target.split(name).nth(1).unwrap_or_default();
            rest.split('&').next().unwrap_or_default().to_owned()
        };
        let (page, mark) = (field("page="), field("mark="));
        astray += u32::from(!mark.starts_with(&format!("a{page}m")));
        *arrived.entry(mark).or_default() += 1;
    }
    let twice = arrived.values().filter(|count| **count > 1).count();
    let lost =
        answers.iter().filter(|(mark, answer)| *answer == "ok" && !arrived.contains_key(*mark));
    let lost: Vec<_> = lost.map(|(mark, _)| mark.clone()).collect();
    let mut codes: BTreeMap<&str, u32> = BTreeMap::new();
    for answer in answers.values() {
        *codes.entry(answer).or_default() += 1;
    }
    ui::say(&format!("acts {}, arrived {}, kills {kills:?}", answers.len(), arrived.len()));
    ui::say(&format!("answers {codes:?}"));
    ui::say(&format!(
        "twice {twice}, on another page {astray}, told done but not done {}",
        lost.len()
    ));
    ensure!(twice == 0 && astray == 0 && lost.is_empty(), "lost: {lost:?}");
    Ok(())
}
