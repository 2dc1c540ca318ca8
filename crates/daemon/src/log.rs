//! The daemon's log: JSON lines, one file a day, seven kept. No frame is ever logged, and a panic
//! leaves its place but not its words, which may hold page text.

use pillion_engine::Engine;
use pillion_wire::limits::LOG_FILES;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, OnceLock, Weak};
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

/// `error`, `warn`, `info`, `debug` or `trace`, of our own crates only: what others log at lower
/// levels contains frames.
const LEVEL_ENV: &str = "PILLION_LOG";
const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];
/// Start it for this process. What is returned writes the rest when dropped. A log that cannot be
/// started is no reason not to run.
pub(crate) fn start(folder: &Path) -> Option<WorkerGuard> {
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("pillion")
        .filename_suffix("log")
        .max_log_files(LOG_FILES)
        .build(folder)
        .ok()?;
    let (writer, guard) = tracing_appender::non_blocking(appender);
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_env_filter(filter(&std::env::var(LEVEL_ENV).unwrap_or_default()))
        .with_writer(move || Clean(writer.clone()))
        .finish();
    // Another subscriber stays when the host process already has one.
    tracing::subscriber::set_global_default(subscriber).ok()?;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
    Some(guard)
}

/// The engine whose used secrets no line may hold. The log is one a process, as its engine is.
static ENGINE: OnceLock<Weak<Engine>> = OnceLock::new();

/// From now on no line holds a secret that this engine used.
pub(crate) fn scrub_with(engine: &Arc<Engine>) {
    // Of several daemons in one process, as tests have them, the first one counts.
    ENGINE.set(Arc::downgrade(engine)).ok();
}

/// Takes secrets out of each line. The format writes a line in one piece.
struct Clean<W>(W);

impl<W: Write> Write for Clean<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let engine = ENGINE.get().and_then(Weak::upgrade);
        let line = engine.as_ref().map(|_| String::from_utf8_lossy(bytes));
        match (&engine, &line) {
            (Some(engine), Some(line)) => self.0.write_all(engine.scrubbed(line).as_bytes())?,
            _ => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn filter(level: &str) -> EnvFilter {
    let level = LEVELS.iter().find(|known| level.eq_ignore_ascii_case(known)).unwrap_or(&"info");
    // A directive holds for every target that begins so: all of our crates.
    EnvFilter::new(format!("off,pillion={level}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_crates_are_logged() {
        for level in ["trace", "TRACE", "nonsense=trace", ""] {
            let filter = filter(level).to_string();
            assert!(filter.contains("off") && !filter.contains("nonsense"), "{filter}");
        }
        assert!(filter("debug").to_string().contains("pillion=debug"));
        assert!(filter("").to_string().contains("pillion=info"));
    }
}
