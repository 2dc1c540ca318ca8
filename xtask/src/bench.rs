//! Our tools beside a bare debugging client, in one browser, on the same pages, in turns: ratios
//! of medians. Absolute times say something about the machine, ratios about us.

pub mod daemon;
mod floor;
mod table;

use crate::shell::root;
use crate::{build, prepare, ui};
use anyhow::{Context, Result};
use floor::Floor;
use pillion_testkit::{McpClient, OneDaemon, RideBrowser, Server, TestEnv, Window, until};
use serde_json::json;
use std::time::{Duration, Instant};
use table::Row;

/// Pages, and a button that each has (a link on the large one).
const PAGES: [(&str, &str, &str); 4] = [
    ("small page", "small.html", "button \"Press\""),
    ("login form", "login.html", "button \"Sign in\""),
    ("300-row table", "table.html", "row \"Person 7\" >> button \"Edit\""),
    ("20,000 nodes", "big.html", "link \"Open 1-1\""),
];
/// A browser that was just started.
const CONNECT: Duration = Duration::from_secs(30);
/// The rate limit of one session, and what it would do to a bench.
const ROUNDS: usize = 40;

/// The chore.
pub fn run(rounds: usize) -> Result<()> {
    prepare::browser()?;
    let rounds = rounds.clamp(1, ROUNDS);
    let binary = build::run_all(true)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let _lock = OneDaemon::lock()?;
        let env = TestEnv::new(&binary)?;
        let browser = RideBrowser::launch(&env, Window::Headless).await?;
        let server = Server::start(&[("/", &root().join("tests/fixtures/e2e"))]).await?;
        starts(&env, rounds).await?;
        let mut rows = Vec::new();
        for (title, file, target) in PAGES {
            ui::say(&format!("{title}: {rounds} rounds"));
            rows.extend(page(&env, &browser, &server, (title, file, target), rounds).await?);
        }
        table::print(&rows);
        memory(&env).await
    })
}

/// Process start to the list of tools, beside the same binary doing nothing.
async fn starts(env: &TestEnv, rounds: usize) -> Result<()> {
    let (mut bare, mut listed) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let begun = Instant::now();
        env.run(&["--version"]).await?;
        bare.push(begun.elapsed());
        let begun = Instant::now();
        let client = McpClient::start(env, "bench").await?;
        client.request("tools/list", json!({})).await?;
        listed.push(begun.elapsed());
    }
    let (bare, listed) = (table::median(&mut bare), table::median(&mut listed));
    ui::say(&format!(
        "spawn to tools/list {:.1} ms, --version {:.1} ms",
        table::ms(listed),
        table::ms(bare)
    ));
    Ok(())
}

async fn page(
    env: &TestEnv,
    browser: &RideBrowser,
    server: &Server,
    (title, file, target): (&'static str, &str, &str),
    rounds: usize,
) -> Result<Vec<Row>> {
    let agent = McpClient::start(env, "bench").await?;
    let url = server.url(&format!("/{file}"));
    let opened = until("a connected browser", CONNECT, || async {
        Ok(Some(agent.ok("browser_navigate", json!({"url": url})).await?))
    })
    .await?;
    let tab = opened.tab()?;
    let floor = Floor::open(&browser.cdp, &url).await?;
    let mut rows: Vec<Row> = ["navigate", "snapshot", "click", "evaluate", "screenshot"]
        .into_iter()
        .map(|what| Row::new(title, what))
        .collect();
    for _ in 0..rounds {
        for row in &mut rows {
            let (tool, arguments) = match row.what {
                "navigate" => ("browser_navigate", json!({"tab": tab, "url": url})),
                "snapshot" => ("browser_snapshot", json!({"tab": tab})),
                "click" => ("browser_click", json!({"tab": tab, "target": target})),
                "evaluate" => ("browser_evaluate", json!({"tab": tab, "expression": "6 * 7"})),
                _ => ("browser_screenshot", json!({"tab": tab})),
            };
            let begun = Instant::now();
            let answer = agent.ok(tool, arguments).await?;
            row.ours.push(begun.elapsed());
            row.chars = answer.text.chars().count();
            let begun = Instant::now();
            floor.run(row.what).await.with_context(|| row.what)?;
            row.floor.push(begun.elapsed());
        }
    }
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    floor.close().await?;
    Ok(rows)
}

/// Resident memory of the daemon after all that.
async fn memory(env: &TestEnv) -> Result<()> {
    let pid = env.daemon_pid().await?;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or("VmRSS: unknown");
    ui::say(&format!("daemon: {}", line.split_whitespace().collect::<Vec<_>>().join(" ")));
    Ok(())
}
