//! An element in depth: styles, rules, listeners, box, attributes, HTML.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use serde_json::json;

pub async fn styles_and_box_need_no_debugger(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("inspector").await?;
    let opened = rig.open(&agent, "logs.html").await?;
    let ask = json!({"tab": opened.tab, "target": "#total", "show": ["box", "attributes", "html"]});
    let seen = agent.ok("browser_inspect_element", ask).await?;
    seen.has(" box 10,120 200×")?
        .has("covered by ")?
        .has("differs: ")?
        .has("position=absolute")?
        .has("z-index=1")?
        .has("data-api-token=…")?
        .has("<div class=\"total\"")?
        .lacks("planted-token-value")?;
    // Nothing of ours stays in the page.
    ensure!(opened.page.evaluate("document.documentElement.children.length").await? == 2);
    let some = json!({"tab": opened.tab, "target": "#total", "properties": ["zIndex", "display"]});
    agent.ok("browser_inspect_element", some).await?.has("styles: z-index=1 display=block")?;
    Ok(())
}

pub async fn rules_come_strongest_first_with_their_places(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("inspector").await?;
    let tab = rig.open(&agent, "logs.html").await?.tab;
    let ask = json!({"tab": tab, "target": "#total", "show": ["rules"]});
    let seen = agent.ok("browser_inspect_element", ask).await?;
    seen.has("logs.html:6 .total {")?
        .has("logs.html:7 .cart .total {")?
        .has("color: rgb(255, 0, 0) (overridden by logs.html:6)")?
        .has("style attribute { z-index: 1 }")?;
    Ok(())
}

pub async fn listeners_have_file_and_line(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("inspector").await?;
    let tab = rig.open(&agent, "logs.html").await?.tab;
    let ask = json!({"tab": tab, "target": "button \"Hit\"", "show": ["listeners"]});
    agent.ok("browser_inspect_element", ask).await?.has("click logs.js:4 (passive)")?;
    let ask = json!({"tab": tab, "target": "#total", "show": ["listeners"]});
    agent.ok("browser_inspect_element", ask).await?.has("pointerdown on div#cart logs.js:5")?;
    Ok(())
}

pub async fn frames_and_closed_roots_are_inspected(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("inspector").await?;
    let opened = rig.open(&agent, "frames.html").await?;
    let tab = opened.tab;
    for target in ["button \"Send 0\"", "button \"Send 1\"", "button \"Send 2\""] {
        agent.ok("browser_wait", json!({"tab": tab, "target": target})).await?;
        let ask = json!({"tab": tab, "target": target, "show": ["rules", "listeners", "box", "attributes"]});
        let seen = agent.ok("browser_inspect_element", ask).await?;
        seen.has("rules:")?.has("listeners:")?.has(" box ")?;
    }
    Ok(())
}

pub async fn what_cannot_be_inspected_says_why(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("inspector").await?;
    let tab = rig.open(&agent, "logs.html").await?.tab;
    let tool = "browser_inspect_element";
    agent.fails(tool, json!({"tab": tab}), "INVALID_ARGUMENT").await?;
    let wrong = json!({"tab": tab, "target": "#total", "show": ["colours"]});
    agent.fails(tool, wrong, "INVALID_ARGUMENT").await?.has("show takes rules")?;
    agent.fails(tool, json!({"tab": tab, "target": "#no-such-thing"}), "TARGET_NOT_FOUND").await?;
    agent.fails(tool, json!({"tab": tab, "target": "e9999"}), "REF_NOT_FOUND").await?;
    agent.fails(tool, json!({"tab": 9_999, "target": "body"}), "TAB_NOT_FOUND").await?;
    let alert = json!({"tab": tab, "expression": "alert('held')"});
    agent.ok("browser_evaluate", alert).await?.has("dialog: alert \"held\"")?;
    agent.fails(tool, json!({"tab": tab, "target": "#total"}), "DIALOG_OPEN").await?;
    let console = json!({"tab": tab, "kind": "console"});
    agent.fails("browser_logs", console, "DIALOG_OPEN").await?;
    // The requests are there all the same.
    let both = agent.ok("browser_logs", json!({"tab": tab})).await?;
    both.has("console: not read. DIALOG_OPEN: ")?.has("network of tab")?;
    agent.ok("browser_handle_dialog", json!({"tab": tab, "accept": true})).await?;
    Ok(())
}
