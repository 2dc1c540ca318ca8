//! One agent on one fixture: calls tools, remembers what failed, and is judged by the page.

use super::report::{Outcome, Verdict};
use crate::ui;
use anyhow::{Context, Result, ensure};
use pillion_testkit::{Answer, Cdp, McpClient, Page};
use serde_json::{Value, json};
use std::pin::Pin;
use std::time::Duration;

/// A page that was opened is found by the checking side within this.
const FIND: Duration = Duration::from_secs(10);
/// What a page does after the last act is over within this.
const CHECK: Duration = Duration::from_secs(2);

/// A script under way.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// One agent on one fixture.
pub struct Ride {
    name: &'static str,
    client: McpClient,
    /// The browser's own debugging port, for the checking side.
    pub cdp: Cdp,
    /// The fixture, seen from the checking side.
    pub page: Page,
    /// The tab's number.
    pub tab: u32,
    /// The fixture's address.
    pub url: String,
    failures: Vec<String>,
    complaints: Vec<String>,
    talk: bool,
}

impl Ride {
    /// Open the fixture in a tab of the agent's own.
    pub async fn begin(
        client: McpClient,
        cdp: Cdp,
        base: &str,
        name: &'static str,
        talk: bool,
    ) -> Result<Self> {
        let url = format!("{base}/{name}.html");
        let opened = client.ok("browser_navigate", json!({"url": url})).await?;
        let tab = opened.tab()?;
        let page = cdp.attach("page", name, FIND).await?;
        let (failures, complaints) = (Vec::new(), Vec::new());
        Ok(Self { name, client, cdp, page, tab, url, failures, complaints, talk })
    }

    /// Call a tool, in the fixture's tab unless the arguments name another.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Result<Answer> {
        let answer = self.ask(tool, arguments).await?;
        if answer.is_error {
            self.failures.push(answer.text.clone());
        } else if answer.text.contains("no visible effect") {
            self.failures.push("no visible effect".into());
        }
        Ok(answer)
    }

    async fn ask(&mut self, tool: &str, mut arguments: Value) -> Result<Answer> {
        if arguments.get("tab").is_none() {
            arguments["tab"] = self.tab.into();
        }
        let said = self.talk.then(|| arguments.to_string());
        let answer = self.client.call(tool, arguments).await?;
        if let Some(said) = said {
            ui::say(&format!("\n> {tool} {}\n{}", cut(&said), cut(&answer.text)));
        }
        Ok(answer)
    }

    /// Call a tool that must refuse. Said done is a complaint; refused is no failure.
    pub async fn refused(&mut self, tool: &str, arguments: Value) -> Result<Answer> {
        let answer = self.ask(tool, arguments.clone()).await?;
        if !answer.is_error && !answer.text.contains("no visible effect") {
            self.complaints.push(format!("{arguments} was not refused: {}", answer.text));
        }
        Ok(answer)
    }

    /// Click.
    pub async fn click(&mut self, target: &str) -> Result<Answer> {
        self.call("browser_click", json!({"target": target})).await
    }

    /// Click what need not change this page.
    pub async fn click_only(&mut self, target: &str) -> Result<Answer> {
        self.ask("browser_click", json!({"target": target})).await
    }

    /// Move the pointer over something.
    pub async fn hover(&mut self, target: &str) -> Result<Answer> {
        self.ask("browser_click", json!({"target": target, "hover": true})).await
    }

    /// Fill fields.
    pub async fn fill(&mut self, fields: &[(&str, &str)]) -> Result<Answer> {
        let fields: Vec<Value> = fields
            .iter()
            .map(|(target, value)| json!({"target": target, "value": value}))
            .collect();
        self.call("browser_fill", json!({"fields": fields})).await
    }

    /// Look.
    pub async fn snapshot(&mut self) -> Result<Answer> {
        self.call("browser_snapshot", json!({})).await
    }

    /// A number out of the page, by the checking side.
    pub async fn number(&self, expression: &str) -> Result<f64> {
        self.page.evaluate(expression).await?.as_f64().with_context(|| expression.to_owned())
    }

    /// The middle of an element as a target, plus an offset, by the checking side.
    pub async fn point(&self, selector: &str, dx: f64, dy: f64) -> Result<String> {
        let side = |side: &str| {
            format!("document.querySelector('{selector}').getBoundingClientRect().{side}")
        };
        let x = self.number(&side("left")).await? + dx;
        let y = self.number(&side("top")).await? + dy;
        Ok(format!("{x:.0},{y:.0}"))
    }

    /// Something that the fixture asks for and `__check` cannot see.
    pub fn expect(&mut self, holds: bool, otherwise: &str) {
        if !holds {
            self.complaints.push(otherwise.to_owned());
        }
    }

    /// Ask the page, and weigh it against what the tools said.
    pub async fn judge(self, ended: Result<()>) -> Outcome {
        let right = self.page.until("!!window.__check()", CHECK).await;
        let said = self.failures.join(" / ");
        let told = ended.as_ref().err().map(|error| format!("{error:#}")).unwrap_or_default();
        let complaints = self.complaints.join(" / ");
        let (verdict, note) = match right {
            Ok(_) if complaints.is_empty() => (Verdict::Right, String::new()),
            Ok(_) => (Verdict::False, complaints),
            Err(_) if self.failures.is_empty() && ended.is_ok() => {
                (Verdict::False, format!("every call said done {complaints}"))
            }
            Err(_) => (Verdict::Honest, format!("{said} {told} {complaints}")),
        };
        let close = json!({"action": "close", "tab": self.tab});
        // The tab may be gone already; the next fixture has its own.
        self.client.call("browser_tabs", close).await.ok();
        Outcome { name: self.name.to_owned(), verdict, note }
    }
}

/// Long arguments and answers only cost the reader's time.
fn cut(text: &str) -> String {
    text.chars().take(2_000).collect()
}

/// What an answer says inside its fence.
pub fn fenced(answer: &Answer) -> String {
    let lines = answer.text.lines().skip_while(|line| !line.starts_with("<page ")).skip(1);
    lines.take_while(|line| !line.starts_with("</page ")).collect::<Vec<_>>().join("\n")
}

/// Every ref on lines that hold these words.
pub fn references(answer: &Answer, words: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (at, _) in answer.text.match_indices(words) {
        let rest = &answer.text[at + words.len()..];
        if let Some(start) = rest.find("[e").filter(|start| *start < 3) {
            found.extend(rest[start + 1..].split(']').next().map(str::to_owned));
        }
    }
    ensure!(!found.is_empty(), "no `{words}` with a ref in:\n{}", answer.text);
    Ok(found)
}
