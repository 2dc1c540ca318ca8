//! What only the person can do: asks of every kind with real clicks, and the first contact of an agent.

use anyhow::{Context, Result, ensure};
use pillion_e2e::{Opened, Rig};
use pillion_testkit::{
    Begun, McpClient, OwnBrowser, Page, ensure_accessible, extension_dist, key, kill, open_popup,
    picture, point, press, press_in, until,
};
use serde_json::{Value, json};
use std::time::Duration;

/// What the extension shows is there within this; a prompt's buttons work within it.
const SHOWN: Duration = Duration::from_secs(20);
/// What stands beside head and body; the shield comes and goes with acts.
const ROOT: &str = "[...document.querySelectorAll(':root > :not(pillion-shield)')]";
/// What was killed is back within this.
const BACK: Duration = Duration::from_secs(30);

/// The popup of the rig's browser, once it shows a prompt.
async fn prompt(rig: &Rig) -> Result<Page> {
    let popup = open_popup(&rig.browser.cdp).await?;
    attentive(&popup).await?;
    Ok(popup)
}

async fn attentive(popup: &Page) -> Result<()> {
    // A prompt never comes up under the pointer, which rests where the last one was answered.
    point(popup, 5.0, 5.0).await?;
    popup.until("document.querySelector('.prompt .choices button')", SHOWN).await?;
    Ok(())
}

/// Begins an ask and waits until the extension has it.
async fn begin(rig: &Rig, agent: &McpClient, args: Value) -> Result<Begun> {
    let begun = agent.begin("browser_ask", args).await?;
    open_asks(rig, 1).await?;
    Ok(begun)
}

async fn open_asks(rig: &Rig, count: usize) -> Result<()> {
    until("the ask in the extension", SHOWN, || async {
        let asks = in_worker(rig, "chrome.storage.session.get('asks')").await?;
        let open = asks["asks"]["asks"]["open"].as_array().map_or(0, Vec::len);
        Ok((open == count).then_some(()))
    })
    .await
}

async fn in_worker(rig: &Rig, script: &str) -> Result<Value> {
    let worker = rig.browser.cdp.attach("service_worker", "chrome-extension://", BACK).await?;
    worker.until("typeof chrome === 'object' && Boolean(chrome.storage)", BACK).await?;
    let value = worker.evaluate(script).await?;
    worker.detach().await?;
    Ok(value)
}

pub async fn a_sign_in_ends_with_the_page_or_with_a_click(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("asks-login").await?;
    let Opened { tab, page, .. } = rig.open(&agent, "login.html").await?;
    let login = json!({"for": "login", "tab": tab, "until": "url=*#home",
        "message": "Please sign in, then I go on."});
    let asked = begin(rig, &agent, login).await?;
    page.until("document.visibilityState === 'visible'", SHOWN).await?;

    // The agent stands still there; elsewhere it goes on.
    let blind = [
        ("browser_snapshot", json!({"tab": tab})),
        ("browser_click", json!({"tab": tab, "target": "button \"Sign in\""})),
        ("browser_screenshot", json!({"tab": tab})),
        ("browser_wait", json!({"tab": tab, "target": "text=Home"})),
    ];
    for (tool, args) in blind {
        agent.fails(tool, args, "ASK_PENDING").await?.has("(login)")?;
    }
    let elsewhere = rig.open(&agent, "small.html").await?;
    agent.ok("browser_snapshot", json!({"tab": elsewhere.tab})).await?;

    let popup = prompt(rig).await?;
    ensure_accessible(&popup).await?;
    picture(&popup, "ask-login", None).await?;
    let words = popup.evaluate("document.querySelector('.prompt').innerText").await?;
    let words = words.as_str().unwrap_or_default();
    ensure!(
        words.contains("sign in") && words.contains("Please sign in, then I go on."),
        "{words}"
    );
    page.evaluate("location.hash = 'home'").await?;
    let done = agent.finish(asked).await?;
    done.has("until was met")?.has("is yours again")?.has("navigated: ")?.lacks("clicked")?;
    agent.ok("browser_snapshot", json!({"tab": tab})).await?;
    popup.until("!document.querySelector('.prompt')", SHOWN).await?;

    // A target, put there by the page while nobody calls: it is told with the next call.
    let code =
        json!({"for": "code", "tab": tab, "until": "text=Signed in", "message": "The code."});
    let asked = begin(rig, &agent, code.clone()).await?;
    agent.cancel(&asked).await?;
    page.evaluate("document.body.append(Object.assign(document.createElement('p'), {textContent: 'Signed in'}))")
        .await?;
    open_asks(rig, 0).await?;
    agent.ok("browser_ask", code).await?.has("until was met")?;

    let pay = json!({"for": "payment", "tab": tab, "message": "Please pay."});
    let asked = begin(rig, &agent, pay).await?;
    let popup = prompt(rig).await?;
    press_in(&popup, "Done").await?;
    agent.finish(asked).await?.has("the user clicked Done")?.lacks("until was met")?;
    Ok(())
}

