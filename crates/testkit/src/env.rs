//! A sealed place to run Pillion in: its own home, its own user folder, nothing of the caller's.
//! Never touches the real home of whoever runs the tests.

use crate::process::Guarded;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::Command;

/// How long one short command may take.
const COMMAND: Duration = Duration::from_secs(30);

/// A daemon that was asked to stop ends within this.
const STOP: Duration = Duration::from_secs(3);

/// A fresh home for one daemon and one browser. Ends its daemon when dropped.
pub struct TestEnv {
    dir: TempDir,
    pillion: PathBuf,
    more: Mutex<BTreeMap<String, String>>,
}

/// What a command printed.
#[derive(Debug, Clone)]
pub struct Output {
    /// Whether it ended well.
    pub ok: bool,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// What is passed on. Without a display and its key no visible browser starts.
const PASSED: [&str; 8] = [
    "PATH",
    "LANG",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "RUST_BACKTRACE",
    "PILLION_LOG",
];

impl TestEnv {
    /// A fresh environment for this binary.
    pub fn new(pillion: &Path) -> Result<Self> {
        let dir = TempDir::with_prefix("pillion-test-")?;
        for folder in ["home", "user", "browser"] {
            std::fs::create_dir(dir.path().join(folder))?;
        }
        let pillion = std::path::absolute(pillion)?;
        if !pillion.is_file() {
            bail!("no binary at {}: cargo build -p pillion", pillion.display());
        }
        Ok(Self { dir, pillion, more: Mutex::default() })
    }

    /// `PILLION_HOME`.
    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// The folder that holds everything, for files of a test's own.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The binary under test.
    pub fn pillion(&self) -> &Path {
        &self.pillion
    }

    /// A variable for all that is started from now on; without a value it is not set any more.
    pub fn set(&self, name: &str, value: Option<&str>) {
        let mut more = self.more.lock().unwrap_or_else(PoisonError::into_inner);
        match value {
            Some(value) => more.insert(name.to_owned(), value.to_owned()),
            None => more.remove(name),
        };
    }

    /// `pillion ARGS…` in this environment, not yet started.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.pillion);
        command.args(args);
        self.seal(&mut command);
        command
    }

    /// Give a command this environment and nothing else.
    pub fn seal(&self, command: &mut Command) {
        command.env_clear().current_dir(self.dir.path());
        for name in PASSED {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        // The key to the display lies in the home folder that is hidden here.
        let user = std::env::var_os("HOME").map(|home| Path::new(&home).join(".Xauthority"));
        if let (None, Some(key)) = (std::env::var_os("XAUTHORITY"), user.filter(|key| key.exists()))
        {
            command.env("XAUTHORITY", key);
        }
        command.envs(&*self.more.lock().unwrap_or_else(PoisonError::into_inner));
        command.env("HOME", self.dir.path().join("user")).env("PILLION_HOME", self.home());
        // The keyring is the one of whoever runs the tests.
        command.env("PILLION_SECRETS", "file");
    }

    /// Run `pillion ARGS…` to its end.
    pub async fn run(&self, args: &[&str]) -> Result<Output> {
        let mut command = self.command(args);
        command.stdin(std::process::Stdio::null()).kill_on_drop(true);
        let output = tokio::time::timeout(COMMAND, command.output())
            .await
            .with_context(|| format!("`pillion {}` took over {COMMAND:?}", args.join(" ")))??;
        Ok(Output {
            ok: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// What the daemon says of itself, or nothing when none runs.
    pub async fn status(&self) -> Result<Option<serde_json::Value>> {
        let output = self.run(&["daemon", "status", "--json"]).await?;
        let Ok(value) = serde_json::from_str::<serde_json::Value>(output.stdout.trim()) else {
            return Ok(None);
        };
        Ok(value.get("pid").is_some().then_some(value))
    }

    /// The running daemon's process id.
    pub async fn daemon_pid(&self) -> Result<u32> {
        let status = self.status().await?.context("no daemon runs")?;
        let pid =
            status.get("pid").and_then(serde_json::Value::as_u64).context("status has no pid")?;
        Ok(u32::try_from(pid)?)
    }

    /// Every log of this environment, newest lines last, for a failure's report.
    pub fn logs(&self, lines_each: usize) -> String {
        let mut report = String::new();
        collect_logs(&self.home(), lines_each, &mut report);
        report
    }

    /// Start `pillion ARGS…` as a process that ends with its guard.
    pub fn spawn(&self, name: &str, args: &[&str]) -> Result<Guarded> {
        Guarded::start(name, self.command(args))
    }
}

impl Drop for TestEnv {
    fn drop(&mut self) {
        let daemon = recorded_daemon(&self.home());
        let mut command = std::process::Command::new(&self.pillion);
        command.args(["daemon", "stop"]).env("PILLION_HOME", self.home());
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        // A daemon that is gone already, or a binary that cannot start, leaves nothing to end.
        command.status().ok();
        if let Some(pid) = daemon {
            end_daemon(pid, &self.home());
        }
    }
}

/// The process id in the daemon's own record.
fn recorded_daemon(home: &Path) -> Option<u32> {
    let record = std::fs::read_to_string(home.join("run/daemon.json")).ok()?;
    let record: serde_json::Value = serde_json::from_str(&record).ok()?;
    u32::try_from(record.get("pid")?.as_u64()?).ok()
}

/// End a daemon of this home that does not listen any more. A number that belongs to another
/// process by now is left alone.
fn end_daemon(pid: u32, home: &Path) {
    let is_ours = || {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains(&*home.to_string_lossy())
    };
    let until = std::time::Instant::now() + STOP;
    while is_ours() {
        if std::time::Instant::now() > until {
            crate::process::kill(pid).ok();
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn collect_logs(dir: &Path, lines_each: usize, report: &mut String) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect_logs(&path, lines_each, report);
        } else if path.to_string_lossy().contains("log") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            let from = lines.len().saturating_sub(lines_each);
            report.push_str(&format!("--- {}\n{}\n", path.display(), lines[from..].join("\n")));
        }
    }
}
