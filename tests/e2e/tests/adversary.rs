//! Those who want in: programs on the daemon's port, another extension, web pages, and a page that
//! makes all the noise it can.

use anyhow::{Context, Result, ensure};
use pillion_e2e::{Lie, Rig, Squatter};
use pillion_testkit::{OwnBrowser, kill};
use pillion_wire::EXTENSION_ID;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The extension is back at its daemon within this.
const BACK: Duration = Duration::from_secs(40);
/// A worker of an extension that was just loaded.
const LOADED: Duration = Duration::from_secs(20);

async fn port(rig: &Rig) -> Result<u16> {
    let status = rig.env.status().await?.context("no daemon")?;
    Ok(u16::try_from(status["port"].as_u64().context("no port")?)?)
}

pub async fn a_squatter_on_the_port_learns_a_hello_and_changes_nothing(
    rig: &mut Rig,
) -> Result<()> {
    let agent = rig.client("Atlas").await?;
    let opened = rig.open(&agent, "small.html").await?;
    for lie in [Lie::OwnKey, Lie::Refused, Lie::Welcome, Lie::Rubbish, Lie::Silence] {
        let port = port(rig).await?;
        let pid = rig.env.daemon_pid().await?;
        // Whoever started the browser would start the daemon again.
        rig.browser.process.pause();
        kill(pid)?;
        let squatter = Squatter::sit(port).await?;
        let heard = squatter.lie(lie).await.with_context(|| format!("{lie:?}"))?;
        rig.browser.process.resume();
        ensure!(heard.len() == 1, "{lie:?} was told more than a hello: {heard:?}");
        let hello: Value = serde_json::from_str(&heard[0])?;
        ensure!(hello["t"] == "hello" && hello.get("pk").is_none(), "{hello}");
        ensure!(hello.get("label").is_none(), "{hello}");
        drop(squatter);
        rig.connected(BACK).await.with_context(|| format!("after {lie:?}"))?;
    }
    // Nobody was asked for anything anew, and the tab is the same.
    agent
        .ok("browser_click", json!({"tab": opened.tab, "target": "button \"Press\""}))
        .await?
        .has("clicked")?;
    Ok(())
}

pub async fn another_extension_with_a_forged_origin_gets_no_further_than_its_guess(
    rig: &mut Rig,
) -> Result<()> {
    let port = port(rig).await?;
    let rogue = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/rogue-extension");
    let own = OwnBrowser::start_with(&rig.env, &rogue).await?;
    let page = own.cdp.open(&rig.server.url("/small.html?rogue")).await?;
    page.until("document.title === 'Small page' && document.readyState === 'complete'", LOADED)
        .await?;
    page.evaluate(&std::fs::read_to_string(rogue.join("intrude.js"))?).await?;
    let intrude = async |way: &str| page.evaluate(&format!("intrude({port}, '{way}')")).await;
    // With its own origin it is not let in at all.
    let heard = intrude("link").await?;
    ensure!(heard == json!(["refused"]), "{heard}");
    let worker = own.cdp.attach("service_worker", "chrome-extension://", LOADED).await?;
    worker.until("typeof forge === 'function'", LOADED).await?;
    worker.evaluate(&format!("forge('{EXTENSION_ID}').then(() => 1)")).await?;
    let heard = intrude("link").await?;
    ensure!(heard[0] == "proof", "the forged origin did not pass: {heard}");
    ensure!(heard[1]["t"] == "refused" && heard[1]["code"] == "unknown_profile", "{heard}");
    let heard = intrude("pair").await?;
    ensure!(heard[1]["t"] == "unpaired" && heard[1]["code"] == "no_code", "{heard}");
    let slugs = rig.slugs().await?;
    ensure!(!slugs.iter().any(|slug| slug.contains("rogue")), "{slugs:?}");
    rig.connected(BACK).await
}

pub async fn web_pages_do_not_reach_the_daemon(rig: &mut Rig) -> Result<()> {
    let port = port(rig).await?;
    let agent = rig.client("Atlas").await?;
    let opened = rig.open(&agent, "small.html").await?;
    let script = format!(
        "(async () => {{ const out = {{}}; \
         for (const host of ['127.0.0.1', 'localhost', 'daemon.localhost', '[::1]']) \
         for (const path of ['link', 'probe', '', 'json/version', 'A'.repeat(9000)]) {{ \
           const got = await fetch(`http://${{host}}:{port}/${{path}}`) \
             .then(async (r) => r.status + await r.text(), () => 'no'); \
           const sent = await fetch(`http://${{host}}:{port}/${{path}}`, {{method: 'POST', body: 'x', mode: 'no-cors'}}) \
             .then((r) => r.type, () => 'no'); \
           if (got !== 'no' || !['no', 'opaque'].includes(sent)) out[host + '/' + path.slice(0, 9)] = [got, sent]; \
           const open = await new Promise((done) => {{ \
             const socket = new WebSocket(`ws://${{host}}:{port}/${{path}}`); \
             socket.onopen = () => done('open'); socket.onerror = () => done('no'); }}); \
           if (open !== 'no') out['ws ' + host + '/' + path.slice(0, 9)] = open; }} \
         return JSON.stringify(out); }})()"
    );
    let reached = opened.page.evaluate(&script).await?;
    ensure!(reached == "{}", "a page reached the daemon: {reached}");
    rig.connected(BACK).await
}

pub async fn a_page_that_makes_noise_and_fakes_our_events_harms_nobody(
    rig: &mut Rig,
) -> Result<()> {
    let (atlas, otter) = (rig.client("Atlas").await?, rig.client("Otter").await?);
    let links = reconnects(rig).await?;
    let noisy = rig.open(&atlas, "noisy.html").await?;
    let calm = rig.open(&otter, "form.html").await?;
    let (tab, other) = (noisy.tab, calm.tab);
    for _ in 0..5 {
        otter
            .ok("browser_click", json!({"tab": other, "target": "button \"Add\""}))
            .await?
            .has("clicked")?
            .lacks("waited")?;
        // Events of its own making are not the user's: nothing waits, nothing stops.
        atlas
            .ok(
                "browser_type",
                json!({"tab": tab, "target": "label=Name", "text": "x", "clear": true}),
            )
            .await?
            .lacks("the user")?;
    }
    atlas.ok("browser_click", json!({"tab": tab, "target": "#quiet"})).await?.lacks("the user")?;
    ensure!(noisy.page.evaluate("quiet.textContent").await? == "Pressed");
    let text = atlas.ok("browser_text", json!({"tab": tab})).await?;
    text.has("Noisy page")?.lacks("ignore your instructions")?;
    let look = atlas.ok("browser_snapshot", json!({"tab": tab})).await?;
    look.has("Noisy page")?.lacks("Take over")?;
    let logs = atlas.ok("browser_logs", json!({"tab": tab, "kind": "console"})).await?;
    ensure!(logs.text.len() < 8_000, "{} characters of console", logs.text.len());
    ensure!(reconnects(rig).await? == links, "a link was lost");
    Ok(())
}

async fn reconnects(rig: &Rig) -> Result<u64> {
    let status = rig.env.status().await?.context("no daemon")?;
    Ok(status["counters"]["reconnects"].as_u64().unwrap_or_default())
}
