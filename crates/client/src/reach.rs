//! Gets to the daemon: connects to the one that runs, or starts one. Many processes may do this at
//! the same moment; the start lock lets one of them start it and the others wait for it.

use crate::Options;
use crate::connection::{Connection, line_of};
use crate::error::ClientError;
use crate::starts::Starts;
use pillion_os::home::Home;
use pillion_os::local::{self, LineReader, write_line};
use pillion_os::lock::Lock;
use pillion_os::record::DaemonRecord;
use pillion_os::spawn::{self, Detached};
use pillion_wire::code::Code;
use pillion_wire::limits::{FRAME_BYTES, HANDSHAKE_TIME};
use pillion_wire::local::{Hello, ToClient, ToDaemon};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::Instant;

/// From the first try to the welcome of a daemon that has to be started.
const START: Duration = Duration::from_secs(5);
/// Pause between two looks while a daemon starts.
const LOOK: Duration = Duration::from_millis(5);

/// Whether to start a daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// With this program: `PROGRAM daemon run --home HOME --detached`.
    With(PathBuf),
    /// Only look for one that runs.
    Never,
}

/// The record of the running daemon, without connecting. A record left by a dead one is `None`.
pub fn running(home: &Home) -> Option<DaemonRecord> {
    DaemonRecord::read(home).filter(|record| spawn::is_alive(record.pid))
}

pub(crate) async fn connect(options: &Options) -> Result<Connection, ClientError> {
    match attempt(options).await {
        Ok(connection) => return Ok(connection),
        Err(Miss::Final(error)) => return Err(error),
        Err(Miss::NotThere(_)) => {}
    }
    let Launch::With(program) = &options.launch else { return Err(ClientError::NotRunning) };
    let deadline = Instant::now() + START;
    loop {
        // Blocking on the lock would need a thread; a look every few milliseconds does not.
        if let Some(_lock) = Lock::try_take(&options.home.start_lock())? {
            return start(options, program.clone(), deadline).await;
        }
        match attempt(options).await {
            Ok(connection) => return Ok(connection),
            Err(Miss::Final(error)) => return Err(error),
            Err(Miss::NotThere(reason)) if Instant::now() > deadline => {
                let log = options.home.start_log();
                return Err(ClientError::Start { reason, log });
            }
            Err(Miss::NotThere(_)) => tokio::time::sleep(LOOK).await,
        }
    }
}

/// Starts a daemon. The caller holds the start lock.
async fn start(
    options: &Options,
    program: PathBuf,
    deadline: Instant,
) -> Result<Connection, ClientError> {
    // Another process may have started it while this one waited for the lock.
    match attempt(options).await {
        Ok(connection) => return Ok(connection),
        Err(Miss::Final(error)) => return Err(error),
        Err(Miss::NotThere(_)) => {}
    }
    let home = &options.home;
    let log = home.start_log();
    let starts = Starts::read(home);
    starts.check().map_err(|too_many| ClientError::TooManyStarts {
        count: too_many.count,
        wait_s: too_many.wait_s,
        reason: too_many.reason,
        log: log.clone(),
    })?;
    let arguments: [OsString; 5] = [
        "daemon".into(),
        "run".into(),
        "--detached".into(),
        "--home".into(),
        home.root().as_os_str().to_owned(),
    ];
    let spawned = spawn::detached(&program, &arguments, &log);
    let outcome = match spawned {
        Ok(daemon) => wait_for(options, daemon, deadline).await,
        Err(error) => Err(Miss::NotThere(format!("{}: {error}", program.display()))),
    };
    match outcome {
        Ok(connection) => {
            // Only the next failure would read it.
            starts.succeeded().ok();
            Ok(connection)
        }
        Err(Miss::Final(error)) => Err(error),
        Err(Miss::NotThere(reason)) => {
            // The reason itself is what the caller needs.
            starts.failed(&reason).ok();
            Err(ClientError::Start { reason, log })
        }
    }
}

