//! What every end-to-end test stands on.

use crate::liar::Liar;
use anyhow::{Context, Result};
use pillion_testkit::{
    Answer, McpClient, OneDaemon, Page, RideBrowser, Server, TestEnv, Window, until,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A browser that was just started connects within this.
const CONNECT: Duration = Duration::from_secs(30);
/// A page that was opened is found by the checking side within this.
const FIND: Duration = Duration::from_secs(10);

/// One daemon, one browser, one page server. Fields end in this order.
pub struct Rig {
    /// The browser with the extension.
    pub browser: RideBrowser,
    /// Pages of `tests/fixtures/e2e`.
    pub server: Server,
    /// The home of daemon and browser.
    pub env: TestEnv,
    /// Flags of every client.
    flags: Vec<String>,
    /// Which link it is over.
    pub over: Over,
    opened: u32,
    _lock: OneDaemon,
}

/// How the daemon reaches the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The extension in it.
    Extension,
    /// Plain CDP: the daemon launched it without the extension.
    Cdp,
}

/// A page that an agent opened, and the side that checks it.
pub struct Opened {
    /// Pillion's number of the tab.
    pub tab: u32,
    /// The checking side.
    pub page: Page,
    /// What `browser_navigate` answered.
    pub answer: Answer,
}

impl Rig {
    /// Everything fresh, and connected.
    pub async fn start(over: Over) -> Result<Self> {
        let lock = OneDaemon::lock()?;
        let env = TestEnv::new(&binary()?)?;
        let (browser, flags) = match over {
            Over::Extension => (RideBrowser::launch(&env, Window::Headless).await?, vec![]),
            Over::Cdp => {
                let folder = env.path().join("browser");
                let flags = RideBrowser::cdp_flags(&folder);
                let words: Vec<&str> = flags.iter().map(String::as_str).collect();
                (RideBrowser::over_cdp(&env, &folder, &words).await?, flags)
            }
        };
        let server = Server::start(&[("/", &fixtures())]).await?;
        let rig = Self { browser, server, env, flags, over, opened: 0, _lock: lock };
        rig.connected(CONNECT).await?;
        Ok(rig)
    }

    /// Wait until tools reach the browser.
    pub async fn connected(&self, within: Duration) -> Result<()> {
        let client = self.client("rig").await?;
        until("a connected browser", within, || async {
            let answer = client.call("browser_tabs", json!({})).await?;
            anyhow::ensure!(!answer.is_error, "{}", answer.text);
            Ok(Some(()))
        })
        .await
    }

    /// Slugs of the profiles that are connected just now.
    pub async fn slugs(&self) -> Result<Vec<String>> {
        let status = self.env.status().await?.unwrap_or(Value::Null);
        let profiles = status["profiles"].as_array().cloned().unwrap_or_default();
        let connected = profiles.iter().filter(|profile| profile["connected"] == true);
        Ok(connected.filter_map(|profile| profile["slug"].as_str().map(str::to_owned)).collect())
    }

    /// Start another browser beside the first one. Gives it and its profile's slug.
    pub async fn another(&self, name: &str) -> Result<(RideBrowser, String)> {
        let before = self.slugs().await?;
        let browser = RideBrowser::launch_as(&self.env, Window::Headless, name).await?;
        let slug = self.one_more(&before).await?;
        Ok((browser, slug))
    }

    /// Wait for a profile that was not connected before; its slug.
    pub async fn one_more(&self, before: &[String]) -> Result<String> {
        until("one more profile", CONNECT, || async {
            Ok(self.slugs().await?.into_iter().find(|slug| !before.contains(slug)))
        })
        .await
    }

    /// A client with a session of its own.
    pub async fn client(&self, name: &str) -> Result<McpClient> {
        self.client_with(name, &[]).await
    }

    /// The same with more flags for `pillion mcp`.
    pub async fn client_with(&self, name: &str, more: &[&str]) -> Result<McpClient> {
        let own = self.flags.iter().map(String::as_str);
        let flags: Vec<&str> = more.iter().copied().chain(own).collect();
        McpClient::start_with(&self.env, name, &flags).await
    }

    /// An agent opens a fixture; the address gets a mark by which the checking side finds it.
    pub async fn open(&mut self, client: &McpClient, path: &str) -> Result<Opened> {
        self.open_with(client, path, json!({})).await
    }

