//! Overview, baselines and raw commands.

use anyhow::Result;
use pillion_e2e::Rig;
use pillion_testkit::until;
use serde_json::json;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(10);

pub async fn an_overview_is_state_outline_and_troubles(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("viewer").await?;
    let tab = rig.open(&agent, "logs.html").await?.tab;
    let seen = until("errors of the page", SOON, || async {
        let seen = agent.ok("browser_overview", json!({"tab": tab})).await?;
        Ok((seen.text.contains("thrown words") && seen.text.contains("GET 500")).then_some(seen))
    })
    .await?;
    seen.has("state: yours · ")?
        .has("HTTP 200")?
        .has("\"Logs page\"")?
        .has("heading \"Logs page\" level=1")?
        .has("console of tab")?
        .has("network of tab")?
        .lacks("same words")?
        .lacks("/echo/api/fine")?;
    anyhow::ensure!(seen.text.chars().count() < 6_500, "{}", seen.text.len());
    agent.ok("browser_evaluate", json!({"tab": tab, "expression": "alert('held')"})).await?;
    agent.fails("browser_overview", json!({"tab": tab}), "DIALOG_OPEN").await?;
    agent.ok("browser_handle_dialog", json!({"tab": tab, "accept": true})).await?;
    agent.fails("browser_overview", json!({"tab": 9_999}), "TAB_NOT_FOUND").await?;
    Ok(())
}

pub async fn a_baseline_tells_what_became_different_over_reloads(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("viewer").await?;
    let opened = rig.open(&agent, "tries.html").await?;
    let (tab, tool) = (opened.tab, "browser_baseline");
    agent
        .fails(tool, json!({"tab": tab, "action": "compare"}), "INVALID_ARGUMENT")
        .await?
        .has("no baseline \"default\"")?;
    agent
        .ok(tool, json!({"tab": tab, "action": "set"}))
        .await?
        .has("baseline \"default\" of the page")?;
    agent
        .ok(tool, json!({"tab": tab, "action": "set", "target": "#list", "name": "list"}))
        .await?
        .has("of \"#list\"")?;
    agent.ok("browser_navigate", json!({"tab": tab, "url": "reload"})).await?;
    agent.ok(tool, json!({"tab": tab})).await?.has("no difference to baseline \"default\"")?;
    let change = "document.querySelector('#list').children[1].textContent = 'Three', document.querySelector('#ask').disabled = true, 1";
    opened.page.evaluate(change).await?;
    let told = agent.ok(tool, json!({"tab": tab})).await?;
    told.has("different from baseline")?
        .has("Two")?
        .has("Three")?
        .has("- button \"Ask\"")?
        .has("+ button \"Ask\" disabled")?
        .lacks("[e")?;
    let told = agent.ok(tool, json!({"tab": tab, "name": "list"})).await?;
    told.has("Three")?.lacks("Ask")?;
    agent.ok(tool, json!({"tab": tab, "action": "list"})).await?.has("\"list\" of \"#list\"")?;
    agent.ok(tool, json!({"tab": tab, "action": "forget"})).await?.has("forgot")?;
    agent.fails(tool, json!({"tab": tab, "action": "forget"}), "INVALID_ARGUMENT").await?;
    agent.fails(tool, json!({"tab": tab, "name": "x".repeat(80)}), "INVALID_ARGUMENT").await?;
    agent
        .fails(tool, json!({"tab": tab, "action": "set", "target": "#none"}), "TARGET_NOT_FOUND")
        .await?;
    Ok(())
}

