//! The settings: in Chrome's own page, out of reach of tabs.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{
    OwnBrowser, ensure_accessible, extension_dist, picture, press, press_in, type_text, until,
};
use serde_json::json;
use std::time::Duration;

/// What was set is stored, and what was reset is paired again, within this.
const SET: Duration = Duration::from_secs(30);

pub async fn everything_is_set_by_hand_and_a_reset_pairs_anew(rig: &mut Rig) -> Result<()> {
    let own = OwnBrowser::start(&rig.env, &extension_dist()).await?;
    let popup = own.popup().await?;
    press_in(&popup, "Let agents use this profile").await?;
    popup.until("document.querySelector('#tabs li')", SET).await?;
    press_in(&popup, "Settings").await?;
    let page = own.options().await?;
    page.until("document.querySelector('.sign')", SET).await?;
    ensure_accessible(&page).await?;

    press(&page, "document.querySelector('#label')").await?;
    type_text(&page, "Work").await?;
    press(&page, "document.querySelector('#rule-site')").await?;
    type_text(&page, "intranet.example.org").await?;
    press_in(&page, "Add").await?;
    page.until("document.body.textContent.includes('*.intranet.example.org')", SET).await?;
    let word = "document.querySelector('.sign').textContent";
    let before = page.evaluate(word).await?;
    press_in(&page, "Draw another").await?;
    page.until(&format!("{word} !== {before}"), SET).await?;
    let stored = own.in_worker("chrome.storage.local.get(['settings', 'rules'])").await?;
    ensure!(stored["settings"]["label"] == "Work", "{stored}");
    let rule = json!([{"pattern": "*.intranet.example.org", "rule": "ask"}]);
    ensure!(stored["rules"]["rules"]["sites"] == rule, "{stored}");
    page.evaluate("scrollTo(0, 0)").await?;
    picture(&page, "options", None).await?;

    let key = "new Promise((done) => { const open = indexedDB.open('pillion'); \
               open.onsuccess = () => { const read = open.result.transaction('identity') \
               .objectStore('identity').get('profile'); read.onsuccess = async () => { \
               open.result.close(); done(read.result ? (await crypto.subtle.exportKey('jwk', \
               read.result.publicKey)).x : null); }; }; })";
    let old = own.in_worker(key).await?;
    press_in(&page, "Reset pairing").await?;
    page.until("document.activeElement.textContent === 'Cancel'", SET).await?;
    press_in(&page, "Reset now").await?;
    until("another key", SET, || async {
        let now = own.in_worker(key).await?;
        Ok((!now.is_null() && now != old).then_some(()))
    })
    .await?;
    page.until("document.querySelector('.status').dataset.mood === 'good'", SET).await?;
    let after = own.in_worker("chrome.storage.local.get(['settings', 'rules'])").await?;
    ensure!(after["rules"] == stored["rules"], "a reset touched the rules: {after}");
    Ok(())
}
