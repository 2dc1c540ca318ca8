//! The list of secrets: names, sites, where the value lies, when it was last used. Holds no value and
//! is believed in nothing but where to look.

use crate::SecretsError;
use pillion_os::file;
use pillion_os::home::Home;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

const VERSION: u32 = 1;

/// Where a value lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The system's keyring.
    Keyring,
    /// The encrypted file in Pillion's folder.
    File,
}

/// One secret without its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The sites that it is bound to.
    pub origins: Vec<String>,
    /// Where its value lies.
    pub place: Place,
    /// Seconds since 1970 when it was last filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<u64>,
}

/// The whole list, by name.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Listed {
    version: u32,
    #[serde(rename = "secrets")]
    pub(crate) entries: Vec<Entry>,
}

impl Listed {
    pub(crate) fn read(home: &Home) -> Result<Self, SecretsError> {
        let path = path(home);
        match std::fs::read(&path) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map_err(|source| SecretsError::List { path, source })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self { version: VERSION, entries: Vec::new() })
            }
            Err(error) => Err(SecretsError::io(path)(error)),
        }
    }

    pub(crate) fn write(&self, home: &Home) -> Result<(), SecretsError> {
        let path = path(home);
        let text = serde_json::json!(self).to_string();
        file::write_atomic(&path, text.as_bytes()).map_err(SecretsError::io(path))
    }

    /// Puts an entry in; gives the one that had its name.
    pub(crate) fn put(&mut self, entry: Entry) -> Option<Entry> {
        let before = self.take(&entry.name);
        let at = self.entries.partition_point(|other| other.name < entry.name);
        self.entries.insert(at, entry);
        before
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<Entry> {
        let at = self.entries.iter().position(|entry| entry.name == name)?;
        Some(self.entries.remove(at))
    }
}

fn path(home: &Home) -> PathBuf {
    home.state_dir().join("secrets.json")
}
