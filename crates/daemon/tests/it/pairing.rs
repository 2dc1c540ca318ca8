//! Pairing by code against a daemon over real sockets: who gets in, who does not, and what each is
//! told. And what a reset leaves.

use crate::rig::{Rig, soon};
use pillion_daemon::Config;
use pillion_link::handshake::Transcript;
use pillion_link::{PairingCode, PublicKey, identity};
use pillion_testkit::extension_peer::{ExtensionPeer, PeerError, PeerProfile, Socket};
use pillion_wire::limits::PAIR_TRIES;
use pillion_wire::link::{LABEL_PAIR, LinkKind, Refusal, Unpaired};
use pillion_wire::local::{Admin, Role};
use serde_json::{Value, json};
use std::time::Duration;

struct Waiting {
    code: PairingCode,
    number: u32,
}

async fn code(rig: &Rig) -> Waiting {
    let made = rig.client(Role::Cli).await.ask(Admin::PairCode).await;
    let code = PairingCode::parse(made["code"].as_str().unwrap()).unwrap();
    Waiting { code, number: made["number"].as_u64().unwrap().try_into().unwrap() }
}

async fn outcome(rig: &Rig, number: u32) -> Value {
    rig.client(Role::Cli).await.ask(Admin::PairOutcome { number }).await
}

async fn pair(
    rig: &Rig,
    profile: &PeerProfile,
    code: &PairingCode,
) -> Result<(ExtensionPeer, PublicKey), PeerError> {
    soon(ExtensionPeer::pair(rig.record.port, profile, code)).await
}

async fn refusal(rig: &Rig, code: &PairingCode) -> Option<Unpaired> {
    match pair(rig, &PeerProfile::new("Work").unwrap(), code).await {
        Err(PeerError::Unpaired(why)) => Some(why),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    }
}

/// One that is not `code`.
fn other(code: &PairingCode) -> PairingCode {
    let wrong = PairingCode::parse("00000000").unwrap();
    if *code == wrong { PairingCode::parse("00000001").unwrap() } else { wrong }
}

#[tokio::test]
async fn who_knows_the_code_is_paired_let_in_and_known_from_then_on() {
    let rig = Rig::new().await;
    let profile = PeerProfile::new("Work").unwrap();
    let waiting = code(&rig).await;
    let (peer, key) = pair(&rig, &profile, &waiting.code).await.unwrap();
    assert_eq!((peer.slug.as_str(), &key), ("work", &rig.key));
    let id = profile.identity.public().profile_id();
    let told = outcome(&rig, waiting.number).await;
    assert_eq!(told, json!({"outcome": "paired", "profile": id, "label": "Work"}));
    let known = rig.client(Role::Cli).await.ask(Admin::Pairing).await;
    let entry = &known["profiles"][0];
    assert_eq!(known["daemon"], json!(key.profile_id()));
    assert_eq!(
        (&entry["fingerprint"], &entry["consented"], &entry["connected"], &entry["extension"]),
        (&json!(id), &json!(true), &json!(true), &json!(pillion_wire::EXTENSION_ID))
    );
    drop(peer);
    let rig = rig.restart().await;
    rig.link(&profile).await.unwrap();
}

#[tokio::test]
async fn a_code_is_good_once() {
    let rig = Rig::new().await;
    let waiting = code(&rig).await;
    let first = PeerProfile::new("Work").unwrap();
    pair(&rig, &first, &waiting.code).await.unwrap();
    assert_eq!(refusal(&rig, &waiting.code).await, Some(Unpaired::NoCode));
    let known = rig.client(Role::Cli).await.ask(Admin::Status).await;
    assert_eq!(known["known"], 1);
}

#[tokio::test]
async fn without_a_code_nobody_is_paired() {
    let rig = Rig::new().await;
    let guess = PairingCode::parse("00000000").unwrap();
    assert_eq!(refusal(&rig, &guess).await, Some(Unpaired::NoCode));
}

#[tokio::test]
async fn three_wrong_tries_end_a_code_and_the_right_one_comes_too_late() {
    let rig = Rig::new().await;
    let waiting = code(&rig).await;
    for _ in 0..PAIR_TRIES {
        assert_eq!(refusal(&rig, &other(&waiting.code)).await, Some(Unpaired::WrongCode));
    }
    assert_eq!(refusal(&rig, &waiting.code).await, Some(Unpaired::NoCode));
    assert_eq!(outcome(&rig, waiting.number).await, json!({"outcome": "spent"}));
    let status = rig.client(Role::Cli).await.ask(Admin::Status).await;
    assert_eq!(status["known"], 0);
}

