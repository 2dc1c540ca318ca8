//! The first page: opened once in a profile of the user's own, with the steps as they come true.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{OwnBrowser, ensure_accessible, extension_dist, picture, press_in};
use std::time::Duration;

/// A browser that was just started connects within this.
const CONNECT: Duration = Duration::from_secs(30);

pub async fn it_opens_once_shows_the_way_and_loosens_nothing(rig: &mut Rig) -> Result<()> {
    // The rig's browser was made by `pillion launch`: its consent came in advance.
    let shown =
        rig.browser.cdp.targets().await?.into_iter().any(|target| {
            target["url"].as_str().is_some_and(|url| url.ends_with("/first-run.html"))
        });
    ensure!(!shown, "a launched profile got the first page");

    let own = OwnBrowser::start(&rig.env, &extension_dist()).await?;
    let page = own.first_page().await?;
    page.until("document.querySelectorAll('.step[data-done]').length === 1", CONNECT).await?;
    ensure_accessible(&page).await?;
    picture(&page, "first-run", Some(760)).await?;

    // It stands in a tab, where a debugger could reach it: the worker hears nothing that loosens.
    let view = page
        .evaluate(
            "new Promise((done) => { const port = chrome.runtime.connect({name: 'panel'}); \
             let views = 0; port.onMessage.addListener((view) => { views += 1; \
             if (views === 2) done(view); }); \
             port.postMessage({ask: 'consent', granted: true}); \
             port.postMessage({ask: 'sharing', sharing: 'every'}); \
             port.postMessage({ask: 'rule', pattern: '*.example.org', rule: 'free'}); \
             port.postMessage({ask: 'halt_all', halt: 'stop'}); })",
        )
        .await?;
    ensure!(view["settings"]["consent"] == false, "a tab gave consent: {view}");
    ensure!(view["settings"]["sharing"] == "chosen", "a tab shared: {view}");
    ensure!(view["everything"] == "stop", "a tab may tighten: {view}");
    ensure!(view["sign"].is_null() && view["rules"].is_null(), "a tab was told: {view}");
    let rules = own.in_worker("chrome.storage.local.get('rules')").await?;
    ensure!(!rules.to_string().contains("example.org"), "{rules}");

    let popup = own.popup().await?;
    press_in(&popup, "Let agents use this profile").await?;
    press_in(&popup, "Let agents go on").await?;
    page.until("document.querySelectorAll('.step[data-done]').length === 2", CONNECT).await?;
    picture(&page, "first-run-ready", Some(760)).await?;
    Ok(())
}
