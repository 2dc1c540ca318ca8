//! Pairing by code on the daemon's side: makes codes for local clients, checks guesses, enrols who
//! was right. A code leaves over the local socket only.

use crate::codes::{Codes, Outcome};
use crate::profiles::EnrolError;
use crate::state::Daemon;
use pillion_link::{Guess, PairingCode, Proven, handshake};
use pillion_wire::limits::PAIR_CODE_LEAST;
use pillion_wire::link::Unpaired;
use serde_json::{Value, json};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::timeout_at;

/// The daemon's pairing codes.
pub(crate) struct Pairing {
    codes: Mutex<Codes>,
    changed: watch::Sender<()>,
    life: Duration,
}

/// A code that was made.
pub(crate) struct Made {
    pub(crate) code: PairingCode,
    pub(crate) number: u32,
    pub(crate) life: Duration,
}

impl Pairing {
    /// Codes that are good for `life`.
    pub(crate) fn new(life: Duration) -> Self {
        Self { codes: Mutex::default(), changed: watch::Sender::new(()), life }
    }

    fn codes(&self) -> MutexGuard<'_, Codes> {
        // Consistent between any two statements.
        self.codes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new code; one that waited is good no more.
    pub(crate) fn make(&self) -> Result<Made, pillion_link::KeyError> {
        let code = PairingCode::generate()?;
        let number = self.codes().make(code.clone(), self.life, Instant::now());
        self.changed.send_replace(());
        Ok(Made { code, number, life: self.life })
    }

    /// The code that waits, or a new one when it has little time left, and how long it is good.
    pub(crate) fn current(&self) -> Result<(PairingCode, Duration), pillion_link::KeyError> {
        let least = PAIR_CODE_LEAST.min(self.life);
        let current = self.codes().current(least, Instant::now());
        match current {
            Some(current) => Ok(current),
            None => self.make().map(|made| (made.code, made.life)),
        }
    }

    /// How that code ended, as soon as it has. Dropped before, it withdraws the code.
    pub(crate) async fn outcome(&self, number: u32) -> Outcome {
        let _asker = Asker { pairing: self, number };
        let mut changes = self.changed.subscribe();
        loop {
            let until = match self.codes().outcome(number, Instant::now()) {
                Ok(outcome) => return outcome,
                Err(until) => until,
            };
            // Either way it is looked at again. The sender lives in `self`.
            timeout_at(until.into(), changes.changed()).await.ok();
        }
    }
}

/// Whoever waits for a code's outcome. A code that has ended cannot be withdrawn.
struct Asker<'a> {
    pairing: &'a Pairing,
    number: u32,
}

impl Drop for Asker<'_> {
    fn drop(&mut self) {
        self.pairing.codes().withdraw(self.number);
    }
}

/// The profile and P7 when it knew the code and is enrolled now; else what to answer.
pub(crate) async fn settle(
    daemon: &Daemon,
    guess: Guess,
    extension: &str,
) -> Result<(Box<Proven>, String), String> {
    let refuse = |code| Err(handshake::unpaired(code));
    let profile = guess.proven().key.profile_id();
    let Some(tried) = daemon.pairing.codes().begin_try(Instant::now()) else {
        tracing::info!(%profile, "a profile wants to pair and no code waits");
        return refuse(Unpaired::NoCode);
    };
    let number = tried.number;
    // A tenth of a second of work: not on a thread that carries frames.
    let checked = tokio::task::spawn_blocking(move || guess.check(&tried.code)).await;
    let Ok(Some((proven, answer))) = checked else {
        daemon.pairing.codes().wrong(number);
        daemon.pairing.changed.send_replace(());
        tracing::warn!(%profile, "a profile wants to pair with a wrong code");
        return refuse(Unpaired::WrongCode);
    };
    if !daemon.pairing.codes().right(number) {
        return refuse(Unpaired::NoCode);
    }
    let enrolled = daemon.profiles.enrol(&proven.key, extension.to_owned(), None, true).await;
    // Told only now: whoever waits finds the profile in the list.
    let outcome = match &enrolled {
        Ok(()) => Outcome::Paired { profile: profile.clone(), label: proven.label.clone() },
        Err(error) => Outcome::Failed(error.to_string()),
    };
    daemon.pairing.codes().used(number, outcome);
    daemon.pairing.changed.send_replace(());
    match enrolled {
        Ok(()) => {
            tracing::info!(%profile, "profile paired by code");
            Ok((Box::new(proven), answer))
        }
        Err(error) => {
            tracing::warn!(%error, "a profile that knew the code was not enrolled");
            refuse(match error {
                EnrolError::Full(_) => Unpaired::Full,
                EnrolError::Write(_) => Unpaired::Failed,
            })
        }
    }
}

/// As a local client reads it.
pub(crate) fn report(outcome: Outcome) -> Value {
    match outcome {
        Outcome::Paired { profile, label } => {
            json!({"outcome": "paired", "profile": profile, "label": label})
        }
        Outcome::Expired => json!({"outcome": "expired"}),
        Outcome::Spent => json!({"outcome": "spent"}),
        Outcome::Replaced => json!({"outcome": "replaced"}),
        Outcome::Failed(why) => json!({"outcome": "failed", "why": why}),
    }
}