#[tokio::test]
async fn tries_at_the_same_moment_are_no_more_than_three() {
    let rig = Rig::new().await;
    let waiting = code(&rig).await;
    let wrong = other(&waiting.code);
    let tries = (0..6).map(async |_| pair(&rig, &PeerProfile::new("Work").unwrap(), &wrong).await);
    let ends = futures_util::future::join_all(tries).await;
    let count = |why: Unpaired| {
        ends.iter()
            .filter(|end| matches!(end, Err(PeerError::Unpaired(told)) if *told == why))
            .count()
    };
    // All six keys are made on one thread here: a try may also come too late for its handshake.
    assert!(count(Unpaired::WrongCode) <= PAIR_TRIES as usize);
    assert!(ends.iter().all(Result::is_err));
    let told = count(Unpaired::WrongCode) + count(Unpaired::NoCode);
    assert!(told >= 2, "{told} tries were answered");
}

#[tokio::test]
async fn two_wrong_tries_leave_the_third_for_the_right_one() {
    let rig = Rig::new().await;
    let waiting = code(&rig).await;
    for _ in 1..PAIR_TRIES {
        refusal(&rig, &other(&waiting.code)).await;
    }
    assert_eq!(refusal(&rig, &waiting.code).await, None);
}

#[tokio::test]
async fn an_expired_code_is_no_code() {
    let life = Duration::from_millis(50);
    let config = Config { ports: vec![0], pair_code: life, ..Config::default() };
    let rig = Rig::with(config).await;
    let waiting = code(&rig).await;
    assert_eq!(outcome(&rig, waiting.number).await, json!({"outcome": "expired"}));
    assert_eq!(refusal(&rig, &waiting.code).await, Some(Unpaired::NoCode));
}

#[tokio::test]
async fn a_newer_code_replaces_an_older_one() {
    let rig = Rig::new().await;
    let (old, new) = (code(&rig).await, code(&rig).await);
    assert_eq!(outcome(&rig, old.number).await, json!({"outcome": "replaced"}));
    assert_eq!(refusal(&rig, &old.code).await, Some(Unpaired::WrongCode));
    assert_eq!(refusal(&rig, &new.code).await, None);
}

#[tokio::test]
async fn a_code_goes_with_whoever_waits_for_it() {
    let rig = Rig::new().await;
    let waiting = code(&rig).await;
    let mut asker = rig.client(Role::Cli).await;
    let ask = Admin::PairOutcome { number: waiting.number };
    asker.send(&pillion_wire::local::ToDaemon::Admin { id: 1, ask }).await;
    // The question is taken before this one is answered.
    asker.send(&pillion_wire::local::ToDaemon::Admin { id: 2, ask: Admin::Status }).await;
    assert!(asker.next().await.is_some());
    drop(asker);
    // Its end is noticed in a moment.
    soon(async { while rig.client(Role::Cli).await.ask(Admin::Status).await["clients"] != 1 {} })
        .await;
    assert_eq!(refusal(&rig, &waiting.code).await, Some(Unpaired::NoCode));
}

#[tokio::test]
async fn a_call_that_finds_no_profile_names_a_code_that_pairs() {
    let rig = Rig::new().await;
    let mut agent = rig.client(Role::Mcp).await;
    let navigate = json!({"url": "https://example.com"});
    let text = soon(agent.call("browser_navigate", navigate.clone())).await.text;
    assert!(text.starts_with("NOT_CONNECTED") && text.contains("Pair with a code"), "{text}");
    let named = |text: &str| {
        text.split_whitespace().find_map(|word| {
            (word.len() == 9 && word.contains('-')).then(|| PairingCode::parse(word)).flatten()
        })
    };
    let first = named(&text).unwrap();
    // The same one while it is good, so that the user's reading it is not in vain.
    let again = soon(agent.call("browser_navigate", navigate.clone())).await.text;
    assert_eq!(named(&again).unwrap(), first);
    let profile = PeerProfile::new("Work").unwrap();
    let (peer, _) = pair(&rig, &profile, &first).await.unwrap();
    drop(peer);
    // Now a profile is known: a closed browser is the likelier reason.
    let text = soon(async {
        loop {
            let reply = agent.call("browser_navigate", navigate.clone()).await.text;
            if reply.starts_with("NOT_CONNECTED") {
                return reply;
            }
        }
    })
    .await;
    assert_eq!(named(&text), None, "{text}");
}

