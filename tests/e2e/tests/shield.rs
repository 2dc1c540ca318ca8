//! In the page: the shield, Escape, and the user in an agent's tab. Input of the checking side stands
//! for the user: it is trusted, and the extension did not send it.

use anyhow::{Context, Result, ensure};
use pillion_e2e::{Opened, Rig};
use pillion_testkit::{McpClient, Page, until};
use serde_json::{Value, json};
use std::time::Duration;

/// What one side did is known to the other within this.
const SOON: Duration = Duration::from_secs(10);
/// The shield, as a page sees it.
const HOST: &str = "document.querySelector('pillion-shield')";

async fn in_front(agent: &McpClient, opened: &Opened) -> Result<()> {
    let focus = json!({"action": "focus", "tab": opened.tab});
    agent.ok("browser_tabs", focus).await?;
    Ok(())
}

async fn user_key(page: &Page, name: &str) -> Result<()> {
    let text = if name.len() == 1 { name } else { "" };
    for kind in ["keyDown", "keyUp"] {
        let mut params = json!({"type": kind, "key": name, "code": name});
        if kind == "keyDown" && !text.is_empty() {
            params["text"] = text.into();
        }
        page.send("Input.dispatchKeyEvent", params).await?;
    }
    Ok(())
}

/// All at once: a person does not wait for the page to be done with the first event.
async fn user_click(page: &Page, x: f64, y: f64) -> Result<()> {
    let send = |kind: &str, button: &str, buttons: u32| {
        let params = json!({"type": kind, "x": x, "y": y, "button": button, "buttons": buttons,
            "clickCount": 1});
        async move { page.send("Input.dispatchMouseEvent", params).await }
    };
    tokio::try_join!(
        send("mouseMoved", "none", 0),
        send("mousePressed", "left", 1),
        send("mouseReleased", "left", 0)
    )?;
    Ok(())
}

async fn middle(page: &Page, find: &str) -> Result<(f64, f64)> {
    let at = page
        .evaluate(&format!(
            "(() => {{ const box = {find}.getBoundingClientRect(); \
             return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
        ))
        .await?;
    let number = |at: &Value| at.as_f64().context("a place");
    Ok((number(&at[0])?, number(&at[1])?))
}

/// The user types in the tab until the daemon must have heard of it.
async fn user_types(page: &Page) -> Result<()> {
    page.evaluate("document.getElementById('name').focus()").await?;
    for letter in ["h", "i", "!"] {
        user_key(page, letter).await?;
        page.evaluate("new Promise((done) => setTimeout(done, 150))").await?;
    }
    Ok(())
}

pub async fn an_act_waits_for_the_user_and_says_so(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("Atlas").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let tab = opened.tab;
    let add = json!({"tab": tab, "target": "button \"Add\""});
    // What the agent itself does is not the user's.
    for _ in 0..3 {
        agent.ok("browser_click", add.clone()).await?.lacks("waited")?;
        let typed = json!({"tab": tab, "target": "label=Zip", "text": "1", "key": "End Escape Escape Escape"});
        agent.ok("browser_type", typed).await?.lacks("waited")?;
    }
    let terms = json!({"tab": tab, "target": "group \"Terms\""});
    agent.ok("browser_scroll", terms).await?.lacks("waited")?;
    agent
        .ok("browser_scroll", json!({"tab": tab, "target": "group \"Terms\"", "dy": 200}))
        .await?
        .lacks("waited")?
        .lacks("did not move")?;
    user_types(&opened.page).await?;
    agent
        .ok("browser_click", add.clone())
        .await?
        .has("clicked button \"Add\"")?
        .has("s: the user was typing here\n")?;
    let name = opened.page.evaluate("seen().name").await?;
    ensure!(name.as_str().is_some_and(|name| name.ends_with("hi!")), "{name}");
    let (x, y) = middle(&opened.page, "document.getElementById('nothing')").await?;
    user_click(&opened.page, x, y).await?;
    opened.page.evaluate("new Promise((done) => setTimeout(done, 300))").await?;
    agent.ok("browser_click", add.clone()).await?.has("s: the user was clicking here\n")?;
    agent.ok("browser_click", add).await?.lacks("waited")?;
    Ok(())
}

pub async fn the_user_s_press_in_the_moment_of_an_act_is_held_off(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("Atlas").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let page = &opened.page;
    in_front(&agent, &opened).await?;
    // The page is slow with the pointer's coming: the user's press is in between.
    page.evaluate(
        "window.got = []; for (const type of ['pointerdown', 'mousedown', 'click']) \
         document.addEventListener(type, (e) => got.push(`${type} ${e.target.id}`), true); \
         get('add').addEventListener('pointermove', () => { \
           console.log('busy'); const end = performance.now() + 700; while (performance.now() < end); }, { once: true });",
    )
    .await?;
    let (x, y) = middle(page, "get('nothing')").await?;
    let add = json!({"tab": opened.tab, "target": "button \"Add\""});
    page.send("Runtime.enable", json!({})).await?;
    let mut told = page.events();
    let running = agent.begin("browser_click", add.clone()).await?;
    // Told at once, also by a page that is busy then.
    told.next("Runtime.consoleAPICalled", SOON).await?;
    user_click(page, x, y).await?;
    let clicked = agent.finish(running).await?;
    ensure!(!clicked.is_error, "{}", clicked.text);
    let got = page.evaluate("got.join()").await?;
    ensure!(got == "pointerdown add,mousedown add,click add", "{got}\n{}", clicked.text);
    ensure!(page.evaluate("seen().log.join()").await? == "add");
    // It was the user's all the same.
    agent.ok("browser_click", add).await?.has("the user was clicking here")?;
    Ok(())
}

