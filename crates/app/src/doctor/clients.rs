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

/// What stands in a client's settings, or the finding that says why nothing can be said.
type Looked = (&'static Client, Result<Entry, Finding>);

/// Reads the settings of every client that is here. May hang as long as the disk does.
pub fn look() -> Vec<Looked> {
    let Ok(folders) = folders::of_user() else { return Vec::new() };
    let found = folders::found(&folders).into_iter();
    found.map(|client| (client, entry_of(client, &folders))).collect()
}

/// One finding a client that is here.
pub async fn check(looked: Vec<Looked>, own: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (client, entry) in looked {
        findings.push(match entry {
            Ok(entry) => program(client, &entry, &setup(client), own).await,
            Err(finding) => finding,
        });
    }
    if findings.is_empty() {
        findings.push(Finding::note(Hop::Client, "no MCP client was found for this user"));
    }
    findings
}

fn setup(client: &Client) -> String {
    format!("pillion setup {}", client.id)
}

fn entry_of(client: &Client, folders: &Folders) -> Result<Entry, Finding> {
    let path = folders::file_of(client, folders);
    let unreadable = |why: String| {
        Finding::bad(
            Hop::Client,
            Fault::ClientUnreadable,
            format!("{}: {} cannot be used: {why}", client.title, folders::short(&path)),
            format!("mend that file, then {}", setup(client)),
        )
    };
    let text = settings_file::read(&path).map_err(|error| unreadable(error.to_string()))?;
    let entry = pillion_clients::read(client.format, &text.unwrap_or_default())
        .map_err(|refusal| unreadable(refusal.to_string()))?;
    let unknown = || {
        let what = format!("{} does not know Pillion", client.title);
        Finding::note(Hop::Client, what).mend(setup(client))
    };
    entry.ok_or_else(unknown)
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
