//! An MCP client over stdio, thin on purpose: what it sends is what a test wrote.

use crate::env::TestEnv;
use crate::process::Guarded;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::oneshot;

/// MCP clients give up after this long.
const REQUEST: Duration = Duration::from_secs(60);
/// The protocol version that is asked for.
const PROTOCOL: &str = "2025-11-25";

type Pending = Arc<Mutex<HashMap<u64, oneshot::Sender<Value>>>>;

/// One connected client: a session of its own.
pub struct McpClient {
    // Dropped first: the end of its input is how a client says goodbye.
    stdin: tokio::sync::Mutex<ChildStdin>,
    process: Guarded,
    pending: Pending,
    next: AtomicU64,
    /// The answer to `initialize`.
    pub server: Value,
}

/// What a tool call gave.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The text an agent reads.
    pub text: String,
    /// `isError`.
    pub is_error: bool,
    /// Pictures: MIME type and base64.
    pub images: Vec<(String, String)>,
    /// `_meta`.
    pub meta: Value,
}

impl McpClient {
    /// Start `pillion mcp` and shake hands.
    pub async fn start(env: &TestEnv, name: &str) -> Result<Self> {
        Self::start_with(env, name, &[]).await
    }

    /// Start `pillion mcp FLAGS…` and shake hands.
    pub async fn start_with(env: &TestEnv, name: &str, flags: &[&str]) -> Result<Self> {
        let mut args = vec!["mcp"];
        args.extend(flags);
        Self::of(name, env.command(&args)).await
    }

    /// Shake hands with the server that this command starts.
    pub async fn of(name: &str, command: tokio::process::Command) -> Result<Self> {
        let (process, stdin, stdout) = Guarded::piped(name, command)?;
        let pending = Pending::default();
        tokio::spawn(read(stdout, Arc::clone(&pending)));
        let stdin = tokio::sync::Mutex::new(stdin);
        let next = AtomicU64::new(1);
        let mut client = Self { process, stdin, pending, next, server: Value::Null };
        client.server = client
            .request(
                "initialize",
                json!({
                    "protocolVersion": PROTOCOL,
                    "capabilities": {},
                    "clientInfo": {"name": name, "version": "1"},
                }),
            )
            .await?;
        client.notify("notifications/initialized", json!({})).await?;
        Ok(client)
    }

    /// Lets go of the client and keeps its process, which ends with its input.
    pub fn into_process(self) -> (ChildStdin, Guarded) {
        (self.stdin.into_inner(), self.process)
    }

    /// The process that serves this client.
    pub fn process(&self) -> &Guarded {
        &self.process
    }

    /// A request and its result; a protocol error is an error.
    pub async fn request(&self, method: &str, params: Value) -> Result<Value> {
        let (id, receive) = self.send(method, params).await?;
        let answer = self.answer(method, id, receive).await?;
        if let Some(error) = answer.get("error") {
            bail!("{method}: {error}");
        }
        Ok(answer.get("result").cloned().unwrap_or(Value::Null))
    }

    /// Send a call without waiting; the id allows to cancel it.
    pub async fn begin(&self, tool: &str, arguments: Value) -> Result<Begun> {
        let params = json!({"name": tool, "arguments": arguments});
        let (id, receive) = self.send("tools/call", params).await?;
        Ok(Begun { id, receive })
    }

    /// Wait for a call that was begun.
    pub async fn finish(&self, begun: Begun) -> Result<Answer> {
        let answer = self.answer("tools/call", begun.id, begun.receive).await?;
        if let Some(error) = answer.get("error") {
            bail!("tools/call: {error}");
        }
        Ok(Answer::read(answer.get("result").unwrap_or(&Value::Null)))
    }

    /// Cancel a call as MCP does it.
    pub async fn cancel(&self, begun: &Begun) -> Result<()> {
        let params = json!({"requestId": begun.id, "reason": "not wanted any more"});
        self.notify("notifications/cancelled", params).await
    }

