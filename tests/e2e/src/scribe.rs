//! Writes down calls and answers as an agent has them, with what differs between two runs made equal:
//! tab numbers, fences, ports, times, folders of this run.

use anyhow::{Context, Result, ensure};
use pillion_testkit::{Answer, Begun, McpClient};
use regex_lite::{Captures, Regex};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// The first tab of a record has this number.
const FIRST_TAB: usize = 7;

/// One agent's calls, in order.
pub struct Scribe<'a> {
    agent: &'a McpClient,
    masks: Masks,
    text: String,
    /// Characters of each answer.
    pub sizes: Vec<usize>,
}

impl<'a> Scribe<'a> {
    /// Writes for that agent. Each of the words is put in place of the other: folders, ports.
    pub fn new(agent: &'a McpClient, words: &[(String, &'static str)]) -> Result<Self> {
        let masks = Masks::new(words)?;
        Ok(Self { agent, masks, text: String::new(), sizes: Vec::new() })
    }

    /// Calls a tool and writes down both, also a failure.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Result<Answer> {
        let begun = self.begin(tool, arguments).await?;
        self.finish(begun).await
    }

    /// Writes the call down and does not wait.
    pub async fn begin(&mut self, tool: &str, arguments: Value) -> Result<Begun> {
        let call = format!("> {tool} {arguments}\n");
        let begun = self.agent.begin(tool, arguments).await?;
        self.text.push_str(&self.masks.hide(&call));
        Ok(begun)
    }

    /// Waits for what was begun and writes it down.
    pub async fn finish(&mut self, begun: Begun) -> Result<Answer> {
        let answer = self.agent.finish(begun).await?;
        let text = self.masks.hide(&answer.text);
        self.sizes.push(text.chars().count());
        self.text.push_str(&text);
        self.text.push('\n');
        Ok(answer)
    }

    /// All that was written.
    pub fn into_text(self) -> String {
        self.text
    }
}

struct Masks {
    words: Vec<(String, &'static str)>,
    patterns: Vec<(Regex, &'static str)>,
    tab: Regex,
    listed: Regex,
    tabs: HashMap<String, usize>,
}

impl Masks {
    fn new(words: &[(String, &'static str)]) -> Result<Self> {
        let patterns = [
            (r"(</?page) \w+>", "$1 id>"),
            (r"\b\d+(\.\d+)? ?(ms|s)\b", "N $2"),
            (r"(127\.0\.0\.1|localhost):\d+", "$1:8000"),
            (r"sha256=\w+", "sha256=…"),
            // Chrome's own bars come and go, and with them the height of the viewport.
            (r"\b\d+ of \d+ px", "N of N px"),
        ];
        let patterns = patterns
            .into_iter()
            .map(|(pattern, put)| Ok((Regex::new(pattern)?, put)))
            .collect::<Result<_>>()?;
        Ok(Self {
            words: words.to_vec(),
            patterns,
            tab: Regex::new(r#"(\btab |\btabs |"tab":)(\d+)"#)?,
            listed: Regex::new(r"(?m)^()(\d+)( \[)")?,
            tabs: HashMap::new(),
        })
    }

    fn hide(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (word, put) in &self.words {
            text = text.replace(word, put);
        }
        for (pattern, put) in &self.patterns {
            text = pattern.replace_all(&text, *put).into_owned();
        }
        let tabs = &mut self.tabs;
        let mut number = |found: &Captures<'_>| {
            let next = FIRST_TAB + tabs.len();
            let shown = tabs.entry(found[2].to_owned()).or_insert(next);
            let rest = found.get(3).map_or("", |rest| rest.as_str());
            format!("{}{shown}{rest}", &found[1])
        };
        let text = self.listed.replace_all(&text, &mut number).into_owned();
        self.tab.replace_all(&text, &mut number).into_owned()
    }
}

/// What was written must be what the file has. `UPDATE_EXPECT=1` writes the file.
pub fn golden(file: &Path, text: &str) -> Result<()> {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return std::fs::write(file, text).with_context(|| file.display().to_string());
    }
    let wanted = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let differ = wanted.lines().zip(text.lines()).find(|(wanted, told)| wanted != told);
    ensure!(wanted == text, "{}: first difference {differ:?} in\n{text}", file.display());
    Ok(())
}
