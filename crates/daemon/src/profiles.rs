//! `profiles.json`: every profile that was enrolled. Replaced in one step, never in place.
//!
//! Holds public keys only. What the user allows is kept in the profile itself; `consented` here is
//! a memory of it, for status and for forgetting.

use crate::DaemonError;
use pillion_link::PublicKey;
use pillion_os::file;
use pillion_wire::id::ProfileId;
use pillion_wire::limits::{FORGET_UNCONSENTED_DAYS, FORGET_UNUSED_DAYS, KNOWN_PROFILES};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// In the state folder.
pub(crate) const NAME: &str = "profiles.json";
const DAY: u64 = 24 * 60 * 60;

/// One profile as it is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Profile {
    /// base64url of the SEC1 key.
    pub(crate) pk: String,
    /// What the user calls it.
    #[serde(default)]
    pub(crate) label: String,
    /// The extension's id.
    pub(crate) extension: String,
    /// The browser that started the helper.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) browser: Option<String>,
    /// Unix seconds.
    pub(crate) first_seen: u64,
    /// Unix seconds.
    pub(crate) last_seen: u64,
    /// Whether its user has ever let agents in.
    #[serde(default)]
    pub(crate) consented: bool,
}

/// Why a profile was not enrolled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EnrolError {
    #[error("{0} profiles are known already; remove one first")]
    Full(usize),
    #[error("cannot write the list of profiles: {0}")]
    Write(#[from] io::Error),
}

/// The list. Clones share it.
#[derive(Clone)]
pub(crate) struct Profiles(Arc<Inner>);

struct Inner {
    path: PathBuf,
    known: Mutex<BTreeMap<String, Profile>>,
    /// Held while writing, so that an older list never replaces a newer one.
    writing: Mutex<()>,
}

impl Profiles {
    /// What the last daemon left, without what was forgotten since.
    pub(crate) fn load(state: &Path) -> Result<Self, DaemonError> {
        let path = state.join(NAME);
        let mut known: BTreeMap<String, Profile> = match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|source| DaemonError::Profiles { path: path.clone(), source })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(DaemonError::io(path)(error)),
        };
        let now = unix_now();
        known.retain(|_, profile| is_worth_keeping(profile, now));
        Ok(Self(Arc::new(Inner { path, known: Mutex::new(known), writing: Mutex::new(()) })))
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Profile>> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether that key was enrolled.
    pub(crate) fn has(&self, key: &PublicKey) -> bool {
        self.known().contains_key(&key.profile_id().0)
    }

    /// What is remembered of each, by profile id.
    pub(crate) fn list(&self) -> BTreeMap<String, Profile> {
        self.known().clone()
    }

    /// How many are known.
    pub(crate) fn count(&self) -> usize {
        self.known().len()
    }

    /// Know that key from now on. Idempotent: a known one keeps what is remembered of it.
    pub(crate) async fn enrol(
        &self,
        key: &PublicKey,
        extension: String,
        browser: Option<String>,
        consented: bool,
    ) -> Result<(), EnrolError> {
        let now = unix_now();
        {
            let mut known = self.known();
            let id = key.profile_id().0;
            if !known.contains_key(&id) && known.len() >= KNOWN_PROFILES {
                return Err(EnrolError::Full(KNOWN_PROFILES));
            }
            let profile = known.entry(id).or_insert_with(|| Profile {
                pk: key.to_text(),
                label: String::new(),
                extension: String::new(),
                browser: None,
                first_seen: now,
                last_seen: now,
                consented: false,
            });
            profile.extension = extension;
            profile.browser = browser.or(profile.browser.take());
            profile.consented |= consented;
            profile.last_seen = now;
        }
        Ok(self.save().await?)
    }

    /// Remember something of a known profile. Says whether the file is now out of date.
    pub(crate) fn change(&self, id: &ProfileId, change: impl FnOnce(&mut Profile)) -> bool {
        self.known().get_mut(&id.0).is_some_and(|profile| {
            let before = profile.clone();
            change(profile);
            *profile != before
        })
    }

    /// A link of that profile stands.
    pub(crate) fn seen(&self, id: &ProfileId, label: &str, consent: bool) -> bool {
        self.change(id, |profile| {
            label.clone_into(&mut profile.label);
            profile.consented |= consent;
            profile.last_seen = unix_now();
        })
    }

    /// Write the list as it is when the write begins.
    pub(crate) async fn save(&self) -> io::Result<()> {
        let this = self.clone();
        let written = tokio::task::spawn_blocking(move || {
            let _turn = this.0.writing.lock().unwrap_or_else(PoisonError::into_inner);
            let bytes = serde_json::to_vec_pretty(&*this.known()).map_err(io::Error::other)?;
            file::write_atomic(&this.0.path, &bytes)
        });
        written.await.map_err(io::Error::other)?
    }

    /// As [`Profiles::save`], where nobody waits for the outcome.
    pub(crate) async fn save_or_log(self) {
        if let Err(error) = self.save().await {
            tracing::warn!(%error, "the list of profiles was not written");
        }
    }
}

fn is_worth_keeping(profile: &Profile, now: u64) -> bool {
    let days = now.saturating_sub(profile.last_seen) / DAY;
    days < if profile.consented { FORGET_UNUSED_DAYS } else { FORGET_UNCONSENTED_DAYS }
}

fn unix_now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_link::Identity;

    #[tokio::test]
    async fn an_enrolled_key_is_known_after_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let key = Identity::generate().unwrap().public().clone();
        let profiles = Profiles::load(dir.path()).unwrap();
        assert!(!profiles.has(&key));
        profiles.enrol(&key, "x".into(), Some("chromium".into()), false).await.unwrap();
        assert!(profiles.seen(&key.profile_id(), "Work", true));
        profiles.enrol(&key, "x".into(), None, false).await.unwrap();
        let again = Profiles::load(dir.path()).unwrap();
        assert!(again.has(&key));
        let known = again.known();
        let profile = known.values().next().unwrap();
        assert_eq!((profile.label.as_str(), profile.consented), ("Work", true));
        assert_eq!(profile.browser.as_deref(), Some("chromium"));
    }

    #[test]
    fn a_damaged_list_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(NAME), "{").unwrap();
        assert!(matches!(Profiles::load(dir.path()), Err(DaemonError::Profiles { .. })));
        assert_eq!(std::fs::read_to_string(dir.path().join(NAME)).unwrap(), "{");
    }

    #[test]
    fn what_was_never_let_in_is_forgotten_sooner() {
        let profile = |consented| Profile {
            pk: String::new(),
            label: String::new(),
            extension: String::new(),
            browser: None,
            first_seen: 0,
            last_seen: 0,
            consented,
        };
        assert!(is_worth_keeping(&profile(false), 6 * DAY));
        assert!(!is_worth_keeping(&profile(false), 7 * DAY));
        assert!(is_worth_keeping(&profile(true), 89 * DAY));
        assert!(!is_worth_keeping(&profile(true), 90 * DAY));
    }

    #[test]
    fn a_clock_that_jumped_back_forgets_nobody() {
        let seen_in_the_future = Profile {
            pk: String::new(),
            label: String::new(),
            extension: String::new(),
            browser: None,
            first_seen: 1_000 * DAY,
            last_seen: 1_000 * DAY,
            consented: false,
        };
        assert!(is_worth_keeping(&seen_in_the_future, DAY));
        assert!(is_worth_keeping(&seen_in_the_future, 0));
    }
}
