//! One call of every tool on pages of our own, and its answer: the examples of `docs/TOOLS.md`. A tool
//! without one here fails the test. `UPDATE_EXPECT=1` writes them.

use crate::semantic::answer;
use crate::transcripts::{self, words};
use anyhow::{Context, Result, ensure};
use pillion_e2e::{Rig, Scribe, golden};
use pillion_testkit::{McpClient, Server};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What a tool is shown with: where, what is done before, and the calls.
struct Example {
    page: &'static str,
    before: Option<(&'static str, Value)>,
    calls: Vec<Value>,
    /// The user is asked first.
    asks: bool,
    /// Its figures are others each time: it is shown and not compared.
    varies: bool,
}

fn on(page: &'static str, calls: impl Into<Vec<Value>>) -> Example {
    Example { page, before: None, calls: calls.into(), asks: false, varies: false }
}

fn example(tool: &str, server: &Server) -> Option<Example> {
    Some(match tool {
        "browser_tabs" => on("/shops/1/", [json!({})]),
        "browser_navigate" => {
            on("/shops/1/", [json!({"url": server.url("/shops/2/"), "snapshot": true})])
        }
        "browser_snapshot" => on("/shops/1/", [json!({})]),
        "browser_text" => on("/shops/1/", [json!({"format": "markdown"})]),
        "browser_screenshot" => on("/shops/1/", [json!({"target": "button \"Add to cart\""})]),
        "browser_inspect_element" => {
            on("/cart/", [json!({"target": ".cart .total", "show": ["rules", "box"]})])
        }
        "browser_click" => {
            on("/users/", [json!({"target": "row \"Grace Hopper\" >> button \"Edit\""})])
        }
        "browser_type" => {
            on("/login/", [json!({"target": "label=Email address", "text": "user@acme.example"})])
        }
        "browser_fill" => on(
            "/suppliers/new/",
            [json!({"fields": [
                {"target": "label=Company", "value": "X GmbH"},
                {"target": "label=Country", "value": "Germany"},
                {"target": "label=Valid from", "value": "2026-12-01"},
                {"target": "label=Postcode", "value": "10115"},
            ]})],
        ),
        "browser_scroll" => on("/users/", [json!({"to": "bottom"})]),
        "browser_wait" => on("/shops/1/", [json!({"target": "text=In stock"})]),
        "browser_evaluate" => {
            on("/shops/1/", [json!({"expression": "[...document.querySelectorAll('p')].length"})])
        }
        "browser_handle_dialog" => Example {
            page: "/orders/table.html",
            before: Some((
                "browser_click",
                json!({"target": "row \"Order 118\" >> button \"Delete\""}),
            )),
            calls: vec![json!({"accept": true})],
            asks: false,
            varies: false,
        },
        "browser_ask" => on(
            "/login/",
            [json!({"for": "login", "message": "Please sign in.", "until": "text=Forgot"})],
        ),
        "browser_logs" => on("/orders/", [json!({"kind": "network"}), json!({"errors": true})]),
        "browser_files" => Example {
            page: "/report/?example",
            before: Some(("browser_click", json!({"target": "button \"Export CSV\""}))),
            calls: vec![json!({"action": "wait"})],
            asks: false,
            varies: false,
        },
        "browser_batch" => on(
            "/shops/1/",
            [json!({"steps": [
                {"tool": "navigate", "url": server.url("/shops/2/")},
                {"tool": "text", "tab": "$1"},
            ]})],
        ),
        "browser_more" => on("/cart/", [json!({"command": "patch .total --styles 'color:red'"})]),
        _ => return unlisted(tool),
    })
}

fn unlisted(tool: &str) -> Option<Example> {
    Some(match tool {
        "browser_patch" => on(
            "/cart/",
            [
                json!({"target": ".total", "styles": "position:static", "text": "Sum 42 EUR"}),
                json!({"export": true}),
                json!({"rollback": "all"}),
            ],
        ),
        "browser_storage" => Example {
            page: "/cart/",
            before: Some((
                "browser_evaluate",
                json!({"expression": "localStorage.setItem('cart', '{\"items\":1}')"}),
            )),
            calls: vec![json!({}), json!({"kind": "local", "action": "get", "key": "cart"})],
            asks: false,
            varies: false,
        },
        "browser_emulate" => on("/cart/", [json!({"viewport": "390x844", "color_scheme": "dark"})]),
        "browser_mock" => {
            on("/orders/", [json!({"url": "/orders/error.html", "status": 200, "body": "[]"})])
        }
        "browser_overview" => on("/orders/", [json!({})]),
        "browser_baseline" => {
            on("/cart/", [json!({"action": "set"}), json!({"action": "compare"})])
        }
        "browser_extract" => on("/orders/table.html", [json!({})]),
        "browser_audit" => on("/login/", [json!({})]),
        "browser_bridge" => Example { varies: true, ..on("/shops/1/", [json!({})]) },
        "browser_perf" => Example { asks: true, varies: true, ..on("/shops/1/", [json!({})]) },
        "browser_cdp" => {
            on("/cart/", [json!({"method": "Runtime.evaluate", "params": {"expression": "6 * 7"}})])
        }
        _ => return None,
    })
}

pub async fn every_tool_has_an_example_of_a_real_run(rig: &mut Rig) -> Result<()> {
    let server = transcripts::server().await?;
    let agent = McpClient::start_with(&rig.env, "exampler", &["--tools", "all"]).await?;
    let listed = agent.request("tools/list", json!({})).await?;
    let tools = listed["tools"].as_array().context("a list of tools")?;
    let names = tools.iter().filter_map(|tool| tool["name"].as_str());
    // Its own test shows it, in a browser that has what it needs.
    for tool in names.filter(|tool| *tool != "browser_page_tools") {
        let shown = example(tool, &server).with_context(|| format!("{tool} has no example"))?;
        show(rig, &agent, &server, tool, shown).await.with_context(|| tool.to_owned())?;
    }
    Ok(())
}

async fn show(
    rig: &Rig,
    agent: &McpClient,
    server: &Server,
    tool: &str,
    shown: Example,
) -> Result<()> {
    let url = json!({"url": server.url(shown.page)});
    let tab = agent.ok("browser_navigate", url).await?.tab()?;
    let in_tab = |mut args: Value| {
        // What opens a tab by itself is shown so, and some are of no tab.
        let is_of_none = matches!(tool, "browser_tabs" | "browser_bridge");
        if !is_of_none && args.get("url").is_none_or(|_| tool == "browser_mock") {
            args["tab"] = json!(tab);
        }
        args
    };
    if let Some((tool, args)) = shown.before {
        let mut args = args;
        args["tab"] = json!(tab);
        agent.call(tool, args).await?;
    }
    let mut scribe = Scribe::new(agent, &words(rig))?;
    for args in shown.calls {
        let begun = scribe.begin(tool, in_tab(args)).await?;
        if shown.asks {
            answer(rig, "Allow once").await?;
        }
        let answer = scribe.finish(begun).await?;
        ensure!(!answer.is_error, "{}", answer.text);
        if tool == "browser_navigate" {
            agent.ok("browser_tabs", json!({"action": "close", "tab": answer.tab()?})).await?;
        }
    }
    agent.ok("browser_tabs", json!({"action": "close", "tab": tab})).await?;
    let renewed = std::env::var_os("UPDATE_EXPECT").is_some();
    if shown.varies && !renewed {
        return Ok(());
    }
    golden(&file(tool), &scribe.into_text())
}

/// Where the example of a tool is kept.
pub(crate) fn file(tool: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/examples/{tool}.txt"))
}
