//! How the program ends, for scripts.

use pillion_wire::code::Code;
use pillion_wire::local::Reply;
use std::process::ExitCode;

/// Exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Ok,
    /// It did not work; the text says why.
    Failed,
    /// The command line is wrong.
    Usage,
    /// No daemon or no browser.
    NotConnected,
    /// The user has to do something first; the same command again goes on.
    Pending,
    /// It may or may not have happened.
    Unknown,
    /// Ended by Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The status of a tool's reply.
    pub fn of(reply: &Reply) -> Self {
        match reply.failure.as_ref().map(|failure| failure.code) {
            None if reply.ok => Self::Ok,
            None => Self::Failed,
            Some(code) => match code {
                Code::InvalidArgument => Self::Usage,
                Code::NotConnected | Code::ProfileDisconnected | Code::VersionMismatch => {
                    Self::NotConnected
                }
                Code::PairingPending | Code::ApprovalPending | Code::AskPending => Self::Pending,
                Code::OutcomeUnknown => Self::Unknown,
                _ => Self::Failed,
            },
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Ok => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::NotConnected => 3,
            Exit::Pending => 4,
            Exit::Unknown => 5,
            Exit::Interrupted => 130,
        })
    }
}