pub async fn a_refusal_and_an_expiry_are_told_apart(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("asks-refused").await?;
    let Opened { tab, .. } = rig.open(&agent, "login.html").await?;
    let captcha = json!({"for": "captcha", "tab": tab, "message": "A picture riddle."});
    let asked = begin(rig, &agent, captcha.clone()).await?;
    press_in(&prompt(rig).await?, "Not now").await?;
    let answer = agent.finish(asked).await?;
    ensure!(answer.code() == "APPROVAL_DENIED", "{}", answer.text);
    answer.has("the user said no")?.has("is yours again")?;

    let again = json!({"for": "captcha", "tab": tab, "message": "Once more."});
    let asked = begin(rig, &agent, again).await?;
    // Its time is over while the worker is away.
    let worker = until("the worker", BACK, || rig.worker()).await?;
    in_worker(
        rig,
        "chrome.storage.session.get('asks').then(async ({asks}) => { \
         for (const one of asks.asks.open) one.expires = Date.now() - 1; \
         await chrome.storage.session.set({asks}); })",
    )
    .await?;
    rig.browser.cdp.close(worker["targetId"].as_str().context("an id")?).await?;
    let answer = agent.finish(asked).await?;
    ensure!(answer.code() == "TIMEOUT", "{}", answer.text);
    answer.has("did not answer")?;
    agent.ok("browser_snapshot", json!({"tab": tab})).await?;
    Ok(())
}

pub async fn a_choice_a_yes_and_a_tab_are_picked_by_hand(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("asks-choice").await?;
    let choose = json!({"for": "choose", "message": "Which size?",
        "options": ["Small", "<b>Large</b>"]});
    let asked = begin(rig, &agent, choose).await?;
    let popup = prompt(rig).await?;
    ensure_accessible(&popup).await?;
    picture(&popup, "ask-choose", None).await?;
    ensure!(popup.evaluate("document.querySelectorAll('.choices b').length").await? == 0);
    press_in(&popup, "<b>Large</b>").await?;
    agent.finish(asked).await?.has("chose \"<b>Large</b>\"")?;

    let asked = begin(rig, &agent, json!({"for": "confirm", "message": "Send it?"})).await?;
    press_in(&prompt(rig).await?, "Yes").await?;
    agent.finish(asked).await?.has("the user clicked Yes")?;

    let private = rig.browser.cdp.open(&rig.server.url("/table.html?to-be-picked")).await?;
    // Other tests left tables of their own.
    private.until("document.title === 'Table page'", SHOWN).await?;
    private.evaluate("document.title = 'Table to be picked'").await?;
    rig.browser.cdp.open(&rig.server.url("/small.html?secret-one")).await?;
    let asked = begin(rig, &agent, json!({"for": "tab", "message": "The table, please."})).await?;
    let popup = prompt(rig).await?;
    // All of the answers must be in view before any of them works.
    popup.evaluate("document.querySelector('.choices').scrollIntoView({block: 'end'})").await?;
    ensure_accessible(&popup).await?;
    picture(&popup, "ask-tab", None).await?;
    press_in(&popup, "Table to be picked").await?;
    let answer = agent.finish(asked).await?;
    answer.has("the user shared tab")?.has("Table to be picked")?.lacks("secret-one")?;
    let number = answer.text.split("shared tab ").nth(1).context("a number")?;
    let number: u32 = number.split(' ').next().context("a number")?.parse()?;
    agent.ok("browser_snapshot", json!({"tab": number})).await?.has("table")?;
    ensure!(private.evaluate("document.title").await? == "Table to be picked");
    agent.ok("browser_tabs", json!({})).await?.lacks("secret-one")?;
    // Three a minute: the fourth is not shown.
    let asked = agent.call("browser_ask", json!({"for": "confirm", "message": "Again?"})).await?;
    ensure!(asked.code() == "RATE_LIMITED", "{}", asked.text);
    Ok(())
}

