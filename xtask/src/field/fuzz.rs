//! Broken input at the three doors: the MCP stream, the native messaging stream, the listener.

use super::report::{Outcome, Report, Verdict};
use crate::ui;
use anyhow::{Context, Result};
use pillion_testkit::{RideBrowser, TestEnv, Window, until};
use std::path::Path;
use std::time::Duration;
use tokio::process::Command;

/// One of the corpora's programs.
const PROGRAM: Duration = Duration::from_secs(240);
/// A browser that was just started.
const START: Duration = Duration::from_secs(30);

/// Run the three programs.
pub async fn run(lib: &Path, binary: &Path, report: &mut Report) -> Result<()> {
    let env = TestEnv::new(binary)?;
    let browser = RideBrowser::launch(&env, Window::Headless).await?;
    let worker = until("the extension's worker", START, || async {
        let targets = browser.cdp.targets().await?;
        Ok(targets.into_iter().find_map(|target| {
            let url = target["url"].as_str()?;
            (target["type"] == "service_worker" && url.starts_with("chrome-extension://"))
                .then(|| url.to_owned())
        }))
    })
    .await?;
    let id = worker.split('/').nth(2).context("an extension has an id")?.to_owned();
    let port = until("the daemon's port", START, || async {
        Ok(env.status().await?.and_then(|status| status["port"].as_u64()))
    })
    .await?;
    drop(browser);

    let origin = format!("chrome-extension://{id}");
    let mut listener = Command::new("node");
    listener.arg(lib.join("ws-frames.mjs")).args([&port.to_string(), "/link", "--origin", &origin]);
    report.push(one("fuzz: listener", &env, listener).await?);

    let mut native = Command::new("python3");
    native.arg(lib.join("nm-fuzz.py")).args(["--origin", &format!("{origin}/"), "--"]).arg(binary);
    report.push(one("fuzz: native messaging", &env, native).await?);

    let mut stdio = Command::new("python3");
    stdio.arg(lib.join("mcp-stdio-fuzz.py")).arg("--").arg(binary).arg("mcp");
    report.push(one("fuzz: MCP stream", &env, stdio).await?);
    Ok(())
}

async fn one(name: &str, env: &TestEnv, mut command: Command) -> Result<Outcome> {
    env.seal(&mut command);
    command.stdin(std::process::Stdio::null()).kill_on_drop(true);
    let output =
        tokio::time::timeout(PROGRAM, command.output()).await.context(name.to_owned())??;
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines().filter(|line| line.starts_with("FAIL")) {
        ui::say(&format!("{name}: {line}"));
    }
    let verdict = if output.status.success() { Verdict::Right } else { Verdict::Honest };
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().last().or_else(|| errors.lines().last()).unwrap_or("no output");
    let outcome = Outcome { name: name.to_owned(), verdict, note: last.to_owned() };
    ui::say(&outcome.line());
    Ok(outcome)
}
