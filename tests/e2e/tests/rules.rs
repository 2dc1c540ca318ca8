//! Site rules, approvals and the network fence, with an honest daemon: what the person decides holds.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{Page, open_popup, point, press_in};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What the extension shows is there within this.
const SHOWN: Duration = Duration::from_secs(15);
/// A stop ends what runs within this.
const STOPPED: Duration = Duration::from_millis(200);
/// A request that is not stopped has reached the server by then; nothing tells that none will come.
const QUIET: Duration = Duration::from_millis(700);

pub(crate) fn origin(url: &str) -> String {
    url.splitn(4, '/').take(3).collect::<Vec<_>>().join("/")
}

/// The popup, in front, with its prompt.
pub(crate) async fn prompt(rig: &Rig) -> Result<Page> {
    let popup = open_popup(&rig.browser.cdp).await?;
    popup.send("Emulation.setFocusEmulationEnabled", json!({"enabled": true})).await?;
    // A prompt never comes up under the pointer.
    point(&popup, 5.0, 5.0).await?;
    popup.until("document.querySelector('.prompt .choices button')", SHOWN).await?;
    Ok(popup)
}

async fn presses(page: &Page) -> Result<Value> {
    page.evaluate("Number(document.querySelector('button').dataset.n ?? 0)").await
}

pub async fn an_act_on_an_ask_site_waits_for_the_person_and_happens_once(
    rig: &mut Rig,
) -> Result<()> {
    rig.rule(&[(&origin(&rig.server.url("/")), "ask")]).await?;
    let agent = rig.client("Atlas").await?;
    let opened = rig.open(&agent, "small.html").await?;
    agent.ok("browser_snapshot", json!({"tab": opened.tab})).await?.has("Press")?;
    let click = json!({"tab": opened.tab, "target": "button \"Press\""});

    let waiting = agent.begin("browser_click", click.clone()).await?;
    let popup = prompt(rig).await?;
    let words = popup.evaluate("document.querySelector('.prompt').textContent").await?;
    let words = words.as_str().unwrap_or_default();
    for part in ["Atlas", "press", "127.0.0.1", "button, the page calls it “Press”"] {
        ensure!(words.contains(part), "{part} is not in {words}");
    }
    ensure!(presses(&opened.page).await? == 0, "it was pressed before the person said yes");
    press_in(&popup, "Allow once").await?;
    let done = agent.finish(waiting).await?;
    ensure!(!done.is_error, "{}", done.text);
    ensure!(presses(&opened.page).await? == 1, "one yes is one press");
    popup.detach().await?;

    // The yes is used up; the next one is a no.
    let waiting = agent.begin("browser_click", click.clone()).await?;
    let popup = prompt(rig).await?;
    press_in(&popup, "Deny").await?;
    let denied = agent.finish(waiting).await?;
    ensure!(denied.code() == "APPROVAL_DENIED", "{}", denied.text);
    ensure!(presses(&opened.page).await? == 1, "a no presses nothing");
    popup.detach().await?;

    // Scripts are asked for by their text, and a yes for a session does not cover them.
    let script = json!({"tab": opened.tab, "expression": "document.title = 'taken'"});
    let waiting = agent.begin("browser_evaluate", script).await?;
    let popup = prompt(rig).await?;
    let words = popup.evaluate("document.querySelector('.prompt').textContent").await?;
    ensure!(words.as_str().is_some_and(|words| words.contains("document.title")), "{words}");
    let sites = popup.evaluate("document.querySelector('[data-decision=site]')").await?;
    ensure!(sites.is_null(), "a site's leave covers code");
    press_in(&popup, "Allow once").await?;
    ensure!(!agent.finish(waiting).await?.is_error);
    ensure!(opened.page.evaluate("document.title").await? == "taken");
    popup.detach().await?;
    rig.rule(&[]).await
}

