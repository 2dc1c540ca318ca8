//! `pillion`: the one binary. Commands, the daemon, the MCP server and the browsers' helper.
//!
//! Decides which of the four it is and hands over. Prints through `ui` only.

mod allow_extension;
mod backend;
mod cli;
mod completions;
mod daemon;
mod doctor;
mod exit;
mod extension_dir;
mod framing;
mod history;
mod launch;
mod mcp;
mod native;
mod pair;
mod pairing;
mod pdf_text;
mod run;
mod secret;
mod session;
mod sessions;
mod setup;
mod skew;
mod skill;
mod status;
mod stdio;
mod style;
mod tool_command;
mod ui;
mod update;
mod watch;

use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let first = arguments.nth(1);
    // A browser starts its helper with the extension's origin as the first argument.
    let origin = first.as_ref().and_then(|argument| argument.to_str());
    let exit = match origin.filter(|argument| argument.starts_with("chrome-extension://")) {
        Some(origin) => block_on(native::run(origin)).and_then(|exit| exit),
        None => cli::run(),
    };
    let exit = exit.unwrap_or_else(|error| {
        ui::error(&format!("{error:#}"));
        Exit::Failed
    });
    exit.into()
}

/// Runs a short-lived or thin process: one thread is enough and starts fastest.
fn block_on<F: Future>(future: F) -> anyhow::Result<F::Output> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let output = runtime.block_on(future);
    // A read of stdin may be under way and never end.
    runtime.shutdown_background();
    Ok(output)
}
