//! Figures that hold on any machine: sizes, and that nothing slow stands before the list of tools.

use anyhow::{Context, Result, ensure};
use pillion_e2e::Rig;
use serde_json::json;
use std::time::{Duration, Instant};

/// The list by itself.
const LIST_CHARS: usize = 7_900;
/// Instructions of the server.
const INSTRUCTIONS_CHARS: usize = 1_200;
/// The design says 12 ms; this leaves room for a debug build on a busy machine.
const LIST_TIME: Duration = Duration::from_millis(120);
/// Starts of which the quickest counts.
const STARTS: u32 = 7;

pub async fn the_list_of_tools_is_short_and_quick(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("counter").await?;
    let list = agent.request("tools/list", json!({})).await?;
    let tools = list["tools"].as_array().context("no tools")?;
    let chars = list["tools"].to_string().chars().count();
    ensure!(chars < LIST_CHARS, "{chars} characters");
    for name in [
        "tabs",
        "navigate",
        "snapshot",
        "text",
        "screenshot",
        "click",
        "type",
        "fill",
        "scroll",
        "wait",
        "evaluate",
        "handle_dialog",
    ] {
        let name = format!("browser_{name}");
        ensure!(tools.iter().any(|tool| tool["name"] == *name), "{name} is not listed");
    }
    let schema = list["tools"].to_string();
    for word in ["$schema", "\"title\":\"", "additionalProperties", "anyOf", "oneOf"] {
        ensure!(!schema.contains(&format!("\"{word}\"")), "{word} in a schema");
    }
    let instructions = agent.server["instructions"].as_str().context("no instructions")?;
    ensure!(instructions.chars().count() <= INSTRUCTIONS_CHARS);
    let (mut version, mut listed) = (Duration::MAX, Duration::MAX);
    for _ in 0..STARTS {
        let begun = Instant::now();
        ensure!(rig.env.run(&["--version"]).await?.ok);
        version = version.min(begun.elapsed());
        let begun = Instant::now();
        let client = rig.client("starter").await?;
        client.request("tools/list", json!({})).await?;
        listed = listed.min(begun.elapsed());
    }
    ensure!(listed < version + LIST_TIME, "tools/list {listed:?}, --version {version:?}");
    Ok(())
}
