//! The daemon's side of F1 to F6, and of P4 to P6, as a pure state machine: texts in, texts or an end
//! out.
//!
//! Knows no socket, no clock and no registry but the question it is given. Limits of time and of
//! pending peers are the listener's. `docs/SECURITY.md` says what each frame proves.

use crate::identity::{self, Identity, KeyError, PublicKey, SIGNATURE_BYTES};
use crate::pairing::{Guess, MAC_BYTES, SALT_BYTES};
use pillion_wire::limits::HANDSHAKE_FRAME_BYTES;
use pillion_wire::link::{
    Handshake, LABEL_DAEMON, LABEL_EXTENSION, LABEL_PAIR, LinkKind, Refusal, Unpaired,
};
use sha2::{Digest, Sha256};

/// Most characters of a profile's label.
pub const LABEL_CHARS: usize = 64;
/// Bytes of each side's nonce.
const NONCE_BYTES: usize = 32;
/// Most characters of an extension's version.
const VERSION_CHARS: usize = 32;
/// Most capabilities that a peer may name.
const CAPS: usize = 32;

/// SHA-256 over `u32be(length) ‖ bytes` of each frame in order: T(k).
#[derive(Debug, Clone, Default)]
pub struct Transcript(Sha256);

impl Transcript {
    /// The next frame, exactly as it travelled.
    pub fn add(&mut self, frame: &str) {
        let length = u32::try_from(frame.len()).expect("frames are at most 4 KiB here");
        self.0.update(length.to_be_bytes());
        self.0.update(frame.as_bytes());
    }

    /// T(k) after the frames so far.
    pub fn digest(&self) -> [u8; 32] {
        self.0.clone().finalize().into()
    }

    /// What a signature under `label` is over: `label ‖ 0x00 ‖ T(k)`.
    pub fn message(&self, label: &str) -> Vec<u8> {
        let mut message = label.as_bytes().to_vec();
        message.push(0);
        message.extend_from_slice(&self.digest());
        message
    }
}

/// What the daemon brings to one handshake.
#[derive(Clone, Copy)]
pub struct Offer<'a> {
    /// Its pair.
    pub identity: &'a Identity,
    /// How the frames travel.
    pub link: LinkKind,
    /// The listening port; 0 over native messaging.
    pub port: u16,
    /// Its version.
    pub version: &'a str,
    /// Lowest and highest protocol number spoken.
    pub proto: [u32; 2],
}

/// A profile that proved that it holds its key.
#[derive(Debug, Clone)]
pub struct Proven {
    /// Its key.
    pub key: PublicKey,
    /// Of this browser run.
    pub boot: [u8; 16],
    /// What the user calls it.
    pub label: String,
    /// Whether the user lets agents use it.
    pub consent: bool,
    /// The extension's version.
    pub version: String,
    /// What the extension can do beyond the protocol number.
    pub caps: Vec<String>,
}

/// Why a handshake ended without a word, or with a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EndReason {
    /// Larger than 4 KiB.
    #[error("the frame is too large")]
    TooLarge,
    /// Not a handshake frame, or a field is not what it must be.
    #[error("the frame is malformed")]
    Malformed,
    /// A handshake frame at another's place.
    #[error("the frame is out of order")]
    OutOfOrder,
    /// Dialled another port, or another way, than this one.
    #[error("the peer dialled another port")]
    WrongPort,
    /// The signature does not fit.
    #[error("the signature is wrong")]
    BadSignature,
    /// No randomness.
    #[error("no random bytes")]
    NoRandom,
    /// A refusal was sent.
    #[error("refused: {0:?}")]
    Refused(Refusal),
}

/// What to do after a frame.
#[derive(Debug)]
pub enum Step {
    /// Send these in order and go on.
    Send(Vec<String>),
    /// Wait for the next frame.
    Wait,
    /// The profile is proven: answer it with [`welcome`] or [`refused`].
    Proven(Box<Proven>),
    /// The profile is proven and claims to know the code: check it, then answer with P7 and
    /// [`welcome`], or with [`unpaired`]. The handshake is over.
    Guess(Box<Guess>),
    /// Send these, if any, and close.
    End(Vec<String>, EndReason),
}

