//! P-256 keys: the daemon's own pair, a peer's public half, and the profile id made of it.
//!
//! Never writes a file: where a key is kept is its owner's concern.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::SecretKey;
use p256::ecdsa::signature::{Signer, Verifier};
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
use p256::pkcs8::{DecodePrivateKey, EncodePrivateKey, LineEnding};
use pillion_wire::id::ProfileId;
use sha2::{Digest, Sha256};

/// Bytes of an uncompressed SEC1 key.
pub const PUBLIC_KEY_BYTES: usize = 65;
/// Bytes of a signature, r‖s.
pub const SIGNATURE_BYTES: usize = 64;
/// Bytes of SHA-256 that name a profile.
const PROFILE_ID_BYTES: usize = 16;

/// What is wrong with a key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Not base64url without padding, or not 65 bytes.
    #[error("a public key is 65 bytes of base64url")]
    Encoding,
    /// The bytes are no point of the curve.
    #[error("the public key is not a point of P-256")]
    Point,
    /// The private key cannot be read.
    #[error("the private key is not PKCS#8 of P-256")]
    Private(#[source] p256::pkcs8::Error),
    /// The operating system gave no randomness.
    #[error("no random bytes: {0}")]
    Random(getrandom::Error),
}

/// base64url without padding, as every binary field on the wire.
pub fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The reverse of [`encode`], for a field of exactly `N` bytes. Strict: no padding, no spare bits.
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

/// `N` bytes from the operating system.
///
/// # Errors
/// When the operating system gives none.
pub fn random<const N: usize>() -> Result<[u8; N], KeyError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(KeyError::Random)?;
    Ok(bytes)
}

/// A peer's public key: a point that is on the curve.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    point: VerifyingKey,
    bytes: [u8; PUBLIC_KEY_BYTES],
}

impl std::fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PublicKey({})", self.profile_id())
    }
}

impl PublicKey {
    /// From base64url of the 65 SEC1 bytes.
    ///
    /// # Errors
    /// When the text is no such key.
    pub fn from_text(text: &str) -> Result<Self, KeyError> {
        let bytes: [u8; PUBLIC_KEY_BYTES] = decode(text).ok_or(KeyError::Encoding)?;
        let point = VerifyingKey::from_sec1_bytes(&bytes).map_err(|_| KeyError::Point)?;
        Ok(Self { point, bytes })
    }

    fn of(point: VerifyingKey) -> Self {
        let encoded = point.to_sec1_point(false);
        let bytes = encoded.as_bytes().try_into().expect("an uncompressed point has 65 bytes");
        Self { point, bytes }
    }

    /// As it travels.
    pub fn to_text(&self) -> String {
        encode(&self.bytes)
    }

    /// The profile that this key names.
    pub fn profile_id(&self) -> ProfileId {
        ProfileId(encode(&Sha256::digest(self.bytes)[..PROFILE_ID_BYTES]))
    }

    /// Whether `signature` (r‖s) over `message` was made with this key's private half.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8; SIGNATURE_BYTES]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.point.verify(message, &signature).is_ok())
    }
}

/// A key pair.
pub struct Identity {
    key: SigningKey,
    public: PublicKey,
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identity").field("public", &self.public).finish_non_exhaustive()
    }
}

impl Identity {
    /// A new pair from the operating system's randomness.
    ///
    /// # Errors
    /// When there is none.
    pub fn generate() -> Result<Self, KeyError> {
        loop {
            // Out of range about once in 2^32: draw again, as FIPS 186-5 A.2.2 does.
            if let Ok(key) = SigningKey::from_slice(&random::<32>()?) {
                return Ok(Self::of(key));
            }
        }
    }

    fn of(key: SigningKey) -> Self {
        let public = PublicKey::of(*key.verifying_key());
        Self { key, public }
    }

    /// From PKCS#8 in PEM.
    ///
    /// # Errors
    /// When it is not that.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let secret = SecretKey::from_pkcs8_pem(text).map_err(KeyError::Private)?;
        Ok(Self::of(SigningKey::from(secret)))
    }

    /// From PKCS#8 in DER.
    ///
    /// # Errors
    /// When it is not that.
    pub fn from_der(bytes: &[u8]) -> Result<Self, KeyError> {
        let secret = SecretKey::from_pkcs8_der(bytes).map_err(KeyError::Private)?;
        Ok(Self::of(SigningKey::from(secret)))
    }

    /// As PKCS#8 in PEM; the text is wiped when dropped.
    ///
    /// # Errors
    /// When the key cannot be encoded.
    pub fn to_pem(&self) -> Result<impl std::ops::Deref<Target = String> + use<>, KeyError> {
        let secret = SecretKey::from(self.key.as_nonzero_scalar());
        secret.to_pkcs8_pem(LineEnding::LF).map_err(KeyError::Private)
    }

    /// The half that others may know.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// r‖s over `message`.
    pub fn sign(&self, message: &[u8]) -> [u8; SIGNATURE_BYTES] {
        let signature: Signature = self.key.sign(message);
        signature.to_bytes().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_survives_pem() {
        let pair = Identity::generate().unwrap();
        let again = Identity::from_pem(&pair.to_pem().unwrap()).unwrap();
        assert_eq!(pair.public(), again.public());
        assert!(pair.public().verifies(b"x", &again.sign(b"x")));
        assert!(!pair.public().verifies(b"y", &again.sign(b"x")));
    }

    #[test]
    fn a_public_key_survives_text() {
        let key = Identity::generate().unwrap().public().clone();
        let text = key.to_text();
        assert_eq!(text.len(), 87);
        assert_eq!(PublicKey::from_text(&text).unwrap(), key);
        assert_eq!(key.profile_id().0.len(), 22);
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for text in ["", "AAAA", &"A".repeat(87), &"B".repeat(88), "é"] {
            assert!(PublicKey::from_text(text).is_err(), "{text}");
        }
        assert!(Identity::from_pem("-----BEGIN PRIVATE KEY-----\nAAAA\n").is_err());
    }
}
