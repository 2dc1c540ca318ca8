//! What a yes for longer than one use covers, and how it is taken back.

use crate::semantic::{answer, origin, prompt};
use anyhow::{Result, ensure};
use pillion_e2e::{Opened, Rig};
use pillion_testkit::{
    McpClient, OwnBrowser, Page, ensure_accessible, extension_dist, open_popup, press_in, until,
};
use serde_json::{Value, json};
use std::time::Duration;

/// What the extension shows is there within this.
const SHOWN: Duration = Duration::from_secs(20);

async fn choices(popup: &Page) -> Result<Value> {
    popup
        .evaluate(
            "[...document.querySelectorAll('.choices button')].map((one) => one.dataset.decision)",
        )
        .await
}

/// Begins a call that asks, looks that no yes for a site is offered, and says no.
async fn asked_each_time(
    rig: &Rig,
    agent: &McpClient,
    tool: &str,
    call: Value,
    session: bool,
) -> Result<String> {
    let waiting = agent.begin(tool, call).await?;
    let popup = prompt(rig).await?;
    let offered = choices(&popup).await?.to_string();
    ensure!(!offered.contains("site"), "{tool}: {offered}");
    ensure!(offered.contains("session") == session, "{tool}: {offered}");
    popup.detach().await?;
    let said = answer(rig, "Deny").await?;
    let denied = agent.finish(waiting).await?;
    ensure!(denied.is_error && denied.text.contains("APPROVAL_DENIED"), "{tool}: {}", denied.text);
    Ok(said)
}

async fn always(rig: &Rig, agent: &McpClient, opened: &Opened) -> Result<()> {
    let press = json!({"tab": opened.tab, "target": "button \"Good\""});
    let waiting = agent.begin("browser_click", press.clone()).await?;
    answer(rig, "Always on this site").await?;
    let done = agent.finish(waiting).await?;
    ensure!(!done.is_error, "{}", done.text);
    let again = agent.ok("browser_click", press).await?;
    ensure!(opened.page.evaluate("hits.splice(0).length").await? == 2, "{}", again.text);
    Ok(())
}

pub async fn always_on_this_site_covers_acts_and_nothing_else(rig: &mut Rig) -> Result<()> {
    rig.rule(&[(&origin(&rig.server.url("/")), "ask")]).await?;
    let agent = rig.client("Settler").await?;
    let opened = rig.open(&agent, "sly-press.html").await?;
    let tab = opened.tab;
    always(rig, &agent, &opened).await?;
    let pay = json!({"tab": tab, "target": "button \"Pay now\""});
    let said = asked_each_time(rig, &agent, "browser_click", pay, false).await?;
    ensure!(said.contains("cost money"), "{said}");
    ensure!(opened.page.evaluate("hits.length").await? == 0, "it paid");
    let script = json!({"tab": tab, "expression": "document.title = 'x'"});
    asked_each_time(rig, &agent, "browser_evaluate", script, true).await?;

    let other = rig.client("Porter").await?;
    let upload = rig.open(&other, "upload.html").await?;
    let press = json!({"tab": upload.tab, "target": "button \"Do nothing\""});
    let waiting = other.begin("browser_click", press).await?;
    answer(rig, "Always on this site").await?;
    ensure!(!other.finish(waiting).await?.is_error);
    let file = std::env::temp_dir().join("pillion-e2e-leaves.txt");
    std::fs::write(&file, "hello")?;
    let fields = json!([{"target": "label=Report", "value": file}]);
    let files = json!({"tab": upload.tab, "fields": fields});
    let said = asked_each_time(rig, &other, "browser_fill", files, true).await?;
    ensure!(said.contains("pillion-e2e-leaves.txt"), "{said}");

    // Taken back by hand: asked anew.
    let popup = open_popup(&rig.browser.cdp).await?;
    let listed = "new Promise((done) => { const port = chrome.runtime.connect({name: 'popup'}); \
                  port.onMessage.addListener((view) => { port.disconnect(); done(view.leaves); }); })";
    let leaves = popup.evaluate(listed).await?;
    let mine = leaves.as_array().into_iter().flatten().find(|leave| leave["client"] == "Porter");
    let key = mine.map(|leave| leave["key"].clone()).unwrap_or_default();
    ensure!(key.is_string(), "{leaves}");
    popup
        .evaluate(&format!(
            "chrome.runtime.connect({{name: 'popup'}}).postMessage({{ask: 'revoke', key: {key}}}), 1"
        ))
        .await?;
    popup.detach().await?;
    let press = json!({"tab": upload.tab, "target": "button \"Do nothing\""});
    let waiting = other.begin("browser_click", press).await?;
    answer(rig, "Deny").await?;
    ensure!(other.finish(waiting).await?.is_error, "it was done without a question");
    // The other agent's stays, and ends with a change of the rules.
    agent.ok("browser_click", json!({"tab": tab, "target": "button \"Good\""})).await?;
    rig.rule(&[]).await
}

