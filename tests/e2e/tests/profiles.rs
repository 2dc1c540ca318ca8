//! Two real profiles whose tabs have the same ids of Chrome: nothing of one is ever done in the other.

use anyhow::{Context, Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{McpClient, RideBrowser, kill, until};
use serde_json::{Value, json};
use std::time::Duration;

/// A browser that was just started connects within this; what was lost is back within this.
const BACK: Duration = Duration::from_secs(30);
/// Chrome counts tabs on from what the last run wrote down.
const COUNTED: &str = r#"{"session_id_generator_last_value":"4711"}"#;

/// One of two browsers that count alike.
struct Twin {
    name: &'static str,
    slug: String,
    browser: RideBrowser,
}

impl Twin {
    async fn start(rig: &Rig, name: &'static str) -> Result<Self> {
        count_from_the_start(rig, name)?;
        let (browser, slug) = rig.another(name).await?;
        Ok(Self { name, slug, browser })
    }

    /// An agent opens a page here. Gives Pillion's number and Chrome's id.
    async fn open(&self, rig: &Rig, agent: &McpClient, word: &str) -> Result<(u32, Value)> {
        let url = rig.server.url(&format!("/form.html?{word}"));
        let go = json!({"url": url, "profile": self.slug});
        let number = agent.ok("browser_navigate", go).await?.tab()?;
        Ok((number, self.chrome_id(word).await?))
    }

    /// Chrome's id of the tab whose address holds the word.
    async fn chrome_id(&self, word: &str) -> Result<Value> {
        let cdp = &self.browser.cdp;
        let worker = cdp.attach("service_worker", "chrome-extension://", BACK).await?;
        let find = format!("chrome.tabs.query({{url: '*://*/*{word}*'}}).then(([tab]) => tab.id)");
        let id = worker.evaluate(&find).await?;
        worker.detach().await?;
        Ok(id)
    }
}

/// Before its first start, and between two: the next tab gets the same id again.
fn count_from_the_start(rig: &Rig, name: &str) -> Result<()> {
    let folder = rig.env.path().join(name);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("Local State"), COUNTED)?;
    Ok(())
}

/// Where the tab of that number is, as its own page says.
async fn address(agent: &McpClient, tab: u32) -> Result<String> {
    // A read first, for that is made again when the daemon goes away meanwhile.
    agent.ok("browser_snapshot", json!({"tab": tab})).await?;
    let address = json!({"tab": tab, "expression": "location.search"});
    Ok(agent.ok("browser_evaluate", address).await?.text)
}

pub async fn equal_chrome_ids_in_two_profiles_are_two_tabs(rig: &mut Rig) -> Result<()> {
    let (one, two) = (Twin::start(rig, "twin-a").await?, Twin::start(rig, "twin-b").await?);
    let (left, right) = (rig.client("left").await?, rig.client("right").await?);
    let (a, chrome_a) = one.open(rig, &left, "left").await?;
    let (b, chrome_b) = two.open(rig, &right, "right").await?;
    ensure!(chrome_a == chrome_b && chrome_a.is_number(), "{chrome_a} and {chrome_b}");
    ensure!(a != b);
    for round in 0..5 {
        let name = |who: &str| json!([{"target": "label=Name", "value": format!("{who}-{round}")}]);
        let (filled, other) = tokio::join!(
            left.ok("browser_fill", json!({"tab": a, "fields": name("left")})),
            right.ok("browser_fill", json!({"tab": b, "fields": name("right")})),
        );
        filled.and(other)?;
        let add = "button \"Add\"";
        let (pressed, other) = tokio::join!(
            left.ok("browser_click", json!({"tab": a, "target": add})),
            right.ok("browser_click", json!({"tab": b, "target": add})),
        );
        pressed?.has(&format!("left-{round}"))?.lacks("right")?;
        other?.has(&format!("right-{round}"))?.lacks("left")?;
    }
    left.fails("browser_snapshot", json!({"tab": b}), "TAB_LOCKED").await?;
    right.ok("browser_tabs", json!({"action": "close", "tab": b})).await?;
    ensure!(address(&left, a).await?.contains("left"), "the twin's tab stays open");
    Ok(())
}

pub async fn profiles_that_come_back_in_any_order_keep_names_and_numbers(
    rig: &mut Rig,
) -> Result<()> {
    let twins = [Twin::start(rig, "twin-c").await?, Twin::start(rig, "twin-d").await?];
    let agent = rig.client("shuffler").await?;
    let (first, _) = twins[0].open(rig, &agent, "first").await?;
    let (second, _) = twins[1].open(rig, &agent, "second").await?;
    let tabs = [(first, "first"), (second, "second")];
    for late in [0, 1, 0] {
        // Cannot come back while it stands still, so the other one is there before it.
        let held = twins[late].browser.extension_process()?.context("no extension process")?;
        pillion_testkit::pause(held)?;
        kill(rig.env.daemon_pid().await?)?;
        let early = &tabs[1 - late];
        ensure!(address(&agent, early.0).await?.contains(early.1));
        ensure!(!rig.slugs().await?.contains(&twins[late].slug), "the late one is not there yet");
        pillion_testkit::resume(held)?;
        for (number, word) in tabs {
            let there = address(&agent, number).await?;
            ensure!(there.contains(word), "tab {number} is {there}, not {word}");
        }
        let slugs = rig.slugs().await?;
        for twin in &twins {
            ensure!(slugs.contains(&twin.slug), "{} is not {} any more", twin.name, twin.slug);
            let list = agent.ok("browser_tabs", json!({})).await?;
            list.has(&format!("profile {} ", twin.slug))?;
        }
        let (new, _) = twins[late].open(rig, &agent, &format!("late-{late}")).await?;
        ensure!(new > second, "numbers are never given twice");
        agent.ok("browser_tabs", json!({"action": "close", "tab": new})).await?;
    }
    Ok(())
}

pub async fn a_number_never_means_the_tab_that_got_its_chrome_id(rig: &mut Rig) -> Result<()> {
    let mut twin = Twin::start(rig, "twin-e").await?;
    let agent = rig.client("counter").await?;
    let (old, chrome) = twin.open(rig, &agent, "before").await?;
    let Twin { name, slug, browser } = twin;
    drop(browser);
    until("the end of the browser", BACK, || async {
        Ok((!rig.slugs().await?.contains(&slug)).then_some(()))
    })
    .await?;
    count_from_the_start(rig, name)?;
    let (browser, again) = rig.another(name).await?;
    ensure!(again == slug, "the profile keeps its name: {again}");
    twin = Twin { name, slug, browser };
    let (new, same) = twin.open(rig, &agent, "after").await?;
    ensure!(same == chrome, "Chrome gave {same} instead of {chrome}");
    ensure!(new != old);
    for tool in ["browser_snapshot", "browser_text"] {
        agent.fails(tool, json!({"tab": old}), "TAB_NOT_FOUND").await?;
    }
    let press = json!({"tab": old, "target": "button \"Add\""});
    agent.fails("browser_click", press, "TAB_NOT_FOUND").await?;
    ensure!(address(&agent, new).await?.contains("after"));
    Ok(())
}
