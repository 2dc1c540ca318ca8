//! `pillion update --check`: which version each part on this machine is of, and whether they fit. Asks no server:
//! nothing here ever does.

use crate::exit::Exit;
use crate::skew::{self, Skew};
use crate::style::{self, Tone};
use crate::tool_command::Format;
use crate::{daemon, extension_dir, ui};
use clap::{Arg, ArgAction, Command};
use pillion_client::Client;
use pillion_os::exe;
use pillion_os::home::Home;
use pillion_os::version::version;
use pillion_wire::local::Admin;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

/// A daemon that does not answer is asked nothing more.
const ASK: Duration = Duration::from_secs(5);

/// The command line.
pub fn command() -> Command {
    Command::new("update")
        .about("Compare the versions of Pillion's parts on this machine")
        .long_about(
            "Compares the versions of Pillion's parts on this machine: program, daemon, helper, extension. Parts work \
             together within a major version. No server is asked, by this or any other command: a newer release comes \
             the way this one came.",
        )
        .after_help("Example: pillion update --check\n\nExit status: 0 all parts fit, 1 some do not.")
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .required(true)
                .help("Only look (there is nothing else that it does)"),
        )
}

struct Part {
    name: String,
    version: Option<String>,
    mend: &'static str,
}

impl Part {
    fn skew(&self) -> Option<Skew> {
        self.version.as_deref().map(|theirs| skew::of(version(), theirs))
    }
}

/// Looks and prints.
pub async fn run(home: Home, format: Format) -> anyhow::Result<Exit> {
    let mut parts = vec![];
    let status = status(&home).await;
    let of_daemon = status.as_ref().and_then(|status| text(&status["version"]));
    parts.push(Part { name: "daemon".into(), version: of_daemon, mend: "pillion daemon restart" });
    let helper = exe::host_path(&home);
    let of_helper = if helper.exists() { crate::doctor::version_of(&helper).await } else { None };
    parts.push(Part { name: "helper".into(), version: of_helper, mend: "pillion setup --native" });
    let folder = extension_dir::find().ok();
    let manifest =
        folder.and_then(|folder| std::fs::read_to_string(folder.join("manifest.json")).ok());
    let manifest: Option<Value> = manifest.and_then(|text| serde_json::from_str(&text).ok());
    let of_folder = manifest.and_then(|manifest| text(&manifest["version"]));
    parts.push(Part {
        name: "extension's folder".into(),
        version: of_folder,
        mend: "cargo xtask build",
    });
    for profile in status.iter().flat_map(|status| status["profiles"].as_array()).flatten() {
        if profile["connected"] == true {
            let name = profile["slug"].as_str().unwrap_or("?");
            parts.push(Part {
                name: format!("extension in {name}"),
                version: text(&profile["extension"]),
                mend: "chrome://extensions, Reload at Pillion",
            });
        }
    }
    let apart = parts.iter().any(|part| part.skew() == Some(Skew::Apart));
    match format {
        Format::Json => ui::say(&as_json(&parts, apart).to_string()),
        Format::Text => say(&parts),
    }
    Ok(if apart { Exit::Failed } else { Exit::Ok })
}

async fn status(home: &Home) -> Option<Value> {
    let ask = async {
        let client = Client::connect(daemon::only_running(home.clone())).await.ok()?;
        let status = client.admin(Admin::Status).await.ok()?;
        Some(daemon::report(home, status))
    };
    timeout(ASK, ask).await.ok().flatten()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn say(parts: &[Part]) {
    let width = parts.iter().map(|part| part.name.chars().count()).max().unwrap_or(0);
    ui::say(&format!("{:<width$}  {}", "this program", version()));
    for part in parts {
        let Some(theirs) = &part.version else {
            ui::say(&format!("{:<width$}  {}", part.name, style::paint(Tone::Dim, "not there")));
            continue;
        };
        let word = match part.skew() {
            Some(Skew::Tolerated) => style::paint(
                Tone::Warn,
                &format!("  works with it; to have it the same: {}", part.mend),
            ),
            Some(Skew::Apart) => {
                style::paint(Tone::Bad, &format!("  too far apart: {}", part.mend))
            }
            _ => String::new(),
        };
        ui::say(&format!("{:<width$}  {theirs}{word}", part.name));
    }
    ui::say("");
    ui::say("No server was asked. A newer release comes the way this one came.");
}

fn as_json(parts: &[Part], apart: bool) -> Value {
    let parts: Vec<Value> = parts
        .iter()
        .map(|part| {
            let fits = part.skew().map(|skew| skew != Skew::Apart);
            json!({"part": part.name, "version": part.version, "fits": fits, "same": part.skew().map(|skew| skew == Skew::Same)})
        })
        .collect();
    json!({"version": version(), "parts": parts, "ok": !apart, "askedServer": false})
}