enum State {
    Hello,
    Profile { version: String, caps: Vec<String>, salt: [u8; SALT_BYTES] },
    Signature(Box<Proven>),
    PairSignature(Box<Proven>, [u8; SALT_BYTES]),
    PairMac(Box<Proven>, [u8; SALT_BYTES]),
    Over,
}

/// One handshake.
pub struct Handshaker<'a> {
    offer: Offer<'a>,
    transcript: Transcript,
    state: State,
}

impl<'a> Handshaker<'a> {
    /// Waits for F1.
    pub fn new(offer: Offer<'a>) -> Self {
        Self { offer, transcript: Transcript::default(), state: State::Hello }
    }

    /// Take the peer's next frame. `is_known` tells whether a key is enrolled; it is asked only
    /// after the peer proved that it holds that key.
    pub fn receive(&mut self, frame: &str, is_known: impl FnOnce(&PublicKey) -> bool) -> Step {
        match self.step(frame, is_known) {
            Ok(step) => step,
            Err(reason) => {
                self.state = State::Over;
                Step::End(Vec::new(), reason)
            }
        }
    }

    fn step(
        &mut self,
        frame: &str,
        is_known: impl FnOnce(&PublicKey) -> bool,
    ) -> Result<Step, EndReason> {
        if frame.len() > HANDSHAKE_FRAME_BYTES {
            return Err(EndReason::TooLarge);
        }
        let parsed = serde_json::from_str(frame).map_err(|_| EndReason::Malformed)?;
        match (std::mem::replace(&mut self.state, State::Over), parsed) {
            (State::Hello, Handshake::Hello { proto, nonce, port, link, ext, caps }) => {
                let nonce = identity::decode(&nonce).ok_or(EndReason::Malformed)?;
                check_caps(&ext, &caps)?;
                if link != self.offer.link || port != self.offer.port {
                    return Err(EndReason::WrongPort);
                }
                self.transcript.add(frame);
                self.answer(proto, nonce, ext, caps)
            }
            (
                State::Profile { version, caps, .. },
                Handshake::Profile { pk, boot, label, consent },
            ) => {
                let proven = claim(&pk, &boot, &label, consent, (version, caps))?;
                self.transcript.add(frame);
                self.state = State::Signature(proven);
                Ok(Step::Wait)
            }
            (State::Profile { version, caps, salt }, Handshake::Pair { pk, boot, label }) => {
                // Typing the code is the consent.
                let proven = claim(&pk, &boot, &label, true, (version, caps))?;
                self.transcript.add(frame);
                self.state = State::PairSignature(proven, salt);
                Ok(Step::Wait)
            }
            (State::Signature(proven), Handshake::Sig { sig }) => {
                self.check_signature(&proven, LABEL_EXTENSION, &sig)?;
                if !is_known(&proven.key) {
                    return Ok(refusal(Vec::new(), Refusal::UnknownProfile));
                }
                Ok(Step::Proven(proven))
            }
            (State::PairSignature(proven, salt), Handshake::Sig { sig }) => {
                self.check_signature(&proven, LABEL_PAIR, &sig)?;
                self.transcript.add(frame);
                self.state = State::PairMac(proven, salt);
                Ok(Step::Wait)
            }
            (State::PairMac(proven, salt), Handshake::Mac { mac }) => {
                let mac: [u8; MAC_BYTES] = identity::decode(&mac).ok_or(EndReason::Malformed)?;
                let (before, frame) = (self.transcript.clone(), frame.to_owned());
                Ok(Step::Guess(Box::new(Guess { proven: *proven, salt, before, frame, mac })))
            }
            _ => Err(EndReason::OutOfOrder),
        }
    }

