//! What agents try on a page: patches, overrides; and that all of it is taken back.

use anyhow::{Context, Result, ensure};
use pillion_e2e::{Opened, Rig};
use pillion_testkit::{McpClient, open_popup, until};
use serde_json::{Value, json};
use std::time::Duration;

/// What was tried is gone from the page within this once the tab was let go.
const BACK: Duration = Duration::from_secs(10);

fn patch(tab: u32, target: &str, more: Value) -> Value {
    let mut args = json!({"tab": tab, "target": target});
    for (key, value) in more.as_object().into_iter().flatten() {
        args[key] = value.clone();
    }
    args
}

pub async fn a_patch_is_read_back_and_rolled_back_in_any_order(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("patcher").await?;
    let opened = rig.open(&agent, "tries.html").await?;
    let tab = opened.tab;
    let tool = "browser_patch";
    let before = opened.page.evaluate("document.querySelector('#total').outerHTML").await?;
    let one = patch(tab, "#total", json!({"styles": "position:static; color: rgb(0, 0, 255)"}));
    let told = agent.ok(tool, one).await?;
    told.has("patched p1: position absolute → static, color rgb(255, 0, 0) → rgb(0, 0, 255) (by !important: other rules win without) on div")?
        .has(", read back\nchanged: box 10,120 → ")?
        .has("no longer covered")?;
    let two = patch(tab, "#total", json!({"styles": "position:fixed", "text": "Sum"}));
    agent
        .ok(tool, two)
        .await?
        .has("patched p2: position static → fixed, text \"Total EUR\" → \"Sum\"")?;
    let more =
        json!({"attributes": ["title=new", "data-x=a b", "-lang"], "classes": "open -total"});
    let three = agent.ok(tool, patch(tab, "#total", more)).await?;
    three
        .has("title \"old\" → \"new\"")?
        .has("data-x (none) → \"a b\"")?
        .has("class +open")?
        .has("class -total")?;
    ensure!(opened.page.evaluate("document.querySelector('#total b').textContent").await? == "42");
    agent
        .ok(tool, json!({"tab": tab, "list": true}))
        .await?
        .has("patches in tab ")?
        .has(": 3\n  p1 position ")?;
    let css = agent.ok(tool, json!({"tab": tab, "export": true})).await?;
    css.has("#total {\n  position: static;\n  color: rgb(0, 0, 255) !important;\n}")?
        .has("p2, no CSS")?;

    // The first one goes, the second one's value stays; then what the first one had is not there again.
    let gone = agent.ok(tool, json!({"tab": tab, "rollback": "p1"})).await?;
    gone.has("rolled back p1: position fixed again")?.has("Left: p2, p3.")?;
    let gone = agent.ok(tool, json!({"tab": tab, "rollback": "p2"})).await?;
    gone.has("rolled back p2: ")?.has("text \"Total EUR\" again")?;
    let gone = agent.ok(tool, json!({"tab": tab, "rollback": "all"})).await?;
    gone.has("title \"old\" again")?.has("No patches left.")?;
    let sorted = "[...document.querySelector('#total').attributes].map((a) => a.name + a.value).sort().join()";
    ensure!(opened.page.evaluate(sorted).await? == "classtotal,idtotal,titleold");
    ensure!(before.as_str().is_some_and(|html| html.contains("title=\"old\"")));

    // What the page changed meanwhile is the page's.
    agent.ok(tool, patch(tab, "#total", json!({"attributes": ["title=mine"]}))).await?.has("p4")?;
    opened.page.evaluate("document.querySelector('#total').title = 'page', 1").await?;
    let left = agent.ok(tool, json!({"tab": tab, "rollback": "p4"})).await?;
    left.has("title \"page\" (left: the page changed it meanwhile)")?;
    // Committed, it is no patch any more.
    agent.ok(tool, patch(tab, "#total", json!({"text": "Kept"}))).await?.has("p5")?;
    agent
        .ok(tool, json!({"tab": tab, "commit": "p5"}))
        .await?
        .has("committed p5")?
        .has("No patches left.")?;
    agent.ok("browser_tabs", json!({"action": "release", "tab": tab})).await?;
    until("a tab that is let go", BACK, || async {
        let list = agent.ok("browser_tabs", json!({})).await?.text;
        Ok((!list.contains("[own]") || list.contains("free")).then_some(()))
    })
    .await?;
    ensure!(
        opened
            .page
            .evaluate("document.querySelector('#total').textContent.includes('Kept')")
            .await?
            == true
    );
    Ok(())
}

