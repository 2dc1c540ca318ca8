//! Cookies, stores and databases of a page's site, and what of them is never shown.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{Page, open_popup, point, press_in};
use serde_json::json;
use std::time::Duration;

const TOKEN: &str = "c00k1e7f3a9b2d4e6f8a";
const SHOWN: Duration = Duration::from_secs(15);

const STORES: &str = "document.cookie = 'sid=c00k1e7f3a9b2d4e6f8a', document.cookie = 'theme=dark', \
    localStorage.setItem('lang', 'de'), localStorage.setItem('access_token', 'c00k1e7f3a9b2d4e6f8a'), \
    sessionStorage.setItem('step', '2'), new Promise((done) => { \
    const open = indexedDB.open('shop', 1); \
    open.onupgradeneeded = () => open.result.createObjectStore('carts', {keyPath: 'id'}).put({id: 7, sum: 42}); \
    open.onsuccess = () => (open.result.close(), done(1)); })";

pub async fn stores_are_listed_read_written_and_emptied(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("keeper").await?;
    let opened = rig.open(&agent, "small.html").await?;
    let (tab, tool) = (opened.tab, "browser_storage");
    opened.page.evaluate(STORES).await?;
    let all = agent.ok(tool, json!({"tab": tab})).await?;
    all.has("cookies of http://127.0.0.1:")?
        .has("sid 20 characters session")?
        .has("localStorage of ")?
        .has("lang 2 characters")?
        .has("step 1 character")?
        .has("shop/carts 1 record")?
        .lacks(TOKEN)?
        .lacks("dark")?;
    let told = agent.ok(tool, json!({"tab": tab, "kind": "cookies", "values": true})).await?;
    told.has("theme 4 characters session: \"dark\"")?
        .has("credentials, never shown")?
        .lacks(TOKEN)?;
    let told = agent.ok(tool, json!({"tab": tab, "kind": "local", "values": true})).await?;
    told.has("lang 2 characters: \"de\"")?.lacks(TOKEN)?;
    let one = |kind: &str, action: &str, key: &str| json!({"tab": tab, "kind": kind, "action": action, "key": key});
    agent
        .ok(tool, one("local", "get", "lang"))
        .await?
        .has("\"lang\" (2 characters):\n<page ")?
        .has("\nde\n")?;
    agent
        .ok(tool, one("local", "get", "access_token"))
        .await?
        .has("a credential, never shown")?
        .lacks(TOKEN)?;
    agent
        .ok(tool, one("cookies", "get", "sid"))
        .await?
        .has("a credential, never shown")?
        .lacks(TOKEN)?;
    agent.ok(tool, one("indexeddb", "get", "shop/carts/7")).await?.has("{\"id\":7,\"sum\":42}")?;
    agent
        .ok(tool, one("indexeddb", "list", "shop/carts"))
        .await?
        .has("shop/carts/7 17 characters")?;

    let set = |kind: &str, key: &str, value: &str| json!({"tab": tab, "kind": kind, "action": "set", "key": key, "value": value});
    agent
        .ok(tool, set("local", "lang", "fr"))
        .await?
        .has("set \"lang\" in localStorage of http")?;
    agent.ok(tool, set("session", "step", "3")).await?;
    agent.ok(tool, set("indexeddb", "shop/carts", "{\"id\": 8, \"sum\": 1}")).await?;
    let mut cookie = set("cookies", "mode", "fast");
    cookie["attributes"] = json!(["SameSite=Lax", "HttpOnly"]);
    agent.ok(tool, cookie).await?.has("set cookie \"mode\" of http")?;
    let told = agent
        .ok(tool, json!({"tab": tab, "kind": "cookies", "key": "mode", "values": true}))
        .await?;
    told.has("mode 4 characters HttpOnly SameSite=Lax session: \"…\"")?.lacks("theme")?;
    ensure!(opened.page.evaluate("localStorage.lang + sessionStorage.step").await? == "fr3");

    agent
        .ok(tool, one("local", "delete", "lang"))
        .await?
        .has("deleted \"lang\" from localStorage")?;
    agent.ok(tool, one("cookies", "delete", "theme")).await?.has("deleted cookie \"theme\"")?;
    agent.ok(tool, one("indexeddb", "delete", "shop/carts/7")).await?;
    agent.ok(tool, one("indexeddb", "delete", "shop")).await?.has("was a database")?;
    ensure!(
        opened.page.evaluate("document.cookie.includes('theme') || 'lang' in localStorage").await?
            == false
    );
    agent.ok(tool, json!({"tab": tab, "kind": "indexeddb"})).await?.has("none")?;
    agent
        .ok(tool, json!({"tab": tab, "kind": "secrets"}))
        .await?
        .has("the user has no secret for http://127.0.0.1:")?;
    Ok(())
}

