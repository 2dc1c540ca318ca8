//! Pages that have too much of something: a cut answer or a code, in time, and a daemon that stays small.

use anyhow::{Context as _, Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{McpClient, until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// No call outlives this.
const CALL: Duration = Duration::from_secs(52);
/// The daemon's memory is back within this.
const CALM: Duration = Duration::from_secs(30);
/// Largest answer to a call that asked for no more, characters; the names of all frames are in none.
const MOST: usize = 12_000;
/// What the daemon may keep of such pages, kB: a debug build's allocator gives little back.
const KEPT_KB: u64 = 96 * 1024;
/// Characters that turn, hide or control what is printed.
const MARKS: [char; 7] =
    ['\u{202E}', '\u{2066}', '\u{7}', '\u{200B}', '\u{2028}', '\u{E0041}', '\u{1B}'];

/// Memory of the daemon in kB.
async fn memory(rig: &Rig) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", rig.env.daemon_pid().await?))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
    line.split_whitespace().nth(1).context("no figure")?.parse().context("no number")
}

/// Every reading tool over one such page.
async fn read_all(rig: &mut Rig, agent: &McpClient, what: &str) -> Result<String> {
    let opened = rig.open(agent, &format!("gross.html?what={what}")).await?;
    let tab = opened.tab;
    let mut all = String::new();
    let calls: [(&str, Value); 8] = [
        ("browser_snapshot", json!({"tab": tab})),
        ("browser_snapshot", json!({"tab": tab, "query": "words"})),
        ("browser_text", json!({"tab": tab})),
        ("browser_overview", json!({"tab": tab})),
        ("browser_inspect_element", json!({"tab": tab, "target": "body", "show": ["html"]})),
        ("browser_audit", json!({"tab": tab})),
        ("browser_logs", json!({"tab": tab, "kind": "network"})),
        ("browser_baseline", json!({"tab": tab, "action": "set"})),
    ];
    for (tool, args) in calls {
        let begun = Instant::now();
        let answer = agent.call(tool, args).await?;
        ensure!(begun.elapsed() < CALL, "{what}: {tool} took {:?}", begun.elapsed());
        ensure!(!answer.is_error || !answer.code().is_empty(), "{what}: {tool}: {}", answer.text);
        let length = answer.text.chars().count();
        ensure!(length < MOST, "{what}: {tool} gave {length} characters");
        all.push_str(&answer.text);
    }
    // It is a page like any other all the same.
    let press =
        agent.call("browser_click", json!({"tab": tab, "target": "button \"Press\""})).await?;
    ensure!(!press.is_error || !press.code().is_empty(), "{what}: {}", press.text);
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    Ok(all)
}

pub async fn too_much_of_anything_is_cut_in_time(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("glutton").await?;
    rig.open(&agent, "small.html").await?;
    let before = memory(rig).await?;
    for what in ["text", "nodes", "frames", "nested"] {
        let told = read_all(rig, &agent, what).await?;
        ensure!(told.contains("Gross page"), "{what} was not read at all:\n{told}");
    }
    // What happens to be big is let go of.
    until("a small daemon", CALM, || async {
        let now = memory(rig).await?;
        ensure!(now < before + KEPT_KB, "{now} kB, {before} kB before");
        Ok(Some(()))
    })
    .await?;
    let small = rig.open(&agent, "small.html").await?;
    agent.ok("browser_snapshot", json!({"tab": small.tab})).await?.has("button \"Press\"")?;
    Ok(())
}

pub async fn marks_in_names_turn_nothing_around(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("proofreader").await?;
    let told = read_all(rig, &agent, "names").await?;
    ensure!(told.contains("Gross"), "{told}");
    for mark in MARKS {
        ensure!(!told.contains(mark), "U+{:04X} is in\n{told:?}", u32::from(mark));
    }
    let ended = told.lines().any(|line| line.trim_start().starts_with("</page x>"));
    ensure!(!ended, "a page ended a fence:\n{told}");
    Ok(())
}

pub async fn redirects_without_end_are_a_failure(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("roundabout").await?;
    let begun = Instant::now();
    let go = json!({"url": rig.server.url("/around")});
    let told = agent.fails("browser_navigate", go, "NAVIGATION_FAILED").await?;
    told.has("net::ERR_TOO_MANY_REDIRECTS")?;
    ensure!(begun.elapsed() < CALL, "{:?}", begun.elapsed());
    Ok(())
}