pub async fn what_cannot_be_patched_says_why_and_leaves_nothing(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("patcher").await?;
    let opened = rig.open(&agent, "tries.html").await?;
    let tab = opened.tab;
    let tool = "browser_patch";
    let before = opened.page.evaluate("document.body.outerHTML").await?;
    for (args, code, words) in [
        (
            patch(tab, "#total", json!({"styles": "color: no colour"})),
            "VALUE_NOT_SET",
            "no value of color",
        ),
        (
            patch(tab, "#fleeting", json!({"attributes": ["title=x"]})),
            "VALUE_NOT_SET",
            "back at once",
        ),
        (patch(tab, "#secret", json!({"attributes": ["type=text"]})), "POLICY", "stays masked"),
        (patch(tab, "#secret", json!({"text": "x"})), "INVALID_ARGUMENT", "browser_fill"),
        (patch(tab, "#total", json!({})), "INVALID_ARGUMENT", "what is to change"),
        (patch(tab, "#total", json!({"styles": "red"})), "INVALID_ARGUMENT", "declarations"),
        (patch(tab, "#total", json!({"attributes": ["a b=c"]})), "INVALID_ARGUMENT", "name=value"),
        (patch(tab, "#none", json!({"text": "x"})), "TARGET_NOT_FOUND", "nothing fits"),
        (patch(tab, "e9999", json!({"text": "x"})), "REF_NOT_FOUND", "never shown"),
        (json!({"tab": tab, "text": "x"}), "INVALID_ARGUMENT", "needs target"),
        (json!({"tab": tab, "rollback": "p9"}), "INVALID_ARGUMENT", "no patch p9"),
        (json!({"tab": tab, "rollback": "x"}), "INVALID_ARGUMENT", "named p1, or all"),
        (json!({"tab": tab, "list": true, "rollback": "all"}), "INVALID_ARGUMENT", "one at a time"),
        (json!({"tab": 9_999, "list": true}), "TAB_NOT_FOUND", "no tab 9999"),
    ] {
        agent.fails(tool, args, code).await?.has(words)?;
    }
    ensure!(opened.page.evaluate("document.body.outerHTML").await? == before, "something stayed");
    agent.ok(tool, json!({"tab": tab})).await?.has("no patches in tab")?;
    // By the command line, too; and a reload ends patches.
    let session = ["--session", "shell"];
    let url = rig.server.url("/tries.html?shell");
    let shell = async |args: &[&str]| -> Result<String> {
        let all: Vec<&str> = args.iter().chain(&session).copied().collect();
        let output = rig.env.run(&all).await?;
        ensure!(output.ok, "{args:?}: {} {}", output.stdout, output.stderr);
        Ok(output.stdout)
    };
    shell(&["navigate", &url]).await?;
    let done = shell(&["patch", "#total", "--styles", "position:static"]).await?;
    ensure!(done.contains("patched p1: position absolute → static"), "{done}");
    let done = shell(&["patch", "--rollback", "p1"]).await?;
    ensure!(done.contains("rolled back p1: position absolute again. No patches left."), "{done}");
    Ok(())
}

/// Everything that can be tried, and whether the page shows it.
async fn try_all(agent: &McpClient, opened: &Opened) -> Result<()> {
    let tab = opened.tab;
    agent.ok("browser_patch", patch(tab, "#total", json!({"text": "Tried"}))).await?;
    let wish = json!({"tab": tab, "color_scheme": "dark", "timezone": "Asia/Tokyo"});
    agent.ok("browser_emulate", wish).await?;
    let mock = json!({"tab": tab, "url": "/echo/api/orders", "status": 500, "body": "mocked"});
    agent.ok("browser_mock", mock).await?.has("\nactive for 127.0.0.1:")?;
    let now = opened.page.evaluate(TRIED).await?;
    ensure!(now == "Tried true Asia/Tokyo 500  mocked", "{now}");
    Ok(())
}

const TRIED: &str = "get('/echo/api/orders').then((answer) => [document.querySelector('#total').firstChild.data.trim(), \
     matchMedia('(prefers-color-scheme: dark)').matches, \
     Intl.DateTimeFormat().resolvedOptions().timeZone, answer.slice(0, 11)].join(' '))";

