//! A browser as a person has it: the extension loaded by hand, with the helper registered by
//! `pillion setup --native` or without one, no consent given. And its popup.

use crate::browser::{QUIET, as_root, find_browser};
use crate::cdp::{Cdp, Page};
use crate::env::TestEnv;
use crate::process::{Guarded, until};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::process::Command;

/// A browser on a busy machine.
const START: Duration = Duration::from_secs(45);
/// What the extension shows is there within this.
const SHOWN: Duration = Duration::from_secs(10);

/// How many folders were named.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// See the module.
pub struct OwnBrowser {
    _process: Guarded,
    /// The side that checks.
    pub cdp: Cdp,
    /// The folder of its profile.
    pub dir: PathBuf,
}

/// A folder for a profile that nobody used before.
fn fresh(env: &TestEnv) -> PathBuf {
    env.path().join(format!("own-browser-{}", STARTED.fetch_add(1, Ordering::Relaxed)))
}

impl OwnBrowser {
    /// Registers the helper for a fresh profile and starts a browser with it.
    pub async fn start(env: &TestEnv, extension: &Path) -> Result<Self> {
        let dir = fresh(env);
        let folder = dir.to_string_lossy().into_owned();
        let setup = env.run(&["setup", "--native", "--user-data-dir", &folder]).await?;
        ensure!(setup.ok, "setup: {}{}", setup.stdout, setup.stderr);
        Self::start_in(env, extension, &dir).await
    }

    /// Starts a browser with a fresh profile that no helper is registered for.
    pub async fn start_without_helper(env: &TestEnv, extension: &Path) -> Result<Self> {
        Self::start_in(env, extension, &fresh(env)).await
    }

    /// Starts a browser with a fresh profile and somebody else's extension in it.
    pub async fn start_with(env: &TestEnv, extension: &Path) -> Result<Self> {
        Self::begin(env, extension, &fresh(env)).await
    }

    /// Starts a browser with the profile in that folder, as it is there.
    pub async fn start_in(env: &TestEnv, extension: &Path, dir: &Path) -> Result<Self> {
        let is_new = !dir.join("Local State").exists();
        let own = Self::begin(env, extension, dir).await?;
        if is_new {
            // It comes to the front by itself: a popup that was opened before would close again.
            own.first_page().await?;
        }
        Ok(own)
    }

    async fn begin(env: &TestEnv, extension: &Path, dir: &Path) -> Result<Self> {
        let mut command = Command::new(find_browser().context("no Chromium found")?);
        env.seal(&mut command);
        command.args(["--headless=new", "--remote-debugging-port=0"]).args(QUIET).args(as_root());
        command.arg(format!("--load-extension={}", extension.display()));
        command.arg(format!("--user-data-dir={}", dir.display())).arg("about:blank");
        let process = Guarded::start("own chromium", command)?;
        let cdp = Cdp::of_profile(dir, START).await.with_context(|| process.output())?;
        Ok(Self { _process: process, cdp, dir: dir.to_owned() })
    }

    /// The page that a fresh profile shows by itself.
    pub async fn first_page(&self) -> Result<Page> {
        self.cdp.attach("page", "/first-run.html", START).await
    }

    /// The side panel, once a click opened it.
    pub async fn panel(&self) -> Result<Page> {
        self.cdp.attach("page", "/panel.html", SHOWN).await
    }

    /// The settings inside Chrome's own page, once a click opened them.
    pub async fn options(&self) -> Result<Page> {
        self.cdp.attach("webview", "/options.html", SHOWN).await
    }

    /// Runs a script in the extension's worker.
    pub async fn in_worker(&self, script: &str) -> Result<Value> {
        let worker = self.cdp.attach("service_worker", "chrome-extension://", SHOWN).await?;
        let value = worker.evaluate(script).await?;
        worker.detach().await?;
        Ok(value)
    }

    /// Puts items into the worker's store and ends the worker: the next one reads them as its own.
    pub async fn remember(&self, area: &str, items: &Value) -> Result<()> {
        let worker = self.cdp.attach("service_worker", "chrome-extension://", SHOWN).await?;
        worker.evaluate(&format!("chrome.storage.{area}.set({items})")).await?;
        let target = worker.target.clone();
        worker.detach().await?;
        self.cdp.close(&target).await
    }

    /// Opens the popup as a click on the icon does.
    pub async fn popup(&self) -> Result<Page> {
        open_popup(&self.cdp).await
    }
}

/// Chrome opens a popup in the window in front only, and a headless one loses its front now and
/// then: a person who clicks on the icon has that window in front.
const OPEN: &str = "chrome.windows.getLastFocused()\
    .then((window) => window.focused || chrome.windows.update(window.id, {focused: true}))\
    .then(() => chrome.action.openPopup()).then(() => 'opened', String)";

/// Opens the extension's popup as a click on its icon does.
pub async fn open_popup(cdp: &Cdp) -> Result<Page> {
    let worker = cdp.attach("service_worker", "chrome-extension://", SHOWN).await?;
    // A worker that was just started is there before its world is.
    worker.until("typeof chrome === 'object' && Boolean(chrome.action)", SHOWN).await?;
    let last = Cell::new(Value::Null);
    let target = until("the popup", SHOWN, || async {
        if let Some(target) = popup_target(cdp).await? {
            return Ok(Some(target));
        }
        last.set(worker.evaluate(OPEN).await?);
        popup_target(cdp).await
    })
    .await
    .with_context(|| format!("openPopup: {}", last.take()))?;
    worker.detach().await?;
    let popup = cdp.attach_to(&target).await?;
    // A click on the icon gives it focus, and the buttons of a prompt work only with it.
    popup.send("Emulation.setFocusEmulationEnabled", json!({"enabled": true})).await?;
    Ok(popup)
}

async fn popup_target(cdp: &Cdp) -> Result<Option<String>> {
    let targets = cdp.targets().await?;
    let is_popup =
        |target: &&Value| target["url"].as_str().is_some_and(|url| url.ends_with("/popup.html"));
    let popup = targets.iter().find(is_popup);
    popup
        .map(|popup| Ok(popup["targetId"].as_str().context("a target has an id")?.to_owned()))
        .transpose()
}

/// The built extension, found from a crate of the workspace.
pub fn extension_dist() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/extension/dist")
}
