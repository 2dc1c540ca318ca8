//! The main job on a real application: an agent's conversation with Pillion, as the agent sees it.
//! The application is Swagger UI from npm, served on loopback; nothing leaves the machine.

use crate::shell::{command, root, run as run_command, target};
use crate::{build, prepare, ui};
use anyhow::{Context, Result, bail};
use base64::Engine;
use pillion_testkit::{Answer, McpClient, OneDaemon, RideBrowser, Server, TestEnv, Window, until};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// A real application that we did not write.
const APPLICATION: &str = "swagger-ui-dist@5.35.0";
/// A browser that was just started connects within this.
const CONNECT: Duration = Duration::from_secs(30);

/// The chore.
pub fn run(url: Option<&str>, headed: bool) -> Result<()> {
    prepare::browser()?;
    let binary = build::run_all(false)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let _lock = OneDaemon::lock()?;
        let env = TestEnv::new(&binary)?;
        let window = if headed { Window::Shown } else { Window::Headless };
        ui::say("$ pillion launch");
        let browser = RideBrowser::launch(&env, window).await?;
        let agent = Agent { client: McpClient::start(&env, "try").await? };
        agent.connected().await?;
        let picture = match url {
            Some(url) => agent.look_at(url).await,
            None => agent.use_application().await,
        };
        drop(browser);
        ui::say(&format!("\nthe picture: {}", picture?.display()));
        Ok(())
    })
}

struct Agent {
    client: McpClient,
}

impl Agent {
    async fn connected(&self) -> Result<()> {
        until("a connected browser", CONNECT, || async {
            let answer = self.client.call("browser_tabs", json!({})).await?;
            anyhow::ensure!(!answer.is_error, "{}", answer.text);
            Ok(Some(()))
        })
        .await
    }

    /// One call, printed as an agent sees it.
    async fn call(&self, tool: &str, arguments: Value) -> Result<Answer> {
        ui::say(&format!("\n> {tool} {arguments}"));
        let answer = self.client.call(tool, arguments).await?;
        ui::say(&answer.text);
        if answer.is_error {
            bail!("{tool} failed");
        }
        Ok(answer)
    }

    /// Any page: only looks.
    async fn look_at(&self, url: &str) -> Result<PathBuf> {
        self.call("browser_tabs", json!({})).await?;
        let tab = self.call("browser_navigate", json!({"url": url})).await?.tab()?;
        self.call("browser_snapshot", json!({"tab": tab})).await?;
        self.call("browser_text", json!({"tab": tab, "max_chars": 1500})).await?;
        self.picture(tab).await
    }

    /// Swagger UI: opens a form, writes a note, reads what the server answered.
    async fn use_application(&self) -> Result<PathBuf> {
        let folder = target().join("try");
        let package = folder.join("node_modules/swagger-ui-dist");
        if !package.exists() {
            let prefix = folder.to_string_lossy().into_owned();
            let args = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
            run_command(command("npm", &args).args(["--prefix", &prefix, APPLICATION]))?;
        }
        let server =
            Server::start(&[("/swagger/", &package), ("/", &root().join("xtask/app"))]).await?;
        self.call("browser_tabs", json!({})).await?;
        let tab = self
            .call("browser_navigate", json!({"url": server.url("/index.html")}))
            .await?
            .tab()?;
        self.call("browser_wait", json!({"tab": tab, "target": "text=Write a note"})).await?;
        self.call("browser_snapshot", json!({"tab": tab})).await?;
        self.call("browser_click", json!({"tab": tab, "target": "text=Write a note"})).await?;
        self.call("browser_click", json!({"tab": tab, "target": "button \"Try it out\""})).await?;
        let note = r#"{"title": "Ride along", "done": false}"#;
        let fields = json!([{"target": "css=textarea.body-param__text", "value": note}]);
        self.call("browser_fill", json!({"tab": tab, "fields": fields})).await?;
        let sent =
            self.call("browser_click", json!({"tab": tab, "target": "button \"Execute\""})).await?;
        sent.has("POST 200 /echo/notes").context("the receipt does not tell the request")?;
        let posted = server.seen("/echo/notes");
        anyhow::ensure!(posted.iter().any(|seen| seen.body == note), "the server got {posted:?}");
        ui::say(&format!("\n(the server got: {note})"));
        self.picture(tab).await
    }

    async fn picture(&self, tab: u32) -> Result<PathBuf> {
        let answer = self.call("browser_screenshot", json!({"tab": tab})).await?;
        let (mime, data) = answer.images.first().context("no picture in the answer")?;
        let folder = target().join("try");
        std::fs::create_dir_all(&folder)?;
        let end = mime.strip_prefix("image/").unwrap_or("png");
        let path = folder.join(format!("picture.{end}"));
        std::fs::write(&path, base64::engine::general_purpose::STANDARD.decode(data)?)?;
        Ok(path)
    }
}