/// Nothing of it is left.
async fn all_is_back(opened: &Opened) -> Result<()> {
    until("the page as it was", BACK, || async {
        let now = opened.page.evaluate(TRIED).await?;
        let now = now.as_str().context("no text")?.to_owned();
        let back =
            now.starts_with("Total false ") && !now.contains("Tokyo") && now.contains(" 200 ");
        Ok(back.then_some(()))
    })
    .await
}

pub async fn all_is_taken_back_when_the_tab_is_let_go(rig: &mut Rig) -> Result<()> {
    // The session lets go.
    let agent = rig.client("trier").await?;
    let opened = rig.open(&agent, "tries.html").await?;
    try_all(&agent, &opened).await?;
    let gone = json!({"action": "give", "tab": opened.tab, "to": "user"});
    agent.ok("browser_tabs", gone).await?;
    all_is_back(&opened).await?;

    // The session gives the tab to nobody, and takes it again.
    let opened = rig.open(&agent, "tries.html").await?;
    try_all(&agent, &opened).await?;
    agent.ok("browser_tabs", json!({"action": "release", "tab": opened.tab})).await?;
    all_is_back(&opened).await?;
    agent.ok("browser_tabs", json!({"action": "claim", "tab": opened.tab})).await?;
    let told = agent.ok("browser_emulate", json!({"tab": opened.tab})).await?;
    told.has("nothing is emulated")?
        .has("lost: your patches, emulation and mocks in this tab were taken back")?;
    agent.ok("browser_emulate", json!({"tab": opened.tab})).await?.lacks("lost:")?;

    // The session ends.
    let ender = rig.client("ender").await?;
    let opened = rig.open(&ender, "tries.html").await?;
    try_all(&ender, &opened).await?;
    let output = rig.env.run(&["sessions", "--json"]).await?;
    let list: Value = serde_json::from_str(&output.stdout)?;
    let sessions = list["sessions"].as_array().cloned().unwrap_or_default();
    let own = sessions.iter().find(|one| one["client"] == "ender").context("no session")?;
    let id = own["session"].as_str().or_else(|| own["id"].as_str()).context("no id")?;
    let output = rig.env.run(&["sessions", "kill", id]).await?;
    ensure!(output.ok, "{} {}", output.stdout, output.stderr);
    all_is_back(&opened).await?;

    // The user stops it.
    let opened = rig.open(&agent, "tries.html").await?;
    try_all(&agent, &opened).await?;
    let popup = open_popup(&rig.browser.cdp).await?;
    let halt = |halt: &str| {
        format!(
            "chrome.runtime.connect({{name: 'popup'}}).postMessage({{ask: 'halt_all', halt: {halt}}}), 1"
        )
    };
    popup.evaluate(&halt("'stop'")).await?;
    all_is_back(&opened).await?;
    popup.evaluate(&halt("null")).await?;
    Ok(())
}

