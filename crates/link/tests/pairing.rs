//! Pairing by code: the daemon's side against an extension's side of its own, hostile changes on the
//! way, and the vectors that the extension's tests read too.

#![expect(clippy::unwrap_used, reason = "tests, also outside of test functions")]

use pillion_link::handshake::{Transcript, unpaired, welcome};
use pillion_link::identity::{decode, encode};
use pillion_link::{EndReason, Guess, Handshaker, Identity, Offer, PairingCode, PublicKey, Step};
use pillion_wire::limits::PAIR_ROUNDS;
use pillion_wire::link::{
    Handshake, LABEL_DAEMON, LABEL_EXTENSION, LABEL_PAIR, LABEL_PAIR_DAEMON, LABEL_PAIR_EXTENSION,
    LinkKind, Unpaired,
};
use proptest::prelude::*;
use serde_json::{Value, json};

const PORT: u16 = 47_613;

struct Sides {
    daemon: Identity,
    extension: Identity,
    nonce: [u8; 32],
    code: PairingCode,
}

/// What the extension's side keeps between P5 and P6.
struct Claim {
    salt: [u8; 64],
    transcript: Transcript,
}

impl Claim {
    fn mac(self, code: &PairingCode) -> (String, Waits) {
        let (key, mut transcript) = (code.key(&self.salt), self.transcript);
        let mac = encode(&key.mac(LABEL_PAIR_EXTENSION, &transcript));
        let mac = json!({"t": "mac", "mac": mac}).to_string();
        transcript.add(&mac);
        (mac, Waits { key, transcript })
    }
}

/// What the extension's side keeps between P6 and P7.
struct Waits {
    key: pillion_link::pairing::PairingKey,
    transcript: Transcript,
}

impl Sides {
    fn new() -> Self {
        Self {
            daemon: Identity::generate().unwrap(),
            extension: Identity::generate().unwrap(),
            nonce: [7; 32],
            code: PairingCode::parse("0M1Z-8KQ7").unwrap(),
        }
    }

    fn handshaker(&self) -> Handshaker<'_> {
        Handshaker::new(Offer {
            identity: &self.daemon,
            link: LinkKind::Ws,
            port: PORT,
            version: "0.1.0",
            proto: [1, 1],
        })
    }

    fn hello(&self) -> String {
        json!({"t": "hello", "proto": [1, 1], "nonce": encode(&self.nonce), "port": PORT,
            "link": "ws", "ext": "0.1.0", "caps": []})
        .to_string()
    }

    /// P4 and P5, checking F2 and F3 as the extension does: no key is pinned.
    fn claim(&self, [f1, f2, f3]: [&str; 3]) -> Option<([String; 2], Claim)> {
        let mut transcript = Transcript::default();
        transcript.add(f1);
        transcript.add(f2);
        let Ok(Handshake::Daemon { pk, port, nonce, .. }) = serde_json::from_str(f2) else {
            return None;
        };
        let Ok(Handshake::Sig { sig }) = serde_json::from_str(f3) else { return None };
        let key = PublicKey::from_text(&pk).ok()?;
        if port != PORT || !key.verifies(&transcript.message(LABEL_DAEMON), &decode(&sig)?) {
            return None;
        }
        transcript.add(f3);
        let pair = json!({"t": "pair", "pk": self.extension.public().to_text(),
            "boot": encode(&[3; 16]), "label": "Work"})
        .to_string();
        transcript.add(&pair);
        let sig = encode(&self.extension.sign(&transcript.message(LABEL_PAIR)));
        let sig = json!({"t": "sig", "sig": sig}).to_string();
        transcript.add(&sig);
        Some(([pair, sig], Claim { salt: salt(self.nonce, decode(&nonce)?), transcript }))
    }

    /// P4, P5 and P6.
    fn answer(&self, code: &PairingCode, frames: [&str; 3]) -> Option<([String; 3], Waits)> {
        let ([pair, sig], claim) = self.claim(frames)?;
        let (mac, waits) = claim.mac(code);
        Some(([pair, sig, mac], waits))
    }

    /// One pairing in which `meddle` may change each frame on its way: whether the daemon enrols
    /// and whether the extension pins.
    fn run(&self, meddle: impl Fn(usize, String) -> String) -> (bool, bool) {
        let mut daemon = self.handshaker();
        let hello = self.hello();
        let Step::Send(sent) = daemon.receive(&meddle(1, hello.clone()), |_| false) else {
            return (false, false);
        };
        let (f2, f3) = (meddle(2, sent[0].clone()), meddle(3, sent[1].clone()));
        let Some(([p4, p5], claim)) = self.claim([&hello, &f2, &f3]) else {
            return (false, false);
        };
        if !matches!(daemon.receive(&meddle(4, p4), |_| false), Step::Wait)
            || !matches!(daemon.receive(&meddle(5, p5), |_| false), Step::Wait)
        {
            return (false, false);
        }
        let (p6, waits) = claim.mac(&self.code);
        let Step::Guess(guess) = daemon.receive(&meddle(6, p6), |_| false) else {
            return (false, false);
        };
        let Some((proven, p7)) = guess.check(&self.code) else { return (false, false) };
        assert!(proven.consent && proven.label == "Work");
        (true, waits.believes(&meddle(7, p7)))
    }

    /// The daemon's side up to its guess, without anybody between.
    fn guess(&self, code: &PairingCode) -> (Guess, Waits) {
        let mut daemon = self.handshaker();
        let hello = self.hello();
        let Step::Send(sent) = daemon.receive(&hello, |_| false) else { panic!() };
        let (frames, waits) = self.answer(code, [&hello, &sent[0], &sent[1]]).unwrap();
        for frame in &frames[..2] {
            assert!(matches!(daemon.receive(frame, |_| false), Step::Wait));
        }
        let Step::Guess(guess) = daemon.receive(&frames[2], |_| false) else { panic!() };
        (*guess, waits)
    }
}

