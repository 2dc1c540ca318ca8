//! A daemon elsewhere, through a program of the user's own that carries lines: `ssh` to another
//! machine or `docker exec` into a container, with `pillion stdio` at the far end.
//!
//! Listens nowhere and builds no shell line: what the user named is one argument, and a name that
//! a program could take for an option, or a shell for more than a name, is refused.

use crate::greeting::{Greeted, Input, Miss, Output, greet};
use crate::{ClientError, Options};
use std::io;
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::process::{Child, ChildStderr, Command};

/// From the start of the program to the welcome: a login over a slow network, and a daemon's start.
const WELCOME: Duration = Duration::from_secs(20);
/// After the stream ended the program has this long to end, so that its status can be told.
const STATUS: Duration = Duration::from_secs(2);
/// What is kept of the last words of the program.
const WORDS: usize = 2_000;
/// Status of a shell, and of `docker exec`, that did not find the command.
const NOT_FOUND: [i32; 2] = [126, 127];
/// Longest name.
const NAME: usize = 255;

/// The way to a daemon elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    /// `ssh HOST pillion stdio`.
    Ssh(String),
    /// `docker exec -i CONTAINER pillion stdio`.
    Docker(String),
}

impl Via {
    /// Of `ssh:HOST` or `docker:CONTAINER`; else what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("ssh", host)) => {
                // Also each part: `user@-host`.
                let is_plain = host.split(['@', '/']).all(|part| !part.starts_with('-'));
                check(host, is_plain, "@._-:/[]%+~", "host")?;
                Ok(Self::Ssh(host.to_owned()))
            }
            Some(("docker", container)) => {
                let is_plain = container.starts_with(|letter: char| letter.is_ascii_alphanumeric());
                check(container, is_plain, "._-", "container")?;
                Ok(Self::Docker(container.to_owned()))
            }
            _ => Err("it must be ssh:HOST or docker:CONTAINER".to_owned()),
        }
    }

    fn program(&self) -> &'static str {
        match self {
            Self::Ssh(_) => "ssh",
            Self::Docker(_) => "docker",
        }
    }

    fn arguments(&self) -> Vec<&str> {
        match self {
            // Without a terminal nobody could answer a question; a dead network is noticed.
            Self::Ssh(host) => vec![
                "-T",
                "-o",
                "BatchMode=yes",
                "-o",
                "ServerAliveInterval=15",
                "-o",
                "ServerAliveCountMax=3",
                "--",
                host,
                "pillion",
                "stdio",
            ],
            Self::Docker(container) => vec!["exec", "-i", container, "pillion", "stdio"],
        }
    }

    /// As the user wrote it.
    fn name(&self) -> String {
        match self {
            Self::Ssh(host) => format!("ssh:{host}"),
            Self::Docker(container) => format!("docker:{container}"),
        }
    }

    fn why(&self, status: Option<ExitStatus>, words: &str) -> String {
        let code = status.and_then(|status| status.code());
        let last = words.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
        let there = match self {
            Self::Ssh(host) => host,
            Self::Docker(container) => container,
        };
        match (self, code) {
            (_, Some(code)) if NOT_FOUND.contains(&code) => format!(
                "`pillion` was not found on {there}. Install it there where a command without a \
                 login finds it, for example in /usr/local/bin ({last})"
            ),
            (Self::Ssh(_), Some(255)) => format!(
                "ssh did not get there: {last}. `ssh {there} pillion --version` must work without \
                 a question"
            ),
            (_, Some(code)) => format!("{} ended with status {code}: {last}", self.program()),
            (_, None) if last.is_empty() => "the connection ended".to_owned(),
            (_, None) => last.to_owned(),
        }
    }
}

fn check(name: &str, is_plain: bool, marks: &str, what: &str) -> Result<(), String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || marks.contains(letter);
    if is_plain && !name.is_empty() && name.len() <= NAME && name.chars().all(fits) {
        Ok(())
    } else {
        let shown: String = name.chars().filter(|letter| !letter.is_control()).take(60).collect();
        Err(format!("`{shown}` is no name of a {what}"))
    }
}

/// Starts the program and says hello through it.
pub(crate) async fn connect(options: &Options, via: &Via) -> Result<Greeted, ClientError> {
    let failed = |reason: String| ClientError::Via { name: via.name(), reason };
    let mut command = Command::new(via.program());
    command
        .args(via.arguments())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            failed(format!("there is no program `{}` on this machine", via.program()))
        }
        _ => failed(format!("{}: {error}", via.program())),
    })?;
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(failed("it has no pipes".to_owned()));
    };
    let words: Arc<Mutex<Vec<u8>>> = Arc::default();
    let listener = tokio::spawn(listen(stderr, words.clone()));
    let child = Arc::new(tokio::sync::Mutex::new(child));
    let input: Input = Box::new(Owning { input: stdout, _child: child.clone() });
    let output: Output = Box::new(stdin);
    // The token is of the far daemon: `pillion stdio` puts it in.
    match tokio::time::timeout(WELCOME, greet(options, "", input, output)).await {
        Ok(Ok(greeted)) => Ok(greeted),
        Ok(Err(Miss::Final(error))) => Err(error),
        Ok(Err(Miss::NotThere(reason))) => {
            let mut child = child.lock().await;
            let status = tokio::time::timeout(STATUS, child.wait()).await;
            // Its last words come before its end, and are read by then.
            tokio::time::timeout(STATUS, listener).await.ok();
            let words = words.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let words = String::from_utf8_lossy(&words);
            let words = if words.trim().is_empty() { reason.into() } else { words };
            Err(failed(via.why(status.ok().and_then(Result::ok), &words)))
        }
        Err(_) => Err(failed(format!("no answer in {} s", WELCOME.as_secs()))),
    }
}

/// Keeps the last words.
async fn listen(mut stderr: ChildStderr, words: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = [0; 1024];
    while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend_from_slice(&chunk[..count]);
        let excess = words.len().saturating_sub(WORDS);
        words.drain(..excess);
    }
}

/// The program's output; the program ends with it.
struct Owning<R> {
    input: R,
    _child: Arc<tokio::sync::Mutex<Child>>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Owning<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.input).poll_read(context, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_more_than_names_are_refused() {
        for good in [
            "ssh:box",
            "ssh:ada@box.example",
            "ssh:ssh://ada@box:2222",
            "ssh:[::1]",
            "docker:web_1",
            "docker:a1b2c3",
        ] {
            assert!(Via::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "box",
            "ssh:",
            "docker:",
            "telnet:box",
            "ssh:-oProxyCommand=sh",
            "ssh:ada@-box",
            "ssh:ssh://-box",
            "ssh:box;reboot",
            "ssh:box reboot",
            "ssh:$(id)",
            "ssh:`id`",
            "ssh:box\nreboot",
            "docker:-v",
            "docker:--privileged",
            "docker:a/b",
            "docker:a b",
        ] {
            assert!(Via::parse(bad).is_err(), "{bad}");
        }
        assert!(Via::parse(&format!("ssh:{}", "a".repeat(NAME + 1))).is_err());
    }

    #[test]
    fn the_name_stands_behind_the_end_of_the_options() {
        let via = Via::parse("ssh:box").unwrap();
        let arguments = via.arguments();
        let end = arguments.iter().position(|argument| *argument == "--").unwrap();
        assert_eq!(arguments[end + 1..], ["box", "pillion", "stdio"]);
    }
}
