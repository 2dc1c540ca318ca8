//! The person at the browser: set up by hand, one click to let agents in, one switch to share a
//! tab. A second profile beside the first one.

use anyhow::{Context, Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{
    McpClient, OwnBrowser, ensure_accessible, extension_dist, key, picture, point, press_in, until,
};
use serde_json::json;
use std::time::Duration;

/// A browser that was just started connects within this; what it tells arrives within this.
const CONNECT: Duration = Duration::from_secs(30);

pub async fn one_click_lets_agents_into_a_profile_and_a_switch_shares_a_tab(
    rig: &mut Rig,
) -> Result<()> {
    let own = OwnBrowser::start(&rig.env, &extension_dist()).await?;
    let agent = rig.client("guest").await?;
    let profile = waiting_profile(&agent).await?;
    let url = rig.server.url("/form.html?guest");
    let go = json!({"url": url, "profile": profile});
    agent.fails("browser_navigate", go.clone(), "PAIRING_PENDING").await?.has("popup")?;

    let popup = own.popup().await?;
    popup.until("document.querySelector('.status[data-mood=ask]')", CONNECT).await?;
    ensure_accessible(&popup).await?;
    picture(&popup, "popup-waiting", None).await?;
    press_in(&popup, "Let agents use this profile").await?;
    let opened = until("the profile that was let in", CONNECT, || async {
        let answer = agent.call("browser_navigate", go.clone()).await?;
        Ok((!answer.is_error).then_some(answer))
    })
    .await?;
    let tab = opened.tab()?;
    agent
        .ok("browser_evaluate", json!({"tab": tab, "expression": "localStorage.who = 'own'"}))
        .await?;
    let list = agent.ok("browser_tabs", json!({})).await?.text;
    let mut slugs =
        list.lines().filter_map(|line| line.strip_prefix("profile ")?.split(' ').next());
    let other = slugs.find(|slug| *slug != profile).context("the first profile")?;
    let there = json!({"url": url, "profile": other});
    let first = agent.ok("browser_navigate", there).await?.tab()?;
    let who = json!({"tab": first, "expression": "localStorage.who ?? 'nobody'"});
    agent.ok("browser_evaluate", who).await?.has("nobody")?;

    let private = own.cdp.open(&rig.server.url("/table.html?private")).await?;
    let here = json!({"profile": profile});
    agent.ok("browser_tabs", here.clone()).await?.lacks("/table.html")?.has("not shared")?;
    // A popup closes when something else comes to the front.
    let popup = own.popup().await?;
    press_in(&popup, "Table page").await.context("the share switch")?;
    let shared = until("the shared tab", CONNECT, || async {
        let list = agent.ok("browser_tabs", here.clone()).await?.text;
        Ok(list.lines().find(|line| line.contains("/table.html")).map(str::to_owned))
    })
    .await?;
    ensure!(shared.contains("[shared, free]"), "{shared}");
    let number: u32 = shared.split_whitespace().next().context("a number")?.parse()?;
    agent.ok("browser_snapshot", json!({"tab": number})).await?.has("table")?;
    press_in(&popup, "Table page").await?;
    until("the end of sharing", CONNECT, || async {
        let answer = agent.call("browser_snapshot", json!({"tab": number})).await?;
        Ok((answer.code() == "TAB_NOT_SHARED").then_some(()))
    })
    .await?;
    ensure!(private.evaluate("document.title").await? == "Table page", "the tab stays as it was");
    Ok(())
}

pub async fn the_popup_finds_stops_and_lets_go_on(rig: &mut Rig) -> Result<()> {
    let own = OwnBrowser::start(&rig.env, &extension_dist()).await?;
    let (atlas, otter) = (rig.client("Atlas").await?, rig.client("Otter").await?);
    let profile = waiting_profile(&atlas).await?;
    own.cdp.open(&rig.server.url("/table.html?mine")).await?;
    let popup = own.popup().await?;
    press_in(&popup, "Let agents use this profile").await?;
    popup.until("document.querySelector('#tabs li')", CONNECT).await?;
    let go = |path: &str| json!({"url": rig.server.url(path), "profile": profile});
    for agent in [&atlas, &otter] {
        agent.fails("browser_navigate", go("/small.html?first"), "PAIRING_PENDING").await?;
        point(&popup, 5.0, 5.0).await?;
        press_in(&popup, "Always").await?;
        until("an agent that was let in", CONNECT, || async {
            let list = agent.call("browser_tabs", json!({"profile": profile})).await?.text;
            let line = list.lines().find(|line| line.starts_with(&format!("profile {profile} ")));
            Ok(line.filter(|line| !line.contains("not allowed it yet")).map(|_| ()))
        })
        .await?;
    }
    let tab = atlas.ok("browser_navigate", go("/form.html?atlas")).await?.tab()?;
    let others = otter.ok("browser_navigate", go("/small.html?otter")).await?.tab()?;
    popup.until("document.querySelectorAll('.agent').length === 2", CONNECT).await?;
    // What was answered goes when the pointer does.
    point(&popup, 5.0, 5.0).await?;
    popup.until("!document.querySelector('.prompt')", CONNECT).await?;
    ensure_accessible(&popup).await?;
    picture(&popup, "popup-working", None).await?;
    key(&popup, "/").await?;
    popup.until("document.activeElement.id === 'search'", CONNECT).await?;
    for letter in ["t", "a", "b", "l"] {
        key(&popup, letter).await?;
    }
    popup.until("document.querySelectorAll('#tabs li').length === 1", CONNECT).await?;
    key(&popup, "ArrowDown").await?;
    key(&popup, " ").await?;
    popup.until("document.activeElement.ariaChecked === 'true'", CONNECT).await?;
    key(&popup, "Escape").await?;
    popup.until("document.querySelectorAll('#tabs li').length > 2", CONNECT).await?;

    // What runs ends at once; the tab is the user's; the other agent goes on.
    let wait = json!({"tab": tab, "target": "text=never to be seen", "timeout_ms": 50_000});
    let waiting = atlas.begin("browser_wait", wait).await?;
    press_in(&popup, "Stop Atlas").await?;
    popup.until("document.querySelector('.agent[data-halt=stop]')", CONNECT).await?;
    let ended = atlas.finish(waiting).await?;
    ensure!(ended.is_error, "{}", ended.text);
    atlas.fails("browser_navigate", go("/form.html?again"), "STOPPED_BY_USER").await?;
    atlas.fails("browser_snapshot", json!({"tab": tab}), "TAB_NOT_SHARED").await?;
    otter.ok("browser_snapshot", json!({"tab": others})).await?;
    // A name costs nothing: whoever is new while one is stopped is stopped, too.
    let new = rig.client("Atlas 2").await?;
    new.fails("browser_navigate", go("/form.html?new"), "STOPPED_BY_USER").await?;
    ensure_accessible(&popup).await?;
    picture(&popup, "popup-stopped", None).await?;
    press_in(&popup, "Resume Atlas").await?;
    popup.until("!document.querySelector('.agent[data-halt=stop]')", CONNECT).await?;
    let again = atlas.ok("browser_navigate", go("/form.html?again")).await?.tab()?;

    press_in(&popup, "Take “Small page” back").await?;
    until("a tab that is the user's", CONNECT, || async {
        let answer = otter.call("browser_snapshot", json!({"tab": others})).await?;
        Ok(answer.is_error.then_some(()))
    })
    .await?;
    press_in(&popup, "Stop everything").await?;
    popup.until("document.querySelector('.status[data-mood=off]')", CONNECT).await?;
    atlas.fails("browser_snapshot", json!({"tab": again}), "TAB_NOT_SHARED").await?;
    press_in(&popup, "Let agents go on").await?;
    popup.until("document.querySelector('.status[data-mood=good]')", CONNECT).await?;
    atlas.ok("browser_navigate", go("/form.html?last")).await?;
    press_in(&popup, "Disconnect Atlas").await?;
    until("the session's end", CONNECT, || async {
        let answer = atlas.call("browser_navigate", go("/form.html?ended")).await?;
        Ok((answer.code() == "STOPPED_BY_USER").then_some(()))
    })
    .await
}

/// The slug of the profile that waits for its click.
async fn waiting_profile(agent: &McpClient) -> Result<String> {
    until("a second profile", CONNECT, || async {
        let list = agent.call("browser_tabs", json!({})).await?.text;
        let line = list.lines().find(|line| line.contains("has not allowed it yet"));
        Ok(line.and_then(|line| line.split_whitespace().nth(1)).map(str::to_owned))
    })
    .await
}