impl Waits {
    /// P7 as the extension checks it.
    fn believes(&self, p7: &str) -> bool {
        let Ok(Handshake::Mac { mac }) = serde_json::from_str(p7) else { return false };
        decode(&mac).is_some_and(|mac| self.key.verifies(LABEL_PAIR_DAEMON, &self.transcript, &mac))
    }
}

fn salt(ours: [u8; 32], theirs: [u8; 32]) -> [u8; 64] {
    [ours, theirs].concat().try_into().unwrap()
}

#[test]
fn two_sides_that_know_the_code_pair() {
    assert_eq!(Sides::new().run(|_, frame| frame), (true, true));
}

#[test]
fn a_flipped_byte_of_any_frame_before_p6_never_pairs() {
    let sides = Sides::new();
    for which in 1..=5 {
        let length = std::cell::Cell::new(usize::MAX);
        let mut at = 0;
        while at < length.get() {
            let flip = |n: usize, frame: String| {
                if n != which {
                    return frame;
                }
                length.set(frame.len());
                flipped(&frame, at)
            };
            assert_eq!(sides.run(flip), (false, false), "frame {which}, byte {at}");
            at += 1;
        }
        assert!(at > 50, "frame {which} was never reached");
    }
}

/// Each try of P6 costs two keys, so a few letters stand for all of them; P7 costs none.
#[test]
fn a_flipped_byte_of_either_mac_is_noticed() {
    let sides = Sides::new();
    let (guess, waits) = sides.guess(&sides.code);
    let (_, p7) = guess.check(&sides.code).unwrap();
    assert!(waits.believes(&p7));
    for at in 0..p7.len() {
        assert!(!waits.believes(&flipped(&p7, at)), "P7, byte {at}");
    }
    // P6 goes into T(6), too: a flipped letter that reads as the same MAC does not exist, for
    // base64url is read strictly, so each letter of it is a bit of the MAC or no MAC at all.
    for at in [12, 20, 33, 45, 53] {
        let flip = |n: usize, frame: String| if n == 6 { flipped(&frame, at) } else { frame };
        assert_eq!(sides.run(flip), (false, false), "P6, byte {at}");
    }
}

#[test]
fn another_code_does_not_pair() {
    let sides = Sides::new();
    let other = PairingCode::parse("0M1Z-8KQ8").unwrap();
    assert!(sides.guess(&other).0.check(&sides.code).is_none());
}

