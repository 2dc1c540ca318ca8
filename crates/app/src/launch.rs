//! `pillion launch`: a browser with a profile of its own, the extension loaded, consent given.
//! Stays in the foreground and ends the browser with itself. Never touches the user's profiles.

#[cfg(unix)]
mod pipe;
mod profile;

use crate::exit::Exit;
use crate::native::NONCE_ENV;
use crate::{daemon, extension_dir, session, ui};
use anyhow::{Context as _, bail};
use pillion_client::Client;
use pillion_os::browsers::{self, Program};
#[cfg(unix)]
use pillion_os::debug_pipe;
use pillion_os::home::{HOME_ENV, Home, private_folder};
use pillion_os::{exe, file, native_manifest, spawn};
use pillion_wire::local::Admin;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};

/// The extension usually connects in two seconds; after this long something is wrong.
const CONNECT: Duration = Duration::from_secs(30);
/// Between two looks whether one more browser is connected.
const LOOK: Duration = Duration::from_millis(200);
/// A browser that was asked to end has this long.
const END: Duration = Duration::from_secs(5);
/// What the browser prints is kept up to this size.
const LOG_BYTES: u64 = 4 * 1024 * 1024;

/// What the command line says.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Without a window.
    pub headless: bool,
    /// The profile's folder.
    pub user_data_dir: Option<PathBuf>,
    /// A program or a family's name.
    pub browser: Option<String>,
    /// A page to open.
    pub url: Option<String>,
    /// Passed on as they are.
    pub flags: Vec<OsString>,
}

/// Does it, until the browser or the user ends it.
pub async fn run(home: Home, settings: Settings) -> anyhow::Result<Exit> {
    let extension = extension_dir::find()?;
    let program = browsers::choose(settings.browser.as_deref()).with_context(no_browser)?;
    let folder = match &settings.user_data_dir {
        Some(folder) => std::path::absolute(folder)?,
        None => {
            let browsers = home.root().join("browsers");
            private_folder(&browsers)?;
            browsers.join(program.kind.name())
        }
    };
    profile::prepare(&folder)?;
    let helper = exe::install_host(&home)?;
    native_manifest::write(&folder, &helper)?;
    let client = Client::connect(session::of_command(home.clone(), None)).await?;
    let consent = client.admin(Admin::PreConsent).await?;
    let nonce = consent.get("nonce").and_then(Value::as_str).context("the daemon gave no nonce")?;

    let before = connected(&client).await?;
    ui::note(&format!(
        "starting {} ({}) with a profile of its own in {}",
        program.kind.name(),
        program.path.display(),
        folder.display()
    ));
    let loading = Loading::of(&program);
    let mut command = command(loading, &program, &folder, &extension, &settings);
    command.env(NONCE_ENV, nonce).env(HOME_ENV, home.root());
    let log = home.log_dir().join("browser.log");
    command.stderr(Stdio::from(file::open_log(&log, LOG_BYTES)?));
    let mut browser =
        command.spawn().with_context(|| format!("{} does not start", program.path.display()))?;
    #[cfg(unix)]
    let _pipe = match loading {
        Loading::Pipe => Some(pipe::load(&mut browser, &extension).await?),
        Loading::Flag | Loading::ByHand => None,
    };
    attend(&client, &mut browser, before, &log).await
}

/// How the extension gets into the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loading {
    /// From the command line.
    Flag,
    /// Over the debugging pipe.
    #[cfg_attr(windows, expect(dead_code, reason = "its pipe needs inherited handles"))]
    Pipe,
    /// The user loads it once; the profile keeps it.
    #[cfg_attr(unix, expect(dead_code, reason = "there is always a pipe"))]
    ByHand,
}

impl Loading {
    fn of(program: &Program) -> Self {
        if program.kind.loads_unpacked() {
            return Self::Flag;
        }
        #[cfg(unix)]
        {
            Self::Pipe
        }
        #[cfg(windows)]
        {
            Self::ByHand
        }
    }
}

fn no_browser() -> String {
    format!(
        "no browser found. Install Chromium, or name one: --browser PATH, or {}",
        browsers::BROWSER_ENV
    )
}

