//! What can go wrong between a thin process and the daemon, in words that say what to do.

use pillion_wire::code::Code;
use pillion_wire::local::Reply;
use std::io;
use std::path::PathBuf;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// It does not run, and this command does not start it.
    #[error("Pillion's daemon is not running")]
    NotRunning,
    /// It could not be started.
    #[error("Pillion's daemon could not be started: {reason}. Its log: {}", log.display())]
    Start {
        /// What happened.
        reason: String,
        /// Where to read more.
        log: PathBuf,
    },
    /// It failed to start too often in the last minute.
    #[error(
        "Pillion's daemon failed to start {count} times in the last minute, so it is not tried \
         again before {wait_s} s. The last reason: {reason}. Its log: {}", log.display()
    )]
    TooManyStarts {
        /// How often.
        count: usize,
        /// When it is tried again.
        wait_s: u64,
        /// What happened last.
        reason: String,
        /// Where to read more.
        log: PathBuf,
    },
    /// It runs and says nothing.
    #[error(
        "Pillion's daemon{} runs but does not answer. `pillion daemon stop` ends it", of_pid(*pid)
    )]
    Silent {
        /// Its process, as far as it is known.
        pid: Option<u32>,
    },
    /// It is elsewhere, and there is no way to it.
    #[error("Pillion cannot be reached through {name}: {reason}")]
    Via {
        /// `ssh:HOST`.
        name: String,
        /// What happened.
        reason: String,
    },
    /// It does not want this connection.
    #[error("{message}")]
    Refused {
        /// Why.
        code: Code,
        /// In words.
        message: String,
    },
    /// The connection broke.
    #[error("the connection with Pillion's daemon broke")]
    Lost,
    /// It answered an admin question with an error.
    #[error("{0}")]
    Daemon(String),
    /// The file system said no.
    #[error("{0}")]
    Io(#[from] io::Error),
}

fn of_pid(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

impl ClientError {
    /// As the answer to a call.
    pub fn into_reply(self) -> Reply {
        let (code, text) = match self {
            Self::Refused { code, message } => {
                let prefix = format!("{}: ", code.as_str());
                (code, message.strip_prefix(&prefix).unwrap_or(&message).to_owned())
            }
            Self::NotRunning
            | Self::Start { .. }
            | Self::TooManyStarts { .. }
            | Self::Silent { .. }
            | Self::Via { .. } => (Code::NotConnected, format!("{self}. Nothing was done.")),
            Self::Lost | Self::Daemon(_) | Self::Io(_) => (Code::Internal, self.to_string()),
        };
        crate::failed(code, text)
    }
}