pub async fn escape_three_times_gives_the_tab_back(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("Atlas").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let tab = opened.tab;
    let other = rig.open(&agent, "small.html").await?;
    let wait = json!({"tab": tab, "target": "text=never to be seen", "timeout_ms": 40_000});
    let waiting = agent.begin("browser_wait", wait.clone()).await?;
    opened
        .page
        .evaluate(
            "for (let n = 0; n < 9; n++) document.body.dispatchEvent(new KeyboardEvent('keydown', \
             { key: 'Escape', bubbles: true, composed: true }))",
        )
        .await?;
    agent.ok("browser_snapshot", json!({"tab": tab})).await?.has("Form page")?;
    for _ in 0..3 {
        user_key(&opened.page, "Escape").await?;
    }
    let ended = agent.finish(waiting).await?;
    ensure!(ended.code() == "STOPPED_BY_USER", "{}", ended.text);
    agent
        .fails("browser_click", json!({"tab": tab, "target": "button \"Add\""}), "STOPPED_BY_USER")
        .await?;
    // Stopped in that tab, and nowhere else.
    agent.ok("browser_snapshot", json!({"tab": other.tab})).await?;
    Ok(())
}

pub async fn the_shield_is_in_no_picture_and_no_outline(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("Atlas").await?;
    let opened = rig.open(&agent, "frames.html").await?;
    let (tab, page) = (opened.tab, &opened.page);
    in_front(&agent, &opened).await?;
    let look = json!({"tab": tab, "format": "png"});
    let zero = json!({"tab": tab, "target": "5,5", "hover": true});
    agent.ok("browser_click", zero.clone()).await?.lacks("pillion")?;
    page.until(&format!("!!{HOST}"), SOON).await?;
    page.until(&format!("!{HOST}"), SOON).await?;
    let before = agent.ok("browser_screenshot", look.clone()).await?;
    agent.ok("browser_click", zero.clone()).await?;
    page.until(&format!("!!{HOST}"), SOON).await?;
    let after = agent.ok("browser_screenshot", look).await?;
    ensure!(before.images == after.images, "the shield is in the picture");
    ensure!(page.evaluate(&format!("!!{HOST}")).await? == true, "gone, so nothing was proved");
    for tool in ["browser_snapshot", "browser_text"] {
        agent.ok(tool, json!({"tab": tab})).await?.lacks("acting here")?.lacks("Take over")?;
    }
    page.until(&format!("!{HOST}"), SOON).await?;
    for scheme in ["light", "dark"] {
        let feature = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        page.send("Emulation.setEmulatedMedia", feature).await?;
        agent.ok("browser_click", zero.clone()).await?;
        page.until(&format!("!!{HOST}"), SOON).await?;
        let taken = page.send("Page.captureScreenshot", json!({"format": "png"})).await?;
        if let Some(folder) = std::env::var_os("PILLION_PICTURES") {
            let data = taken["data"].as_str().context("a picture")?;
            let png = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, data)?;
            std::fs::write(
                std::path::PathBuf::from(folder).join(format!("shield-{scheme}.png")),
                png,
            )?;
        }
    }
    Ok(())
}

pub async fn take_over_and_a_page_that_tears_the_shield_off(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("Atlas").await?;
    let opened = rig.open(&agent, "form.html").await?;
    let page = &opened.page;
    in_front(&agent, &opened).await?;
    let hover = |tab: u32| json!({"tab": tab, "target": "heading \"Form page\"", "hover": true});
    agent.ok("browser_click", hover(opened.tab)).await?;
    page.until(&format!("!!{HOST}"), SOON).await?;
    let find = "(() => { for (let y = innerHeight - 1; y > 0; y -= 4) for (let x = 0; x < innerWidth; x += 8) \
         if (document.elementFromPoint(x, y)?.localName === 'pillion-shield') return [x + 12, y - 6]; return null; })()";
    let at = page.until(find, SOON).await?;
    user_click(page, at[0].as_f64().context("x")?, at[1].as_f64().context("y")?).await?;
    until("a tab that is the user's", SOON, || async {
        let answer = agent.call("browser_click", hover(opened.tab)).await?;
        Ok((answer.code() == "STOPPED_BY_USER").then_some(()))
    })
    .await?;

    let sly = rig.open(&agent, "form.html").await?;
    in_front(&agent, &sly).await?;
    sly.page
        .evaluate(
            "new MutationObserver((all) => all.forEach((one) => one.addedNodes.forEach((node) => \
             node.localName === 'pillion-shield' && node.remove()))) \
             .observe(document.documentElement, { childList: true })",
        )
        .await?;
    until("a paused tab", SOON, || async {
        let answer = agent.call("browser_click", hover(sly.tab)).await?;
        Ok((answer.code() == "STOPPED_BY_USER").then_some(()))
    })
    .await
}