/// Someone in the middle with a key of its own in place of each side's, who passes the MACs on.
#[test]
fn somebody_in_the_middle_cannot_pass_the_macs_on() {
    let sides = Sides::new();
    let middle = Sides::new();
    // Towards the extension it is a daemon of its own; its hello to the real one is its own, too.
    let mut towards_extension = middle.handshaker();
    let hello = sides.hello();
    let Step::Send(sent) = towards_extension.receive(&hello, |_| false) else { panic!() };
    let ([_, _, p6], waits) = sides.answer(&sides.code, [&hello, &sent[0], &sent[1]]).unwrap();
    let mut towards_daemon = sides.handshaker();
    let Step::Send(real) = towards_daemon.receive(&middle.hello(), |_| false) else { panic!() };
    let guessed = PairingCode::parse("00000000").unwrap();
    let ([p4, p5, _], _) = middle.answer(&guessed, [&middle.hello(), &real[0], &real[1]]).unwrap();
    towards_daemon.receive(&p4, |_| false);
    towards_daemon.receive(&p5, |_| false);
    let Step::Guess(guess) = towards_daemon.receive(&p6, |_| false) else { panic!() };
    assert!(guess.check(&sides.code).is_none());
    // Nor is an honest daemon's P7 of another handshake one for this extension.
    let (guess, _) = sides.guess(&sides.code);
    let (_, p7) = guess.check(&sides.code).unwrap();
    assert!(!waits.believes(&p7));
}

#[test]
fn frames_of_another_pairing_do_not_fit() {
    let sides = Sides::new();
    let hello = sides.hello();
    let mut first = sides.handshaker();
    let Step::Send(sent) = first.receive(&hello, |_| false) else { panic!() };
    let (recorded, _) = sides.answer(&sides.code, [&hello, &sent[0], &sent[1]]).unwrap();
    let mut second = sides.handshaker();
    second.receive(&hello, |_| false);
    second.receive(&recorded[0], |_| false);
    let step = second.receive(&recorded[1], |_| false);
    assert!(matches!(step, Step::End(ref frames, EndReason::BadSignature) if frames.is_empty()));
}

#[test]
fn a_signature_for_one_way_in_is_none_for_the_other() {
    let sides = Sides::new();
    let hello = sides.hello();
    for (frame, label) in [("pair", LABEL_EXTENSION), ("profile", LABEL_PAIR)] {
        let mut daemon = sides.handshaker();
        let Step::Send(sent) = daemon.receive(&hello, |_| true) else { panic!() };
        let mut transcript = Transcript::default();
        [hello.as_str(), &sent[0], &sent[1]].iter().for_each(|frame| transcript.add(frame));
        let mut claim = json!({"t": frame, "pk": sides.extension.public().to_text(),
            "boot": encode(&[3; 16]), "label": "Work"});
        if frame == "profile" {
            claim["consent"] = json!(true);
        }
        let claim = claim.to_string();
        transcript.add(&claim);
        assert!(matches!(daemon.receive(&claim, |_| true), Step::Wait));
        let sig = encode(&sides.extension.sign(&transcript.message(label)));
        let step = daemon.receive(&json!({"t": "sig", "sig": sig}).to_string(), |_| true);
        assert!(matches!(step, Step::End(_, EndReason::BadSignature)), "{frame}: {step:?}");
    }
}

#[test]
fn no_frame_may_be_left_out() {
    let sides = Sides::new();
    let hello = sides.hello();
    for left_out in 0..2 {
        let mut daemon = sides.handshaker();
        let Step::Send(sent) = daemon.receive(&hello, |_| true) else { panic!() };
        let (mut frames, _) = {
            let (frames, waits) = sides.answer(&sides.code, [&hello, &sent[0], &sent[1]]).unwrap();
            (frames.to_vec(), waits)
        };
        frames.remove(left_out);
        let ended = frames.iter().any(|frame| {
            matches!(daemon.receive(frame, |_| true), Step::End(ref said, _) if said.is_empty())
        });
        assert!(ended, "without frame {left_out}");
    }
}