fn command(
    loading: Loading,
    program: &Program,
    folder: &Path,
    extension: &Path,
    settings: &Settings,
) -> Command {
    let mut command = base(loading, program, extension);
    command.arg(joined("--user-data-dir=", folder));
    command.args(["--no-first-run", "--no-default-browser-check"]);
    if settings.headless {
        command.args(["--headless=new", "--disable-gpu"]);
    }
    if spawn::is_root() && cfg!(target_os = "linux") {
        ui::note("as root, Chromium only starts without its sandbox: --no-sandbox is added");
        command.arg("--no-sandbox");
    }
    command.args(&settings.flags);
    command.args(&settings.url);
    command
}

/// The program with what loads the extension.
fn base(loading: Loading, program: &Program, extension: &Path) -> Command {
    #[cfg(unix)]
    if loading == Loading::Pipe
        && let Some(command) = debug_pipe::command(program.path.as_os_str())
    {
        let mut command = Command::from(command);
        command.args(pipe::FLAGS);
        return command;
    }
    let mut command = Command::new(&program.path);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    if loading == Loading::Flag {
        command.arg(joined("--load-extension=", extension));
        command.arg(joined("--disable-extensions-except=", extension));
    } else {
        ui::note(
            "this browser takes no extension from the command line. Once, in its window: open \
             chrome://extensions, turn on developer mode, choose \"Load unpacked\" and",
        );
        ui::note(&format!("  {}", extension.display()));
    }
    command
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut joined = OsString::from(flag);
    joined.push(path);
    joined
}

/// How many browsers the daemon is connected with.
async fn connected(client: &Client) -> anyhow::Result<u64> {
    let status = client.admin(Admin::Status).await?;
    Ok(status.get("connected").and_then(Value::as_u64).unwrap_or(0))
}

/// Waits until one more browser is connected than before.
async fn wait_for_connection(client: &Client, before: u64) -> anyhow::Result<()> {
    if before == 0 {
        let ms = u32::try_from(CONNECT.as_millis()).unwrap_or(u32::MAX);
        client.admin(Admin::WaitForProfile { ms }).await?;
        if connected(client).await? > 0 {
            return Ok(());
        }
        bail!("not within {} s", CONNECT.as_secs());
    }
    let look = async {
        while connected(client).await? <= before {
            tokio::time::sleep(LOOK).await;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(CONNECT, look).await?
}

/// Says when it is connected, and ends with the browser or with a signal.
async fn attend(
    client: &Client,
    browser: &mut Child,
    before: u64,
    log: &Path,
) -> anyhow::Result<Exit> {
    let asked = daemon::asked_to_end();
    tokio::pin!(asked);
    tokio::select! {
        () = &mut asked => return end(browser).await,
        status = browser.wait() => {
            bail!("the browser ended at once ({}). What it printed: {}", status?, log.display())
        }
        outcome = wait_for_connection(client, before) => match outcome {
            Ok(()) => say_connected(),
            Err(error) => ui::note(&format!(
                "the extension has not connected: {error}. `pillion daemon logs` may say why; \
                 what the browser printed: {}",
                log.display()
            )),
        },
    }
    tokio::select! {
        () = &mut asked => end(browser).await,
        status = browser.wait() => {
            ui::note(&format!("the browser was closed ({})", status?));
            Ok(Exit::Ok)
        }
    }
}

fn say_connected() {
    let program = std::env::current_exe()
        .map_or_else(|_| "pillion".to_owned(), |path| path.display().to_string());
    ui::say("connected. Agents can use this browser:");
    ui::say(&format!("  an MCP client: command {program}, args mcp"));
    ui::say("  a shell:       pillion navigate example.com --snapshot");
    ui::say("Ctrl-C ends the browser; its profile is kept.");
}

/// Asks the browser to end, so that it saves its profile; then makes it.
async fn end(browser: &mut Child) -> anyhow::Result<Exit> {
    if let Some(pid) = browser.id() {
        // It may have ended in this moment; on Windows it is killed below.
        spawn::ask_to_end(pid).ok();
    }
    if tokio::time::timeout(END, browser.wait()).await.is_err() {
        browser.kill().await?;
    }
    Ok(Exit::Ok)
}