#[tokio::test]
async fn a_rogue_extension_gets_no_further_than_its_guess() {
    let rig = Rig::new().await;
    code(&rig).await;
    let profile = PeerProfile::new("Work").unwrap();
    let port = rig.record.port;
    let hello = profile.hello(port, LinkKind::Ws).unwrap();
    let open = async || {
        let mut socket = Socket::dial(port, &profile.origin).await.unwrap();
        socket.send(hello.clone()).await.unwrap();
        let frames = [socket.receive().await.unwrap(), socket.receive().await.unwrap()];
        (socket, frames)
    };
    // P4 with a good signature, but F5 in place of P6 …
    let (mut socket, [daemon, sig]) = open().await;
    let pair = json!({"t": "pair", "pk": profile.identity.public().to_text(),
        "boot": identity::encode(&[1; 16]), "label": "x"})
    .to_string();
    let mut transcript = Transcript::default();
    [&hello, &daemon, &sig, &pair].into_iter().for_each(|frame| transcript.add(frame));
    let proof = identity::encode(&profile.identity.sign(&transcript.message(LABEL_PAIR)));
    let proof = json!({"t": "sig", "sig": proof}).to_string();
    for frame in [pair.clone(), proof.clone(), proof.clone()] {
        socket.send(frame).await.unwrap();
    }
    assert!(soon(socket.receive()).await.is_err());
    // … P6 at once, a second P4, and a signature of nobody's.
    let mac = json!({"t": "mac", "mac": identity::encode(&[0; 32])}).to_string();
    for frames in [vec![mac.clone()], vec![pair.clone(), pair.clone()], vec![pair, proof]] {
        let (mut socket, _) = open().await;
        for frame in frames {
            socket.send(frame).await.unwrap();
        }
        assert!(soon(socket.receive()).await.is_err());
    }
    let status = rig.client(Role::Cli).await.ask(Admin::Status).await;
    assert_eq!((&status["known"], &status["connected"]), (&json!(0), &json!(0)));
}

#[tokio::test]
async fn a_recorded_pairing_cannot_be_replayed() {
    let rig = Rig::new().await;
    let profile = PeerProfile::new("Work").unwrap();
    let waiting = code(&rig).await;
    let port = rig.record.port;
    let hello = profile.hello(port, LinkKind::Ws).unwrap();
    let mut recorded = Vec::new();
    for replay in [false, true] {
        // The code is even good still.
        let waits = if replay { code(&rig).await.code } else { waiting.code.clone() };
        let mut socket = Socket::dial(port, &profile.origin).await.unwrap();
        socket.send(hello.clone()).await.unwrap();
        let (daemon, sig) = (socket.receive().await.unwrap(), socket.receive().await.unwrap());
        if !replay {
            let (frames, _) = profile.claim(port, &waits, [&hello, &daemon, &sig]).unwrap();
            recorded = frames.to_vec();
        }
        for frame in &recorded {
            // The daemon may have closed already.
            socket.send(frame.clone()).await.ok();
        }
        assert_eq!(soon(socket.receive()).await.is_ok(), !replay);
    }
}

#[tokio::test]
async fn two_daemons_have_a_code_each() {
    let (one, other) = (Rig::new().await, Rig::new().await);
    let (first, _second) = (code(&one).await, code(&other).await);
    assert_eq!(refusal(&other, &first.code).await, Some(Unpaired::WrongCode));
    // Passing frames on does not help: the port is in F1.
    let profile = PeerProfile::new("Work").unwrap();
    let hello = profile.hello(other.record.port, LinkKind::Ws).unwrap();
    let mut socket = Socket::dial(one.record.port, &profile.origin).await.unwrap();
    socket.send(hello).await.unwrap();
    assert!(soon(socket.receive()).await.is_err());
    let (_, key) = pair(&one, &profile, &first.code).await.unwrap();
    assert_eq!(key, one.key);
}

#[tokio::test]
async fn a_profile_that_cannot_be_remembered_is_not_paired() {
    let rig = Rig::new().await;
    // Nothing can take the place of a folder.
    std::fs::create_dir(rig.home.state_dir().join("profiles.json")).unwrap();
    let waiting = code(&rig).await;
    assert_eq!(refusal(&rig, &waiting.code).await, Some(Unpaired::Failed));
    let told = outcome(&rig, waiting.number).await;
    assert_eq!(told["outcome"], "failed", "{told}");
    assert_eq!(refusal(&rig, &waiting.code).await, Some(Unpaired::NoCode));
}

#[tokio::test]
async fn without_a_port_there_is_no_code() {
    let rig = Rig::with(Config { ports: vec![], ..Config::default() }).await;
    let made = rig.client(Role::Cli).await.ask(Admin::PairCode).await;
    assert!(made["error"].as_str().unwrap().contains("setup --native"), "{made}");
}

#[tokio::test]
async fn after_a_reset_old_profiles_are_strangers_and_the_old_key_is_nobodys() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    rig.link(&profile).await.unwrap();
    let (old, home) = (rig.key.clone(), rig.home.clone());
    let dir = rig.end().await;
    let new = pillion_daemon::reset(&home).unwrap().key;
    let rig = Rig::in_dir(dir, Config { ports: vec![0], ..Config::default() }).await;
    assert!(rig.key == new && new != old);
    // The profile still pins the old one, and says nothing but hello …
    let pinned = ExtensionPeer::connect(rig.record.port, &profile, &old);
    assert!(matches!(soon(pinned).await.err(), Some(PeerError::NotPinned)));
    // … and is unknown until the helper enrols it again.
    let refused = rig.link(&profile).await.err().unwrap();
    assert!(matches!(refused, PeerError::Refused(Refusal::UnknownProfile)), "{refused}");
    rig.enrol(&profile).await;
    rig.link(&profile).await.unwrap();
}
