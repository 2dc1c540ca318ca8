//! What goes wrong in pages, calls and tabs: a clear code in time, and nothing else disturbed.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::McpClient;
use serde_json::json;
use std::time::{Duration, Instant};

/// No call outlives this.
const CALL: Duration = Duration::from_secs(52);
/// An answer that needs no wait, on a busy machine.
const PROMPT: Duration = Duration::from_secs(8);

pub async fn tools_and_arguments_that_do_not_exist(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("clumsy").await?;
    let tab = rig.open(&agent, "form.html").await?.tab;
    match agent.call("browser_fly", json!({})).await {
        Ok(answer) => ensure!(answer.is_error, "{}", answer.text),
        Err(error) => ensure!(format!("{error:#}").contains("browser_fly"), "{error:#}"),
    }
    let unknown = json!({"tab": tab, "target": "button \"Add\"", "foo": 1});
    let refused = agent.fails("browser_click", unknown, "INVALID_ARGUMENT").await?;
    refused.has("\"foo\"")?.has("target")?;
    for (tool, arguments) in [
        ("browser_click", json!({"tab": tab})),
        ("browser_click", json!({"tab": tab, "target": 12})),
        ("browser_click", json!({"tab": "first", "target": "button"})),
        ("browser_fill", json!({"tab": tab, "fields": []})),
        ("browser_fill", json!({"tab": tab, "fields": "name"})),
        ("browser_scroll", json!({"tab": tab, "to": "sideways"})),
    ] {
        agent.fails(tool, arguments, "INVALID_ARGUMENT").await?;
    }
    agent.fails("browser_snapshot", json!({"tab": 99_999}), "TAB_NOT_FOUND").await?;
    agent.ok("browser_click", json!({"tabId": tab, "selector": "#nothing"})).await?;
    let peer = agent.call("browser_press_key", json!({"key": "Enter"})).await?;
    peer.has("browser_type")?;
    Ok(())
}

pub async fn pages_that_cannot_be_opened(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("lost").await?;
    for url in
        ["chrome://settings", "file:///etc/passwd", "javascript:alert(1)", "chrome-extension://a/b"]
    {
        agent.fails("browser_navigate", json!({"url": url}), "URL_NOT_ALLOWED").await?;
    }
    let refused = json!({"url": "http://127.0.0.1:9/"});
    agent.fails("browser_navigate", refused, "NAVIGATION_FAILED").await?.has("net::ERR_")?;
    let missing = json!({"url": rig.server.url("/missing.html")});
    agent.ok("browser_navigate", missing).await?.has("404")?;
    let worker = rig.worker().await?;
    let own = worker.as_ref().and_then(|worker| worker["url"].as_str()).unwrap_or_default();
    agent.fails("browser_navigate", json!({"url": own}), "URL_NOT_ALLOWED").await?;
    Ok(())
}

pub async fn a_title_cannot_pose_as_our_own_words(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let tab = rig.open(&agent, "form.html").await?.tab;
    let go = json!({"tab": tab, "url": rig.server.url("/sly.html")});
    let answer = agent.ok("browser_navigate", go).await?;
    let honest = format!("tab {tab} 200 \"Sly (new) (still loading after 15 s)\" ");
    ensure!(answer.text.starts_with(&honest), "{}", answer.text);
    ensure!(answer.text.matches("still loading").count() == 1, "{}", answer.text);
    Ok(())
}

pub async fn a_page_that_never_answers(rig: &mut Rig) -> Result<()> {
    let (agent, other) = (rig.client("patient").await?, rig.client("busy").await?);
    let tab = rig.open(&other, "form.html").await?.tab;
    let begun = Instant::now();
    let never = agent.begin("browser_navigate", json!({"url": rig.server.url("/never")})).await?;
    other.ok("browser_snapshot", json!({"tab": tab})).await?;
    ensure!(begun.elapsed() < PROMPT, "the other agent waited {:?}", begun.elapsed());
    let answer = agent.finish(never).await?;
    ensure!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
    ensure!(answer.is_error || answer.text.contains("loading"), "{}", answer.text);
    Ok(())
}

