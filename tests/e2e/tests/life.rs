//! What happens to browsers, machines and clients in a day, each provoked for real: the work goes on.

use anyhow::{Context, Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{RideBrowser, extension_dist, kill, open_popup, until};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Far above the figures of the design: this only finds what hangs.
const BACK: Duration = Duration::from_secs(30);
/// How long the machine sleeps.
const SLEEP: Duration = Duration::from_secs(3);
/// Calls beside a page that does not answer.
const CALLS: u32 = 10;

/// Lets the extension's worker evaluate something.
async fn in_worker(browser: &RideBrowser, expression: &str) -> Result<Value> {
    let worker = browser.cdp.attach("service_worker", "chrome-extension://", BACK).await?;
    let value = worker.evaluate(expression).await?;
    worker.detach().await?;
    Ok(value)
}

pub async fn a_tab_that_chrome_put_to_sleep_keeps_its_number(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("patient").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let tab = opened.tab;
    let mark = opened.page.evaluate("location.search").await?;
    let find = format!("chrome.tabs.query({{url: '*://*/*{}'}})", mark.as_str().unwrap_or(""));
    let ids = |then: &str| format!("{find}.then(([tab]) => {then})");
    // The debugger keeps a tab awake.
    in_worker(&rig.browser, &ids("chrome.debugger.detach({tabId: tab.id}).catch(() => 0)")).await?;
    let before = in_worker(&rig.browser, &ids("tab.id")).await?;
    in_worker(&rig.browser, &ids("chrome.tabs.discard(tab.id).then(() => 1)")).await?;
    let after = in_worker(&rig.browser, &ids("tab.id")).await?;
    let asleep = agent.call("browser_snapshot", json!({"tab": tab})).await?;
    ensure!(asleep.is_error && asleep.code() == "TAB_DISCARDED", "{}", asleep.text);
    asleep.has("browser_navigate")?;
    let list = agent.ok("browser_tabs", json!({})).await?.text;
    ensure!(
        list.lines().filter(|line| line.contains("[own")).count() == 1,
        "once, whether Chrome renumbered it ({before} to {after}) or not:\n{list}"
    );
    agent.ok("browser_navigate", json!({"tab": tab, "url": "reload"})).await?;
    agent.ok("browser_snapshot", json!({"tab": tab})).await?.has("button \"Add\"")?;
    Ok(())
}

pub async fn an_extension_updated_during_work(rig: &mut Rig) -> Result<()> {
    let folder = rig.env.path().join("extension-copy");
    copy(&extension_dist(), &folder)?;
    rig.env.set("PILLION_EXTENSION_DIR", Some(&folder.to_string_lossy()));
    let launched = rig.another("updated").await;
    rig.env.set("PILLION_EXTENSION_DIR", None);
    let (browser, slug) = launched?;
    let agent = rig.client("worker").await?;
    let url = rig.server.url("/form.html?updated");
    let tab = agent.ok("browser_navigate", json!({"url": url, "profile": slug})).await?.tab()?;
    let fields = json!([{"target": "label=Name", "value": "kept"}]);
    agent.ok("browser_fill", json!({"tab": tab, "fields": fields})).await?;
    let new = raise_version(&folder.join("manifest.json"))?;
    // It ends the worker that answers.
    in_worker(&browser, "chrome.runtime.reload()").await.ok();
    until("the new version", BACK, || async {
        let status = rig.env.status().await?.unwrap_or(Value::Null);
        let profiles = status["profiles"].as_array().cloned().unwrap_or_default();
        let there = |profile: &Value| {
            profile["slug"] == slug.as_str()
                && profile["extension"] == new.as_str()
                && profile["connected"] == true
        };
        Ok(profiles.iter().any(there).then_some(()))
    })
    .await?;
    agent.ok("browser_snapshot", json!({"tab": tab})).await?.has("value=\"kept\"")?;
    let add = json!({"tab": tab, "target": "button \"Add\""});
    agent.ok("browser_click", add).await?.has("Added kept")?;
    let stranger = rig.client("stranger").await?;
    stranger.fails("browser_snapshot", json!({"tab": tab}), "TAB_LOCKED").await?;
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Raises the last number of the manifest's version. Gives the new one.
fn raise_version(manifest: &Path) -> Result<String> {
    let mut value: Value = serde_json::from_str(&std::fs::read_to_string(manifest)?)?;
    let version = value["version"].as_str().context("no version")?;
    let (front, last) = version.rsplit_once('.').context("no dot")?;
    // Chrome takes numbers of sixteen bits.
    let new = format!("{front}.{}", last.parse::<u32>()? % 65_535 + 1);
    value["version"] = new.as_str().into();
    std::fs::write(manifest, value.to_string())?;
    Ok(new)
}

pub async fn a_killed_extension_process_with_the_popup_open(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("survivor").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let popup = open_popup(&rig.browser.cdp).await?;
    popup.until("document.body.textContent.includes('survivor')", BACK).await?;
    let pid = until("the extension's process", BACK, || async { rig.browser.extension_process() });
    kill(pid.await?)?;
    // Chrome ends an extension for good whose process crashes under an open popup. All that is left is
    // to say what helps.
    let snapshot = json!({"tab": opened.tab});
    let lost = agent.call("browser_snapshot", snapshot.clone()).await?;
    ensure!(lost.code() == "PROFILE_DISCONNECTED", "{}", lost.text);
    lost.has("chrome://extensions")?;
    // What the button on that page does.
    let page = rig.browser.cdp.open("chrome://extensions").await?;
    page.until("typeof chrome.developerPrivate?.reload === 'function'", BACK).await?;
    let id = pillion_wire::EXTENSION_ID;
    page.evaluate(&format!("chrome.developerPrivate.reload('{id}', {{failQuietly: true}})"))
        .await?;
    until("the extension", BACK, || async {
        let answer = agent.call("browser_snapshot", snapshot.clone()).await?;
        Ok((!answer.is_error).then_some(()))
    })
    .await?;
    agent.ok("browser_snapshot", snapshot.clone()).await?.has("button \"Add\"")?;
    let stranger = rig.client("stranger").await?;
    stranger.fails("browser_snapshot", snapshot, "TAB_LOCKED").await?;
    page.send("Page.close", json!({})).await?;
    Ok(())
}

pub async fn a_machine_that_slept_during_a_call(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("sleeper").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let daemon = rig.env.daemon_pid().await?;
    let slow = "await new Promise((done) => setTimeout(done, 500, 'rested'))";
    let call = agent.begin("browser_evaluate", json!({"tab": opened.tab, "expression": slow}));
    let call = call.await?;
    pillion_testkit::pause(daemon)?;
    rig.browser.process.pause_all();
    agent.process().pause();
    // Not a wait for anything: it is how long nothing runs.
    tokio::time::sleep(SLEEP).await;
    agent.process().resume();
    rig.browser.process.resume_all();
    pillion_testkit::resume(daemon)?;
    agent.finish(call).await?.has("rested")?;
    let add = json!({"tab": opened.tab, "target": "button \"Add\""});
    agent.ok("browser_click", add).await?;
    ensure!(opened.page.evaluate("seen().log.length").await? == 1);
    Ok(())
}

pub async fn one_slow_page_slows_nobody_else(rig: &mut Rig) -> Result<()> {
    let (stuck, free) = (rig.client("stuck").await?, rig.client("free").await?);
    let slow = rig.open(&stuck, "form.html").await?;
    // On another site: pages of one site may share a process.
    let url = rig.server.other("/form.html?quick");
    let quick = free.ok("browser_navigate", json!({"url": url})).await?.tab()?;
    let round = async || -> Result<Duration> {
        let begun = Instant::now();
        for _ in 0..CALLS {
            let add = json!({"tab": quick, "target": "button \"Add\""});
            free.ok("browser_click", add).await?;
            free.ok("browser_snapshot", json!({"tab": quick})).await?;
        }
        Ok(begun.elapsed())
    };
    let alone = round().await?;
    // Waits in the page and holds the tab's queue; then more calls wait behind it.
    let waits = "await new Promise((done) => setTimeout(done, 20000))";
    let first = stuck.begin("browser_evaluate", json!({"tab": slow.tab, "expression": waits}));
    let first = first.await?;
    let add = json!({"tab": slow.tab, "target": "button \"Add\""});
    let behind = stuck.begin("browser_click", add).await?;
    let beside = round().await?;
    ensure!(beside < alone * 3 + Duration::from_secs(1), "alone {alone:?}, beside {beside:?}");
    // Who gave up does not hold the tab any longer.
    stuck.cancel(&first).await?;
    let begun = Instant::now();
    ensure!(!stuck.finish(behind).await?.is_error, "the next in the queue has its turn");
    ensure!(begun.elapsed() < BACK / 3, "{:?}", begun.elapsed());
    ensure!(slow.page.evaluate("seen().log.length").await? == 1);
    Ok(())
}

pub async fn a_client_that_vanished_in_a_form_leaves_it_to_the_next_one(
    rig: &mut Rig,
) -> Result<()> {
    // A daemon with a short time of grace, started by the next call.
    kill(rig.env.daemon_pid().await?)?;
    rig.env.set("PILLION_ORPHAN_MS", Some("1500"));
    let result = vanish_and_claim(rig).await;
    rig.env.set("PILLION_ORPHAN_MS", None);
    kill(rig.env.daemon_pid().await?)?;
    result
}

async fn vanish_and_claim(rig: &mut Rig) -> Result<()> {
    rig.connected(BACK).await?;
    let one = rig.client("vanishing").await?;
    let tab = rig.open(&one, "form.html").await?.tab;
    let fields = json!([
        {"target": "label=Name", "value": "half a name"},
        {"target": "label=Bio", "value": "two\nlines"},
        {"target": "label=Newsletter", "value": true},
    ]);
    one.ok("browser_fill", json!({"tab": tab, "fields": fields})).await?;
    let before = one.ok("browser_snapshot", json!({"tab": tab})).await?.text;
    one.process().kill();
    drop(one);
    let next = rig.client("next").await?;
    let claim = json!({"action": "claim", "tab": tab});
    next.fails("browser_tabs", claim.clone(), "TAB_LOCKED").await?.has("vanishing")?;
    until("the end of the time of grace", BACK, || async {
        let answer = next.call("browser_tabs", claim.clone()).await?;
        Ok((!answer.is_error).then_some(()))
    })
    .await?;
    let after = next.ok("browser_snapshot", json!({"tab": tab})).await?;
    for words in ["value=\"half a name\"", "two", "checked"] {
        after.has(words)?;
        ensure!(before.contains(words), "{before}");
    }
    let add = json!({"tab": tab, "target": "button \"Add\""});
    next.ok("browser_click", add).await?.has("Added half a name")?;
    Ok(())
}
