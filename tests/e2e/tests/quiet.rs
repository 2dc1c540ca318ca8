//! Without the debugger: because the user keeps it off, or because Chrome does not let it in.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use serde_json::json;
use std::time::Duration;

/// A worker that was ended is there again within this.
const SWITCHED: Duration = Duration::from_secs(20);

/// Quiet mode as the switch in the settings sets it; a worker that begins anew reads it.
async fn switch(rig: &Rig, on: bool) -> Result<()> {
    let cdp = &rig.browser.cdp;
    let worker = cdp.attach("service_worker", "chrome-extension://", SWITCHED).await?;
    worker
        .evaluate(&format!(
            "chrome.storage.local.get('settings').then(({{settings}}) => \
             chrome.storage.local.set({{settings: {{...settings, quiet: {on}}}}}))"
        ))
        .await?;
    let target = worker.target.clone();
    worker.detach().await?;
    cdp.close(&target).await?;
    rig.connected(SWITCHED).await
}

pub async fn quiet_mode_acts_through_the_page_and_says_so(rig: &mut Rig) -> Result<()> {
    switch(rig, true).await?;
    let done = quietly(rig).await;
    switch(rig, false).await?;
    done
}

async fn quietly(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("Atlas").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let (tab, page) = (opened.tab, &opened.page);
    agent.ok("browser_snapshot", json!({"tab": tab})).await?.has("textbox \"Name\"")?;
    let add = json!({"tab": tab, "target": "button \"Add\""});
    agent
        .ok("browser_click", add)
        .await?
        .has("clicked button \"Add\"")?
        .has("(via dom, untrusted: ")?
        .lacks("no visible effect")?;
    let log = page.evaluate("seen().log.join()").await?;
    ensure!(log == "untrusted add", "{log}");
    let typed = json!({"tab": tab, "target": "label=Name", "text": "Grace", "key": "ArrowLeft Backspace x"});
    agent.ok("browser_type", typed).await?.has("value: \"Graxe\"")?.has("via dom")?;
    let fields = json!({"tab": tab, "fields": [{"target": "label=Zip", "value": "12345"}]});
    agent.ok("browser_fill", fields).await?.has("filled 1 of 1")?;
    let hover = json!({"tab": tab, "target": "button \"Add\"", "hover": true});
    agent.ok("browser_click", hover).await?.has("hovering")?;
    agent.ok("browser_scroll", json!({"tab": tab, "to": "bottom"})).await?;
    for (tool, args) in [
        ("browser_evaluate", json!({"tab": tab, "expression": "1"})),
        ("browser_screenshot", json!({"tab": tab})),
    ] {
        agent.fails(tool, args, "DEBUGGER_UNAVAILABLE").await?.has("Quiet mode")?;
    }
    let next = json!({"tab": tab, "url": rig.server.url("/small.html")});
    agent.ok("browser_navigate", next).await?;
    let press = json!({"tab": tab, "target": "button \"Press\""});
    agent.ok("browser_click", press).await?.has("clicked")?;
    agent.ok("browser_navigate", json!({"tab": tab, "url": "back"})).await?.has("Form page")?;

    // Frames of another site, two deep.
    let frames = rig.open(&agent, "frames.html").await?;
    let tab = frames.tab;
    agent.ok("browser_wait", json!({"tab": tab, "target": "button \"Send 2\""})).await?;
    for level in 0..3 {
        let field = json!({"target": format!("label=Word {level}"), "value": format!("w{level}")});
        agent.ok("browser_fill", json!({"tab": tab, "fields": [field]})).await?;
        let target = format!("button \"Send {level}\"");
        agent.ok("browser_click", json!({"tab": tab, "target": target})).await?.has("via dom")?;
    }
    let marks = frames.page.until("window.marks.length === 3 && window.marks.join()", SWITCHED);
    let marks = marks.await?;
    ensure!(marks == "0:w0:false,1:w1:false,2:w2:false", "{marks}");
    Ok(())
}
