//! Loads the extension over the browser's own debugging pipe, for browsers that no longer take it
//! from the command line. Sends that one command and nothing else. The browser ends when the pipe
//! closes, so it is kept open as long as the browser is wanted.

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin};

/// A browser that starts needs a few seconds before it answers.
const ANSWER: Duration = Duration::from_secs(30);
/// Flags that open the pipe and let it load extensions.
pub const FLAGS: [&str; 2] = ["--remote-debugging-pipe", "--enable-unsafe-extension-debugging"];

/// Keeps the browser alive.
pub struct Pipe {
    _stdin: ChildStdin,
    reader: tokio::task::JoinHandle<()>,
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

/// Loads the extension.
pub async fn load(browser: &mut Child, extension: &Path) -> anyhow::Result<Pipe> {
    let mut stdin = browser.stdin.take().context("the browser's pipe is ours")?;
    let stdout = browser.stdout.take().context("the browser's pipe is ours")?;
    let mut lines = BufReader::new(stdout);
    let request =
        json!({"id": 1, "method": "Extensions.loadUnpacked", "params": {"path": extension}});
    let work = async {
        stdin.write_all(format!("{request}\0").as_bytes()).await?;
        loop {
            let mut message = Vec::new();
            if lines.read_until(0, &mut message).await? == 0 {
                bail!("the browser closed its pipe");
            }
            if let Some(answer) = answer(&message) {
                return answer;
            }
        }
    };
    tokio::time::timeout(ANSWER, work).await.context("the browser does not answer its pipe")??;
    let reader = tokio::spawn(async move {
        let mut ignored = [0; 4096];
        while matches!(lines.read(&mut ignored).await, Ok(1..)) {}
    });
    Ok(Pipe { _stdin: stdin, reader })
}

/// The answer to our command, if this message is it.
fn answer(message: &[u8]) -> Option<anyhow::Result<()>> {
    let message = message.strip_suffix(b"\0").unwrap_or(message);
    let message: Value = serde_json::from_slice(message).ok()?;
    (message.get("id")? == 1).then_some(())?;
    Some(match message.get("error").and_then(|error| error.get("message")) {
        Some(error) => Err(anyhow::anyhow!("the browser refuses the extension: {error}")),
        None => Ok(()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_our_command_counts() {
        assert!(answer(b"{\"method\":\"x\"}\0").is_none());
        assert!(answer(b"{\"id\":2,\"result\":{}}\0").is_none());
        assert!(answer(b"{\"id\":1,\"result\":{\"id\":\"a\"}}\0").unwrap().is_ok());
        assert!(answer(b"{\"id\":1,\"error\":{\"message\":\"no\"}}\0").unwrap().is_err());
    }
}
