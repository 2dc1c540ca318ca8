//! One-time nonces with which a profile that Pillion made itself counts as consented. Pure: the
//! time is an argument.

use pillion_wire::limits::{PRE_CONSENT, PRE_CONSENTS};
use std::time::Instant;
use subtle::ConstantTimeEq;

/// Nonces that were given out and not used.
#[derive(Default)]
pub(crate) struct Nonces(Vec<(String, Instant)>);

impl Nonces {
    /// Remember a nonce; the oldest is forgotten when there are too many.
    pub(crate) fn add(&mut self, nonce: String, now: Instant) {
        self.0.retain(|(_, made)| now.duration_since(*made) < PRE_CONSENT);
        if self.0.len() >= PRE_CONSENTS {
            self.0.remove(0);
        }
        self.0.push((nonce, now));
    }

    /// Whether that nonce is good. It is not a second time.
    pub(crate) fn redeem(&mut self, nonce: &str, now: Instant) -> bool {
        self.0.retain(|(_, made)| now.duration_since(*made) < PRE_CONSENT);
        let found = self
            .0
            .iter()
            .position(|(known, _)| bool::from(known.as_bytes().ct_eq(nonce.as_bytes())));
        found.map(|at| self.0.remove(at)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_nonce_is_good_once_and_for_a_while() {
        let now = Instant::now();
        let mut nonces = Nonces::default();
        nonces.add("a".into(), now);
        nonces.add("b".into(), now);
        assert!(!nonces.redeem("c", now));
        assert!(nonces.redeem("a", now));
        assert!(!nonces.redeem("a", now));
        assert!(!nonces.redeem("b", now + PRE_CONSENT + Duration::from_secs(1)));
    }

    #[test]
    fn there_are_not_too_many() {
        let now = Instant::now();
        let mut nonces = Nonces::default();
        for n in 0..=PRE_CONSENTS {
            nonces.add(n.to_string(), now);
        }
        assert!(!nonces.redeem("0", now));
        assert!(nonces.redeem("1", now));
    }
}
