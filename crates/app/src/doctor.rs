//! `pillion doctor`: the whole way from a client to a page, hop by hop. Every hop has a deadline of its own, so that
//! it always comes to an end; what is wrong is named with the one thing that mends it.

mod bundle;
mod clients;
mod daemon;
mod extension;
mod finding;
mod helper;
pub(crate) mod line;
mod policy;
mod probe;
mod thin;
mod words;

use crate::exit::Exit;
use crate::tool_command::Format;
use crate::ui;
pub(crate) use clients::version_of;
use finding::{Fault, Finding, Hop, State};
use pillion_os::home::{self, Home};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::timeout;

/// Looking at files takes no time, unless they lie on a disk that does not answer.
const FILES: Duration = Duration::from_secs(5);
/// Every client's program may be asked for its version.
const CLIENTS: Duration = Duration::from_secs(20);

/// What the command line says.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Make a round trip on a page of its own.
    pub probe: bool,
    /// Write a report for others there.
    pub bundle: Option<PathBuf>,
}

/// Looks, prints, and ends with whether something is wrong.
pub async fn run(named: Option<&Path>, settings: Settings, format: Format) -> anyhow::Result<Exit> {
    let (findings, status) = look(named, settings.probe).await?;
    let wrong = findings.iter().filter(|finding| finding.state == State::Bad).count();
    match format {
        Format::Json => ui::say(
            &json!({"ok": wrong == 0, "version": pillion_os::version::version(), "findings": findings}).to_string(),
        ),
        Format::Text => words::say(&findings),
    }
    if let Some(path) = &settings.bundle {
        bundle::write(path, &findings, status.as_ref(), home::locate(named).ok().as_deref())?;
        ui::note(&format!("Wrote {}: read it before you send it.", path.display()));
    }
    Ok(if wrong == 0 { Exit::Ok } else { Exit::Failed })
}

async fn look(
    named: Option<&Path>,
    wants_page: bool,
) -> anyhow::Result<(Vec<Finding>, Option<serde_json::Value>)> {
    let own = std::env::current_exe()?;
    let late = || vec![Finding::note(Hop::Client, "settings of clients could not be read in time")];
    let mut findings = match within(FILES, clients::look).await {
        Some(looked) => {
            timeout(CLIENTS, clients::check(looked, &own)).await.unwrap_or_else(|_| late())
        }
        None => late(),
    };
    let home = match Home::open(named) {
        Ok(home) => home,
        Err(error) => {
            let mend = match home::locate(named) {
                Ok(path) => {
                    format!("chmod 700 {0}, or name another folder: PILLION_HOME", path.display())
                }
                Err(_) => "set PILLION_HOME".to_owned(),
            };
            findings.push(Finding::bad(Hop::Home, Fault::HomeUnusable, error.to_string(), mend));
            findings.extend(files(policy::check).await);
            findings.push(Finding::skipped(Hop::Daemon, "not tried: it needs its folder"));
            return Ok((findings, None));
        }
    };
    findings
        .push(Finding::good(Hop::Home, format!("{} is for its owner only", home.root().display())));
    let (found, reached) = daemon::check(&home).await;
    findings.extend(found);
    // Not before: it starts a daemon as it goes, which is what the check before it tells about.
    findings.push(thin::check(&own, home.root()).await);
    let of_helper = home.clone();
    findings.extend(files(move || helper::check(&of_helper)).await);
    findings.extend(files(policy::check).await);
    match &reached {
        Some(reached) => {
            let found = extension::check(&reached.status);
            let connected = found.iter().any(|finding| finding.state != State::Bad);
            findings.extend(found);
            findings.extend(match (wants_page, connected) {
                (true, true) => probe::check(&reached.client).await,
                (true, false) => {
                    vec![Finding::skipped(Hop::Page, "not tried: no browser lets agents in")]
                }
                (false, _) => {
                    vec![Finding::skipped(Hop::Page, "not tried").mend("pillion doctor --probe")]
                }
            });
        }
        None => {
            findings.push(Finding::skipped(Hop::Extension, "not asked: the daemon does not answer"))
        }
    }
    findings.sort_by_key(|finding| finding.hop);
    Ok((findings, reached.map(|reached| reached.status)))
}

/// A look at files, which may lie on a disk that hangs.
async fn within<T: Send + 'static>(
    time: Duration,
    look: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    timeout(time, tokio::task::spawn_blocking(look)).await.ok()?.ok()
}

/// The same, with a finding in place of what could not be looked at.
async fn files(look: impl FnOnce() -> Vec<Finding> + Send + 'static) -> Vec<Finding> {
    within(FILES, look).await.unwrap_or_else(|| {
        let what = format!("a look at files took longer than {} s", FILES.as_secs());
        vec![Finding::note(Hop::Home, what)]
    })
}
