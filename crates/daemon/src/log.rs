//! The daemon's log: JSON lines, one file a day, seven kept. No frame is ever logged, and a panic
//! leaves its place but not its words, which may hold page text.

use pillion_wire::limits::LOG_FILES;
use std::path::Path;
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
        .with_writer(writer)
        .finish();
    // Another subscriber stays when the host process already has one.
    tracing::subscriber::set_global_default(subscriber).ok()?;
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
    Some(guard)
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