pub async fn a_page_that_loops_for_ever(rig: &mut Rig) -> Result<()> {
    let (agent, other) = (rig.client("stuck").await?, rig.client("busy").await?);
    let opened = rig.open(&agent, "trouble.html").await?;
    let begun = Instant::now();
    let looping = json!({"tab": opened.tab, "target": "button \"Loop\""});
    let click = agent.begin("browser_click", looping).await?;
    // The other site lives in another process of the browser.
    let url = rig.server.other("/form.html");
    let tab = other.ok("browser_navigate", json!({"url": url})).await?.tab()?;
    other.ok("browser_snapshot", json!({"tab": tab})).await?;
    ensure!(begun.elapsed() < PROMPT, "the other agent waited {:?}", begun.elapsed());
    agent.finish(click).await?;
    ensure!(begun.elapsed() < CALL, "{:?}", begun.elapsed());
    let read = Instant::now();
    let snapshot = agent.call("browser_snapshot", json!({"tab": opened.tab})).await?;
    ensure!(snapshot.is_error, "{}", snapshot.text);
    ensure!(read.elapsed() < CALL, "{:?}", read.elapsed());
    agent.ok("browser_tabs", json!({"action": "close", "tab": opened.tab})).await?;
    rig.open(&agent, "form.html").await?;
    Ok(())
}

pub async fn an_element_that_flees_is_never_another_one(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("hunter").await?;
    let opened = rig.open(&agent, "trouble.html").await?;
    for name in ["Flee", "Fly"] {
        let target = json!({"tab": opened.tab, "target": format!("button \"{name}\"")});
        let answer = agent.call("browser_click", target).await?;
        ensure!(answer.is_error, "{name} was not hit, and yet: {}", answer.text);
    }
    let hits = opened.page.evaluate("window.hits.join()").await?;
    ensure!(hits == "" || hits == "thief", "{hits}");
    Ok(())
}

pub async fn covered_disabled_and_gone(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("blocked").await?;
    let opened = rig.open(&agent, "trouble.html").await?;
    let covered = json!({"tab": opened.tab, "target": "button \"Covered\""});
    agent.fails("browser_click", covered, "ELEMENT_COVERED").await?.has("\"Veil\"")?;
    ensure!(opened.page.evaluate("window.hits.length").await? == 0);
    let form = rig.open(&agent, "form.html").await?;
    let tab = form.tab;
    agent
        .fails("browser_click", json!({"tab": tab, "target": "button \"Off\""}), "ELEMENT_DISABLED")
        .await?;
    agent.fails("browser_click", json!({"tab": tab, "target": "e99999"}), "REF_NOT_FOUND").await?;
    let near = json!({"tab": tab, "target": "button \"Ad d\""});
    agent.fails("browser_click", near, "TARGET_NOT_FOUND").await?.has("Nothing was ")?;
    let snapshot = agent.ok("browser_snapshot", json!({"tab": tab})).await?;
    let add = snapshot.reference("button \"Add\"")?;
    agent.ok("browser_navigate", json!({"tab": tab, "url": rig.server.url("/links.html")})).await?;
    let gone = agent.fails("browser_click", json!({"tab": tab, "target": add}), "REF_GONE").await?;
    gone.has("\"Add\"")?.has("Nothing was ")?;
    Ok(())
}

pub async fn a_tab_closed_in_mid_call(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("cut off").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let call = begin_endless(&agent, opened.tab).await?;
    opened.page.until("window.begun === true", PROMPT).await?;
    let begun = Instant::now();
    rig.browser.cdp.close(&opened.page.target).await?;
    let answer = agent.finish(call).await?;
    ensure!(answer.is_error, "{}", answer.text);
    ensure!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
    agent.fails("browser_snapshot", json!({"tab": opened.tab}), "TAB_NOT_FOUND").await?;
    Ok(())
}

pub async fn a_cancelled_call_ends(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("fickle").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let call = begin_endless(&agent, opened.tab).await?;
    opened.page.until("window.begun === true", PROMPT).await?;
    agent.cancel(&call).await?;
    let begun = Instant::now();
    let next = json!({"tab": opened.tab, "expression": "1 + 1"});
    agent.ok("browser_evaluate", next).await?.has("2")?;
    ensure!(begun.elapsed() < PROMPT, "{:?}", begun.elapsed());
    Ok(())
}

async fn begin_endless(agent: &McpClient, tab: u32) -> Result<pillion_testkit::Begun> {
    let expression = "window.begun = true; await new Promise(() => {})";
    let arguments = json!({"tab": tab, "expression": expression, "timeout_ms": 30_000});
    agent.begin("browser_evaluate", arguments).await
}
