//! The daemon's side of the handshake against an extension's side of its own, and the vectors that
//! the extension's tests read too.

#![expect(clippy::unwrap_used, reason = "tests, also outside of test functions")]

use pillion_link::handshake::{Transcript, refused, welcome};
use pillion_link::identity::{decode, encode};
use pillion_link::{EndReason, Handshaker, Identity, Offer, PublicKey, Step};
use pillion_wire::link::{Handshake, LABEL_DAEMON, LABEL_EXTENSION, LinkKind, Refusal};
use serde_json::{Value, json};

const PORT: u16 = 47_613;

struct Sides {
    daemon: Identity,
    extension: Identity,
}

impl Sides {
    fn new() -> Self {
        Self { daemon: Identity::generate().unwrap(), extension: Identity::generate().unwrap() }
    }

    fn offer(&self) -> Offer<'_> {
        Offer {
            identity: &self.daemon,
            link: LinkKind::Ws,
            port: PORT,
            version: "0.1.0",
            proto: [1, 1],
        }
    }

    fn hello(&self) -> Value {
        json!({"t": "hello", "proto": [1, 1], "nonce": encode(&[7; 32]), "port": PORT,
            "link": "ws", "ext": "0.1.0", "caps": []})
    }

    /// F4 and F5, checking F2 and F3 as the extension does; `None` when it would close.
    fn answer(&self, frames: [&str; 3]) -> Option<[String; 2]> {
        let mut transcript = Transcript::default();
        transcript.add(frames[0]);
        transcript.add(frames[1]);
        let Ok(Handshake::Daemon { pk, port, proto, .. }) = serde_json::from_str(frames[1]) else {
            return None;
        };
        let Ok(Handshake::Sig { sig }) = serde_json::from_str(frames[2]) else { return None };
        let proven = pk == self.daemon.public().to_text()
            && port == PORT
            && proto == 1
            && self.daemon.public().verifies(&transcript.message(LABEL_DAEMON), &decode(&sig)?);
        if !proven {
            return None;
        }
        transcript.add(frames[2]);
        let profile = json!({"t": "profile", "pk": self.extension.public().to_text(),
            "boot": encode(&[3; 16]), "label": "Work", "consent": true})
        .to_string();
        transcript.add(&profile);
        let sig = self.extension.sign(&transcript.message(LABEL_EXTENSION));
        Some([profile, json!({"t": "sig", "sig": encode(&sig)}).to_string()])
    }

    /// One handshake in which `meddle` may change each frame on its way. Whether it ends in proof.
    fn run(&self, meddle: impl Fn(usize, String) -> String) -> bool {
        let mut daemon = Handshaker::new(self.offer());
        let hello = self.hello().to_string();
        let Step::Send(sent) = daemon.receive(&meddle(1, hello.clone()), |_| true) else {
            return false;
        };
        let received = [meddle(2, sent[0].clone()), meddle(3, sent[1].clone())];
        let Some([profile, sig]) = self.answer([&hello, &received[0], &received[1]]) else {
            return false;
        };
        matches!(daemon.receive(&meddle(4, profile), |_| true), Step::Wait)
            && matches!(daemon.receive(&meddle(5, sig), |_| true), Step::Proven(_))
    }
}

#[test]
fn honest_sides_agree() {
    let sides = Sides::new();
    assert!(sides.run(|_, frame| frame));
}

#[test]
fn a_flipped_byte_of_any_frame_never_ends_in_proof() {
    let sides = Sides::new();
    for which in 1..=5 {
        let mut at = 0;
        loop {
            let past_the_end = std::cell::Cell::new(false);
            let flip = |frame: String| {
                let mut bytes = frame.into_bytes();
                match bytes.get_mut(at) {
                    Some(byte) => *byte ^= 1,
                    None => past_the_end.set(true),
                }
                String::from_utf8(bytes).unwrap()
            };
            let proven = sides.run(|n, frame| if n == which { flip(frame) } else { frame });
            if past_the_end.get() {
                break;
            }
            assert!(!proven, "frame {which}, byte {at}");
            at += 1;
        }
        assert!(at > 50, "frame {which} was never reached");
    }
}

#[test]
fn a_relay_from_one_port_to_another_is_refused() {
    let sides = Sides::new();
    let mut hello = sides.hello();
    hello["port"] = json!(PORT + 1);
    let mut daemon = Handshaker::new(sides.offer());
    // The squatter passes on what was dialled …
    let step = daemon.receive(&hello.to_string(), |_| true);
    assert!(matches!(step, Step::End(ref frames, EndReason::WrongPort) if frames.is_empty()));
    // … or changes it, which breaks the transcript that the extension checks.
    let mut daemon = Handshaker::new(sides.offer());
    let Step::Send(sent) = daemon.receive(&sides.hello().to_string(), |_| true) else { panic!() };
    assert_eq!(sides.answer([&hello.to_string(), &sent[0], &sent[1]]), None);
}

#[test]
fn frames_of_another_handshake_do_not_fit() {
    let sides = Sides::new();
    let hello = sides.hello().to_string();
    let mut first = Handshaker::new(sides.offer());
    let Step::Send(sent) = first.receive(&hello, |_| true) else { panic!() };
    let recorded = sides.answer([&hello, &sent[0], &sent[1]]).unwrap();
    let mut second = Handshaker::new(sides.offer());
    second.receive(&hello, |_| true);
    second.receive(&recorded[0], |_| true);
    let step = second.receive(&recorded[1], |_| true);
    assert!(matches!(step, Step::End(_, EndReason::BadSignature)), "{step:?}");
}