pub async fn a_tab_believes_what_it_is_told(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("emulator").await?;
    let opened = rig.open(&agent, "tries.html?frame").await?;
    let tab = opened.tab;
    let tool = "browser_emulate";
    let wish = json!({"tab": tab, "viewport": "390x844@3 mobile", "cpu": "2", "color_scheme": "dark",
        "reduced_motion": "true", "user_agent": "Pillion test", "locale": "de-DE",
        "timezone": "Asia/Tokyo", "geolocation": "52.5,13.4"});
    let windows = "chrome.windows.getAll().then((all) => \
        JSON.stringify(all.map(({width, height, state}) => [width, height, state])))";
    let window = in_worker(rig, windows).await?;
    let told = agent.ok(tool, wish).await?;
    told.has("viewport 390x844@3 mobile · cpu 2× slower · geolocation 52.5,13.4 within 10 m")?
        .has("color_scheme dark · reduced_motion true · user_agent \"Pillion test\"")?
        .has("read back: the page has 390×844 CSS px")?;
    let facts = "[innerWidth, devicePixelRatio, matchMedia('(prefers-color-scheme: dark)').matches, \
        matchMedia('(prefers-reduced-motion: reduce)').matches, navigator.userAgent, navigator.maxTouchPoints > 0, \
        (1.5).toLocaleString(), Intl.DateTimeFormat().resolvedOptions().timeZone].join(' ')";
    let all = "390 3 true true Pillion test true 1,5 Asia/Tokyo";
    ensure!(opened.page.evaluate(facts).await? == all, "{}", opened.page.evaluate(facts).await?);
    // Also what the server is told, and after the page was loaded anew.
    agent.ok("browser_navigate", json!({"tab": tab, "url": "reload"})).await?;
    ensure!(opened.page.evaluate(facts).await? == all);
    let mark = opened.page.evaluate("new URL(inner.src).search").await?;
    let mark = mark.as_str().unwrap_or_default();
    let frame = rig.browser.cdp.attach("iframe", mark, BACK).await?;
    frame.until("matchMedia('(prefers-color-scheme: dark)').matches && navigator.userAgent === 'Pillion test'", BACK).await?;
    // One of them goes, the others stay.
    agent
        .ok(tool, json!({"tab": tab, "viewport": "none", "network": "offline"}))
        .await?
        .lacks("390")?;
    let get = "get('/echo/x').then((answer) => answer.slice(0, 6))";
    ensure!(opened.page.evaluate(get).await? == "failed");
    ensure!(opened.page.evaluate("innerWidth").await? != 390);
    agent.ok("browser_overview", json!({"tab": tab})).await?.has("emulated: network, cpu")?;
    agent.ok(tool, json!({"tab": tab, "reset": true})).await?.has("nothing is emulated in tab")?;
    ensure!(opened.page.evaluate(get).await? != "failed");
    let now = opened.page.evaluate(facts).await?;
    ensure!(
        now.as_str().is_some_and(|now| !now.contains("Pillion test") && !now.contains("Tokyo")),
        "{now}"
    );
    ensure!(in_worker(rig, windows).await? == window, "the window was resized");

    for (args, code, words) in [
        (json!({"tab": tab, "viewport": "wide"}), "INVALID_ARGUMENT", "390x844@3 mobile"),
        (json!({"tab": tab, "cpu": "0.5"}), "INVALID_ARGUMENT", "from 1 to 100"),
        (json!({"tab": tab, "geolocation": "north"}), "INVALID_ARGUMENT", "latitude,longitude"),
        (json!({"tab": tab, "network": "5g"}), "INVALID_ARGUMENT", "slow-3g"),
        (
            json!({"tab": tab, "timezone": "Mars/Olympus"}),
            "INVALID_ARGUMENT",
            "Chrome does not take timezone",
        ),
        (json!({"tab": 9_999, "cpu": "2"}), "TAB_NOT_FOUND", "no tab 9999"),
    ] {
        agent.fails(tool, args, code).await?.has(words)?;
    }
    Ok(())
}

async fn in_worker(rig: &Rig, expression: &str) -> Result<Value> {
    let worker = rig.browser.cdp.attach("service_worker", "chrome-extension://", BACK).await?;
    let value = worker.evaluate(expression).await;
    worker.detach().await.ok();
    value
}

pub async fn overrides_that_were_lost_are_told_once(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("emulator").await?;
    let opened = rig.open(&agent, "tries.html").await?;
    let tab = opened.tab;
    agent.ok("browser_emulate", json!({"tab": tab, "timezone": "Asia/Tokyo"})).await?;
    agent.ok("browser_mock", json!({"tab": tab, "url": "/echo/api", "block": true})).await?;
    // Chrome loads the extension anew: it ends the worker that answers.
    in_worker(rig, "chrome.runtime.reload()").await.ok();
    until("the browser that comes back", BACK, || async {
        let list = agent.call("browser_tabs", json!({})).await?;
        Ok((!list.is_error).then_some(()))
    })
    .await?;
    rig.connected(Duration::from_secs(30)).await?;
    // What was held goes on, and the page is as it was.
    until("an answer of the server", BACK, || async {
        let answer =
            opened.page.evaluate("get('/echo/api/x').then((text) => text.slice(0, 3))").await?;
        Ok((answer == "200").then_some(()))
    })
    .await?;
    let told = until("what was lost", BACK, || async {
        let answer = agent.ok("browser_snapshot", json!({"tab": tab})).await?;
        Ok(answer.text.contains("\nlost: ").then_some(answer))
    })
    .await?;
    told.has("lost: emulation (timezone) and 1 mock ended: the debugger was detached")?;
    agent.ok("browser_snapshot", json!({"tab": tab})).await?.lacks("lost:")?;
    Ok(())
}
