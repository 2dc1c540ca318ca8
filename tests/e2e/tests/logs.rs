//! Console and network: what a page said and asked for, with and without the debugger.

use anyhow::{Context, Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{Answer, McpClient, until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Requests are told within this.
const TOLD: Duration = Duration::from_secs(10);

/// The list, once it holds the words.
async fn network(agent: &McpClient, args: Value, words: &str) -> Result<Answer> {
    let last = std::sync::Mutex::new(String::new());
    let found = until("those words in the logs", TOLD, || async {
        let answer = agent.ok("browser_logs", args.clone()).await?;
        last.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone_from(&answer.text);
        Ok(answer.text.contains(words).then_some(answer))
    });
    let found = found.await;
    found.with_context(|| format!("no `{words}` in {:?}", last.lock().map(|text| text.clone())))
}

pub async fn requests_are_listed_without_the_debugger(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let tab = rig.open(&agent, "logs.html").await?.tab;
    let ask = json!({"tab": tab, "kind": "network"});
    let list = network(&agent, ask, "/echo/api/fine").await?;
    list.has("GET 200 document ")?
        .has("GET 500 xhr ")?
        .has("/echo/api/orders?page=1&status=500&api_key=…")?
        .has("POST 200 xhr ")?
        .has("add \"all\":true")?
        .lacks("logs.js")?
        .lacks("abcdefgh12345678")?;
    let all = agent.ok("browser_logs", json!({"tab": tab, "kind": "network", "all": true})).await?;
    all.has("script ")?.has("logs.js")?;
    let bad =
        agent.ok("browser_logs", json!({"tab": tab, "kind": "network", "errors": true})).await?;
    bad.has("orders")?.lacks("/echo/api/fine")?;
    let one = json!({"tab": tab, "request": "last", "filter": "/api/orders"});
    let one = agent.ok("browser_logs", one).await?;
    one.has("authorization=[redacted]")?
        .has("response headers: ")?
        .has("body: not kept. To keep bodies: browser_logs {")?
        .lacks("q83vEj")?;
    Ok(())
}

pub async fn since_clear_and_wrong_ids(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let opened = rig.open(&agent, "logs.html").await?;
    let tab = opened.tab;
    network(&agent, json!({"tab": tab, "kind": "network"}), "/echo/api/fine").await?;
    let one = agent.ok("browser_logs", json!({"tab": tab, "kind": "network", "limit": 1})).await?;
    one.has("earlier ones, from the oldest: browser_logs {")?.has("\"since\":\"r")?;
    let rest = agent
        .ok("browser_logs", json!({"tab": tab, "kind": "network", "since": "r0", "limit": 1}))
        .await?;
    rest.has("GET 200 document ")?.has("more: browser_logs {")?;
    agent.ok("browser_logs", json!({"tab": tab, "kind": "network", "clear": true})).await?;
    let after = agent.ok("browser_logs", json!({"tab": tab, "kind": "network"})).await?;
    after.has("0 requests of this page")?;
    opened.page.evaluate("fetch('/echo/later')").await?;
    network(&agent, json!({"tab": tab, "kind": "network"}), "/echo/later").await?;
    for (args, words) in [
        (json!({"tab": tab, "request": "r9999"}), "was never told"),
        (json!({"tab": tab, "request": "xyz"}), "is an id of the list"),
        (json!({"tab": tab, "request": "last", "filter": "nothing-like-it"}), "fits"),
        (json!({"tab": tab, "since": "yesterday"}), "r17 or c12"),
        (json!({"tab": tab, "since": "c1", "kind": "network"}), "other list"),
        (json!({"tab": tab, "kind": "both"}), "console, network"),
    ] {
        agent.fails("browser_logs", args, "INVALID_ARGUMENT").await?.has(words)?;
    }
    agent.fails("browser_logs", json!({"tab": 9_999}), "TAB_NOT_FOUND").await?;
    let file = json!({"tab": tab, "path": rig.env.path().join("x.txt").to_string_lossy()});
    agent.fails("browser_logs", file, "FILE_NOT_ALLOWED").await?;
    Ok(())
}

pub async fn the_console_is_replayed_and_grouped(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let tab = rig.open(&agent, "logs.html").await?.tab;
    let seen = network(&agent, json!({"tab": tab, "kind": "console"}), "thrown words").await?;
    seen.has("log hello {a: 1, inner: Object} [1, 2] (logs.js:1)")?
        .has("warning same words (logs.js:2) ×3")?
        .has("error Uncaught (in promise) Error: nobody caught this (logs.js:7)")?
        .has("at load (logs.js:7)")?
        .has("error Uncaught TypeError: thrown words (logs.js:11)")?;
    let errors =
        agent.ok("browser_logs", json!({"tab": tab, "kind": "console", "errors": true})).await?;
    errors.has("thrown words")?.lacks("same words")?;
    let some =
        agent.ok("browser_logs", json!({"tab": tab, "kind": "console", "filter": "SAME"})).await?;
    some.has("same words")?.lacks("hello")?;
    let both = agent.ok("browser_logs", json!({"tab": tab})).await?;
    both.has("console of tab")?.has("network of tab")?;
    Ok(())
}

pub async fn stacks_are_those_of_the_sources(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let tab = rig.open(&agent, "mapped.html").await?.tab;
    let seen = network(&agent, json!({"tab": tab, "kind": "console"}), "from a built file").await?;
    seen.has("error from a built file (orders.ts:41)")?;
    // What was asked for the map is not the page's.
    let list =
        agent.ok("browser_logs", json!({"tab": tab, "kind": "network", "all": true})).await?;
    list.lacks("mapped.js.map")?;
    Ok(())
}

pub async fn bodies_are_kept_once_they_are_asked_for(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let opened = rig.open(&agent, "logs.html").await?;
    let tab = opened.tab;
    let steps = agent.ok("browser_logs", json!({"tab": tab, "capture": true})).await?;
    ensure!(steps.text == "bodies are kept from now on, this tab", "{}", steps.text);
    agent.ok("browser_navigate", json!({"tab": tab, "url": "reload"})).await?;
    let last = json!({"tab": tab, "request": "last", "filter": "/echo/api/fine"});
    network(&agent, json!({"tab": tab, "kind": "network"}), "/echo/api/fine").await?;
    let one = network(&agent, last, "\nbody:\n").await?;
    one.has("request body:")?.has("user=ada")?.has("from logs.js:17")?;
    let unread = json!({"tab": tab, "request": "last", "filter": "/echo/api/unread"});
    agent.ok("browser_logs", unread).await?.has("body: Chrome has none")?;
    // Kept also when the page that asked is gone.
    let elsewhere = rig.server.url("/form.html?elsewhere=1");
    agent.ok("browser_navigate", json!({"tab": tab, "url": elsewhere})).await?;
    let before = json!({"tab": tab, "request": "last", "filter": "/echo/api/fine", "all": true});
    agent.ok("browser_logs", before).await?.has("\nbody:\n")?;
    agent.ok("browser_logs", json!({"tab": tab, "capture": false})).await?;
    Ok(())
}

pub async fn a_har_file_is_written(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let tab = rig.open(&agent, "logs.html").await?.tab;
    network(&agent, json!({"tab": tab, "kind": "network"}), "/echo/api/fine").await?;
    let path = rig.env.path().join("page.har");
    let args = json!({"tab": tab, "path": path.to_string_lossy()});
    agent.ok("browser_logs", args.clone()).await?.has("saved: ")?;
    let har: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
    let entries = har["log"]["entries"].as_array().map_or(0, Vec::len);
    ensure!(har["log"]["version"] == "1.2" && entries >= 3, "{entries} entries");
    ensure!(!har.to_string().contains("abcdefgh12345678"));
    // Never over a file.
    agent.fails("browser_logs", args, "FILE_NOT_ALLOWED").await?;
    Ok(())
}

pub async fn floods_streams_and_loops_end_in_time(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let opened = rig.open(&agent, "logs.html").await?;
    let tab = opened.tab;
    opened.page.evaluate("flood(100000)").await?;
    let begun = Instant::now();
    let seen = agent.ok("browser_logs", json!({"tab": tab, "kind": "console"})).await?;
    ensure!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    ensure!(seen.text.len() < 5_000, "{} characters", seen.text.len());
    seen.has("flood 99999")?.has("Chrome keeps the last 1000 messages")?;
    // A redirect to itself.
    opened.page.evaluate("fetch('/redirect?to=' + encodeURIComponent('/redirect?to=%2Fredirect')).catch(() => 0)").await?;
    network(&agent, json!({"tab": tab, "kind": "network"}), "GET 302 ").await?;
    // An answer that never comes.
    opened.page.evaluate("void fetch('/never')").await?;
    let list = network(&agent, json!({"tab": tab, "kind": "network"}), "/never").await?;
    list.has(" waiting ")?;
    let open = json!({"tab": tab, "request": "last", "filter": "/never"});
    agent.ok("browser_logs", open).await?.has("body: no answer yet")?;
    Ok(())
}

pub async fn nothing_is_lost_when_the_worker_dies(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let opened = rig.open(&agent, "logs.html").await?;
    let tab = opened.tab;
    network(&agent, json!({"tab": tab, "kind": "network"}), "/echo/api/fine").await?;
    opened.page.evaluate("void fetch('/echo/across?delay=1500')").await?;
    network(&agent, json!({"tab": tab, "kind": "network"}), "/echo/across").await?;
    if let Some(worker) = rig.worker().await? {
        rig.browser.cdp.close(worker["targetId"].as_str().unwrap_or_default()).await?;
    }
    let ask = json!({"tab": tab, "kind": "network", "filter": "/echo/across"});
    network(&agent, ask, "GET 200 xhr ").await?;
    let list = agent.ok("browser_logs", json!({"tab": tab, "kind": "network"})).await?;
    list.has("/echo/api/fine")?.has("connection to the browser was lost")?;
    Ok(())
}

pub async fn two_tabs_have_logs_of_their_own(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("reader").await?;
    let one = rig.open(&agent, "logs.html").await?.tab;
    let other = rig.open(&agent, "mapped.html").await?.tab;
    network(&agent, json!({"tab": one, "kind": "network"}), "/echo/api/fine").await?;
    let list = agent.ok("browser_logs", json!({"tab": other})).await?;
    list.has("from a built file")?.lacks("/echo/api/fine")?.lacks("thrown words")?;
    Ok(())
}
