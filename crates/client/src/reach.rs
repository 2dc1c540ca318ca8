//! Gets to the daemon: connects to the one that runs, or starts one. Many processes may do this at
//! the same moment; the start lock lets one of them start it and the others wait for it.

use crate::greeting::{Greeted, Miss, greet};
use crate::starts::Starts;
use crate::via::{self, Via};
use crate::{ClientError, Options};
use pillion_os::home::Home;
use pillion_os::local;
use pillion_os::lock::Lock;
use pillion_os::record::DaemonRecord;
use pillion_os::spawn::{self, Detached};
use pillion_os::version;
use pillion_wire::limits::HANDSHAKE_TIME;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::Instant;

/// From the first try to the welcome of a daemon that has to be started.
const START: Duration = Duration::from_secs(5);
/// Pause between two looks while a daemon starts.
const LOOK: Duration = Duration::from_millis(5);

/// Where the daemon is, and whether to start it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// Here. Started with this program: `PROGRAM daemon run --home HOME --detached`.
    With(PathBuf),
    /// Here. Only look for one that runs.
    Never,
    /// On another machine or in a container, where `pillion stdio` starts it.
    Via(Via),
}

/// The record of the running daemon, without connecting. A record left by a dead one is `None`.
pub fn running(home: &Home) -> Option<DaemonRecord> {
    DaemonRecord::read(home).filter(|record| spawn::is_alive(record.pid))
}

/// A welcomed connection with the daemon.
pub(crate) async fn connect(options: &Options) -> Result<Greeted, ClientError> {
    let program = match &options.launch {
        Launch::Via(via) => return via::connect(options, via).await,
        Launch::With(program) => Some(program),
        Launch::Never => None,
    };
    match attempt(options).await {
        Ok(greeted) => {
            return match program {
                Some(program) => newest(options, program, greeted).await,
                None => Ok(greeted),
            };
        }
        Err(Miss::Final(error)) => return Err(error),
        Err(Miss::NotThere(_)) => {}
    }
    let Some(program) = program else { return Err(ClientError::NotRunning) };
    let deadline = Instant::now() + START;
    loop {
        // Blocking on the lock would need a thread; a look every few milliseconds does not.
        if let Some(_lock) = Lock::try_take(&options.home.start_lock())? {
            return start(options, program, deadline).await;
        }
        match attempt(options).await {
            Ok(greeted) => return Ok(greeted),
            Err(Miss::Final(error)) => return Err(error),
            Err(Miss::NotThere(reason)) if Instant::now() > deadline => {
                let log = options.home.start_log();
                return Err(ClientError::Start { reason, log });
            }
            Err(Miss::NotThere(_)) => tokio::time::sleep(LOOK).await,
        }
    }
}

/// The connection, or one with a daemon of this program's version in its place: an older daemon
/// that nobody else uses gives way. An older one that is in use, and a newer one, are used.
async fn newest(
    options: &Options,
    program: &Path,
    mut greeted: Greeted,
) -> Result<Greeted, ClientError> {
    if !version::is_newer(version::version(), &greeted.version) {
        return Ok(greeted);
    }
    // Whoever has the lock replaces or starts it at this very moment.
    let Some(_lock) = Lock::try_take(&options.home.start_lock())? else { return Ok(greeted) };
    let leaves = tokio::time::timeout(HANDSHAKE_TIME, greeted.ask_to_retire()).await;
    if let Ok(Some(false)) = leaves {
        return Ok(greeted);
    }
    // It goes, or does not know the question and closed the connection: either way a new one.
    drop(greeted);
    start(options, program, Instant::now() + START).await
}

/// Starts a daemon unless there is one after all. The caller holds the start lock.
async fn start(
    options: &Options,
    program: &Path,
    deadline: Instant,
) -> Result<Greeted, ClientError> {
    let home = &options.home;
    // Another process may have started it while this one waited for the lock. One that ends, or
    // that does not answer, still has its own lock: a second one could not start beside it.
    loop {
        match attempt(options).await {
            Ok(greeted) => return Ok(greeted),
            Err(Miss::Final(error)) => return Err(error),
            Err(Miss::NotThere(_)) => {}
        }
        if Lock::try_take(&home.daemon_lock())?.is_some() {
            break;
        }
        if Instant::now() > deadline {
            let pid = DaemonRecord::read(home).map(|record| record.pid);
            return Err(ClientError::Silent { pid });
        }
        tokio::time::sleep(LOOK).await;
    }
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
    let spawned = spawn::detached(program, &arguments, &log);
    let outcome = match spawned {
        Ok(daemon) => wait_for(options, daemon, deadline).await,
        Err(error) => Err(Miss::NotThere(format!("{}: {error}", program.display()))),
    };
    match outcome {
        Ok(greeted) => {
            // Only the next failure would read it.
            starts.succeeded().ok();
            Ok(greeted)
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
) -> Result<Greeted, Miss> {
    loop {
        tokio::time::sleep(LOOK).await;
        match attempt(options).await {
            Ok(greeted) => {
                daemon.forget().map_err(|error| Miss::Final(error.into()))?;
                return Ok(greeted);
            }
            Err(Miss::Final(error)) => return Err(Miss::Final(error)),
            Err(Miss::NotThere(reason)) => {
                let ended = daemon.ended().ok().flatten();
                // A process that died in between may have started another one, which is not there yet.
                let other = ended.is_some()
                    && Lock::try_take(&options.home.daemon_lock()).is_ok_and(|lock| lock.is_none());
                if let Some(status) = ended.filter(|_| !other) {
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

async fn attempt(options: &Options) -> Result<Greeted, Miss> {
    let record = DaemonRecord::read(&options.home)
        .ok_or_else(|| Miss::NotThere("no daemon.json".to_owned()))?;
    let work = async {
        let stream = local::connect(&record.socket).await;
        let stream = stream.map_err(|error| Miss::NotThere(error.to_string()))?;
        let (reader, writer) = stream.split();
        greet(options, &record.token, Box::new(reader), Box::new(writer)).await
    };
    match tokio::time::timeout(HANDSHAKE_TIME, work).await {
        Ok(result) => result,
        Err(_) => Err(Miss::NotThere("it does not answer its socket".to_owned())),
    }
}
