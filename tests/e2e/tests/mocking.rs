//! Answers in a server's place: which requests get them, and that none is ever left waiting.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use serde_json::json;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(10);

pub async fn the_first_rule_that_fits_answers_and_is_counted(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("mocker").await?;
    let opened = rig.open(&agent, "tries.html?frame").await?;
    let (tab, tool) = (opened.tab, "browser_mock");
    let get = async |url: &str| -> Result<String> {
        let answer = opened.page.evaluate(&format!("get('{url}')")).await?;
        Ok(answer.as_str().unwrap_or_default().to_owned())
    };
    let first = json!({"tab": tab, "url": "*/echo/mocked/orders*", "method": "get", "status": 503,
        "body": "{\"a\": \"ä\"}", "headers": ["x-mark: ours"], "delay_ms": 50});
    let told = agent.ok(tool, first).await?;
    told.has("mock m1: GET \"*/echo/mocked/orders*\" → 503 application/json")?
        .has("after 50 ms\nactive for 127.0.0.1:")?;
    agent
        .ok(tool, json!({"tab": tab, "url": "/echo/mocked", "body": "second"}))
        .await?
        .has("mock m2: any")?;
    agent.ok(tool, json!({"tab": tab, "url": "/echo/ads", "block": true})).await?.has("→ fails")?;
    ensure!(get("/echo/mocked/orders?page=1").await? == "503 ours {\"a\": \"ä\"}");
    ensure!(get("/echo/mocked/else").await? == "200  second");
    ensure!(get("/echo/ads/1").await?.starts_with("failed"));
    ensure!(get("/echo/free").await?.starts_with("200  {"));
    ensure!(rig.server.seen("/echo/mocked/").is_empty(), "a mocked request reached the server");
    let list = agent.ok(tool, json!({"tab": tab})).await?;
    list.has("m1 GET")?.has("1 hit")?.has("m3 any \"/echo/ads\" → fails, 1 hit")?;
    // The page's own button, its receipt, and the log see the answer.
    agent.ok(tool, json!({"tab": tab, "url": "/echo/api/orders", "status": 404})).await?;
    agent.ok("browser_click", json!({"tab": tab, "target": "button \"Ask\""})).await?.has("404")?;
    // Over a page load, and in a frame of another site.
    agent.ok("browser_navigate", json!({"tab": tab, "url": "reload"})).await?;
    ensure!(get("/echo/mocked/orders").await?.starts_with("503 ours"));
    let mark = opened.page.evaluate("new URL(inner.src).search").await?;
    let mark = mark.as_str().unwrap_or_default();
    let frame = rig.browser.cdp.attach("iframe", mark, SOON).await?;
    frame.until("fetch('/echo/ads/2').then(() => false, () => true)", SOON).await?;
    // To a site that the tab does not show: left alone, and said.
    let elsewhere = json!({"tab": tab, "url": "http://127.0.0.2/api*", "status": 200});
    agent
        .ok(tool, elsewhere)
        .await?
        .has("m5 is inactive: the tab shows no page of \"127.0.0.2\"")?;

    agent.ok(tool, json!({"tab": tab, "remove": "m1"})).await?.has("removed m1 (")?;
    ensure!(get("/echo/mocked/orders").await? == "200  second");
    agent.ok(tool, json!({"tab": tab, "remove": "all"})).await?.has("no mocks in tab")?;
    ensure!(get("/echo/mocked/orders").await?.starts_with("200  {"));
    for (args, words) in [
        (json!({"tab": tab, "status": 500}), "needs url"),
        (json!({"tab": tab, "url": "/x", "status": 99}), "200 to 599"),
        (json!({"tab": tab, "url": "/x", "block": true, "status": 500}), "no status"),
        (json!({"tab": tab, "url": "/x", "delay_ms": 60_000}), "0 to 30000"),
        (json!({"tab": tab, "url": "/x", "headers": ["nonsense"]}), "Name: value"),
        (json!({"tab": tab, "url": "/x", "method": "G T"}), "GET, POST"),
        (json!({"tab": tab, "url": "/x", "remove": "all"}), "one at a time"),
        (json!({"tab": tab, "remove": "m9"}), "no mock \"m9\""),
    ] {
        agent.fails(tool, args, "INVALID_ARGUMENT").await?.has(words)?;
    }
    agent.fails(tool, json!({"tab": 9_999}), "TAB_NOT_FOUND").await?;
    Ok(())
}

pub async fn no_request_is_left_waiting_when_something_dies(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("mocker").await?;
    let opened = rig.open(&agent, "tries.html").await?;
    let tab = opened.tab;
    let held = json!({"tab": tab, "url": "/echo/held", "body": "mocked", "delay_ms": 30_000});
    agent.ok("browser_mock", held).await?;
    let asked = "window.late = '', get('/echo/held/1').then((text) => { window.late = text; }), 1";
    opened.page.evaluate(asked).await?;
    // The worker dies with a request in its hands: the next one answers it.
    tokio::time::sleep(Duration::from_millis(500)).await;
    if let Some(worker) = rig.worker().await? {
        rig.browser.cdp.close(worker["targetId"].as_str().unwrap_or_default()).await?;
    }
    opened.page.until("window.late === '200  mocked'", Duration::from_secs(20)).await?;
    // It mocks all the same, whoever woke it.
    let quick = json!({"tab": tab, "url": "/echo/quick", "status": 418});
    agent.ok("browser_mock", quick).await?;
    if let Some(worker) = rig.worker().await? {
        rig.browser.cdp.close(worker["targetId"].as_str().unwrap_or_default()).await?;
    }
    let answer = opened.page.evaluate("get('/echo/quick')").await?;
    ensure!(answer.as_str().is_some_and(|text| text.starts_with("418")), "{answer}");
    // The daemon dies: the page is answered as before.
    pillion_testkit::kill(rig.env.daemon_pid().await?)?;
    let answer = opened.page.evaluate("get('/echo/quick')").await?;
    ensure!(answer.as_str().is_some_and(|text| text.starts_with("418")), "{answer}");
    rig.connected(Duration::from_secs(20)).await?;
    agent.ok("browser_mock", json!({"tab": tab})).await?.has("→ 418")?.has("2 hits")?;
    // Given back while one is held: it goes to the server.
    opened.page.evaluate(asked).await?;
    agent.ok("browser_tabs", json!({"action": "give", "tab": tab, "to": "user"})).await?;
    opened.page.until("window.late.startsWith('200')", SOON).await?;
    Ok(())
}
