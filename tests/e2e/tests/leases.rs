//! Who holds a tab: claimed, given away, left behind, dragged out of the group.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use pillion_testkit::until;
use serde_json::json;
use std::time::Duration;

/// What is told by events arrives within this.
const SOON: Duration = Duration::from_secs(5);

pub async fn a_tab_is_released_claimed_and_given(rig: &mut Rig) -> Result<()> {
    let (one, two) = (rig.client("giver").await?, rig.client("taker").await?);
    let tab = rig.open(&one, "form.html").await?.tab;
    let claim = json!({"action": "claim", "tab": tab});
    two.fails("browser_tabs", claim.clone(), "TAB_LOCKED").await?.has("\"giver\"")?;
    one.ok("browser_tabs", json!({"action": "release", "tab": tab})).await?;
    two.ok("browser_tabs", claim).await?.has("Form page")?;
    one.fails("browser_snapshot", json!({"tab": tab}), "TAB_LOCKED").await?.has("\"taker\"")?;
    two.fails(
        "browser_tabs",
        json!({"action": "give", "tab": tab, "to": "nobody"}),
        "INVALID_ARGUMENT",
    )
    .await?;
    two.ok("browser_tabs", json!({"action": "give", "tab": tab, "to": "giver"})).await?;
    one.ok("browser_click", json!({"tab": tab, "target": "button \"Nothing\""})).await?;
    two.fails("browser_snapshot", json!({"tab": tab}), "TAB_LOCKED").await?;
    Ok(())
}

pub async fn a_tab_given_to_the_user_is_out_of_reach(rig: &mut Rig) -> Result<()> {
    let one = rig.client("polite").await?;
    let opened = rig.open(&one, "form.html").await?;
    one.ok("browser_tabs", json!({"action": "give", "tab": opened.tab, "to": "user"})).await?;
    one.fails("browser_snapshot", json!({"tab": opened.tab}), "TAB_NOT_SHARED").await?;
    ensure!(opened.page.evaluate("document.title").await? == "Form page", "the page stays open");
    Ok(())
}

pub async fn what_a_vanished_agent_left_is_claimed_with_every_field_intact(
    rig: &mut Rig,
) -> Result<()> {
    let one = rig.client("forgetful").await?;
    let tab = rig.open(&one, "form.html").await?.tab;
    let fields =
        json!([{"target": "label=Name", "value": "Ann"}, {"target": "label=Bio", "value": "b"}]);
    one.ok("browser_fill", json!({"tab": tab, "fields": fields})).await?;
    drop(one);
    let (again, other) = (rig.client("forgetful").await?, rig.client("stranger").await?);
    until("the tab that was left", SOON, || async {
        Ok(again.ok("browser_tabs", json!({})).await?.has("left by you").ok().map(drop))
    })
    .await?;
    other.fails("browser_tabs", json!({"action": "claim", "tab": tab}), "TAB_LOCKED").await?;
    again
        .fails("browser_click", json!({"tab": tab, "target": "button \"Add\""}), "TAB_LOCKED")
        .await?
        .has("claim")?;
    again.ok("browser_tabs", json!({"action": "claim", "tab": tab})).await?;
    again
        .ok("browser_snapshot", json!({"tab": tab}))
        .await?
        .has("value=\"Ann\"")?
        .has("value=\"b\"")?;
    Ok(())
}
