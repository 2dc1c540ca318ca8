//! Tools that a page offers by itself (WebMCP).

use crate::examples;
use crate::transcripts::words;
use anyhow::{Result, ensure};
use pillion_e2e::{Rig, Scribe, golden};
use pillion_testkit::{RideBrowser, Window};
use serde_json::json;

const TOOL: &str = "browser_page_tools";
/// What the flag on chrome://flags turns on.
const FLAGS: [&str; 1] = ["--enable-blink-features=WebMCP,WebMCPTesting"];

pub async fn a_browser_without_them_says_what_turns_them_on(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("tool user").await?;
    let opened = rig.open(&agent, "page-tools.html").await?;
    let answer = agent.call(TOOL, json!({"tab": opened.tab})).await?;
    ensure!(answer.code() == "BROWSER_LACKS", "{}", answer.text);
    answer.has("chrome://flags/#enable-webmcp-testing")?;
    let bad = json!({"tab": opened.tab, "tool": "x", "args": "[1]"});
    agent.fails(TOOL, bad, "INVALID_ARGUMENT").await?.has("JSON object")?;
    Ok(())
}

pub async fn tools_of_a_page_are_listed_and_called(rig: &mut Rig) -> Result<()> {
    let before = rig.slugs().await?;
    let browser = RideBrowser::launch_with(&rig.env, Window::Headless, "tools", &FLAGS).await?;
    let slug = rig.one_more(&before).await?;
    let agent = rig.client("tool user 2").await?;
    let go = json!({"url": rig.server.url("/page-tools.html"), "profile": slug});
    let tab = agent.ok("browser_navigate", go).await?.tab()?;
    let mut scribe = Scribe::new(&agent, &words(rig))?;
    let list = scribe.call(TOOL, json!({"tab": tab})).await?;
    list.has("2 tools of the page, in its own words")?
        .has("add_item: Adds an item. ")?
        .has("\"required\":[\"text\"]")?;
    ensure!(list.text.matches("\n</page ").count() == 1, "a page ended its fence: {}", list.text);
    let call = json!({"tab": tab, "tool": "add_item", "args": {"text": "milk"}});
    let called = scribe.call(TOOL, call).await?;
    golden(&examples::file(TOOL), &scribe.into_text())?;
    called.has("called the page's tool \"add_item\"")?.has("\"milk\"")?.has("added milk")?;
    let failed = agent.call(TOOL, json!({"tab": tab, "tool": "fail"})).await?;
    ensure!(failed.code() == "SCRIPT_ERROR", "{}", failed.text);
    let none = json!({"tab": tab, "tool": "fly"});
    agent.fails(TOOL, none, "TARGET_NOT_FOUND").await?.has("\"add_item\", \"fail\"")?;
    let more = json!({"tab": tab, "command": "page-tools add_item '{\"text\": \"bread\"}'"});
    agent.ok("browser_more", more).await?.has("added bread")?;
    drop(browser);
    Ok(())
}
