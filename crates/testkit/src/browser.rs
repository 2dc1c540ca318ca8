//! Browsers for tests: one with the extension, started by `pillion launch`, and a bare one.

use crate::cdp::Cdp;
use crate::env::TestEnv;
use crate::mcp::McpClient;
use crate::process::Guarded;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{ChildStdin, Command};

/// A browser on a busy machine.
const START: Duration = Duration::from_secs(45);

/// Quiet flags: no first run, no traffic of the browser's own.
pub(crate) const QUIET: [&str; 8] = [
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-gpu",
    "--window-size=1280,900",
];

/// Names under which a Chromium is found on the path.
const NAMES: [&str; 6] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "microsoft-edge",
    "brave-browser",
];

/// The first Chromium on the path, or the one that `PILLION_BROWSER` names.
pub fn find_browser() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("PILLION_BROWSER") {
        return Some(path.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
}

/// As root Chromium only starts without its sandbox; its pages here are our own.
pub(crate) fn as_root() -> Option<&'static str> {
    rustix::process::geteuid().is_root().then_some("--no-sandbox")
}

/// A browser that agents use: with the extension, in its own profile, with consent given; or launched
/// by the daemon without the extension.
pub struct RideBrowser {
    // Dropped first: the end of its input is how a client says goodbye.
    _input: Option<ChildStdin>,
    /// `pillion launch`, or the client that the browser is there for.
    pub process: Guarded,
    /// The side that checks.
    pub cdp: Cdp,
}

/// Whether a window is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// No window.
    Headless,
    /// A window that a person can watch.
    Shown,
}

impl RideBrowser {
    /// `pillion launch`, with a debugging port beside the extension.
    pub async fn launch(env: &TestEnv, window: Window) -> Result<Self> {
        Self::launch_as(env, window, "browser").await
    }

    /// As [`RideBrowser::launch`], with a profile of that name in the environment's folder.
    pub async fn launch_as(env: &TestEnv, window: Window, name: &str) -> Result<Self> {
        Self::launch_with(env, window, name, &[]).await
    }

    /// As [`RideBrowser::launch_as`], with flags for the browser.
    pub async fn launch_with(
        env: &TestEnv,
        window: Window,
        name: &str,
        flags: &[&str],
    ) -> Result<Self> {
        let folder = env.path().join(name);
        let dir = folder.clone();
        let port_file = dir.join("DevToolsActivePort");
        if port_file.exists() {
            std::fs::remove_file(&port_file)?;
        }
        let dir = dir.to_string_lossy().into_owned();
        let mut args = vec!["launch"];
        if window == Window::Headless {
            args.push("--headless");
        }
        args.extend(["--user-data-dir", dir.as_str(), "--", "--remote-debugging-port=0"]);
        args.extend(QUIET);
        args.extend(as_root());
        args.extend(flags);
        let mut process = env.spawn("pillion launch", &args)?;
        let cdp = Cdp::of_profile(&folder, START).await;
        if !process.is_alive() {
            anyhow::bail!("`pillion launch` ended:\n{}", process.output());
        }
        let cdp = cdp.with_context(|| process.output())?;
        Ok(Self { _input: None, process, cdp })
    }

    /// The browser that `pillion mcp` with these flags makes the daemon launch in that profile.
    pub async fn over_cdp(env: &TestEnv, folder: &Path, flags: &[&str]) -> Result<Self> {
        let port_file = folder.join("DevToolsActivePort");
        if port_file.exists() {
            std::fs::remove_file(&port_file)?;
        }
        let keeper = McpClient::start_with(env, "keeper", flags).await?;
        let cdp = Cdp::of_profile(folder, START).await;
        let (input, process) = keeper.into_process();
        let cdp = cdp.with_context(|| process.output())?;
        Ok(Self { _input: Some(input), process, cdp })
    }

    /// Flags of `pillion mcp` for a browser without the extension that the checking side reaches.
    pub fn cdp_flags(folder: &Path) -> Vec<String> {
        let folder = folder.to_string_lossy().into_owned();
        let flags = ["--launch", "--headless", "--user-data-dir", &folder, "--"];
        let browser = ["--remote-debugging-port=0"].into_iter().chain(QUIET);
        flags.into_iter().chain(browser).map(str::to_owned).collect()
    }

    /// The process of the extension's worker and pages, while it runs.
    pub fn extension_process(&self) -> Result<Option<u32>> {
        extension_process_below(self.process.pid())
    }
}

/// A browser without the extension.
pub struct BareBrowser {
    _process: Guarded,
    _dir: TempDir,
    /// Its debugging port.
    pub cdp: Cdp,
}

impl BareBrowser {
    /// Start the first Chromium found, headless, in a fresh profile.
    pub async fn launch() -> Result<Self> {
        let browser = find_browser().context("no Chromium found")?;
        let dir = TempDir::with_prefix("pillion-bare-")?;
        let mut command = Command::new(browser);
        command.args(["--headless=new", "--remote-debugging-port=0"]).args(QUIET).args(as_root());
        command.arg(format!("--user-data-dir={}", dir.path().display())).arg("about:blank");
        let process = Guarded::start("chromium", command)?;
        let cdp = Cdp::of_profile(Path::new(dir.path()), START)
            .await
            .with_context(|| process.output())?;
        Ok(Self { _process: process, _dir: dir, cdp })
    }
}

/// The process id of the extension's renderer below this process, by `/proc`.
fn extension_process_below(root: u32) -> Result<Option<u32>> {
    let mut parents = std::collections::HashMap::new();
    let mut extensions = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let entry = entry?;
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        // A process may end while the list is read.
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let parent = after_name.split_whitespace().nth(1).and_then(|text| text.parse().ok());
        parents.insert(pid, parent.unwrap_or(0_u32));
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&command).contains("--extension-process") {
            extensions.push(pid);
        }
    }
    let below = |pid: &u32| {
        let mut at = *pid;
        while at > 1 && at != root {
            at = parents.get(&at).copied().unwrap_or(0);
        }
        at == root
    };
    Ok(extensions.into_iter().find(below))
}