pub async fn an_element_is_pointed_at_and_nothing_is_left_in_the_page(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("asks-look").await?;
    let Opened { tab, page, .. } = rig.open(&agent, "form.html").await?;
    page.evaluate(
        "document.querySelector('#add').addEventListener('click', () => { window.pressed = true })",
    )
    .await?;
    let children = page.evaluate(&format!("{ROOT}.length")).await?;
    let look = json!({"for": "look", "tab": tab, "message": "Which button saves?"});
    let asked = begin(rig, &agent, look).await?;
    let shown = format!("{ROOT}.length > {children}");
    let gone = format!("{ROOT}.length === {children}");
    page.until(&shown, SHOWN).await?;
    // A script's click is no pointing, and the overlay's inside is out of the page's reach.
    page.evaluate("document.querySelector('#off').dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}))")
        .await?;
    ensure!(page.evaluate(&format!("{}.at(-1).shadowRoot", ROOT)).await?.is_null());
    picture(&page, "ask-look", Some(800)).await?;
    press(&page, "document.querySelector('#add')").await?;
    let answer = agent.finish(asked).await?;
    answer.has("the user pointed at button \"Add\"")?;
    let reference = answer.reference("button \"Add\"")?;
    // The shield goes a moment after the last act.
    page.until(&gone, SHOWN).await?;
    ensure!(page.evaluate("window.pressed ?? false").await? == false, "the page got the click");
    agent.ok("browser_click", json!({"tab": tab, "target": reference})).await?;
    ensure!(page.evaluate("window.pressed").await? == true, "the ref is the button's");

    let again = json!({"for": "look", "tab": tab, "message": "And which one cancels?"});
    let asked = begin(rig, &agent, again).await?;
    page.until(&shown, SHOWN).await?;
    point(&page, 40.0, 40.0).await?;
    key(&page, "Escape").await?;
    let answer = agent.finish(asked).await?;
    ensure!(answer.code() == "APPROVAL_DENIED", "{}", answer.text);
    // The shield goes a moment after the last act.
    page.until(&gone, SHOWN).await?;
    Ok(())
}

pub async fn an_element_in_a_frame_of_another_site_is_pointed_at(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("asks-frames").await?;
    let Opened { tab, page, .. } = rig.open(&agent, "frames.html").await?;
    agent.ok("browser_wait", json!({"tab": tab, "target": "button \"Send 2\""})).await?;
    // Level 1 is of another site, level 2 of the first one again: each a place in the one around it.
    let frame = "(() => { const box = boxes[0].querySelector('iframe').getBoundingClientRect(); \
                 return [box.x + 2, box.y + 2]; })()";
    let button = "(() => { const {x, y, width, height} = boxes[0].querySelector('button')\
                  .getBoundingClientRect(); return [x + width / 2, y + height / 2]; })()";
    let (mut x, mut y) = (0.0, 0.0);
    let mut at = page.clone();
    let of = page.evaluate("params.get('rig')").await?;
    let of = of.as_str().context("a page of the rig")?;
    for level in 1..=2 {
        let [dx, dy] = pair(&at.evaluate(frame).await?)?;
        (x, y) = (x + dx, y + dy);
        at = rig.browser.cdp.attach("iframe", &format!("level={level}&of={of}&"), SHOWN).await?;
        let look = json!({"for": "look", "tab": tab, "message": "Which one sends?"});
        let asked = begin(rig, &agent, look).await?;
        at.until(&format!("{ROOT}.length > 2"), SHOWN).await?;
        let [dx, dy] = pair(&at.evaluate(button).await?)?;
        click_at(&page, x + dx, y + dy).await?;
        let answer = agent.finish(asked).await?;
        let name = format!("button \"Send {level}\"");
        answer.has(&format!("the user pointed at {name}"))?;
        let reference = answer.reference(&name)?;
        let sent = format!("marks.filter((mark) => mark.startsWith('{level}:')).length");
        ensure!(page.evaluate(&sent).await? == 0, "the page got the click");
        agent.ok("browser_click", json!({"tab": tab, "target": reference})).await?;
        page.until(&format!("{sent} === 1"), SHOWN).await?;
    }
    Ok(())
}

