//! Client → program: what each MCP client would start. Starts our own programs to ask for their version; others never.

use super::finding::{Fault, Finding, Hop};
use crate::setup::folders;
use crate::setup::plan::resolve;
use pillion_clients::{Client, Entry, Folders};
use pillion_os::settings_file;
use pillion_os::version;
use std::path::Path;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// Another copy of ours has this long to tell its version.
const VERSION: Duration = Duration::from_secs(3);

/// One finding a client that is here.
pub async fn check(own: &Path) -> Vec<Finding> {
    let folders = match folders::of_user() {
        Ok(folders) => folders,
        Err(error) => return vec![Finding::note(Hop::Client, format!("{error:#}"))],
    };
    let mut findings = Vec::new();
    for client in folders::found(&folders) {
        findings.push(one(client, &folders, own).await);
    }
    if findings.is_empty() {
        findings.push(Finding::note(Hop::Client, "no MCP client was found for this user"));
    }
    findings
}

async fn one(client: &Client, folders: &Folders, own: &Path) -> Finding {
    let path = folders::file_of(client, folders);
    let shown = folders::short(&path);
    let setup = format!("pillion setup {}", client.id);
    let unreadable = |why: String| {
        Finding::bad(
            Hop::Client,
            Fault::ClientUnreadable,
            format!("{}: {shown} cannot be used: {why}", client.title),
            format!("mend that file, then {setup}"),
        )
    };
    let text = match settings_file::read(&path) {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => return unreadable(error.to_string()),
    };
    match pillion_clients::read(client.format, &text) {
        Err(refusal) => unreadable(refusal.to_string()),
        Ok(None) => Finding::note(Hop::Client, format!("{} does not know Pillion", client.title))
            .mend(setup),
        Ok(Some(entry)) => program(client, &entry, &setup, own).await,
    }
}

async fn program(client: &Client, entry: &Entry, setup: &str, own: &Path) -> Finding {
    let Some(program) = resolve(&entry.command) else {
        return Finding::bad(
            Hop::Client,
            Fault::ClientProgramGone,
            format!("{} starts {}, which is not there", client.title, entry.command),
            setup,
        );
    };
    let shown = folders::short(&program);
    if same_file(&program, own) {
        return Finding::good(Hop::Client, format!("{} starts {shown}", client.title));
    }
    let ours =
        program.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("pillion"));
    if !ours {
        let what = format!("{} starts Pillion through {shown}", client.title);
        return Finding::good(Hop::Client, what);
    }
    match version_of(&program).await {
        Some(theirs) if theirs == version::version() => {
            Finding::good(Hop::Client, format!("{} starts {shown}", client.title))
        }
        Some(theirs) => Finding::note(
            Hop::Client,
            format!(
                "{} starts {shown}, which is {theirs}; this is {}",
                client.title,
                version::version()
            ),
        )
        .mend(setup),
        None => Finding::bad(
            Hop::Client,
            Fault::ClientProgramDead,
            format!("{} starts {shown}, which does not run", client.title),
            setup,
        ),
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    match (std::fs::canonicalize(one), std::fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// What `PROGRAM --version` says, if it says so in time.
pub async fn version_of(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(std::process::Stdio::null()).kill_on_drop(true);
    let output = timeout(VERSION, command.output()).await.ok()?.ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let version = text.trim().strip_prefix("pillion ")?.to_owned();
    output.status.success().then_some(version)
}