pub async fn a_site_that_is_only_read_gets_neither_input_nor_effects(rig: &mut Rig) -> Result<()> {
    rig.rule(&[(&origin(&rig.server.url("/")), "read")]).await?;
    let agent = rig.client("Atlas").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let tab = opened.tab;
    let before = opened.page.evaluate("document.documentElement.outerHTML").await?;
    agent.ok("browser_snapshot", json!({"tab": tab})).await?.has("Add")?;
    agent.ok("browser_text", json!({"tab": tab})).await?;
    agent.ok("browser_screenshot", json!({"tab": tab})).await?;
    let code = "READ_ONLY_SITE";
    let target = "button \"Add\"";
    agent
        .fails("browser_click", json!({"tab": tab, "target": target}), code)
        .await?
        .has("tell the user")?;
    let typed = json!({"tab": tab, "target": "label=Name", "text": "x"});
    agent.fails("browser_type", typed, code).await?;
    let key = json!({"tab": tab, "key": "Tab"});
    agent.fails("browser_type", key, code).await?;
    let fields = json!({"tab": tab, "fields": [{"target": "label=Name", "value": "x"}]});
    let filled = agent.call("browser_fill", fields).await?;
    ensure!(filled.is_error && filled.text.contains(code), "{}", filled.text);
    let evaluate = |script: &str| json!({"tab": tab, "expression": script});
    agent.ok("browser_evaluate", evaluate("document.title")).await?;
    for script in ["document.title = 'x'", "fetch('/echo/x')", "localStorage.a = 1", "open('/')"] {
        agent.fails("browser_evaluate", evaluate(script), code).await?;
    }
    let after = opened.page.evaluate("document.documentElement.outerHTML").await?;
    ensure!(before == after, "something changed on a site that is only read");
    rig.rule(&[]).await
}

pub async fn a_never_site_is_neither_reached_nor_seen(rig: &mut Rig) -> Result<()> {
    let never = rig.server.other("");
    // The person's own tab on the site; the rule comes after it.
    let mine = rig.browser.cdp.open(&rig.server.other("/small.html?mine")).await?;
    rig.rule(&[("*.localhost", "never")]).await?;
    let agent = rig.client("Atlas").await?;
    let opened = rig.open(&agent, "links.html").await?;
    let tab = opened.tab;
    let go = |url: String| json!({"tab": tab, "url": url});
    agent
        .fails("browser_navigate", go(format!("{never}/small.html?forbidden=1")), "SITE_BLOCKED")
        .await?;
    let new = json!({"url": format!("{never}/small.html?forbidden=2")});
    agent.fails("browser_navigate", new, "SITE_BLOCKED").await?;
    let hop = |n: u32| rig.server.url(&format!("/redirect?to={never}/small.html%3Fforbidden={n}"));
    agent.fails("browser_navigate", json!({"url": hop(3)}), "SITE_BLOCKED").await?;

    // By every way that a page has.
    let ways = format!(
        "(async () => {{ const at = (n) => '{never}/echo/forbidden-' + n; \
         const late = (p) => Promise.race([p, new Promise((d) => setTimeout(d, 400))]).catch(() => 0); \
         await late(fetch(at('fetch'), {{mode: 'no-cors'}})); \
         await late(fetch(at('post'), {{mode: 'no-cors', method: 'POST', body: 'x'}})); \
         navigator.sendBeacon(at('beacon'), 'x'); \
         new Image().src = at('image'); \
         document.body.append(Object.assign(document.createElement('script'), {{src: at('script')}})); \
         const frame = Object.assign(document.createElement('iframe'), {{src: at('frame'), name: 'inner'}}); \
         document.body.append(frame); \
         const form = Object.assign(document.createElement('form'), {{method: 'post', action: at('form'), target: 'inner'}}); \
         document.body.append(form); form.submit(); \
         new WebSocket(at('socket').replace('http', 'ws')); \
         const source = `fetch('${{at('worker')}}', {{mode: 'no-cors'}}).finally(() => postMessage(1))`; \
         const made = URL.createObjectURL(new Blob([source])); \
         const worker = new Worker(made); \
         await late(new Promise((done) => {{ worker.onmessage = done; }})); \
         const link = Object.assign(document.createElement('a'), \
           {{href: at('popup'), target: '_blank', textContent: 'Popup'}}); \
         document.body.prepend(link); return 1; }})()"
    );
    opened.page.evaluate(&ways).await?;
    agent.call("browser_click", json!({"tab": tab, "target": "link \"Popup\""})).await?;
    tokio::time::sleep(QUIET).await;
    let reached: Vec<_> =
        rig.server.seen("forbidden").into_iter().map(|seen| seen.target).collect();
    let reached: Vec<_> =
        reached.into_iter().filter(|target| !target.starts_with("/redirect")).collect();
    ensure!(reached.is_empty(), "reached: {reached:?}");

    // A link in the agent's own tab: the tab is emptied, and the agent goes on with it.
    opened.page.evaluate("document.querySelector('a').removeAttribute('target'), 1").await?;
    agent.call("browser_click", json!({"tab": tab, "target": "link \"Popup\""})).await?;
    agent.ok("browser_navigate", go(rig.server.url("/small.html"))).await?;
    ensure!(rig.server.seen("forbidden-popup").is_empty(), "a link reached a never-site");

    // The person's tab works as before, and is not even counted by name.
    ensure!(mine.evaluate("fetch('/echo/mine').then((r) => r.status)").await? == 200);
    let list = agent.ok("browser_tabs", json!({})).await?.text;
    ensure!(!list.contains("localhost"), "{list}");
    let fresh = rig.browser.cdp.open(&rig.server.other("/small.html?fresh")).await?;
    fresh.until("document.title === 'Small page'", SHOWN).await?;
    rig.rule(&[]).await
}

