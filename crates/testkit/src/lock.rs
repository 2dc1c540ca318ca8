//! The three ports of the daemon belong to the machine, not to a home: whoever runs a real daemon
//! for a test holds this lock, so that two test runs cannot meet each other's.

use anyhow::Result;
use std::fs::File;
use std::time::{Duration, Instant};

/// How long another test run may hold the lock.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// Held while a real daemon may listen on the fixed ports.
pub struct OneDaemon {
    _file: File,
}

impl OneDaemon {
    /// Wait for the lock.
    pub fn lock() -> Result<Self> {
        let path = std::env::temp_dir().join("pillion-test.lock");
        let file = File::options().create(true).append(true).open(&path)?;
        let end = Instant::now() + PATIENCE;
        while file.try_lock().is_err() {
            anyhow::ensure!(Instant::now() < end, "another test run holds {}", path.display());
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(Self { _file: file })
    }
}