pub async fn what_was_allowed_is_shown_and_taken_back_by_hand(rig: &mut Rig) -> Result<()> {
    let own = OwnBrowser::start(&rig.env, &extension_dist()).await?;
    own.cdp.open(&rig.server.url("/table.html?leaves")).await?;
    let popup = own.popup().await?;
    press_in(&popup, "Let agents use this profile").await?;
    popup.until("document.querySelector('#tabs li')", SHOWN).await?;
    press_in(&popup, "Open side panel").await?;
    let panel = own.panel().await?;
    panel.until("document.querySelector('.status[data-mood=good]')", SHOWN).await?;
    let shop = "https://shop.example.org";
    let sites = json!([format!("\"Atlas\" {shop}")]);
    let field = json!(["field", "work", format!("{shop}/join"), "textbox", "Member", ""]);
    let secrets = json!([json!(["site", "work", shop]).to_string(), field.to_string()]);
    let kept = json!({"approvedSites": {"sites": sites}, "secretLeaves": {"leaves": secrets}});
    let sessions = json!([format!("\"Otter\" \"s1\" {shop} code")]);
    let approvals = json!({"asked": [], "sessions": sessions, "refused": []});
    own.in_worker(&format!("chrome.storage.local.set({kept})")).await?;
    own.remember("session", &json!({"approvals": {"approvals": approvals}})).await?;
    panel.until("document.querySelectorAll('[data-leave]').length === 2", SHOWN).await?;
    let words = panel.evaluate("document.querySelector('#top').innerText").await?;
    for part in ["Atlas", "acts, always", "Otter", "code, this session", "shop.example.org"] {
        ensure!(words.as_str().is_some_and(|words| words.contains(part)), "{part}: {words}");
    }
    ensure_accessible(&panel).await?;
    press_in(&panel, "Ask again for Otter").await?;
    panel.until("document.querySelectorAll('[data-leave]').length === 1", SHOWN).await?;
    press_in(&panel, "Ask again for Atlas").await?;
    panel.until("document.querySelectorAll('[data-leave]').length === 0", SHOWN).await?;
    panel.detach().await?;

    let popup = own.popup().await?;
    press_in(&popup, "Settings").await?;
    let page = own.options().await?;
    page.until("document.querySelectorAll('[data-leave=secret]').length === 2", SHOWN).await?;
    ensure_accessible(&page).await?;
    for left in [1, 0] {
        press_in(&page, "Ask again for work").await?;
        let now = format!("document.querySelectorAll('[data-leave]').length === {left}");
        page.until(&now, SHOWN).await?;
    }
    until("everything taken back", SHOWN, || async {
        let kept = own.in_worker("chrome.storage.local.get()").await?;
        let none = kept["approvedSites"]["sites"] == json!([]);
        Ok((none && kept["secretLeaves"]["leaves"] == json!([])).then_some(()))
    })
    .await
}
