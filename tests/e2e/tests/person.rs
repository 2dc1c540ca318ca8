//! The person at the browser: set up by hand, one click to let agents in, one switch to share a
//! tab. A second profile beside the first one.

use anyhow::{Context, Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::{McpClient, OwnBrowser, extension_dist, press_in, until};
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
    agent.ok("browser_tabs", json!({})).await?.lacks("/table.html")?.has("not shared")?;
    // A popup closes when something else comes to the front.
    let popup = own.popup().await?;
    press_in(&popup, "Table page").await.context("the share switch")?;
    let shared = until("the shared tab", CONNECT, || async {
        let list = agent.ok("browser_tabs", json!({})).await?.text;
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

/// The slug of the profile that waits for its click.
async fn waiting_profile(agent: &McpClient) -> Result<String> {
    until("a second profile", CONNECT, || async {
        let list = agent.call("browser_tabs", json!({})).await?.text;
        let line = list.lines().find(|line| line.contains("has not allowed it yet"));
        Ok(line.and_then(|line| line.split_whitespace().nth(1)).map(str::to_owned))
    })
    .await
}
