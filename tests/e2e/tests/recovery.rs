//! Every process killed in turn, each time followed by a working call with nobody's help.

use anyhow::{Context, Result, ensure};
use pillion_e2e::{Opened, Rig};
use pillion_testkit::{McpClient, kill, until};
use serde_json::json;
use std::time::{Duration, Instant};

/// Far above the figures of the design: the bench measures, this only finds what hangs.
const BACK: Duration = Duration::from_secs(10);
/// Clicks during which the daemon is killed, each a little later.
const KILLED_CLICKS: u64 = 6;

pub async fn a_killed_worker(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("survivor").await?;
    let opened = rig.open(&agent, "trouble.html").await?;
    for _ in 0..3 {
        let worker = until("the worker", BACK, || rig.worker()).await?;
        let target = worker["targetId"].as_str().context("no target id")?.to_owned();
        rig.browser.cdp.close(&target).await?;
        works_again(&agent, &opened).await?;
    }
    counted_once_each(rig, &agent, &opened).await
}

pub async fn a_killed_extension_process(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("survivor").await?;
    let opened = rig.open(&agent, "trouble.html").await?;
    let pid = until("the extension's process", BACK, || async { rig.browser.extension_process() })
        .await?;
    kill(pid)?;
    works_again(&agent, &opened).await?;
    counted_once_each(rig, &agent, &opened).await
}

pub async fn a_killed_daemon(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("survivor").await?;
    let opened = rig.open(&agent, "trouble.html").await?;
    let before = agent.ok("browser_snapshot", json!({"tab": opened.tab})).await?;
    let reference = before.reference("button \"Count\"")?;
    kill(rig.env.daemon_pid().await?)?;
    works_again(&agent, &opened).await?;
    // A ref is either still known or honestly not; it never means another element.
    let click = json!({"tab": opened.tab, "target": reference});
    let answer = agent.call("browser_click", click).await?;
    ensure!(!answer.is_error || answer.code().starts_with("REF_"), "{}", answer.text);
    ensure!(opened.page.evaluate("window.hits.every((hit) => hit === 'once')").await? == true);
    counted_once_each(rig, &agent, &opened).await
}

pub async fn a_daemon_killed_during_a_click(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("survivor").await?;
    let opened = rig.open(&agent, "trouble.html").await?;
    let mut certain = 0;
    let mut unknown = 0;
    for round in 0..KILLED_CLICKS {
        let pid = rig.env.daemon_pid().await?;
        let arguments = json!({"tab": opened.tab, "target": "button \"Count\""});
        let click = agent.begin("browser_click", arguments).await?;
        // Not a wait for anything: each round kills at another moment of the click.
        tokio::time::sleep(Duration::from_millis(round * 12)).await;
        kill(pid)?;
        let answer = agent.finish(click).await?;
        if !answer.is_error {
            certain += 1;
        } else if answer.code() == "OUTCOME_UNKNOWN" {
            unknown += 1;
        } else {
            answer.has("Nothing was ")?;
        }
        works_again(&agent, &opened).await?;
    }
    let hits = opened.page.evaluate("window.hits.length").await?.as_u64().context("a number")?;
    ensure!(
        (certain..=certain + unknown).contains(&hits),
        "{certain} clicks were told as done, {unknown} as unknown, and {hits} arrived"
    );
    Ok(())
}

pub async fn a_killed_browser(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("survivor").await?;
    let opened = rig.open(&agent, "trouble.html").await?;
    let info = rig.browser.cdp.send("SystemInfo.getProcessInfo", json!({})).await?;
    let processes = info["processInfo"].as_array().context("no processes")?;
    let browser = processes.iter().find(|process| process["type"] == "browser");
    let pid = browser.and_then(|process| process["id"].as_u64()).context("no browser process")?;
    kill(u32::try_from(pid)?)?;
    rig.browser.process.ended(BACK).await.context("`pillion launch` outlived its browser")?;
    let begun = Instant::now();
    let answer = agent.call("browser_snapshot", json!({"tab": opened.tab})).await?;
    ensure!(answer.is_error && begun.elapsed() < BACK, "{:?}: {}", begun.elapsed(), answer.text);
    rig.restart_browser().await?;
    until("a working call", BACK * 2, || async {
        let arguments = json!({"url": rig.server.url("/form.html")});
        let answer = agent.call("browser_navigate", arguments).await?;
        ensure!(!answer.is_error, "{}", answer.text);
        Ok(Some(()))
    })
    .await
}

/// The next call works, by itself, in time.
async fn works_again(agent: &McpClient, opened: &Opened) -> Result<()> {
    let begun = Instant::now();
    let answer = agent.ok("browser_snapshot", json!({"tab": opened.tab})).await?;
    answer.has("button \"Count\"")?;
    ensure!(begun.elapsed() < BACK, "back only after {:?}", begun.elapsed());
    Ok(())
}

/// One click is one click: in the page and on the server.
async fn counted_once_each(rig: &Rig, agent: &McpClient, opened: &Opened) -> Result<()> {
    let hits = "window.hits.filter((hit) => hit === 'once').length";
    let before = opened.page.evaluate(hits).await?.as_u64().context("a number")?;
    let on_server = rig.server.seen("/echo/count").len();
    let click = json!({"tab": opened.tab, "target": "button \"Count\""});
    agent.ok("browser_click", click).await?;
    ensure!(opened.page.evaluate(hits).await? == before + 1);
    until("the server's count", BACK, || async {
        Ok((rig.server.seen("/echo/count").len() == on_server + 1).then_some(()))
    })
    .await
}
