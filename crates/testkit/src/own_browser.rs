//! A browser as a person has it: the extension loaded by hand, with the helper registered by
//! `pillion setup --native` or without one, no consent given. And its popup.

use crate::browser::{QUIET, as_root, find_browser};
use crate::cdp::{Cdp, Page};
use crate::env::TestEnv;
use crate::process::{Guarded, until};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;

/// A browser on a busy machine.
const START: Duration = Duration::from_secs(45);
/// What the extension shows is there within this.
const SHOWN: Duration = Duration::from_secs(10);

/// See the module.
pub struct OwnBrowser {
    _process: Guarded,
    /// The side that checks.
    pub cdp: Cdp,
}

impl OwnBrowser {
    /// Registers the helper for a fresh profile and starts a browser with it.
    pub async fn start(env: &TestEnv, extension: &Path) -> Result<Self> {
        let dir = Self::profile_dir(env);
        let folder = dir.to_string_lossy().into_owned();
        let setup = env.run(&["setup", "--native", "--user-data-dir", &folder]).await?;
        ensure!(setup.ok, "setup: {}{}", setup.stdout, setup.stderr);
        Self::start_in(env, extension, &dir).await
    }

    /// Starts a browser with a fresh profile that no helper is registered for.
    pub async fn start_without_helper(env: &TestEnv, extension: &Path) -> Result<Self> {
        Self::start_in(env, extension, &env.path().join("own-browser-alone")).await
    }

    /// The folder of the profile that [`OwnBrowser::start`] makes.
    pub fn profile_dir(env: &TestEnv) -> PathBuf {
        env.path().join("own-browser")
    }

    /// Starts a browser with the profile in that folder, as it is there.
    pub async fn start_in(env: &TestEnv, extension: &Path, dir: &Path) -> Result<Self> {
        let mut command = Command::new(find_browser().context("no Chromium found")?);
        env.seal(&mut command);
        command.args(["--headless=new", "--remote-debugging-port=0"]).args(QUIET).args(as_root());
        command.arg(format!("--load-extension={}", extension.display()));
        command.arg(format!("--user-data-dir={}", dir.display())).arg("about:blank");
        let process = Guarded::start("own chromium", command)?;
        let cdp = Cdp::of_profile(dir, START).await.with_context(|| process.output())?;
        Ok(Self { _process: process, cdp })
    }

    /// Opens the popup as a click on the icon does.
    pub async fn popup(&self) -> Result<Page> {
        let worker = self.cdp.attach("service_worker", "chrome-extension://", SHOWN).await?;
        // A worker that was just started is there before its world is.
        worker.until("typeof chrome === 'object' && Boolean(chrome.action)", SHOWN).await?;
        worker.evaluate("chrome.action.openPopup().then(() => 1, String)").await?;
        worker.detach().await?;
        let popup = until("the popup", SHOWN, || async {
            let targets = self.cdp.targets().await?;
            Ok(targets.into_iter().find(|target| {
                target["url"].as_str().is_some_and(|url| url.ends_with("/popup.html"))
            }))
        })
        .await?;
        self.cdp.attach_to(popup["targetId"].as_str().context("a target has an id")?).await
    }
}

/// The built extension, found from a crate of the workspace.
pub fn extension_dist() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/extension/dist")
}

/// Presses the first control of the popup whose words or label hold these.
pub async fn press_in(popup: &Page, words: &str) -> Result<()> {
    let find = format!(
        "[...document.querySelectorAll('button, input, [role=switch]')].find((control) => \
         `${{control.textContent}} ${{control.ariaLabel ?? ''}}`.includes({}))",
        Value::from(words)
    );
    popup.until(&format!("Boolean({find})"), SHOWN).await?;
    popup.evaluate(&format!("{find}.click()")).await?;
    Ok(())
}
