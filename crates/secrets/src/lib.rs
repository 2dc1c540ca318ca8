//! Secrets that agents may use and never see. A value lies in the system's keyring, or in an encrypted
//! file where there is none; beside it a list of names, sites and times without values.
//!
//! The sites that a secret is bound to are sealed with its value: who edits the list changes nothing.
//! Works without a daemon. Every call blocks, at most [`pillion_wire::limits::KEYRING`].

mod list;
mod ring;
mod vault;

use list::Listed;
pub use list::{Entry, Place};
use pillion_core::secret;
use pillion_os::home::Home;
use pillion_os::lock::Lock;
use pillion_wire::limits::{SECRET_BYTES, SECRET_LEAST_CHARS, SECRET_ORIGINS, SECRETS_LOCK};
pub use ring::RingError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// `file`: the encrypted file even where there is a keyring. `keyring`: the keyring or nothing.
pub const PLACE_ENV: &str = "PILLION_SECRETS";
/// Between two looks at a lock that another process holds.
const LOCK_LOOK: Duration = Duration::from_millis(20);

/// Why a secret could not be kept or found.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// It is not a name.
    #[error("a secret's name is 1 to 64 of a-z, 0-9, _ and -")]
    Name,
    /// It is not a value.
    #[error(
        "a secret is one line of {SECRET_LEAST_CHARS} characters to {SECRET_BYTES} bytes, without \
         control characters"
    )]
    Value,
    /// None or too many sites.
    #[error("a secret is bound to 1 to {SECRET_ORIGINS} sites")]
    Origins,
    /// Nothing has that name.
    #[error("there is no secret `{0}`")]
    NotFound(String),
    /// The keyring did not do it.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// The encrypted file or its key is not as it was written.
    #[error("`{0}` is damaged or its key is another one; set the secret again")]
    Sealed(PathBuf),
    /// A file of a newer or damaged make.
    #[error("`{path}` cannot be read: {source}")]
    List {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A file cannot be used.
    #[error("cannot use `{path}`: {source}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process writes all the time.
    #[error("another process holds the list of secrets; try again")]
    Busy,
}

impl SecretsError {
    fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |source| Self::Io { path, source }
    }
}

/// A secret with its value. Is sealed as it stands.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secret {
    name: String,
    /// The value.
    pub value: String,
    /// The sites that it may go to, as [`secret::origin`] writes them.
    pub origins: Vec<String>,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Where values are to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Either,
    Keyring,
    File,
}

/// The secrets of one home.
#[derive(Debug, Clone)]
pub struct Store {
    home: Home,
    choice: Choice,
}

impl Store {
    /// The secrets of that home; reads [`PLACE_ENV`].
    pub fn open(home: &Home) -> Self {
        let choice = match std::env::var(PLACE_ENV).as_deref() {
            Ok("file") => Choice::File,
            Ok("keyring") => Choice::Keyring,
            _ => Choice::Either,
        };
        Self { home: home.clone(), choice }
    }

    /// Keeps a value under a name, in place of what had that name. Says where.
    ///
    /// # Errors
    /// When name, value or sites are not fit to be kept, or cannot be.
    pub fn set(&self, name: &str, value: &str, origins: &[String]) -> Result<Place, SecretsError> {
        let sealed = checked(name, value, origins)?;
        let _lock = self.lock()?;
        let mut list = Listed::read(&self.home)?;
        let place = self.place()?;
        // Under the list's lock, and listed last: what is listed can be found.
        match place {
            Place::Keyring => ring::set(&self.home, name, to_text(&sealed))?,
            Place::File => vault::set(&self.home, name, &to_text(&sealed))?,
        }
        let before =
            list.put(Entry { name: name.to_owned(), origins: sealed.origins, place, used: None });
        list.write(&self.home)?;
        if let Some(old) = before.filter(|old| old.place != place) {
            self.forget(&old)?;
        }
        Ok(place)
    }

