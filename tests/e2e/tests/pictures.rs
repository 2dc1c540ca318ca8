//! Pictures of pages that show frames of sites that agents are kept off.

use crate::semantic::origin;
use anyhow::{Context, Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{Answer, McpClient, Page, open_popup};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const SHOWN: Duration = Duration::from_secs(15);

/// A page of the user's that shows such frames already, shared after the rule was made: in tabs of
/// agents' own the fence keeps such frames empty.
async fn shared(rig: &Rig, query: &str) -> Result<Page> {
    let page = rig.browser.cdp.open(&rig.server.url(&format!("/spied.html?{query}"))).await?;
    page.until("document.readyState === 'complete'", SHOWN).await?;
    rig.rule(&[(&origin(&rig.server.other("/")), "never")]).await?;
    let popup = open_popup(&rig.browser.cdp).await?;
    popup
        .evaluate(&format!(
            "chrome.tabs.query({{}}).then((all) => {{ const {{id}} = all.find((tab) => tab.url.endsWith('{query}')); \
             chrome.runtime.connect({{name: 'popup'}}).postMessage({{ask: 'share', tab: id, on: true}}); return id; }})"
        ))
        .await?;
    popup.detach().await?;
    Ok(page)
}

async fn number(agent: &McpClient, query: &str) -> Result<u64> {
    let end = Instant::now() + SHOWN;
    loop {
        let list = agent.call("browser_tabs", json!({})).await?.text;
        let line = list.lines().find(|line| line.contains(query));
        let digits = line.and_then(|line| {
            line.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty())
        });
        if let Some(number) = digits.and_then(|digits| digits.parse().ok()) {
            return Ok(number);
        }
        ensure!(Instant::now() < end, "{query} is not shared: {list}");
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}

/// Pixels of the picture: how many, and of them red and grey ones.
async fn colours(page: &Page, picture: &Answer) -> Result<[u64; 3]> {
    let (mime, data) = picture.images.first().context("no picture")?;
    let counted = page
        .evaluate(&format!(
            "(async () => {{ \
             const bytes = Uint8Array.from(atob('{data}'), (c) => c.charCodeAt(0)); \
             const bitmap = await createImageBitmap(new Blob([bytes], {{type: '{mime}'}})); \
             const canvas = new OffscreenCanvas(bitmap.width, bitmap.height); \
             const context = canvas.getContext('2d'); context.drawImage(bitmap, 0, 0); \
             const {{data}} = context.getImageData(0, 0, bitmap.width, bitmap.height); \
             let red = 0, grey = 0; \
             for (let at = 0; at < data.length; at += 4) {{ \
               const [r, g, b] = [data[at], data[at + 1], data[at + 2]]; \
               if (r > 150 && g < 110 && b < 110) red += 1; \
               if (Math.abs(r - 122) < 8 && Math.abs(g - 122) < 8 && Math.abs(b - 122) < 8) grey += 1; \
             }} return [data.length / 4, red, grey]; }})()"
        ))
        .await?;
    let count = |index: usize| counted[index].as_u64().context("a count");
    Ok([count(0)?, count(1)?, count(2)?])
}

async fn painted(agent: &McpClient, page: &Page, call: Value, what: &str) -> Result<()> {
    let picture = agent.ok("browser_screenshot", call).await?;
    let [all, red, grey] = colours(page, &picture).await?;
    ensure!(red == 0, "{what}: {red} of {all} pixels show the frame");
    ensure!(grey * 100 > all, "{what}: {grey} of {all} pixels are painted over");
    Ok(())
}

pub async fn frames_of_never_sites_are_painted_over(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("Painter").await?;
    // The counting is no proof unless the colour is seen where nothing is painted.
    let page = shared(rig, "seen=1").await?;
    let tab = number(&agent, "seen=1").await?;
    let shot = page.send("Page.captureScreenshot", json!({"format": "png"})).await?;
    let seen = Answer {
        images: vec![("image/png".into(), shot["data"].as_str().unwrap_or_default().into())],
        text: String::new(),
        is_error: false,
        meta: Value::Null,
    };
    let [all, red, _] = colours(&page, &seen).await?;
    ensure!(red * 100 > all, "the page shows no such frames: {red} of {all}");

    painted(&agent, &page, json!({"tab": tab}), "as it is").await?;
    page.evaluate("scrollTo(0, 60), 1").await?;
    painted(&agent, &page, json!({"tab": tab}), "scrolled").await?;
    let zoom = |factor: f64| {
        format!(
            "chrome.tabs.query({{}}).then((all) => chrome.tabs.setZoom(all.find((tab) => tab.url.endsWith('seen=1')).id, {factor})).then(() => 1)"
        )
    };
    let popup = open_popup(&rig.browser.cdp).await?;
    popup.evaluate(&zoom(1.5)).await?;
    painted(&agent, &page, json!({"tab": tab}), "zoomed").await?;
    popup.evaluate(&zoom(1.0)).await?;
    // In a frame of a third site, which is a process of its own.
    page.evaluate(
        "(() => { const frame = document.createElement('iframe'); \
         frame.src = 'http://a.localhost:' + location.port + '/spied.html?nest'; \
         frame.style.cssText = 'left:100px;top:320px;width:260px;height:180px;transform:scale(0.9)'; \
         document.body.append(frame); return new Promise((done) => { frame.onload = () => done(1); }); })()",
    )
    .await?;
    painted(&agent, &page, json!({"tab": tab}), "two processes deep").await?;
    popup.evaluate(&zoom(0.75)).await?;
    painted(&agent, &page, json!({"tab": tab}), "two processes deep and zoomed").await?;
    popup.evaluate(&zoom(1.0)).await?;
    popup.detach().await?;
    let jpeg = json!({"tab": tab, "format": "jpeg", "quality": 80});
    painted(&agent, &page, jpeg, "as JPEG").await?;
    // A whole page is laid out anew for its picture: where things lie then is not known.
    let whole = json!({"tab": tab, "full_page": true});
    let refused = agent.call("browser_screenshot", whole).await?;
    ensure!(refused.code() == "SITE_BLOCKED", "{}", refused.text);
    rig.rule(&[]).await
}

pub async fn a_frame_that_moves_is_in_no_picture(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("Chaser").await?;
    let page = shared(rig, "moves=1").await?;
    let tab = number(&agent, "moves=1").await?;
    painted(&agent, &page, json!({"tab": tab}), "still").await?;
    page.evaluate("dance()").await?;
    let refused = agent.call("browser_screenshot", json!({"tab": tab})).await?;
    ensure!(refused.code() == "SITE_BLOCKED", "{}", refused.text);
    rig.rule(&[]).await
}
