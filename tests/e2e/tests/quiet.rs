//! Without the debugger: because the user keeps it off, or because Chrome does not let it in.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{OwnBrowser, extension_dist, press_in, until};
use serde_json::json;
use std::path::Path;
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
    agent.ok("browser_audit", json!({"tab": tab})).await?.has("axe-core ")?.lacks("via dom")?;
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

pub async fn another_extensions_frame_in_a_page_is_no_end(rig: &mut Rig) -> Result<()> {
    let second = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/embedding-extension");
    let both = format!("{},{}", extension_dist().display(), second.display());
    let own = OwnBrowser::start(&rig.env, Path::new(&both)).await?;
    let agent = rig.client("Otter").await?;
    let profile = until("a second profile", SWITCHED, || async {
        let list = agent.call("browser_tabs", json!({})).await?.text;
        let line = list.lines().find(|line| line.contains("has not allowed it yet"));
        Ok(line.and_then(|line| line.split_whitespace().nth(1)).map(str::to_owned))
    })
    .await?;
    let go = |path: &str| json!({"url": rig.server.url(path), "profile": profile});
    agent.fails("browser_navigate", go("/small.html?first"), "PAIRING_PENDING").await?;
    let popup = own.popup().await?;
    press_in(&popup, "Let agents use this profile").await?;
    let opened = until("the profile that was let in", SWITCHED, || async {
        let answer = agent.call("browser_navigate", go("/small.html?embed=now")).await?;
        Ok((!answer.is_error).then_some(answer))
    })
    .await?;
    let tab = opened.tab()?;
    let page = own.cdp.attach("page", "embed=now", SWITCHED).await?;
    page.until("!!document.querySelector('iframe[data-embed]')", SWITCHED).await?;
    let press = |tab: u32| json!({"tab": tab, "target": "button \"Press\""});
    agent
        .ok("browser_click", press(tab))
        .await?
        .has("clicked button \"Press\"")?
        .has("via dom, untrusted")?
        .has("has a frame in this page")?;
    agent.ok("browser_snapshot", json!({"tab": tab})).await?.has("Press")?;
    agent.fails("browser_screenshot", json!({"tab": tab}), "DEBUGGER_UNAVAILABLE").await?;

    // One that comes while the debugger is there takes it away.
    let late = agent.ok("browser_navigate", go("/small.html?late")).await?.tab()?;
    agent.ok("browser_click", press(late)).await?.lacks("via dom")?;
    let page = own.cdp.attach("page", "small.html?late", SWITCHED).await?;
    page.evaluate("postMessage('embed', '*'), 1").await?;
    page.until("!!document.querySelector('iframe[data-embed]')", SWITCHED).await?;
    until("a click through the page", SWITCHED, || async {
        let answer = agent.ok("browser_click", press(late)).await?;
        Ok(answer.text.contains("via dom").then_some(()))
    })
    .await?;
    let frames = page.evaluate("document.querySelectorAll('iframe[data-embed]').length").await?;
    ensure!(frames == 1, "the other extension's frame was touched");
    Ok(())
}