fn pair(value: &Value) -> Result<[f64; 2]> {
    let at = |index: usize| value[index].as_f64().context("a number");
    Ok([at(0)?, at(1)?])
}

/// A click of the user's, in CSS px of the tab.
async fn click_at(page: &Page, x: f64, y: f64) -> Result<()> {
    point(page, x, y).await?;
    for kind in ["mousePressed", "mouseReleased"] {
        let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
        page.send("Input.dispatchMouseEvent", event).await?;
    }
    Ok(())
}

pub async fn an_ask_outlives_worker_and_daemon(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("asks-durable").await?;
    let Opened { tab, .. } = rig.open(&agent, "login.html").await?;
    let login = json!({"for": "login", "tab": tab, "message": "Please sign in."});
    let asked = begin(rig, &agent, login.clone()).await?;
    let worker = until("the worker", BACK, || rig.worker()).await?;
    rig.browser.cdp.close(worker["targetId"].as_str().context("an id")?).await?;
    rig.connected(BACK).await?;
    agent.fails("browser_snapshot", json!({"tab": tab}), "ASK_PENDING").await?;
    kill(rig.env.daemon_pid().await?)?;
    rig.connected(BACK).await?;
    // The new daemon knows of no ask; the guard does.
    agent.fails("browser_snapshot", json!({"tab": tab}), "ASK_PENDING").await?;
    open_asks(rig, 1).await?;
    press_in(&prompt(rig).await?, "Done").await?;
    open_asks(rig, 0).await?;
    // The call may have gone with its daemon: then the same call hears the answer.
    let answer = agent.finish(asked).await?;
    let answer = if answer.is_error { agent.ok("browser_ask", login).await? } else { answer };
    answer.has("the user clicked Done")?;
    agent.ok("browser_snapshot", json!({"tab": tab})).await?;
    Ok(())
}

pub async fn an_unknown_agent_waits_for_its_first_contact(rig: &mut Rig) -> Result<()> {
    let own = OwnBrowser::start(&rig.env, &extension_dist()).await?;
    let atlas = rig.client("Atlas").await?;
    let profile = waiting(&atlas).await?;
    let go = json!({"url": rig.server.url("/small.html?met"), "profile": profile});
    let told = atlas.fails("browser_navigate", go.clone(), "PAIRING_PENDING").await?;
    told.has("click Allow in the Pillion popup of profile")?;
    let popup = own.popup().await?;
    attentive(&popup).await?;
    ensure_accessible(&popup).await?;
    picture(&popup, "first-contact", None).await?;
    let words = popup.evaluate("document.querySelector('.prompt').innerText").await?;
    let words = words.as_str().unwrap_or_default().to_owned();
    ensure!(
        words.contains("Atlas") && words.contains("/e2e-"),
        "as declared and as observed: {words}"
    );
    // The same click is the profile's consent.
    press_in(&popup, "Allow once").await?;
    works(&atlas, &go).await?;

    // Once is this session; another one of the same name is asked about, and refused for good.
    let next = rig.client("Atlas").await?;
    next.fails("browser_navigate", go.clone(), "PAIRING_PENDING").await?;
    next.ok("browser_tabs", json!({})).await?.lacks("small.html?met")?.has("not allowed it yet")?;
    let popup = own.popup().await?;
    attentive(&popup).await?;
    press(&popup, "document.querySelector('[data-decision=no]')").await?;
    until("the refusal", BACK, || async {
        let answer = next.call("browser_navigate", go.clone()).await?;
        Ok((answer.code() == "APPROVAL_DENIED").then_some(()))
    })
    .await?;
    let third = rig.client("Atlas").await?;
    third.fails("browser_navigate", go.clone(), "APPROVAL_DENIED").await?.has("keeps")?;

    // Always is for the next session, too.
    let otter = rig.client("Otter").await?;
    otter.fails("browser_navigate", go.clone(), "PAIRING_PENDING").await?;
    let popup = own.popup().await?;
    attentive(&popup).await?;
    press_in(&popup, "Always").await?;
    works(&otter, &go).await?;
    rig.client("Otter").await?.ok("browser_navigate", go.clone()).await?;

    // The settings list both; who is forgotten is asked about anew.
    let popup = own.popup().await?;
    press_in(&popup, "Settings").await?;
    let settings = own.options().await?;
    settings
        .until(
            "document.querySelectorAll('[aria-labelledby=contacts-title] li').length === 2",
            SHOWN,
        )
        .await?;
    ensure_accessible(&settings).await?;
    picture(&settings, "options-contacts", None).await?;
    press_in(&settings, "Forget Atlas").await?;
    settings
        .until(
            "document.querySelectorAll('[aria-labelledby=contacts-title] li').length === 1",
            SHOWN,
        )
        .await?;
    third.fails("browser_navigate", go, "PAIRING_PENDING").await?;
    Ok(())
}

