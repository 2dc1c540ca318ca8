//! What an agent reads: outline, text, picture.

use anyhow::{Context, Result, ensure};
use base64::Engine;
use pillion_e2e::Rig;
use serde_json::json;
use std::time::{Duration, Instant};

/// A snapshot's ceiling of 6,000 characters, and what stands around its fence.
const SNAPSHOT_ROOM: usize = 7_000;

pub async fn a_form_reads_as_an_outline(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let tab = rig.open(&agent, "form.html").await?.tab;
    let snapshot = agent.ok("browser_snapshot", json!({"tab": tab})).await?;
    let first = snapshot.text.lines().next().unwrap_or("");
    ensure!(first.starts_with(&format!("tab {tab} \"Form page\" http://127.0.0.1:")), "{first}");
    snapshot
        .has("heading \"Form page\" level=1")?
        .has("textbox \"Name\" [e")?
        .has("checkbox \"Newsletter\" [e")?
        .has("options=\"Pick one|Germany|France\"")?
        .has("button \"Off\" [e")?
        .has(" disabled")?
        .has("link \"Other page\" [e")?
        .lacks("Rare")?;
    let again = agent.ok("browser_snapshot", json!({"tab": tab, "diff": true})).await?;
    again.has("no change since your last look")?;
    Ok(())
}

pub async fn closed_roots_and_frames_two_sites_deep_are_in_place(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let opened = rig.open(&agent, "frames.html").await?;
    let seen =
        agent.ok("browser_wait", json!({"tab": opened.tab, "target": "button \"Send 2\""})).await?;
    seen.has("Send 2")?;
    let snapshot = agent.ok("browser_snapshot", json!({"tab": opened.tab})).await?;
    let depth = |words: &str| -> Result<usize> {
        let line = snapshot.text.lines().find(|line| line.contains(words));
        let line = line.with_context(|| format!("no `{words}` in:\n{}", snapshot.text))?;
        Ok(line.len() - line.trim_start().len())
    };
    ensure!(depth("button \"Send 0\"")? < depth("button \"Send 1\"")?, "{}", snapshot.text);
    ensure!(depth("button \"Send 1\"")? < depth("button \"Send 2\"")?, "{}", snapshot.text);
    snapshot.has("iframe \"Level 1\"")?.has("iframe \"Level 2\"")?;
    Ok(())
}

pub async fn a_hostile_page_is_read_and_pressed(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let opened = rig.open(&agent, "hostile.html").await?;
    let tab = opened.tab;
    let snapshot = agent.ok("browser_snapshot", json!({"tab": tab})).await?;
    snapshot.has("textbox \"Name\" [e")?.has("button \"Go\" [e")?;
    let text = agent.ok("browser_text", json!({"tab": tab})).await?;
    ensure!(text.text.matches("\n</page ").count() == 1, "a page ended its fence: {}", text.text);
    agent
        .ok(
            "browser_fill",
            json!({"tab": tab, "fields": [{"target": "label=Name", "value": "Ada"}]}),
        )
        .await?;
    agent.ok("browser_click", json!({"tab": tab, "target": "button \"Go\""})).await?;
    let sum = agent.ok("browser_evaluate", json!({"tab": tab, "expression": "6 * 7"})).await?;
    sum.has("42")?;
    ensure!(opened.page.evaluate("window.pressed").await? == 1);
    ensure!(opened.page.evaluate("document.forms[0].elements[0].value").await? == "Ada");
    ensure!(opened.page.evaluate("window.violations.length").await? == 0);
    ensure!(
        opened
            .page
            .evaluate("Object.keys(window).some === undefined ? 0 : '__pillion' in window")
            .await?
            == false
    );
    Ok(())
}

pub async fn a_page_of_20_000_elements_is_cut_and_searched(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let opened = rig.open(&agent, "big.html").await?;
    let begun = Instant::now();
    let snapshot = agent.ok("browser_snapshot", json!({"tab": opened.tab})).await?;
    ensure!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    ensure!(snapshot.text.len() < SNAPSHOT_ROOM, "{} characters", snapshot.text.len());
    snapshot.has("from=\"e")?;
    let query = json!({"tab": opened.tab, "query": "Open 177-21"});
    let found = agent.ok("browser_snapshot", query).await?.reference("link \"Open 177-21\"")?;
    agent.ok("browser_click", json!({"tab": opened.tab, "target": found})).await?;
    ensure!(opened.page.evaluate("window.opened.join()").await? == "Open 177-21");
    Ok(())
}

pub async fn a_table_folds_and_any_row_is_one_call_away(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let opened = rig.open(&agent, "table.html").await?;
    let snapshot = agent.ok("browser_snapshot", json!({"tab": opened.tab})).await?;
    snapshot
        .has("table \"People\" [e")?
        .has(" 300 rows")?
        .has("290 more rows")?
        .lacks("Person 11")?;
    ensure!(snapshot.text.len() <= 6_000, "{} characters", snapshot.text.len());
    let table = snapshot.reference("table \"People\"")?;
    let rest = json!({"tab": opened.tab, "from": format!("{table}+250")});
    agent.ok("browser_snapshot", rest).await?.has("\"Person 251\"")?;
    let target = "row \"Person 177\" >> button \"Edit\"";
    agent.ok("browser_click", json!({"tab": opened.tab, "target": target})).await?;
    ensure!(opened.page.evaluate("window.edited.join()").await? == "Person 177");
    let ambiguous = json!({"tab": opened.tab, "target": "button \"Edit\""});
    agent.fails("browser_click", ambiguous, "AMBIGUOUS").await?.has("Nothing was ")?;
    Ok(())
}

pub async fn text_is_what_a_reader_sees(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let tab = rig.open(&agent, "links.html").await?.tab;
    let text = agent.ok("browser_text", json!({"tab": tab})).await?;
    text.has("Words that a reader sees.")?.lacks("unseen words")?;
    Ok(())
}

pub async fn a_screenshot_is_a_picture_and_the_tab_stays_behind(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let front = rig.browser.cdp.open("about:blank?front").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let picture = agent.ok("browser_screenshot", json!({"tab": opened.tab})).await?;
    let (mime, data) = picture.images.first().context("no picture")?;
    ensure!(mime.starts_with("image/"), "{mime}");
    let bytes = base64::engine::general_purpose::STANDARD.decode(data)?;
    ensure!(bytes.len() > 2_000, "only {} bytes", bytes.len());
    ensure!(front.evaluate("document.visibilityState").await? == "visible");
    Ok(())
}