pub async fn what_cannot_be_stored_says_why(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("keeper").await?;
    let (tab, tool) = (rig.open(&agent, "small.html").await?.tab, "browser_storage");
    let one = |kind: &str, action: &str, key: &str| json!({"tab": tab, "kind": kind, "action": action, "key": key});
    let big = json!({"tab": tab, "kind": "local", "action": "set", "key": "big", "value": "x".repeat(6_000_000)});
    for (args, code, words) in [
        (one("local", "get", "none"), "TARGET_NOT_FOUND", "localStorage has no \"none\""),
        (one("cookies", "get", "none"), "TARGET_NOT_FOUND", "no cookie \"none\""),
        (one("cookies", "delete", "none"), "TARGET_NOT_FOUND", "no cookie \"none\""),
        (one("indexeddb", "get", "a/b/c"), "TARGET_NOT_FOUND", "IndexedDB has no"),
        (one("local", "get", ""), "INVALID_ARGUMENT", "need key"),
        (one("local", "set", "x"), "INVALID_ARGUMENT", "set takes value"),
        (one("secrets", "get", "x"), "INVALID_ARGUMENT", "only listed"),
        (json!({"tab": tab, "action": "get", "key": "x"}), "INVALID_ARGUMENT", "kind is cookies"),
        (
            json!({"tab": tab, "kind": "cookies", "action": "set", "key": "a", "value": "b", "attributes": ["Odd"]}),
            "INVALID_ARGUMENT",
            "SameSite=Lax",
        ),
        (
            json!({"tab": tab, "kind": "cookies", "action": "set", "key": "a", "value": "b", "attributes": ["Path=/other"]}),
            "VALUE_NOT_SET",
            "did not keep the cookie",
        ),
        (big, "VALUE_NOT_SET", "full or closed"),
        (json!({"tab": 9_999}), "TAB_NOT_FOUND", "no tab 9999"),
    ] {
        agent.fails(tool, args, code).await?.has(words)?;
    }
    Ok(())
}

pub async fn names_are_told_on_a_site_that_is_only_read_and_values_by_approval(
    rig: &mut Rig,
) -> Result<()> {
    let origin = rig.server.url("");
    let agent = rig.client("keeper").await?;
    let opened = rig.open(&agent, "small.html").await?;
    let (tab, tool) = (opened.tab, "browser_storage");
    opened.page.evaluate(STORES).await?;
    rig.rule(&[(&origin, "read")]).await?;
    agent
        .ok(tool, json!({"tab": tab}))
        .await?
        .has("theme 4 characters")?
        .has("lang 2 characters")?
        .lacks("dark")?;
    for args in [
        json!({"tab": tab, "kind": "cookies", "values": true}),
        json!({"tab": tab, "kind": "local", "values": true}),
        json!({"tab": tab, "kind": "local", "action": "get", "key": "lang"}),
        json!({"tab": tab, "kind": "local", "action": "set", "key": "lang", "value": "x"}),
        json!({"tab": tab, "kind": "indexeddb", "action": "delete", "key": "shop"}),
    ] {
        agent.fails(tool, args, "READ_ONLY_SITE").await?;
    }
    agent
        .fails("browser_patch", json!({"tab": tab, "target": "h1", "text": "x"}), "READ_ONLY_SITE")
        .await?;
    agent
        .fails("browser_mock", json!({"tab": tab, "url": "/x", "block": true}), "READ_ONLY_SITE")
        .await?;
    agent.fails("browser_emulate", json!({"tab": tab, "locale": "de"}), "READ_ONLY_SITE").await?;
    agent.ok("browser_emulate", json!({"tab": tab, "color_scheme": "dark"})).await?;
    rig.rule(&[(&origin, "ask")]).await?;
    let args = json!({"tab": tab, "kind": "local", "action": "get", "key": "lang"});
    let waiting = agent.begin(tool, args.clone()).await?;
    let popup = prompt(rig).await?;
    let words = popup.evaluate("document.querySelector('.prompt').textContent").await?;
    ensure!(
        words.as_str().is_some_and(|words| words.contains("what the page stores (local): lang")),
        "{words}"
    );
    ensure!(
        popup.evaluate("document.querySelector('[data-decision=site]')").await?.is_null(),
        "a site's leave covers values"
    );
    press_in(&popup, "Allow once").await?;
    let done = agent.finish(waiting).await?;
    ensure!(!done.is_error && done.text.contains("\nde\n"), "{}", done.text);
    // The yes is used up.
    let waiting = agent.begin(tool, args).await?;
    popup.detach().await?;
    let popup = prompt(rig).await?;
    press_in(&popup, "Deny").await?;
    let denied = agent.finish(waiting).await?;
    ensure!(denied.code() == "APPROVAL_DENIED", "{}", denied.text);
    rig.rule(&[]).await
}

/// The popup, in front, with its prompt.
async fn prompt(rig: &Rig) -> Result<Page> {
    let popup = open_popup(&rig.browser.cdp).await?;
    popup.send("Emulation.setFocusEmulationEnabled", json!({"enabled": true})).await?;
    point(&popup, 5.0, 5.0).await?;
    popup.until("document.querySelector('.prompt .choices button')", SHOWN).await?;
    Ok(popup)
}