async fn works(agent: &McpClient, go: &Value) -> Result<()> {
    until("an agent that was let in", BACK, || async {
        let answer = agent.call("browser_navigate", go.clone()).await?;
        Ok((!answer.is_error).then_some(()))
    })
    .await
}

pub async fn a_notification_says_no_word_of_the_agents(rig: &mut Rig) -> Result<()> {
    // The permission is the user's to give, in Chrome's own dialog: here it comes with the manifest.
    let copy = rig.env.path().join("extension-that-notifies");
    let copied = tokio::process::Command::new("cp")
        .args([std::ffi::OsStr::new("-a"), extension_dist().as_os_str(), copy.as_os_str()])
        .status();
    ensure!(copied.await?.success(), "the extension was not copied");
    let file = copy.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&file)?)?;
    let permissions = manifest["permissions"].as_array_mut().context("permissions")?;
    ensure!(!permissions.contains(&json!("notifications")), "Chrome would warn of it at install");
    permissions.push(json!("notifications"));
    std::fs::write(&file, manifest.to_string())?;

    let own = OwnBrowser::start(&rig.env, &copy).await?;
    let shown = "chrome.notifications.getAll().then((all) => all.asks === true)";
    own.in_worker(
        "chrome.storage.local.get('settings').then(({settings}) => \
         chrome.storage.local.set({settings: {...settings, notify: true}}))",
    )
    .await?;
    let worker = own.cdp.attach("service_worker", "chrome-extension://", BACK).await?;
    own.cdp.close(&worker.target).await?;
    let agent = rig.client("SAY-THIS-ALOUD").await?;
    let profile = waiting(&agent).await?;
    let go = json!({"url": rig.server.url("/small.html?notified"), "profile": profile});
    agent.fails("browser_navigate", go.clone(), "PAIRING_PENDING").await?;
    let worker = own.cdp.attach("service_worker", "chrome-extension://", BACK).await?;
    worker.until(shown, SHOWN).await?;
    worker.detach().await?;
    let popup = own.popup().await?;
    attentive(&popup).await?;
    press_in(&popup, "Always").await?;
    works(&agent, &go).await?;
    let worker = own.cdp.attach("service_worker", "chrome-extension://", BACK).await?;
    worker.until(&shown.replace("===", "!=="), SHOWN).await?;
    Ok(())
}

/// The slug of the profile that waits for its click.
async fn waiting(agent: &McpClient) -> Result<String> {
    until("the profile that waits", BACK, || async {
        let list = agent.call("browser_tabs", json!({})).await?.text;
        let line = list.lines().find(|line| line.contains("has not allowed it yet"));
        Ok(line.and_then(|line| line.split_whitespace().nth(1)).map(str::to_owned))
    })
    .await
}
