//! Pairing by code, the daemon's side of P4 to P7: the code, the key made of it, the two MACs.
//!
//! Pure, and never knows which code waits: who drives a handshake brings it. `docs/SECURITY.md`
//! says what each frame proves.

use crate::handshake::{Proven, Transcript};
use crate::identity::{self, KeyError};
use hmac::{Hmac, KeyInit as _, Mac as _};
use pillion_wire::limits::PAIR_ROUNDS;
use pillion_wire::link::{Handshake, LABEL_PAIR_DAEMON, LABEL_PAIR_EXTENSION};
use sha2::Sha256;
use std::fmt;

/// Bytes of a MAC, and of the key that makes it.
pub const MAC_BYTES: usize = 32;
/// Bytes of both nonces, the extension's first.
pub const SALT_BYTES: usize = 64;
/// Characters of a code.
const CHARS: usize = 8;
/// Between what is shown as two groups.
const GROUP: usize = 4;
/// Crockford's base32: no I, L, O or U.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Eight characters of Crockford's base32: 40 bits. Printed in two groups.
#[derive(Clone, PartialEq, Eq)]
pub struct PairingCode([u8; CHARS]);

/// Not in logs, not in a panic's words.
impl fmt::Debug for PairingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PairingCode(…)")
    }
}

impl fmt::Display for PairingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = self.0.split_at(GROUP);
        let text = |part: &[u8]| part.iter().map(|byte| char::from(*byte)).collect::<String>();
        write!(f, "{}-{}", text(first), text(second))
    }
}

impl PairingCode {
    /// A new one from the operating system's randomness.
    ///
    /// # Errors
    /// When there is none.
    pub fn generate() -> Result<Self, KeyError> {
        Ok(Self::of(identity::random()?))
    }

    /// 40 bits, most significant first.
    fn of(bytes: [u8; 5]) -> Self {
        let bits = bytes.iter().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        let mut code = [0; CHARS];
        for (at, place) in code.iter_mut().enumerate() {
            *place = ALPHABET[(bits >> (5 * (CHARS - 1 - at)) & 31) as usize];
        }
        Self(code)
    }

    /// What a person typed: any case, O for 0, I or L for 1, hyphens and blanks anywhere.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut code = Vec::with_capacity(CHARS);
        for letter in text.chars().filter(|letter| *letter != '-' && !letter.is_whitespace()) {
            let letter = match letter.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                other => other,
            };
            let byte = u8::try_from(letter).ok().filter(|byte| ALPHABET.contains(byte))?;
            if code.len() == CHARS {
                return None;
            }
            code.push(byte);
        }
        code.try_into().ok().map(Self)
    }

    /// The key under which both sides prove that they know the code. Takes a tenth of a second.
    pub fn key(&self, salt: &[u8; SALT_BYTES]) -> PairingKey {
        PairingKey(pbkdf2::pbkdf2_hmac_array::<Sha256, MAC_BYTES>(&self.0, salt, PAIR_ROUNDS))
    }
}

/// What PBKDF2 made of a code and both nonces.
pub struct PairingKey([u8; MAC_BYTES]);

impl PairingKey {
    fn over(&self, label: &str, transcript: &Transcript) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.chain_update(transcript.message(label))
    }

    /// HMAC-SHA-256 over `label ‖ 0x00 ‖ T(k)`.
    pub fn mac(&self, label: &str, transcript: &Transcript) -> [u8; MAC_BYTES] {
        self.over(label, transcript).finalize().into_bytes().into()
    }

    /// Whether `mac` is that one. Takes the same time whichever byte differs.
    #[must_use]
    pub fn verifies(&self, label: &str, transcript: &Transcript, mac: &[u8; MAC_BYTES]) -> bool {
        self.over(label, transcript).verify(mac.into()).is_ok()
    }
}

/// A profile that proved its key and claims to know the code: P6, not yet checked.
#[derive(Debug, Clone)]
pub struct Guess {
    pub(crate) proven: Proven,
    pub(crate) salt: [u8; SALT_BYTES],
    /// T(5).
    pub(crate) before: Transcript,
    /// P6 as it came.
    pub(crate) frame: String,
    pub(crate) mac: [u8; MAC_BYTES],
}

impl Guess {
    /// The profile, and P7 for it, when it knows that code. Takes a tenth of a second.
    #[must_use]
    pub fn check(self, code: &PairingCode) -> Option<(Proven, String)> {
        let key = code.key(&self.salt);
        if !key.verifies(LABEL_PAIR_EXTENSION, &self.before, &self.mac) {
            return None;
        }
        let mut transcript = self.before;
        transcript.add(&self.frame);
        let mac = identity::encode(&key.mac(LABEL_PAIR_DAEMON, &transcript));
        Some((self.proven, crate::handshake::text(&Handshake::Mac { mac })))
    }

    /// Who guesses.
    pub fn proven(&self) -> &Proven {
        &self.proven
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_code_is_shown_in_two_groups() {
        assert_eq!(PairingCode::of([0; 5]).to_string(), "0000-0000");
        assert_eq!(PairingCode::of([255; 5]).to_string(), "ZZZZ-ZZZZ");
        assert_eq!(PairingCode::of([0x08, 0x86, 0x42, 0x98, 0xe8]).to_string(), "1234-5678");
        assert_eq!(format!("{:?}", PairingCode::of([7; 5])), "PairingCode(…)");
    }

    #[test]
    fn what_a_person_types_is_forgiven() {
        let code = PairingCode::parse("0101-ABCD").unwrap();
        for typed in ["oIoL-abcd", " 0101 abcd\n", "0101abcd", "-0-1-0-1-A-B-C-D-"] {
            assert_eq!(PairingCode::parse(typed).as_ref(), Some(&code), "{typed}");
        }
        for typed in
            ["", "0101-ABC", "0101-ABCDE", "0101-ABCU", "0101_ABCD", "０101ABCD", "0101-ABCé"]
        {
            assert_eq!(PairingCode::parse(typed), None, "{typed}");
        }
    }

    proptest! {
        #[test]
        fn a_shown_code_is_read_back(bytes in any::<[u8; 5]>()) {
            let code = PairingCode::of(bytes);
            prop_assert_eq!(PairingCode::parse(&code.to_string().to_lowercase()), Some(code));
        }

        #[test]
        fn what_is_read_is_a_code(typed in ".*") {
            if let Some(code) = PairingCode::parse(&typed) {
                prop_assert_eq!(PairingCode::parse(&code.to_string()), Some(code));
            }
        }
    }
}