pub async fn a_stop_ends_a_running_batch_at_once(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("Atlas").await?;
    let press = json!({"tool": "click", "target": "button \"Press\""});
    // One third step waits without anything of Chrome's, the other one in a page that is busy.
    let waits = [json!({"tool": "wait", "ms": 20_000}), press.clone()];
    for third in waits {
        let opened = rig.open(&agent, "small.html").await?;
        opened
            .page
            .evaluate(
                "document.querySelector('button').addEventListener('mousedown', (event) => { \
                 const end = Date.now() + (event.target.dataset.n ? 6000 : 0); \
                 globalThis.busy = 1; while (Date.now() < end); }), 1",
            )
            .await?;
        let popup = open_popup(&rig.browser.cdp).await?;
        popup.until("document.querySelector('.agent')", SHOWN).await?;
        let steps = json!([press, {"tool": "snapshot"}, third, press, press, press]);
        let running =
            agent.begin("browser_batch", json!({"tab": opened.tab, "steps": steps})).await?;
        opened.page.until("document.querySelector('button').dataset.n === '1'", SHOWN).await?;
        tokio::time::sleep(QUIET).await;
        let at = Instant::now();
        halt(&popup, "'stop'").await?;
        let ended = agent.finish(running).await?;
        let took = at.elapsed();
        ensure!(ended.code() == "STOPPED_BY_USER", "{}", ended.text);
        ended.has("2 of 6 steps were done. Do not go on")?.has("1 ok clicked button \"Press\"")?;
        ensure!(took < STOPPED, "the stop took {took:?}: {}", ended.text);
        popup.until("document.querySelector('.status[data-mood=off]')", SHOWN).await?;
        halt(&popup, "null").await?;
        popup.until("document.querySelector('.status[data-mood=good]')", SHOWN).await?;
        popup.detach().await?;
    }
    Ok(())
}

/// Stops every agent, or lets them go on.
async fn halt(popup: &Page, how: &str) -> Result<Value> {
    let ask = format!("{{ask: 'halt_all', halt: {how}}}");
    popup
        .evaluate(&format!("chrome.runtime.connect({{name: 'popup'}}).postMessage({ask}), 1"))
        .await
}
