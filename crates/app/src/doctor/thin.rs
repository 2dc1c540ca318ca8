//! The thin process: started as a client does, asked what a client asks first. It must answer by itself, daemon or not.

use super::finding::{Fault, Finding, Hop};
use anyhow::Context as _;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

/// Clients give up later than this.
const ANSWER: Duration = Duration::from_secs(5);

/// Starts it and asks.
pub async fn check(own: &Path, home: &Path) -> Finding {
    let begun = Instant::now();
    match timeout(ANSWER, ask(own, home)).await {
        Ok(Ok(tools)) => Finding::good(Hop::Thin, format!("answers a client with {tools} tools"))
            .took(begun.elapsed()),
        Ok(Err(error)) => silent(format!("does not serve a client: {error:#}")),
        Err(_) => silent(format!("does not answer a client in {} s", ANSWER.as_secs())),
    }
}

fn silent(what: String) -> Finding {
    Finding::bad(
        Hop::Thin,
        Fault::ThinSilent,
        what,
        "pillion mcp   (type a line: what does it say?)",
    )
}

async fn ask(own: &Path, home: &Path) -> anyhow::Result<usize> {
    let mut command = Command::new(own);
    command.args(["mcp", "--agent", "doctor", "--home"]).arg(home);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn()?;
    let mut input = child.stdin.take().context("no stdin")?;
    let output = child.stdout.take().context("no stdout")?;
    let mut lines = BufReader::new(output).lines();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "0"}}});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    input.write_all(format!("{hello}\n").as_bytes()).await?;
    answer(&mut lines, 1).await?;
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    input.write_all(format!("{ready}\n{list}\n").as_bytes()).await?;
    let tools = answer(&mut lines, 2).await?;
    // It ends with its input.
    drop(input);
    child.wait().await?;
    Ok(tools["result"]["tools"].as_array().map_or(0, Vec::len))
}

async fn answer<R: tokio::io::AsyncBufRead + Unpin>(
    lines: &mut tokio::io::Lines<R>,
    id: u64,
) -> anyhow::Result<Value> {
    while let Some(line) = lines.next_line().await? {
        let message: Value = serde_json::from_str(&line).context("it speaks no JSON")?;
        if message["id"] == id {
            return Ok(message);
        }
    }
    anyhow::bail!("it ended at once")
}