    fn check_signature(&self, proven: &Proven, label: &str, sig: &str) -> Result<(), EndReason> {
        let sig: [u8; SIGNATURE_BYTES] = identity::decode(sig).ok_or(EndReason::Malformed)?;
        if proven.key.verifies(&self.transcript.message(label), &sig) {
            Ok(())
        } else {
            Err(EndReason::BadSignature)
        }
    }

    /// F2 and F3; with a refusal after them when no protocol number fits, because only what comes
    /// after the proof is believed.
    fn answer(
        &mut self,
        theirs: [u32; 2],
        their_nonce: [u8; NONCE_BYTES],
        version: String,
        caps: Vec<String>,
    ) -> Result<Step, EndReason> {
        let [low, high] = self.offer.proto;
        let chosen = theirs[1].min(high);
        let fits = theirs[0] <= theirs[1] && chosen >= theirs[0].max(low);
        let nonce = identity::random::<NONCE_BYTES>().map_err(|_: KeyError| EndReason::NoRandom)?;
        let daemon = text(&Handshake::Daemon {
            proto: if fits { chosen } else { high },
            nonce: identity::encode(&nonce),
            pk: self.offer.identity.public().to_text(),
            port: self.offer.port,
            ver: self.offer.version.to_owned(),
            caps: Vec::new(),
        });
        self.transcript.add(&daemon);
        let sig = self.offer.identity.sign(&self.transcript.message(LABEL_DAEMON));
        let sig = text(&Handshake::Sig { sig: identity::encode(&sig) });
        self.transcript.add(&sig);
        if !fits {
            return Ok(refusal(vec![daemon, sig], Refusal::Version));
        }
        let mut salt = [0; SALT_BYTES];
        salt[..NONCE_BYTES].copy_from_slice(&their_nonce);
        salt[NONCE_BYTES..].copy_from_slice(&nonce);
        self.state = State::Profile { version, caps, salt };
        Ok(Step::Send(vec![daemon, sig]))
    }
}

fn refusal(mut before: Vec<String>, code: Refusal) -> Step {
    before.push(refused(code));
    Step::End(before, EndReason::Refused(code))
}

/// F6: the link stands.
pub fn welcome(slug: &str) -> String {
    text(&Handshake::Welcome { profile: slug.to_owned() })
}

/// F6: the link is not wanted.
pub fn refused(code: Refusal) -> String {
    text(&Handshake::Refused { code })
}

/// In place of P7: not paired.
pub fn unpaired(code: Unpaired) -> String {
    text(&Handshake::Unpaired { code })
}

pub(crate) fn text(frame: &Handshake) -> String {
    serde_json::to_string(frame).expect("handshake frames have string keys only")
}

/// What F4 or P4 says, if it can be so. Nothing of it is proven yet.
fn claim(
    pk: &str,
    boot: &str,
    label: &str,
    consent: bool,
    (version, caps): (String, Vec<String>),
) -> Result<Box<Proven>, EndReason> {
    let key = PublicKey::from_text(pk).map_err(|_| EndReason::Malformed)?;
    let boot = identity::decode(boot).ok_or(EndReason::Malformed)?;
    Ok(Box::new(Proven { key, boot, label: clean_label(label), consent, version, caps }))
}

fn check_caps(version: &str, caps: &[String]) -> Result<(), EndReason> {
    let plain =
        |text: &str| text.len() <= VERSION_CHARS && text.bytes().all(|b| b.is_ascii_graphic());
    if plain(version) && caps.len() <= CAPS && caps.iter().all(|cap| plain(cap)) {
        Ok(())
    } else {
        Err(EndReason::Malformed)
    }
}

/// A label as it may be shown: one line, no control or direction marks, bounded.
pub fn clean_label(label: &str) -> String {
    let mark = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let kept: String =
        label.chars().filter(|c| !c.is_control() && !mark(*c)).take(LABEL_CHARS).collect();
    let kept = kept.trim();
    if kept.is_empty() { "Profile".to_owned() } else { kept.to_owned() }
}