    /// Call a tool.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Answer> {
        let begun = self.begin(tool, arguments).await?;
        self.finish(begun).await.with_context(|| self.report(tool))
    }

    /// Call a tool that must succeed.
    pub async fn ok(&self, tool: &str, arguments: Value) -> Result<Answer> {
        let answer = self.call(tool, arguments.clone()).await?;
        if answer.is_error {
            bail!("{tool} {arguments} failed: {}", answer.text);
        }
        Ok(answer)
    }

    /// Call a tool that must fail with this code.
    pub async fn fails(&self, tool: &str, arguments: Value, code: &str) -> Result<Answer> {
        let answer = self.call(tool, arguments.clone()).await?;
        if !answer.is_error || answer.code() != code {
            bail!("{tool} {arguments}: wanted {code}, got {}", answer.text);
        }
        Ok(answer)
    }

    /// A notification.
    pub async fn notify(&self, method: &str, params: Value) -> Result<()> {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await
    }

    async fn send(&self, method: &str, params: Value) -> Result<(u64, oneshot::Receiver<Value>)> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (send, receive) = oneshot::channel();
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).insert(id, send);
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.write(&message).await?;
        Ok((id, receive))
    }

    async fn answer(
        &self,
        method: &str,
        id: u64,
        receive: oneshot::Receiver<Value>,
    ) -> Result<Value> {
        let answer = tokio::time::timeout(REQUEST, receive).await;
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        answer
            .map_err(|_| anyhow!("{method} was not answered in {REQUEST:?}"))?
            .with_context(|| format!("`pillion mcp` ended\n{}", self.process.output()))
    }

    async fn write(&self, message: &Value) -> Result<()> {
        let mut stdin = self.stdin.lock().await;
        stdin.write_all(format!("{message}\n").as_bytes()).await?;
        stdin.flush().await?;
        Ok(())
    }

    fn report(&self, tool: &str) -> String {
        format!("{}: {tool}", self.process.name())
    }
}

/// A call under way.
pub struct Begun {
    id: u64,
    receive: oneshot::Receiver<Value>,
}

impl Answer {
    fn read(result: &Value) -> Self {
        let mut answer = Self {
            text: String::new(),
            is_error: result.get("isError").and_then(Value::as_bool).unwrap_or(false),
            images: Vec::new(),
            meta: result.get("_meta").cloned().unwrap_or(Value::Null),
        };
        for part in result.get("content").and_then(Value::as_array).into_iter().flatten() {
            let word = |key: &str| part.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
            match word("type").as_str() {
                "text" => {
                    if !answer.text.is_empty() {
                        answer.text.push('\n');
                    }
                    answer.text.push_str(&word("text"));
                }
                "image" => answer.images.push((word("mimeType"), word("data"))),
                _ => {}
            }
        }
        answer
    }

    /// The code in front of a failure; empty for a success.
    pub fn code(&self) -> &str {
        if !self.is_error {
            return "";
        }
        self.text.split(':').next().unwrap_or("")
    }

    /// It must hold these words.
    pub fn has(&self, words: &str) -> Result<&Self> {
        if !self.text.contains(words) {
            bail!("no `{words}` in:\n{}", self.text);
        }
        Ok(self)
    }

    /// It must not hold these words.
    pub fn lacks(&self, words: &str) -> Result<&Self> {
        if self.text.contains(words) {
            bail!("`{words}` in:\n{}", self.text);
        }
        Ok(self)
    }

    /// The number in `tab 7`, the first such.
    pub fn tab(&self) -> Result<u32> {
        number_after(&self.text, "tab ").with_context(|| format!("no tab in:\n{}", self.text))
    }

    /// The ref on the first line that holds these words: `e12`.
    pub fn reference(&self, words: &str) -> Result<String> {
        let after = self.text.lines().find_map(|line| line.split_once(words).map(|(_, rest)| rest));
        let rest = after.with_context(|| format!("no `{words}` in:\n{}", self.text))?;
        let number = number_after(rest, "[e").with_context(|| format!("no ref after `{words}`"))?;
        Ok(format!("e{number}"))
    }
}

fn number_after(text: &str, mark: &str) -> Option<u32> {
    text.match_indices(mark).find_map(|(at, _)| {
        let digits: String =
            text[at + mark.len()..].chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    })
}

async fn read(stdout: ChildStdout, pending: Pending) {
    let mut lines = BufReader::new(stdout).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(id) = message.get("id").and_then(Value::as_u64) else { continue };
        let waiting = pending.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        if let Some(waiting) = waiting {
            // Nobody waits any more when the request ran into its deadline.
            waiting.send(message).ok();
        }
    }
    // Dropping the senders tells every waiting request that the process is gone.
    pending.lock().unwrap_or_else(PoisonError::into_inner).clear();
}