/// Every frame that either side may send, as a place to begin with.
fn samples() -> Vec<String> {
    let sides = Sides::new();
    let mut daemon = sides.handshaker();
    let hello = sides.hello();
    let Step::Send(sent) = daemon.receive(&hello, |_| false) else { panic!() };
    let sig = json!({"t": "sig", "sig": encode(&[9; 64])}).to_string();
    let pair = json!({"t": "pair", "pk": sides.extension.public().to_text(),
        "boot": encode(&[3; 16]), "label": "Work"});
    let mac = json!({"t": "mac", "mac": encode(&[1; 32])});
    let mut all = vec![hello, sig, pair.to_string(), mac.to_string(), welcome("x")];
    all.push(unpaired(Unpaired::WrongCode));
    all.extend(sent);
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any frames in any order, changed anywhere: never a panic, never proof, and never a word
    /// beyond F2 and F3 to who did not prove a key.
    #[test]
    fn random_frames_never_pair(
        begins in any::<bool>(),
        steps in prop::collection::vec((0usize..8, prop::option::of((0usize..300, any::<char>())), "\\PC{0,40}"), 1..8),
    ) {
        let sides = Sides::new();
        let samples = samples();
        let mut daemon = sides.handshaker();
        if begins {
            daemon.receive(&sides.hello(), |_| true);
        }
        for (which, change, noise) in steps {
            let frame = match (samples.get(which), change) {
                (Some(sample), Some((at, by))) => {
                    let mut letters: Vec<char> = sample.chars().collect();
                    let place = at % letters.len();
                    letters[place] = by;
                    letters.into_iter().collect()
                }
                (Some(sample), None) => sample.clone(),
                (None, _) => noise,
            };
            match daemon.receive(&frame, |_| true) {
                Step::Proven(_) => prop_assert!(false, "proven by {frame}"),
                Step::Guess(_) => prop_assert!(false, "a key was proven by {frame}"),
                Step::Send(frames) => prop_assert_eq!(frames.len(), 2),
                Step::Wait | Step::End(..) => {}
            }
        }
    }
}

fn flipped(frame: &str, at: usize) -> String {
    let mut bytes = frame.as_bytes().to_vec();
    bytes[at] ^= 1;
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_vectors_hold() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/handshake.json");
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    for (name, label) in [
        ("pair", LABEL_PAIR),
        ("pair_extension", LABEL_PAIR_EXTENSION),
        ("pair_daemon", LABEL_PAIR_DAEMON),
    ] {
        assert_eq!(text(&vectors["labels"][name]), label);
    }
    let public = |side: &str| PublicKey::from_text(&text(&vectors[side]["pk"])).unwrap();
    let pairings = vectors["pairings"].as_array().unwrap();
    assert!(!pairings.is_empty());
    for run in pairings {
        assert_eq!(run["rounds"], PAIR_ROUNDS);
        let code = PairingCode::parse(&text(&run["typed"])).unwrap();
        assert_eq!(PairingCode::parse(&text(&run["code"])).as_ref(), Some(&code));
        let frames: Vec<String> = run["frames"].as_array().unwrap().iter().map(&text).collect();
        let nonce = |at: usize| {
            let frame: Value = serde_json::from_str(&frames[at]).unwrap();
            decode::<32>(&text(&frame["nonce"])).unwrap()
        };
        let key = code.key(&salt(nonce(0), nonce(1)));
        let mut transcript = Transcript::default();
        for (at, frame) in frames.iter().enumerate() {
            let (sig, mac) = (
                |name: &str| decode(&text(&run[name])).unwrap(),
                |name: &str| decode(&text(&run[name])).unwrap(),
            );
            let holds = match at {
                2 => public("daemon")
                    .verifies(&transcript.message(LABEL_DAEMON), &sig("daemon_signature")),
                4 => public("extension")
                    .verifies(&transcript.message(LABEL_PAIR), &sig("pair_signature")),
                5 => key.verifies(LABEL_PAIR_EXTENSION, &transcript, &mac("extension_mac")),
                6 => key.verifies(LABEL_PAIR_DAEMON, &transcript, &mac("daemon_mac")),
                _ => true,
            };
            assert!(holds, "frame {at}");
            transcript.add(frame);
            let hex: String = transcript.digest().iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!(hex, text(&run["transcripts"][at]));
            serde_json::from_str::<Handshake>(frame).unwrap();
        }
    }
}