    /// Names, sites and times, by name.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn list(&self) -> Result<Vec<Entry>, SecretsError> {
        Ok(Listed::read(&self.home)?.entries)
    }

    /// The secret of that name.
    ///
    /// # Errors
    /// [`SecretsError::NotFound`]; others when it is there and cannot be had.
    pub fn reveal(&self, name: &str) -> Result<Secret, SecretsError> {
        let missing = || SecretsError::NotFound(name.to_owned());
        let list = Listed::read(&self.home)?;
        let entry = list.entries.into_iter().find(|entry| entry.name == name);
        let text = match entry.ok_or_else(missing)?.place {
            Place::Keyring => ring::get(&self.home, name)?,
            Place::File => vault::get(&self.home, name)?,
        };
        let secret: Secret = serde_json::from_str(&text.ok_or_else(missing)?)
            .map_err(|_| SecretsError::Sealed(vault::path(&self.home)))?;
        // A value that was moved under another name would bring its sites with it; it is another one.
        if secret.name == name { Ok(secret) } else { Err(missing()) }
    }

    /// Forgets it; false when there was none.
    ///
    /// # Errors
    /// When it is there and stays.
    pub fn remove(&self, name: &str) -> Result<bool, SecretsError> {
        let _lock = self.lock()?;
        let mut list = Listed::read(&self.home)?;
        let Some(entry) = list.take(name) else { return Ok(false) };
        self.forget(&entry)?;
        list.write(&self.home)?;
        Ok(true)
    }

    /// It was used at that time, seconds since 1970.
    ///
    /// # Errors
    /// When the list cannot be written.
    pub fn used(&self, name: &str, at: u64) -> Result<(), SecretsError> {
        let _lock = self.lock()?;
        let mut list = Listed::read(&self.home)?;
        if let Some(entry) = list.entries.iter_mut().find(|entry| entry.name == name) {
            entry.used = Some(at);
            list.write(&self.home)?;
        }
        Ok(())
    }

    fn forget(&self, entry: &Entry) -> Result<(), SecretsError> {
        match entry.place {
            Place::Keyring => Ok(ring::remove(&self.home, &entry.name)?),
            Place::File => vault::remove(&self.home, &entry.name),
        }
    }

    fn place(&self) -> Result<Place, SecretsError> {
        match self.choice {
            Choice::File => Ok(Place::File),
            Choice::Keyring => Ok(ring::is_there().map(|()| Place::Keyring)?),
            Choice::Either => Ok(ring::is_there().map_or(Place::File, |()| Place::Keyring)),
        }
    }

    fn lock(&self) -> Result<Lock, SecretsError> {
        let path = self.home.state_dir().join("secrets.lock");
        let until = Instant::now() + SECRETS_LOCK;
        loop {
            if let Some(lock) = Lock::try_take(&path).map_err(SecretsError::io(&path))? {
                return Ok(lock);
            }
            if Instant::now() >= until {
                return Err(SecretsError::Busy);
            }
            std::thread::sleep(LOCK_LOOK);
        }
    }
}

fn checked(name: &str, value: &str, origins: &[String]) -> Result<Secret, SecretsError> {
    if !secret::is_name(name) {
        return Err(SecretsError::Name);
    }
    let is_long_enough = value.chars().count() >= SECRET_LEAST_CHARS && !value.trim().is_empty();
    if !is_long_enough || value.len() > SECRET_BYTES || value.chars().any(char::is_control) {
        return Err(SecretsError::Value);
    }
    let mut origins = origins.to_vec();
    origins.sort();
    origins.dedup();
    if !(1..=SECRET_ORIGINS).contains(&origins.len()) {
        return Err(SecretsError::Origins);
    }
    Ok(Secret { name: name.to_owned(), value: value.to_owned(), origins })
}

fn to_text(secret: &Secret) -> String {
    serde_json::json!(secret).to_string()
}

#[cfg(test)]
mod tests;