fn first(frame: &str) -> EndReason {
    let sides = Sides::new();
    match Handshaker::new(sides.offer()).receive(frame, |_| true) {
        Step::End(frames, reason) if frames.is_empty() => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_first_frame_that_is_not_right_ends_it_without_a_word() {
    let sides = Sides::new();
    let with = |name: &str, value: Value| {
        let mut hello = sides.hello();
        hello[name] = value;
        hello.to_string()
    };
    assert_eq!(first(&with("port", json!(0))), EndReason::WrongPort);
    assert_eq!(first(&with("link", json!("nm"))), EndReason::WrongPort);
    for (name, value) in [
        ("nonce", json!("")),
        ("nonce", json!(encode(&[7; 31]))),
        ("nonce", json!(format!("{}=", encode(&[7; 32])))),
        ("port", json!(65_536)),
        ("link", json!("tcp")),
        ("ext", json!("x".repeat(100))),
        ("ext", json!("a b")),
        ("caps", json!(vec!["x"; 100])),
        ("proto", json!([1])),
        ("t", json!("nonsense")),
    ] {
        assert_eq!(first(&with(name, value.clone())), EndReason::Malformed, "{name} {value}");
    }
    assert_eq!(first(&"x".repeat(4_097)), EndReason::TooLarge);
    assert_eq!(first(&"[".repeat(4_000)), EndReason::Malformed);
    assert_eq!(first(&welcome("x")), EndReason::OutOfOrder);
    assert_eq!(first(&json!({"t": "sig", "sig": "x"}).to_string()), EndReason::OutOfOrder);
}

#[test]
fn after_its_end_a_handshake_takes_nothing() {
    let sides = Sides::new();
    let mut daemon = Handshaker::new(sides.offer());
    daemon.receive("nonsense", |_| true);
    let step = daemon.receive(&sides.hello().to_string(), |_| true);
    assert!(matches!(step, Step::End(_, EndReason::OutOfOrder)));
}

#[test]
fn another_protocol_is_refused_after_the_proof() {
    let sides = Sides::new();
    for theirs in [json!([2, 3]), json!([0, 0]), json!([3, 1])] {
        let mut hello = sides.hello();
        hello["proto"] = theirs;
        let step = Handshaker::new(sides.offer()).receive(&hello.to_string(), |_| true);
        let Step::End(frames, EndReason::Refused(Refusal::Version)) = step else {
            panic!("{step:?}")
        };
        assert_eq!(frames.len(), 3);
        assert_eq!(frames[2], refused(Refusal::Version));
    }
}

#[test]
fn an_unknown_key_learns_so_only_after_it_proved_itself() {
    let sides = Sides::new();
    for honest in [true, false] {
        let mut daemon = Handshaker::new(sides.offer());
        let hello = sides.hello().to_string();
        let Step::Send(sent) = daemon.receive(&hello, |_| false) else { panic!() };
        let [profile, sig] = sides.answer([&hello, &sent[0], &sent[1]]).unwrap();
        daemon.receive(&profile, |_| panic!("asked too early"));
        let sig = if honest { sig } else { sig.replace(char::is_lowercase, "A") };
        match daemon.receive(&sig, |_| false) {
            Step::End(frames, EndReason::Refused(Refusal::UnknownProfile)) if honest => {
                assert_eq!(frames, [refused(Refusal::UnknownProfile)]);
            }
            Step::End(frames, _) if !honest => assert!(frames.is_empty()),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn labels_are_made_fit_to_be_shown() {
    use pillion_link::handshake::clean_label;
    assert_eq!(clean_label(" Work\u{202e}\u{7}\n "), "Work");
    assert_eq!(clean_label("\u{200b}"), "Profile");
    assert_eq!(clean_label(&"ü".repeat(500)).chars().count(), 64);
}

#[test]
fn the_vectors_hold() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/handshake.json");
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let key = |side: &str| PublicKey::from_text(&text(&vectors[side]["pk"])).unwrap();
    let (daemon, extension) = (key("daemon"), key("extension"));
    for (side, key) in [("daemon", &daemon), ("extension", &extension)] {
        let der = base64_url(&text(&vectors[side]["pkcs8"]));
        assert_eq!(Identity::from_der(&der).unwrap().public(), key);
    }
    assert_eq!(extension.profile_id().0, text(&vectors["profile_id"]));
    assert_eq!(text(&vectors["labels"]["daemon"]), LABEL_DAEMON);
    assert_eq!(text(&vectors["labels"]["extension"]), LABEL_EXTENSION);
    let runs = vectors["runs"].as_array().unwrap();
    assert!(runs.len() > 1);
    for run in runs {
        let mut transcript = Transcript::default();
        let frames = run["frames"].as_array().unwrap();
        for (at, frame) in frames.iter().enumerate() {
            let signed = match at {
                2 => Some((&daemon, LABEL_DAEMON, "daemon_signature")),
                4 => Some((&extension, LABEL_EXTENSION, "extension_signature")),
                _ => None,
            };
            if let Some((key, label, name)) = signed {
                let sig = decode(&text(&run[name])).unwrap();
                assert!(key.verifies(&transcript.message(label), &sig), "{name}");
            }
            transcript.add(frame.as_str().unwrap());
            let hex: String = transcript.digest().iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!(hex, text(&run["transcripts"][at]));
            serde_json::from_str::<Handshake>(frame.as_str().unwrap()).unwrap();
        }
    }
}

fn base64_url(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).unwrap()
}
