//! Pages as a whole: audits, traces, and what a session is told of its own connections.

use crate::rules::{origin, prompt};
use anyhow::{Context as _, Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{Answer, McpClient, press_in, until};
use serde_json::{Value, json};
use std::time::Duration;

/// What was lost is there again within this.
const BACK: Duration = Duration::from_secs(20);

pub async fn an_audit_reaches_all_frames_and_leaves_nothing(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("auditor").await?;
    let opened = rig.open(&agent, "audit.html").await?;
    let (tab, tool) = (opened.tab, "browser_audit");
    agent.ok("browser_wait", json!({"tab": tab, "target": "text=Audit page"})).await?;
    let whole = json!({"tab": tab});
    let told = until("both documents", BACK, || async {
        let told = agent.ok(tool, whole.clone()).await?;
        Ok(told.text.contains("2 documents").then_some(told))
    })
    .await?;
    told.has("critical button-name ")?
        .has("critical image-alt ")?
        .has("serious color-contrast ")?;
    told.has("\" 2 elements: img [e")?.has("not checked: what only a person can judge")?;
    let one = agent.ok(tool, json!({"tab": tab, "rules": ["image-alt"]})).await?;
    one.has("(cat.text-alternatives, wcag2a")?.has("]: \"")?.lacks("button-name")?;
    let part = json!({"tab": tab, "target": "css=#part", "tags": ["wcag2a"]});
    agent.ok(tool, part).await?.has("critical label ")?.lacks("image-alt")?;
    let frame = json!({"tab": tab, "target": "iframe \"Another site\""});
    agent.ok(tool, frame).await?.has("1 document)")?.has("image-alt")?.lacks("landmark")?;
    let unknown = json!({"tab": tab, "rules": ["no-such-rule"]});
    agent.fails(tool, unknown, "INVALID_ARGUMENT").await?.has("axe-core knows no")?;
    let command = json!({"tab": tab, "command": "audit --tags best-practice"});
    agent.ok("browser_more", command).await?.has("audit: ")?;
    let seen = opened.page.evaluate("[changes, messages, 'axe' in window].join()").await?;
    ensure!(seen == "0,0,false", "the page saw the audit: {seen}");

    // The answer's refs are refs.
    let image = told.reference("\" 2 elements: img")?;
    let inspect = json!({"tab": tab, "target": image, "show": ["attributes"]});
    agent.ok("browser_inspect_element", inspect).await?.has("first")?;

    let large = "document.body.innerHTML = '<i></i>'.repeat(16000), 1";
    opened.page.evaluate(large).await?;
    agent.fails(tool, whole, "RESPONSE_TOO_LARGE").await?.has("Next: browser_audit")?;

    // Sites that are only read are read; closed ones are left out.
    rig.rule(&[
        (&origin(&rig.server.url("/")), "read"),
        (&origin(&rig.server.other("/")), "never"),
    ])
    .await?;
    let opened = rig.open(&agent, "audit.html").await?;
    let told = agent.ok(tool, json!({"tab": opened.tab})).await?;
    told.has("1 document)")?.has("\" 1 element: img [e")?;
    rig.rule(&[]).await
}

/// A call for which the person says yes, for the session.
async fn allowed(rig: &Rig, agent: &McpClient, tool: &str, args: Value) -> Result<Answer> {
    let waiting = agent.begin(tool, args).await?;
    let popup = prompt(rig).await?;
    let words = popup.evaluate("document.querySelector('.prompt').textContent").await?;
    let words = words.as_str().unwrap_or_default();
    ensure!(words.contains("wants to measure the page"), "{words}");
    press_in(&popup, "Allow for this session").await?;
    let answer = agent.finish(waiting).await?;
    popup.detach().await?;
    ensure!(!answer.is_error, "{}", answer.text);
    Ok(answer)
}

pub async fn a_load_is_measured_once_the_person_said_yes(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("measurer").await?;
    // Tabs of one site may share a process.
    let foreign = rig.open(&agent, "slow.html?as=foreign").await?;
    let opened = rig.open(&agent, "slow.html").await?;
    let (tab, tool) = (opened.tab, "browser_perf");
    let told = allowed(rig, &agent, tool, json!({"tab": tab})).await?;
    told.has("reloaded under trace\nLCP ")?.has("TTFB ")?.has("DOMContentLoaded ")?;
    told.has("CLS 0.")?.has("\"P id='late'\"")?;
    told.has("\"busyTimer\" /slow.html?…:")?.has("forced style and layout: ")?.has("\"thrash\"")?;
    told.has("render-blocking: 1\n")?.has("/echo/slow.css?…")?.has("over the wire")?;
    told.lacks("foreignTimer")?.lacks("k3y9f8e7")?;
    foreign.page.evaluate("1").await?;

    // Around an act of the agent's own, with what is emulated, into a file.
    agent.ok("browser_emulate", json!({"tab": tab, "cpu": "2"})).await?;
    agent.ok(tool, json!({"tab": tab, "action": "start"})).await?.has("tracing tab ")?;
    agent.ok("browser_click", json!({"tab": tab, "target": "button \"Work\""})).await?;
    let path = rig.env.path().join("trace.json");
    let file = path.to_string_lossy().into_owned();
    let stop = json!({"tab": tab, "action": "stop", "path": file});
    let told = agent.ok(tool, stop.clone()).await?;
    told.has("INP ")?.has("\"slowHandler\"")?.has("emulated: cpu")?.has("saved: ")?.lacks("LCP")?;
    let text = std::fs::read_to_string(&path)?;
    let trace: Value = serde_json::from_str(&text)?;
    let events = trace["traceEvents"].as_array().context("events")?;
    let names = |event: &Value| event["name"].as_str().unwrap_or_default().to_owned();
    ensure!(events.iter().any(|event| names(event) == "EventTiming"), "{text}");
    ensure!(!text.contains("foreignTimer") && !text.contains("k3y9f8e7"), "{text}");
    agent.fails(tool, stop, "FILE_NOT_ALLOWED").await?;
    agent.fails(tool, json!({"tab": tab, "action": "stop"}), "INVALID_ARGUMENT").await?;
    let wrong = json!({"tab": tab, "path": "/etc/trace.json"});
    agent.fails(tool, wrong, "FILE_NOT_ALLOWED").await?;

    // A worker that ends meanwhile loses nothing.
    agent.ok(tool, json!({"tab": tab, "action": "start"})).await?;
    if let Some(worker) = rig.worker().await? {
        rig.browser.cdp.close(worker["targetId"].as_str().unwrap_or_default()).await?;
    }
    rig.connected(BACK).await?;
    agent.ok("browser_click", json!({"tab": tab, "target": "button \"Work\""})).await?;
    agent.ok(tool, json!({"tab": tab, "action": "stop"})).await?.has("\"slowHandler\"")?;

    rig.rule(&[(&origin(&rig.server.url("/")), "read")]).await?;
    agent.fails(tool, json!({"tab": tab}), "READ_ONLY_SITE").await?;
    rig.rule(&[]).await
}

pub async fn a_session_is_told_of_its_own_connections(rig: &mut Rig) -> Result<()> {
    let (agent, other) = (rig.client("curious").await?, rig.client("someone").await?);
    let tab = rig.open(&agent, "small.html").await?.tab;
    agent.fails("browser_click", json!({"tab": tab, "target": "e99999"}), "REF_NOT_FOUND").await?;
    other.fails("browser_click", json!({"tab": 99_999, "target": "e1"}), "TAB_NOT_FOUND").await?;
    if let Some(worker) = rig.worker().await? {
        rig.browser.cdp.close(worker["targetId"].as_str().unwrap_or_default()).await?;
    }
    rig.connected(BACK).await?;
    let told = agent.ok("browser_bridge", json!({})).await?;
    told.has("\"curious\"")?.has(": connected now")?.has(": lost")?.has("your client came")?;
    told.has("failures: REF_NOT_FOUND 1")?.has("browser_click failed: REF_NOT_FOUND")?;
    told.lacks("someone")?.lacks("TAB_NOT_FOUND")?;
    agent.ok("browser_more", json!({"command": "bridge 1"})).await?.has("earlier: limit")?;
    Ok(())
}
