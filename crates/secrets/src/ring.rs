//! The system's keyring: Keychain, Credential Manager, or the Secret Service of a desktop. Each question
//! in a thread of its own: the keyring may wait for its user.

use keyring::{Entry, Error};
use pillion_os::home::Home;
use pillion_wire::limits::KEYRING;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;

/// The name under which keyrings show what is ours.
const SERVICE: &str = "pillion";

/// Why the keyring did not do it. Its own words may hold what was to be kept, and are not repeated.
#[derive(Debug, thiserror::Error)]
pub enum RingError {
    /// There is none here.
    #[error("there is no keyring here; PILLION_SECRETS=file keeps secrets in an encrypted file")]
    Absent,
    /// It is locked and its user did not open it.
    #[error("the keyring is locked; unlock it and try again")]
    Locked,
    /// It waits for its user.
    #[error("the keyring did not answer within {} s; it may wait for you to unlock it", KEYRING.as_secs())]
    Silent,
    /// Anything else.
    #[error("the keyring failed; PILLION_SECRETS=file keeps secrets in an encrypted file")]
    Failed,
}

pub(crate) fn is_there() -> Result<(), RingError> {
    ask(|| match Entry::store_status() {
        Ok(()) => Ok(()),
        Err(_) => Err(RingError::Absent),
    })
}

pub(crate) fn set(home: &Home, name: &str, text: String) -> Result<(), RingError> {
    let user = user(home, name);
    ask(move || entry(&user)?.set_secret(text.as_bytes()).map_err(told))
}

pub(crate) fn get(home: &Home, name: &str) -> Result<Option<String>, RingError> {
    let user = user(home, name);
    ask(move || match entry(&user)?.get_secret() {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| RingError::Failed),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(told(error)),
    })
}

pub(crate) fn remove(home: &Home, name: &str) -> Result<(), RingError> {
    let user = user(home, name);
    ask(move || match entry(&user)?.delete_credential() {
        Ok(()) | Err(Error::NoEntry) => Ok(()),
        Err(error) => Err(told(error)),
    })
}

/// Two homes of one user do not share names.
fn user(home: &Home, name: &str) -> String {
    format!("{:016x}/{name}", home.fingerprint())
}

fn entry(user: &str) -> Result<Entry, RingError> {
    Entry::new(SERVICE, user).map_err(told)
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn told(error: Error) -> RingError {
    match error {
        Error::NoDefaultStore => RingError::Absent,
        Error::NoStorageAccess(_) => RingError::Locked,
        _ => RingError::Failed,
    }
}

fn ask<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RingError> + Send + 'static,
) -> Result<T, RingError> {
    let (answer, answered) = sync_channel(1);
    let thread = thread::Builder::new().name("keyring".to_owned()).spawn(move || {
        // Nobody waits any more after the time is over.
        answer.send(work()).ok();
    });
    thread.map_err(|_| RingError::Failed)?;
    answered.recv_timeout(KEYRING).unwrap_or_else(|error| match error {
        RecvTimeoutError::Timeout => Err(RingError::Silent),
        RecvTimeoutError::Disconnected => Err(RingError::Failed),
    })
}
