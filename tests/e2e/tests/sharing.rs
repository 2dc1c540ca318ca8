//! Several agents at once, beside a person.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use serde_json::json;
use std::time::{Duration, Instant};

/// What each of two calls takes by itself.
const ALONE: Duration = Duration::from_millis(2_000);

pub async fn two_agents_work_at_the_same_time(rig: &mut Rig) -> Result<()> {
    let (one, two) = (rig.client("one").await?, rig.client("two").await?);
    let first = rig.open(&one, "form.html").await?.tab;
    let second = rig.open(&two, "table.html").await?.tab;
    ensure!(first != second);
    let slow = format!("await new Promise((done) => setTimeout(done, {}, 7))", ALONE.as_millis());
    let begun = Instant::now();
    let (left, right) = tokio::try_join!(
        one.ok("browser_evaluate", json!({"tab": first, "expression": slow})),
        two.ok("browser_evaluate", json!({"tab": second, "expression": slow})),
    )?;
    ensure!(begun.elapsed() < ALONE * 2, "one waited for the other: {:?}", begun.elapsed());
    left.has("7")?;
    right.has("7")?;
    Ok(())
}

pub async fn another_agents_tab_is_locked(rig: &mut Rig) -> Result<()> {
    let (one, two) = (rig.client("one").await?, rig.client("two").await?);
    let opened = rig.open(&one, "form.html").await?;
    let tab = opened.tab;
    let click = json!({"tab": tab, "target": "button \"Add\""});
    let refused = two.fails("browser_click", click.clone(), "TAB_LOCKED").await?;
    refused.has("\"one\"")?.has("Nothing was ")?.has("browser_navigate")?;
    two.fails("browser_click", json!({"target": "button \"Add\""}), "NO_TAB").await?;
    ensure!(opened.page.evaluate("seen().log.length").await? == 0);
    one.ok("browser_click", click).await?;
    ensure!(opened.page.evaluate("seen().log.length").await? == 1);
    two.ok("browser_tabs", json!({})).await?.lacks("Form page")?;
    Ok(())
}

pub async fn background_tabs_stay_in_the_background(rig: &mut Rig) -> Result<()> {
    let person = rig.browser.cdp.open(&rig.server.url("/links.html?person")).await?;
    person
        .until(
            "document.title === 'Links page' && document.visibilityState === 'visible'",
            ALONE * 5,
        )
        .await?;
    person
        .evaluate(
            "window.left = 0; document.addEventListener('visibilitychange', () => { left += 1; })",
        )
        .await?;
    let agent = rig.client("quiet").await?;
    let tab = rig.open(&agent, "form.html").await?.tab;
    agent
        .ok("browser_fill", json!({"tab": tab, "fields": [{"target": "label=Name", "value": "x"}]}))
        .await?;
    agent
        .ok("browser_click", json!({"tab": tab, "target": "button \"Add\""}))
        .await?
        .has("Added x")?;
    agent.ok("browser_type", json!({"tab": tab, "target": "label=Bio", "text": "y"})).await?;
    agent.ok("browser_screenshot", json!({"tab": tab})).await?;
    agent.ok("browser_click", json!({"tab": tab, "target": "link \"Other page\""})).await?;
    let window =
        agent.ok("browser_click", json!({"tab": tab, "target": "link \"New window\""})).await?;
    window.has("new tab:")?;
    ensure!(person.evaluate("document.visibilityState").await? == "visible");
    let left = person.evaluate("window.left").await?;
    // A window that a page opens comes to the front for a moment before it is put back.
    ensure!(left == 0 || left == 2, "the person's tab was left {left} times");
    Ok(())
}
