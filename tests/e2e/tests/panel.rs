//! The side panel: what agents do, what they ask, and the rules of sites.

use anyhow::{Context, Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{
    OwnBrowser, Page, ensure_accessible, extension_dist, key, picture, point, press, press_in,
    type_text, until,
};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

/// What the worker knows is shown within this.
const SHOWN: Duration = Duration::from_secs(20);
/// The buttons of a prompt work no sooner, milliseconds.
const ARM_MS: f64 = 700.0;

/// A browser that agents may use, with its side panel open.
async fn with_panel(rig: &Rig) -> Result<(OwnBrowser, Page)> {
    let own = OwnBrowser::start(&rig.env, &extension_dist()).await?;
    own.cdp.open(&rig.server.url("/table.html?panel")).await?;
    let popup = own.popup().await?;
    press_in(&popup, "Let agents use this profile").await?;
    popup.until("document.querySelector('#tabs li')", SHOWN).await?;
    press_in(&popup, "Open side panel").await?;
    let panel = own.panel().await?;
    panel.until("document.querySelector('.status[data-mood=good]')", SHOWN).await?;
    Ok((own, panel))
}

pub async fn calls_prompts_and_rules_are_in_the_side_panel(rig: &mut Rig) -> Result<()> {
    let (own, panel) = with_panel(rig).await?;
    ensure_accessible(&panel).await?;
    picture(&panel, "panel-empty", Some(360)).await?;
    own.remember("session", &json!({"activity": {"entries": calls()?}})).await?;
    panel.until("document.querySelectorAll('.call').length === 4", SHOWN).await?;
    press_in(&panel, "What the agent was told").await?;
    panel.until("document.querySelector('details[open]')", SHOWN).await?;
    ensure_accessible(&panel).await?;
    picture(&panel, "panel-activity", Some(360)).await?;
    let hostile = panel.evaluate("document.querySelectorAll('.calls b, .calls script').length");
    ensure!(hostile.await? == 0, "words of an agent became markup");

    let filter = "document.querySelector('#filter')";
    panel.evaluate(&format!("{filter}.focus()")).await?;
    key(&panel, "ArrowDown").await?;
    panel.until("document.querySelectorAll('.call').length === 3", SHOWN).await?;

    press(&panel, "document.querySelector('[role=tab]')").await?;
    key(&panel, "ArrowRight").await?;
    panel.until("document.activeElement.textContent === 'Sites'", SHOWN).await?;
    press(&panel, "document.querySelector('#rule-site')").await?;
    type_text(&panel, "https://example.org/path").await?;
    key(&panel, "Enter").await?;
    panel
        .until("document.querySelector('#rule-problem').textContent.includes('whole sites')", SHOWN)
        .await?;
    panel.evaluate("document.querySelector('#rule-site').select()").await?;
    type_text(&panel, "example.org").await?;
    key(&panel, "Enter").await?;
    panel.until("document.body.textContent.includes('*.example.org')", SHOWN).await?;
    ensure_accessible(&panel).await?;
    picture(&panel, "panel-sites", Some(360)).await?;
    press_in(&panel, "Remove the rule for *.example.org").await?;
    until("the rule's end", SHOWN, || async {
        let stored = own.in_worker("chrome.storage.local.get('rules')").await?;
        Ok((stored["rules"]["rules"]["sites"] == json!([])).then_some(()))
    })
    .await
}

pub async fn a_prompt_is_answered_by_nobody_but_the_person(rig: &mut Rig) -> Result<()> {
    let (own, panel) = with_panel(rig).await?;
    panel.send("Emulation.setFocusEmulationEnabled", json!({"enabled": true})).await?;
    let sign = json!({"sign": {"picture": "kite", "word": "juniper"}});
    own.in_worker(&format!("chrome.storage.local.set({{sign: {sign}}})")).await?;
    let asks = json!({
        "open": [prompt("1", "Atlas", "act")?, prompt("2", "Otter", "first_contact")?],
        "decided": [], "times": {}, "quiet": {}, "denials": {},
    });
    // When a button came to work, measured from when the prompt came, by the page itself.
    panel
        .evaluate(
            "void (() => { let came = 0; new MutationObserver(() => { \
             const button = document.querySelector('.choices button'); \
             if (button && !came) came = performance.now(); \
             if (button && !button.disabled) globalThis.armed ??= performance.now() - came; \
             }).observe(document.body, {subtree: true, childList: true, attributes: true}); })()",
        )
        .await?;
    own.remember("session", &json!({"asks": {"asks": asks}})).await?;
    panel.until("globalThis.armed", SHOWN).await?;
    let armed = panel.evaluate("armed").await?.as_f64().context("a time")?;
    ensure!(armed >= ARM_MS, "armed after {armed} ms");
    ensure_accessible(&panel).await?;
    picture(&panel, "panel-prompt", Some(360)).await?;
    let first = panel.evaluate("document.querySelector('.prompt').firstElementChild.textContent");
    ensure!(first.await?.as_str().is_some_and(|words| words.contains("juniper")), "the sign first");
    let choices = "[...document.querySelectorAll('.choices button')].map((one) => one.textContent)";
    let offered = json!(["Deny", "Allow once", "Allow for this session", "Always on this site"]);
    ensure!(panel.evaluate(choices).await? == offered, "the refusal first");

    // A script's click and Enter decide nothing.
    panel.until("!document.querySelector('.choices button').disabled", SHOWN).await?;
    panel
        .evaluate("document.querySelectorAll('.choices button').forEach((one) => one.click())")
        .await?;
    panel.evaluate("document.querySelectorAll('.choices button')[1].focus()").await?;
    key(&panel, "Enter").await?;
    ensure!(decided(&own).await? == json!([]), "a prompt was answered by nobody");

    press_in(&panel, "Allow once").await?;
    until("the decision", SHOWN, || async {
        Ok((decided(&own).await? == json!([{"id": "1", "decision": "once"}])).then_some(()))
    })
    .await?;
    // The next one waits for the pointer to leave.
    panel
        .until("document.querySelector('.more')?.textContent.includes('Move the pointer')", SHOWN)
        .await?;
    ensure!(panel.evaluate(choices).await? == json!([]), "a prompt came up under the pointer");
    point(&panel, 5.0, 5.0).await?;
    panel.until("document.querySelector('.wants')?.textContent.startsWith('Otter')", SHOWN).await?;
    ensure!(
        panel.evaluate(choices).await? == json!(["No", "Allow once", "Always"]),
        "first contact"
    );
    ensure!(panel.evaluate("document.querySelector('.choices button').disabled").await? == true);
    picture(&panel, "panel-first-contact", Some(360)).await?;
    press_in(&panel, "No").await?;
    until("the refusal", SHOWN, || async {
        Ok((decided(&own).await?[1] == json!({"id": "2", "decision": "no"})).then_some(()))
    })
    .await
}

async fn decided(own: &OwnBrowser) -> Result<Value> {
    let stored = own.in_worker("chrome.storage.session.get('asks')").await?;
    Ok(stored["asks"]["asks"]["decided"].clone())
}

fn now_ms() -> Result<u64> {
    Ok(u64::try_from(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis())?)
}

fn prompt(id: &str, client: &str, kind: &str) -> Result<Value> {
    let now = now_ms()?;
    let act = kind == "act";
    Ok(json!({
        "id": id, "client": client, "session": id, "kind": kind,
        "observed": {"program": "/usr/bin/node", "folder": "~/shop"},
        "tab": act.then_some(1), "number": act.then_some(7),
        "site": act.then_some("https://shop.field-and-fork.example"),
        "verb": "press",
        "lines": if act { json!(["button, the page calls it “Place order”"]) } else { json!([]) },
        "says": if act { "The cart is complete: I place the order as you asked." } else { "" },
        "since": now, "expires": now + 300_000,
    }))
}

fn calls() -> Result<Value> {
    let now = now_ms()?;
    let site = "https://shop.field-and-fork.example";
    let call = |id: u64, agent: &str, tool: &str, about: &str, ended: Value| {
        json!({
            "id": id, "atMs": now - 40_000 + id * 9_000, "session": agent, "agent": agent,
            "tool": tool, "about": about, "tab": 7, "site": site, "ended": ended,
        })
    };
    let told = "clicked button \"Add to cart\" [e12]\nchanged:\n  + status \"Added to cart\"\n  \
                ~ link \"Cart (0)\" → \"Cart (1)\" [e4]\nrequests: POST 201 /api/cart 84ms";
    Ok(json!([
        call(
            1,
            "Atlas",
            "browser_navigate",
            "shop.field-and-fork.example/orders",
            json!({"tookMs": 834, "chars": 512, "words": "opened \"Orders\"\nstatus 200"})
        ),
        call(
            2,
            "Otter",
            "browser_fill",
            "<b>name</b>: 12 chars, e-mail: 20 chars",
            json!({"code": "ELEMENT_DISABLED", "tookMs": 210, "chars": 180, "words": "<script>"})
        ),
        call(
            3,
            "Atlas",
            "browser_click",
            "button \"Add to cart\"",
            json!({"tookMs": 312, "chars": 340, "words": told})
        ),
        call(4, "Atlas", "browser_wait", "text \"Thank you\"", Value::Null),
    ]))
}