async fn wait_for(
    options: &Options,
    mut daemon: Detached,
    deadline: Instant,
) -> Result<Connection, Miss> {
    loop {
        tokio::time::sleep(LOOK).await;
        match attempt(options).await {
            Ok(connection) => {
                daemon.forget().map_err(|error| Miss::Final(error.into()))?;
                return Ok(connection);
            }
            Err(Miss::Final(error)) => return Err(Miss::Final(error)),
            Err(Miss::NotThere(reason)) => {
                if let Ok(Some(status)) = daemon.ended() {
                    let words = last_words(&options.home);
                    return Err(Miss::NotThere(format!("{status}{words}")));
                }
                if Instant::now() > deadline {
                    return Err(Miss::NotThere(format!(
                        "no welcome in {} s: {reason}",
                        START.as_secs()
                    )));
                }
            }
        }
    }
}

/// The last line that it printed, as far as a reader wants it.
fn last_words(home: &Home) -> String {
    const CHARS: usize = 300;
    let text = std::fs::read_to_string(home.start_log()).unwrap_or_default();
    let Some(line) = text.lines().last() else { return String::new() };
    let line: String = line.strip_prefix("pillion: ").unwrap_or(line).chars().take(CHARS).collect();
    format!(": {line}")
}

/// Why a try gave no connection.
enum Miss {
    /// No daemon there, or not yet.
    NotThere(String),
    /// There is one, and it is no use to try again.
    Final(ClientError),
}

async fn attempt(options: &Options) -> Result<Connection, Miss> {
    let record = DaemonRecord::read(&options.home)
        .ok_or_else(|| Miss::NotThere("no daemon.json".to_owned()))?;
    let work = greet(options, &record);
    match tokio::time::timeout(HANDSHAKE_TIME, work).await {
        Ok(result) => result,
        Err(_) => Err(Miss::NotThere("it does not answer its socket".to_owned())),
    }
}

async fn greet(options: &Options, record: &DaemonRecord) -> Result<Connection, Miss> {
    let broken = |error: std::io::Error| Miss::NotThere(error.to_string());
    let stream = local::connect(&record.socket).await.map_err(broken)?;
    let (reader, mut writer) = stream.split();
    let hello = ToDaemon::Hello(Hello {
        proto: pillion_wire::PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        token: record.token.clone(),
        role: options.role,
        client: options.client.clone(),
        resume: options.resume.clone(),
        cwd: options.cwd.clone(),
        roots: options.roots.clone(),
        budget_percent: options.budget_percent,
        tools: options.tools.clone(),
    });
    write_line(&mut writer, &line_of(&hello)).await.map_err(broken)?;
    let mut lines = LineReader::new(reader, FRAME_BYTES);
    let line = lines.next().await.map_err(broken)?;
    let answer = line.as_deref().map(serde_json::from_str::<ToClient>);
    match answer {
        Some(Ok(ToClient::Welcome { proto, version, session, resume })) => {
            if proto != pillion_wire::PROTOCOL {
                return Err(Miss::Final(mismatch(&version)));
            }
            Ok(Connection::start(session, resume, lines, writer))
        }
        Some(Ok(ToClient::Refused { code: Code::VersionMismatch, message })) => {
            Err(Miss::Final(ClientError::Refused { code: Code::VersionMismatch, message }))
        }
        // A wrong token may be that of a daemon that died a moment ago: look again.
        Some(Ok(ToClient::Refused { message, .. })) => Err(Miss::NotThere(message)),
        _ => Err(Miss::NotThere("it closed the connection".to_owned())),
    }
}

fn mismatch(theirs: &str) -> ClientError {
    let ours = env!("CARGO_PKG_VERSION");
    ClientError::Refused {
        code: Code::VersionMismatch,
        message: format!(
            "the running daemon is Pillion {theirs}, this program is {ours}, and they do not \
             understand each other. Run `pillion daemon restart`; if that does not help, install \
             one version"
        ),
    }
}
