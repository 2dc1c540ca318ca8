//! Remembers daemons that failed to start, so that a broken one is not started in a loop. A
//! daemon that starts well is never counted: restarting one is nobody's fault.

use pillion_os::file;
use pillion_os::home::Home;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Failures in [`WINDOW`] after which nothing is started.
const LIMIT: usize = 3;
/// See [`LIMIT`].
const WINDOW: Duration = Duration::from_secs(60);

/// Failed starts of the last minute. Changed only under the start lock.
pub(crate) struct Starts {
    path: PathBuf,
    now: u64,
    /// Second and reason, oldest first.
    failures: Vec<(u64, String)>,
}

/// No start is due.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooMany {
    pub(crate) count: usize,
    pub(crate) wait_s: u64,
    pub(crate) reason: String,
}

impl Starts {
    pub(crate) fn read(home: &Home) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        Self::read_at(home, now)
    }

    fn read_at(home: &Home, now: u64) -> Self {
        let path = home.run_dir().join("failed-starts");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let failures = text
            .lines()
            .filter_map(|line| {
                let (second, reason) = line.split_once(' ')?;
                Some((second.parse().ok()?, reason.to_owned()))
            })
            .filter(|(second, _)| now.saturating_sub(*second) < WINDOW.as_secs() && *second <= now)
            .collect();
        Self { path, now, failures }
    }

    /// Whether another start may be tried.
    pub(crate) fn check(&self) -> Result<(), TooMany> {
        match (self.failures.first(), self.failures.last()) {
            (Some((first, _)), Some((_, reason))) if self.failures.len() >= LIMIT => Err(TooMany {
                count: self.failures.len(),
                wait_s: WINDOW.as_secs().saturating_sub(self.now - first),
                reason: reason.clone(),
            }),
            _ => Ok(()),
        }
    }

    pub(crate) fn failed(mut self, reason: &str) -> io::Result<()> {
        self.failures.push((self.now, reason.replace('\n', " ")));
        let lines: String =
            self.failures.iter().map(|(second, reason)| format!("{second} {reason}\n")).collect();
        file::write_atomic(&self.path, lines.as_bytes())
    }

    pub(crate) fn succeeded(self) -> io::Result<()> {
        file::remove_if_there(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_stop_the_fourth_start_until_a_minute_has_passed() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(Some(&dir.path().join("h"))).unwrap();
        for second in 100..103 {
            let starts = Starts::read_at(&home, second);
            starts.check().unwrap();
            starts.failed("no port").unwrap();
        }
        let refused = Starts::read_at(&home, 110).check().unwrap_err();
        assert_eq!(refused, TooMany { count: 3, wait_s: 50, reason: "no port".into() });
        Starts::read_at(&home, 160).check().unwrap();
        Starts::read_at(&home, 110).succeeded().unwrap();
        Starts::read_at(&home, 110).check().unwrap();
    }

    #[test]
    fn a_clock_that_jumped_locks_nobody_out() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(Some(&dir.path().join("h"))).unwrap();
        for second in 1_000..1_003 {
            Starts::read_at(&home, second).failed("no port").unwrap();
        }
        Starts::read_at(&home, 1_003).check().unwrap_err();
        Starts::read_at(&home, 10).check().unwrap();
        Starts::read_at(&home, 1_000_000).check().unwrap();
        // Failures of the clock as it is now count as ever.
        for second in 10..13 {
            Starts::read_at(&home, second).failed("no port").unwrap();
        }
        Starts::read_at(&home, 13).check().unwrap_err();
    }
}
