//! The encrypted file, for machines without a keyring: XChaCha20-Poly1305, each value with its name as
//! associated data, under a random key in a file of its own.
//!
//! The key lies beside. That keeps values out of backups, greps and copies of one file; it does not
//! keep out who can read the user's files.

use crate::SecretsError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use pillion_os::file;
use pillion_os::home::Home;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

const VERSION: u32 = 1;
const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
/// Goes before the name in the associated data: what is sealed here fits nowhere else.
const CONTEXT: &str = "pillion/1/secret/";

#[derive(Default, Serialize, Deserialize)]
struct Vault {
    version: u32,
    /// base64 of nonce and sealed text, by name.
    sealed: BTreeMap<String, String>,
}

pub(crate) fn path(home: &Home) -> PathBuf {
    home.state_dir().join("secrets.sealed")
}

fn key_path(home: &Home) -> PathBuf {
    home.state_dir().join("secrets.key")
}

pub(crate) fn set(home: &Home, name: &str, text: &str) -> Result<(), SecretsError> {
    let mut vault = read(home)?;
    let cipher = cipher(home, vault.sealed.is_empty())?;
    let mut nonce = [0; NONCE_BYTES];
    getrandom::fill(&mut nonce)
        .map_err(|error| SecretsError::io("random bytes")(io::Error::other(error)))?;
    let sealed = cipher
        .encrypt(&XNonce::from(nonce), payload(text.as_bytes(), &associated(name)))
        .map_err(|_| SecretsError::Sealed(path(home)))?;
    vault.sealed.insert(name.to_owned(), STANDARD.encode([&nonce[..], &sealed].concat()));
    write(home, &vault)
}

pub(crate) fn get(home: &Home, name: &str) -> Result<Option<String>, SecretsError> {
    let vault = read(home)?;
    let Some(text) = vault.sealed.get(name) else { return Ok(None) };
    let damaged = || SecretsError::Sealed(path(home));
    let bytes = STANDARD.decode(text).map_err(|_| damaged())?;
    let (nonce, sealed) = bytes.split_at_checked(NONCE_BYTES).ok_or_else(damaged)?;
    let nonce: [u8; NONCE_BYTES] = nonce.try_into().map_err(|_| damaged())?;
    let plain = cipher(home, false)?
        .decrypt(&XNonce::from(nonce), payload(sealed, &associated(name)))
        .map_err(|_| damaged())?;
    String::from_utf8(plain).map(Some).map_err(|_| damaged())
}

pub(crate) fn remove(home: &Home, name: &str) -> Result<(), SecretsError> {
    let mut vault = read(home)?;
    match vault.sealed.remove(name) {
        Some(_) => write(home, &vault),
        None => Ok(()),
    }
}

fn associated(name: &str) -> String {
    format!("{CONTEXT}{name}")
}

fn payload<'a>(msg: &'a [u8], name: &'a str) -> Payload<'a, 'a> {
    Payload { msg, aad: name.as_bytes() }
}

fn read(home: &Home) -> Result<Vault, SecretsError> {
    let path = path(home);
    match std::fs::read(&path) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|source| SecretsError::List { path, source })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Vault { version: VERSION, ..Vault::default() })
        }
        Err(error) => Err(SecretsError::io(path)(error)),
    }
}

fn write(home: &Home, vault: &Vault) -> Result<(), SecretsError> {
    let path = path(home);
    let text = serde_json::json!(vault).to_string();
    file::write_atomic(&path, text.as_bytes()).map_err(SecretsError::io(path))
}

/// With the key of the file; `first`: nothing is sealed yet, so a new one harms nothing.
fn cipher(home: &Home, first: bool) -> Result<XChaCha20Poly1305, SecretsError> {
    let path = key_path(home);
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && first => made(&path)?,
        text => text.map_err(SecretsError::io(&path))?,
    };
    let bytes = STANDARD.decode(text.trim()).ok();
    let key: Option<[u8; KEY_BYTES]> = bytes.and_then(|bytes| bytes.try_into().ok());
    let key = key.ok_or(SecretsError::Sealed(path))?;
    Ok(XChaCha20Poly1305::new(&Key::from(key)))
}

/// Under the list's lock: nobody else makes one at the same time.
fn made(path: &Path) -> Result<String, SecretsError> {
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key)
        .map_err(|error| SecretsError::io("random bytes")(io::Error::other(error)))?;
    let text = STANDARD.encode(key);
    file::write_atomic(path, text.as_bytes()).map_err(SecretsError::io(path))?;
    Ok(text)
}
