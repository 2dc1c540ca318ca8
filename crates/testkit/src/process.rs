//! A child process that cannot outlive its test. Never ends a process that it did not start.

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// How long a process may take to end by itself when asked to.
const GRACE: Duration = Duration::from_secs(5);
/// Lines of standard error that are kept for a failure's report.
const KEPT_LINES: usize = 200;

/// A child in a process group of its own: asked to end on drop, then made to.
pub struct Guarded {
    name: String,
    child: Child,
    pid: Pid,
    lines: Lines,
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<VecDeque<String>>>);

impl Lines {
    fn push(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

impl Guarded {
    /// Start; both outputs are kept.
    pub fn start(name: &str, mut command: Command) -> Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut guarded = Self::spawn(name, command)?;
        if let Some(stdout) = guarded.child.stdout.take() {
            guarded.keep(stdout);
        }
        Ok(guarded)
    }

    /// Start with both ends of its standard streams in the caller's hands; errors are kept.
    pub fn piped(name: &str, mut command: Command) -> Result<(Self, ChildStdin, ChildStdout)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut guarded = Self::spawn(name, command)?;
        let stdin = guarded.child.stdin.take().context("stdin is piped")?;
        let stdout = guarded.child.stdout.take().context("stdout is piped")?;
        Ok((guarded, stdin, stdout))
    }

    fn spawn(name: &str, mut command: Command) -> Result<Self> {
        command.process_group(0);
        let mut child = command.spawn().with_context(|| format!("{name} does not start"))?;
        let id = child.id().context("a child that was just started has an id")?;
        let pid = Pid::from_raw(i32::try_from(id)?).context("a process id is not zero")?;
        let stderr = child.stderr.take();
        let guarded = Self { name: name.to_owned(), child, pid, lines: Lines::default() };
        if let Some(stderr) = stderr {
            guarded.keep(stderr);
        }
        Ok(guarded)
    }

    fn keep(&self, stream: impl AsyncRead + Unpin + Send + 'static) {
        let lines = self.lines.clone();
        tokio::spawn(async move {
            let mut reader = BufReader::new(stream).lines();
            while let Ok(Some(line)) = reader.next_line().await {
                lines.push(line);
            }
        });
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Its name in reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it has not ended.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// What it printed last.
    pub fn output(&self) -> String {
        let lines = self.lines.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect::<Vec<_>>().join("\n")
    }

    /// End it at once, as a crash would.
    pub fn kill(&self) {
        // It may have ended by itself in this moment.
        kill_process(self.pid, Signal::KILL).ok();
    }

    /// Let it do nothing at all for a while.
    pub fn pause(&self) {
        kill_process(self.pid, Signal::STOP).ok();
    }

    /// Let it go on.
    pub fn resume(&self) {
        kill_process(self.pid, Signal::CONT).ok();
    }

    /// The same for it and all that it started: as a machine that sleeps.
    pub fn pause_all(&self) {
        kill_process_group(self.pid, Signal::STOP).ok();
    }

    /// Let them all go on.
    pub fn resume_all(&self) {
        kill_process_group(self.pid, Signal::CONT).ok();
    }

    /// Wait until it has ended.
    pub async fn ended(&mut self, within: Duration) -> Result<()> {
        let name = self.name.clone();
        tokio::time::timeout(within, self.child.wait())
            .await
            .with_context(|| format!("{name} has not ended in {within:?}"))??;
        Ok(())
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if self.is_alive() {
            kill_process(self.pid, Signal::INT).ok();
            self.resume_all();
            let until = Instant::now() + GRACE;
            while self.is_alive() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        // What it left behind in its group, such as a browser's helpers; mostly nothing.
        kill_process_group(self.pid, Signal::KILL).ok();
    }
}

/// End a process of the test's own by its id, as a crash would.
pub fn kill(pid: u32) -> Result<()> {
    signal(pid, Signal::KILL)
}

/// Let a process of the test's own do nothing at all until [`resume`].
pub fn pause(pid: u32) -> Result<()> {
    signal(pid, Signal::STOP)
}

/// Let it go on.
pub fn resume(pid: u32) -> Result<()> {
    signal(pid, Signal::CONT)
}

fn signal(pid: u32, signal: Signal) -> Result<()> {
    let pid = Pid::from_raw(i32::try_from(pid)?).context("a process id is not zero")?;
    kill_process(pid, signal)?;
    Ok(())
}

/// Ask again and again until there is an answer, or the time is over.
pub async fn until<T, F, Fut>(what: &str, within: Duration, mut ask: F) -> Result<T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<Option<T>>>,
{
    let end = Instant::now() + within;
    loop {
        let last = ask().await;
        if let Ok(Some(found)) = last {
            return Ok(found);
        }
        if Instant::now() >= end {
            let why = last.err().map(|error| format!(": {error:#}")).unwrap_or_default();
            anyhow::bail!("{what}: not within {within:?}{why}");
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}
