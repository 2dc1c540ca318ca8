//! `pillion daemon …`: runs the daemon, or speaks with the one that runs.

use crate::exit::Exit;
use crate::tool_command::Format;
use crate::{session, status, ui};
use anyhow::bail;
use pillion_client::{Client, ClientError, Launch, Options};
use pillion_os::dumps;
use pillion_os::home::Home;
use pillion_os::local;
use pillion_os::lock::Lock;
use pillion_os::record::DaemonRecord;
use pillion_os::spawn;
use pillion_wire::local::Admin;
use serde_json::{Value, json};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A daemon that was asked to end has this long.
const END: Duration = Duration::from_secs(8);
/// Between two looks whether it has.
const LOOK: Duration = Duration::from_millis(10);
/// Between two looks for new lines of a log.
const FOLLOW: Duration = Duration::from_millis(200);
/// `logs` begins this far before the end.
const TAIL_BYTES: u64 = 16 * 1024;

/// Runs it in this process.
pub fn run(home: Home, detached: bool) -> anyhow::Result<Exit> {
    dumps::none();
    if detached {
        spawn::leave_terminal();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(async {
        let shutdown = CancellationToken::new();
        let stop = shutdown.clone();
        let signals = tokio::spawn(async move {
            asked_to_end().await;
            stop.cancel();
        });
        let result = pillion_daemon::run(home, shutdown).await;
        signals.abort();
        result
    });
    runtime.shutdown_background();
    result?;
    Ok(Exit::Ok)
}

/// Ctrl-C, or the system's way to ask a process to end.
pub async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate()).ok();
        let mut hang_up = signal(SignalKind::hangup()).ok();
        let terminated = async {
            match &mut terminate {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        let hung_up = async {
            match &mut hang_up {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated => {}
            _ = hung_up => {}
        }
    }
    #[cfg(windows)]
    {
        // Without a console there is no Ctrl-C; such a process is ended through its socket.
        tokio::signal::ctrl_c().await.ok();
    }
}

/// Options of a command that does not start it.
pub fn only_running(home: Home) -> Options {
    Options { launch: Launch::Never, ..session::of_command(home, None) }
}

/// Starts it unless it runs.
pub async fn start(home: Home) -> anyhow::Result<Exit> {
    let before = pillion_client::running(&home).map(|record| record.pid);
    Client::connect(session::of_command(home.clone(), None)).await?;
    let Some(record) = DaemonRecord::read(&home) else { bail!("the daemon went away at once") };
    let word = if before == Some(record.pid) { "already running" } else { "started" };
    ui::say(&format!("daemon {word}: pid {}, port {}", record.pid, record.port));
    Ok(Exit::Ok)
}

/// Ends it.
pub async fn stop(home: Home) -> anyhow::Result<Exit> {
    if end(&home).await? {
        ui::say("daemon stopped");
    } else {
        ui::say("no daemon was running");
    }
    Ok(Exit::Ok)
}

/// Ends it and starts it again.
pub async fn restart(home: Home) -> anyhow::Result<Exit> {
    end(&home).await?;
    start(home).await
}

/// Ends it. Whether there was one to end.
pub async fn end(home: &Home) -> anyhow::Result<bool> {
    let before = DaemonRecord::read(home).map(|record| record.token);
    let asked = match Client::connect(only_running(home.clone())).await {
        Ok(client) => client.admin(Admin::Stop).await.map(drop),
        Err(error) => Err(error),
    };
    match asked {
        // It may end before it has answered.
        Ok(()) | Err(ClientError::Lost) => {}
        Err(ClientError::NotRunning) if Lock::try_take(&home.daemon_lock())?.is_some() => {
            return Ok(false);
        }
        // One of another version does not take the question, but the signal. One that is there and
        // does not answer takes it as soon as it runs again.
        Err(ClientError::NotRunning | ClientError::Refused { .. }) => {
            // Without a listener it ends already.
            if let Some(pid) = listening(home).await {
                spawn::ask_to_end(pid)?;
            }
        }
        Err(error) => return Err(error.into()),
    }
    let deadline = Instant::now() + END;
    while Lock::try_take(&home.daemon_lock())?.is_none() {
        // An agent may have needed it at once: the lock is its successor's.
        if DaemonRecord::read(home).is_some_and(|record| before.as_ref() != Some(&record.token)) {
            break;
        }
        if Instant::now() > deadline {
            bail!("the daemon was asked to end and has not done so in {} s", END.as_secs());
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(true)
}

/// The process that listens on the socket, as the system tells. The record of a dead daemon may name
/// a process that is another program's by now.
async fn listening(home: &Home) -> Option<u32> {
    let record = DaemonRecord::read(home)?;
    local::connect(&record.socket).await.ok()?.peer_pid()
}

/// Says how it is, without starting it.
pub async fn status(home: Home, format: Format) -> anyhow::Result<Exit> {
    let body = match Client::connect(only_running(home.clone())).await {
        Ok(client) => client.admin(Admin::Status).await?,
        Err(ClientError::NotRunning) => {
            match format {
                Format::Json => {
                    ui::say(&json!({"running": false, "home": home.root()}).to_string())
                }
                Format::Text => ui::say("daemon is not running; it starts with the first call"),
            }
            return Ok(Exit::NotConnected);
        }
        Err(error) => return Err(error.into()),
    };
    let report = report(&home, body);
    match format {
        Format::Json => ui::say(&report.to_string()),
        Format::Text => status::lines(&report).iter().for_each(|line| ui::say(line)),
    }
    Ok(Exit::Ok)
}

/// The daemon's answer in one flat object.
pub fn report(home: &Home, body: Value) -> Value {
    let Value::Object(mut report) = body else { return json!({"running": true}) };
    report.insert("running".into(), true.into());
    report.insert("home".into(), json!(home.root()));
    if let Some(millis) = report.remove("uptimeMs").and_then(|value| value.as_u64()) {
        report.insert("uptime_s".into(), (millis / 1000).into());
    }
    if let Some(Value::Object(engine)) = report.remove("engine") {
        for (name, value) in engine {
            report.entry(name).or_insert(value);
        }
    }
    Value::Object(report)
}

/// The log that was written last.
fn newest_log(home: &Home) -> anyhow::Result<Option<PathBuf>> {
    let mut logs = Vec::new();
    for entry in std::fs::read_dir(home.log_dir())? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("pillion") {
            logs.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    Ok(logs.into_iter().max().map(|(_, path)| path))
}

/// Prints the end of its log, and what comes when asked to follow.
pub async fn logs(home: Home, follow: bool) -> anyhow::Result<Exit> {
    for line in std::fs::read_to_string(home.start_log()).unwrap_or_default().lines() {
        ui::note(line);
    }
    let Some(path) = newest_log(&home)? else {
        ui::note(&format!("no log yet in {}", home.log_dir().display()));
        return Ok(Exit::Ok);
    };
    let mut file = std::fs::File::open(&path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
    let mut partial = String::new();
    // The first line of the tail is cut, unless the tail is all.
    let mut skip = length > TAIL_BYTES;
    loop {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        partial.push_str(&String::from_utf8_lossy(&bytes));
        while let Some((line, rest)) = partial.split_once('\n') {
            if !std::mem::take(&mut skip) {
                ui::say(line);
            }
            partial = rest.to_owned();
        }
        if !follow {
            return Ok(Exit::Ok);
        }
        tokio::select! {
            () = tokio::time::sleep(FOLLOW) => {}
            _ = tokio::signal::ctrl_c() => return Ok(Exit::Ok),
        }
    }
}