    /// The same with more arguments for `browser_navigate`.
    pub async fn open_with(
        &mut self,
        client: &McpClient,
        path: &str,
        more: Value,
    ) -> Result<Opened> {
        self.opened += 1;
        let mark = format!("rig={}", self.opened);
        let joint = if path.contains('?') { '&' } else { '?' };
        let mut arguments = json!({"url": self.server.url(&format!("/{path}{joint}{mark}"))});
        for (key, value) in more.as_object().into_iter().flatten() {
            arguments[key] = value.clone();
        }
        let answer = client.ok("browser_navigate", arguments).await?;
        let tab = answer.tab()?;
        let page = self.browser.cdp.attach("page", &mark, FIND).await?;
        Ok(Opened { tab, page, answer })
    }

    /// The extension's own targets: its worker, its pages.
    pub async fn worker(&self) -> Result<Option<Value>> {
        let targets = self.browser.cdp.targets().await?;
        Ok(targets.into_iter().find(|target| {
            target["type"] == "service_worker"
                && target["url"].as_str().is_some_and(|url| url.starts_with("chrome-extension://"))
        }))
    }

    /// Start the browser again in the same profile, as its user would.
    pub async fn restart_browser(&mut self) -> Result<()> {
        self.browser = RideBrowser::launch(&self.env, Window::Headless).await?;
        Ok(())
    }

    /// Puts rules for sites where the extension keeps them, and waits for the worker that reads them.
    pub async fn rule(&self, rules: &[(&str, &str)]) -> Result<()> {
        let sites: Vec<_> =
            rules.iter().map(|(pattern, rule)| json!({"pattern": pattern, "rule": rule})).collect();
        let rules = json!({"sites": sites, "sensitive": {}});
        let worker = self.browser.cdp.attach("service_worker", "chrome-extension://", FIND).await?;
        worker
            .evaluate(&format!("chrome.storage.local.set({{rules: {{rules: {rules}}}}})"))
            .await?;
        let target = worker.target.clone();
        worker.detach().await?;
        self.browser.cdp.close(&target).await?;
        self.connected(CONNECT).await
    }

    /// A lying daemon in the real one's place. Whoever started the browser would start the daemon again
    /// and is held; goes on when the test resumes it.
    pub async fn lying(&self) -> Result<Liar> {
        let status = self.env.status().await?.context("no daemon")?;
        let port = u16::try_from(status["port"].as_u64().context("no port")?)?;
        let pid = self.env.daemon_pid().await?;
        self.browser.process.pause();
        Liar::take_over(&self.env.home(), pid, port).await
    }

    /// Takes away what a test before left open: prompts, how often was asked, what was
    /// allowed, stops. Costs a worker's
    /// life, and only where there is something.
    pub async fn clean(&self) -> Result<()> {
        let Some(target) = self.worker().await? else { return Ok(()) };
        let id = target["targetId"].as_str().context("a target has an id")?;
        let worker = self.browser.cdp.attach_to(id).await?;
        let left = worker
            .evaluate(
                "Promise.all([chrome.storage.session.get('asks'), chrome.storage.local.get()]) \
                 .then(([{asks}, {stops, secretLeaves, approvedSites}]) => Boolean( \
                 secretLeaves?.leaves?.length || approvedSites?.sites?.length || Object.keys(asks?.asks?.times ?? {}).length || \
                 asks?.asks?.open?.length || stops?.stops?.everything || \
                 Object.keys(stops?.stops?.clients ?? {}).length))",
            )
            .await?;
        if left == true {
            worker
                .evaluate(
                    "Promise.all([chrome.storage.session.remove(['asks', 'approvals', 'questions']), \
                     chrome.storage.local.remove(['stops', 'secretLeaves', 'approvedSites'])]).then(() => 1)",
                )
                .await?;
        }
        worker.detach().await?;
        if left == true {
            self.browser.cdp.close(id).await?;
            self.connected(CONNECT).await?;
        }
        Ok(())
    }

    /// What is known when a test failed.
    pub fn report(&self, lines: usize) -> String {
        format!("--- browser\n{}\n{}", self.browser.process.output(), self.env.logs(lines))
    }
}

/// The pages that tests drive.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/e2e")
}

/// The binary beside the test, or the one that `PILLION_BIN` names.
pub fn binary() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("PILLION_BIN") {
        return Ok(path.into());
    }
    let test = std::env::current_exe()?;
    let folder = test.ancestors().nth(2).context("a test lies in target/PROFILE/deps")?;
    Ok(folder.join(format!("pillion{}", std::env::consts::EXE_SUFFIX)))
}
