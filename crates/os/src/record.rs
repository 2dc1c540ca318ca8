//! `daemon.json`: how to reach the running daemon. Written by the daemon, read by thin processes.
//! Whoever can read it is the same user, so it carries the token.

use crate::file;
use crate::home::Home;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// Content of `daemon.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonRecord {
    /// Its process.
    pub pid: u32,
    /// The loopback port on which extensions find it.
    pub port: u16,
    /// Its version.
    pub version: String,
    /// Its protocol number.
    pub proto: u32,
    /// Must be in every hello.
    pub token: String,
    /// The local socket; differs from the home's own when that path is too long.
    pub socket: PathBuf,
}

impl DaemonRecord {
    /// What the last daemon wrote; `None` when there is nothing readable.
    pub fn read(home: &Home) -> Option<Self> {
        let bytes = std::fs::read(home.daemon_json()).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Says how to reach this daemon. Called once it listens, never before.
    pub fn write(&self, home: &Home) -> io::Result<()> {
        let bytes = serde_json::to_vec_pretty(self).map_err(io::Error::other)?;
        file::write_atomic(&home.daemon_json(), &bytes)
    }

    /// Removes the record if it is still this daemon's own.
    pub fn remove(&self, home: &Home) -> io::Result<()> {
        match Self::read(home) {
            Some(there) if there.token == self.token => file::remove_if_there(&home.daemon_json()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_successors_record_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(Some(&dir.path().join("h"))).unwrap();
        let record = |token: &str| DaemonRecord {
            pid: 1,
            port: 2,
            version: "0".into(),
            proto: 1,
            token: token.into(),
            socket: home.socket_path().unwrap(),
        };
        record("old").write(&home).unwrap();
        record("new").write(&home).unwrap();
        record("old").remove(&home).unwrap();
        assert_eq!(DaemonRecord::read(&home), Some(record("new")));
        record("new").remove(&home).unwrap();
        assert_eq!(DaemonRecord::read(&home), None);
    }
}
