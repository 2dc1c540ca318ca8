//! `pillion setup`: puts Pillion into MCP clients and browsers, and takes it out again. First a plan is made by
//! reading only; then it is shown, asked about and done. Every file is named.

pub(crate) mod ask;
mod extension;
pub(crate) mod folders;
pub(crate) mod line;
pub(crate) mod plan;
mod words;

use crate::exit::Exit;
use crate::tool_command::Format;
use crate::ui;
use anyhow::bail;
use pillion_clients::Client;
use pillion_os::home::Home;
use pillion_os::installs::{self, Install};
use std::io::IsTerminal as _;
use std::path::PathBuf;

/// Whether things come or go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// In.
    Install,
    /// Out.
    Uninstall,
}

/// What the command line says.
#[derive(Debug, Clone)]
pub struct Settings {
    /// See [`Way`].
    pub way: Way,
    /// Only say what would be done.
    pub dry_run: bool,
    /// Only the helper, no client.
    pub native: bool,
    /// Everything that is found, without asking.
    pub all: bool,
    /// Only these clients, found or not.
    pub clients: Vec<String>,
    /// Only these browsers.
    pub browsers: Vec<String>,
    /// Only the browser with this folder.
    pub user_data_dir: Option<PathBuf>,
}

/// A client or browser that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// By its row of the table.
    Client(&'static str),
    /// A browser by its name, and the folder of its profiles.
    Browser(String, PathBuf),
}

/// Does it.
pub fn run(home: &Home, settings: &Settings, format: Format) -> anyhow::Result<Exit> {
    let folders = folders::of_user()?;
    let mut parts = parts(settings, &folders)?;
    let sandboxed = if settings.native || settings.clients.is_empty() {
        installs::sandboxed()
    } else {
        Vec::new()
    };
    if parts.is_empty() {
        words::nothing_found(&sandboxed);
        return Ok(Exit::Failed);
    }
    let named = !settings.clients.is_empty()
        || !settings.browsers.is_empty()
        || settings.user_data_dir.is_some();
    let decided = settings.all || settings.native || settings.dry_run || named;
    if !decided {
        if format == Format::Json || !std::io::stdin().is_terminal() {
            words::say_parts(&parts, settings.way);
            ui::note("");
            ui::note("Nothing was written: there is no terminal to ask on.");
            ui::note(&format!("Do all of it: {}", words::command(settings.way)));
            return Ok(Exit::Usage);
        }
        words::say_parts(&parts, settings.way);
        match ask::which(&parts, settings.way)? {
            Some(chosen) => parts = chosen,
            None => {
                ui::say("Nothing was changed.");
                return Ok(Exit::Ok);
            }
        }
    }
    let mut steps = plan::make(home, &folders, &parts, settings.way)?;
    if !settings.dry_run {
        steps.iter_mut().for_each(plan::Step::carry_out);
    }
    let failed = steps.iter().any(plan::Step::failed);
    match format {
        Format::Json => ui::say(&words::as_json(&steps, &sandboxed, settings).to_string()),
        Format::Text => {
            words::say_steps(&steps, settings.dry_run);
            words::say_sandboxed(&sandboxed);
            words::say_next(&parts, &steps, settings);
        }
    }
    Ok(if failed { Exit::Failed } else { Exit::Ok })
}

/// What is meant: what is named, else what is found.
fn parts(settings: &Settings, folders: &pillion_clients::Folders) -> anyhow::Result<Vec<Part>> {
    let mut parts = Vec::new();
    if !settings.native {
        parts.extend(clients(settings, folders)?.into_iter().map(|client| Part::Client(client.id)));
    }
    if settings.clients.is_empty()
        || !settings.browsers.is_empty()
        || settings.user_data_dir.is_some()
    {
        parts.extend(browsers(settings)?);
    }
    Ok(parts)
}

fn clients(
    settings: &Settings,
    folders: &pillion_clients::Folders,
) -> anyhow::Result<Vec<&'static Client>> {
    if settings.clients.is_empty() {
        let only_browsers = !settings.browsers.is_empty() || settings.user_data_dir.is_some();
        if only_browsers && !settings.all {
            return Ok(Vec::new());
        }
        return Ok(folders::found(folders));
    }
    let named = settings.clients.iter().map(|id| {
        pillion_clients::named(id).ok_or_else(|| {
            let known: Vec<_> = pillion_clients::ALL.iter().map(|client| client.id).collect();
            anyhow::anyhow!("no client {id:?}. Known: {}", known.join(", "))
        })
    });
    named.collect()
}

fn browsers(settings: &Settings) -> anyhow::Result<Vec<Part>> {
    if let Some(folder) = &settings.user_data_dir {
        let name = settings.browsers.first().cloned().unwrap_or_else(|| "browser".to_owned());
        return Ok(vec![Part::Browser(name, std::path::absolute(folder)?)]);
    }
    let part = |title: &str, folder: Option<PathBuf>| {
        folder.map(|folder| Part::Browser(title.to_owned(), folder))
    };
    if settings.browsers.is_empty() {
        let mut found: Vec<Part> = installs::found()
            .iter()
            .filter_map(|Install { known, .. }| part(known.title, known.user_data_dir()))
            .collect();
        if settings.way == Way::Uninstall {
            // A browser may be gone and its manifest still there.
            let left =
                installs::ALL.iter().filter_map(|known| part(known.title, known.user_data_dir()));
            found.extend(left.filter(plan::has_manifest));
            let mut seen = Vec::new();
            found.retain(|part| {
                let fresh = !seen.contains(part);
                seen.push(part.clone());
                fresh
            });
        }
        if settings.native && found.is_empty() && settings.way == Way::Install {
            bail!("no browser found. Name one with --browser, or its folder with --user-data-dir");
        }
        return Ok(found);
    }
    let mut chosen = Vec::new();
    for id in &settings.browsers {
        match installs::named(id) {
            Some(known) => chosen.extend(part(known.title, known.user_data_dir())),
            None => {
                let known: Vec<_> = installs::ALL.iter().map(|known| known.id).collect();
                bail!("no browser {id:?}. Known: {}", known.join(", "));
            }
        }
    }
    Ok(chosen)
}