pub async fn a_raw_command_goes_as_far_as_the_table_in_an_own_tab(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("raw").await?;
    let opened = rig.open(&agent, "tries.html").await?;
    let (tab, tool) = (opened.tab, "browser_cdp");
    let call = |method: &str, params: serde_json::Value| json!({"tab": tab, "method": method, "params": params});
    agent.ok(tool, call("Page.getLayoutMetrics", json!({}))).await?.has("cssLayoutViewport")?;
    agent.ok(tool, call("Performance.enable", json!({}))).await?.has("Performance.enable: done")?;
    agent
        .ok(tool, call("DOM.getDocument", json!({"depth": 2})))
        .await?
        .has("\"nodeName\": \"HTML\"")?;
    for (method, params, code, words) in [
        ("Page.navigate", json!({"url": "https://a.example"}), "POLICY", "not allowed"),
        ("Fetch.enable", json!({}), "POLICY", "not allowed"),
        ("Runtime.evaluate", json!({"expression": "1", "contextId": 1}), "POLICY", "contextId"),
        ("Page.captureScreenshot", json!({}), "POLICY", "browser_screenshot"),
        ("Network.getCookies", json!({}), "POLICY", "browser_storage"),
        ("DOM.describeNode", json!({"nodeId": 999_999}), "INVALID_ARGUMENT", "Chrome refused"),
    ] {
        agent.fails(tool, call(method, params), code).await?.has(words)?;
    }
    let bad = json!({"tab": tab, "method": "DOM.getDocument", "params": "[1]"});
    agent.fails(tool, bad, "INVALID_ARGUMENT").await?.has("JSON object")?;
    agent.fails(tool, json!({"tab": tab}), "INVALID_ARGUMENT").await?.has("needs method")?;
    // In a tab of the user's, shared or not, there are none.
    agent.ok("browser_tabs", json!({"action": "release", "tab": tab})).await?;
    let other = rig.client("other").await?;
    let refused = other.call(tool, call("Page.getLayoutMetrics", json!({}))).await?;
    anyhow::ensure!(["POLICY", "TAB_LOCKED"].contains(&refused.code()), "{}", refused.text);
    Ok(())
}

pub async fn every_unlisted_tool_is_a_command_and_is_called_by_name(rig: &mut Rig) -> Result<()> {
    let session = ["--session", "commander"];
    let shell = async |args: &[&str]| -> Result<String> {
        let all: Vec<&str> = args.iter().chain(&session).copied().collect();
        let output = rig.env.run(&all).await?;
        anyhow::ensure!(output.ok, "{args:?}: {} {}", output.stdout, output.stderr);
        Ok(output.stdout)
    };
    shell(&["navigate", &rig.server.url("/tries.html?commands")]).await?;
    let pdf = rig.env.path().join("command.pdf").to_string_lossy().into_owned();
    for (args, words) in [
        (
            vec!["storage", "local", "set", "theme", "--value", "dark"],
            "set \"theme\" in localStorage",
        ),
        (vec!["storage", "local", "get", "theme"], "dark"),
        (vec!["emulate", "390x844@3", "mobile"], "viewport 390x844@3 mobile"),
        (vec!["emulate", "--reset"], "nothing is emulated"),
        (vec!["mock", "/echo/none", "--status", "418"], "mock m1: any"),
        (vec!["mock", "--remove", "all"], "no mocks in tab"),
        (vec!["files"], "downloaded nothing"),
        (vec!["files", "save_pdf", &pdf], "command.pdf"),
        (vec!["overview"], "Tries page"),
        (vec!["baseline", "set", "#list"], "of \"#list\""),
        (vec!["baseline"], "no difference"),
        (vec!["cdp", "Page.getLayoutMetrics"], "cssLayoutViewport"),
        (vec!["cdp", "DOM.getDocument", "{\"depth\": 1}"], "nodeName"),
        (vec!["patch", "#total", "--classes", "open -total"], "class +open"),
    ] {
        let out = shell(&args).await?;
        anyhow::ensure!(out.contains(words), "{args:?}: no {words} in {out}");
    }
    // A client that lists only the default tools calls them all the same.
    let agent = rig.client("caller").await?;
    let listed = agent.request("tools/list", json!({})).await?.to_string();
    anyhow::ensure!(listed.contains("browser_files") && !listed.contains("browser_patch"));
    let tab = rig.open(&agent, "tries.html").await?.tab;
    agent.ok("browser_patch", json!({"tab": tab})).await?.has("no patches")?;
    Ok(())
}
