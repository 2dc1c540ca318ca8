//! Profiles: enrolment, proof, copies, reconnects, two at once, native relay.

use crate::rig::{Rig, answer, soon};
use pillion_link::handshake::Transcript;
use pillion_link::{Identity, identity};
use pillion_testkit::extension_peer::{PeerError, PeerProfile, Socket};
use pillion_wire::link::{FromExtension, Handshake, LABEL_DAEMON, LinkKind, Refusal, ToExtension};
use pillion_wire::local::{Admin, Role, ToClient, ToDaemon};
use pillion_wire::verb::Event;
use serde_json::json;

#[tokio::test]
async fn an_enrolled_profile_is_linked_and_its_tools_work() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let (slug, link) = rig.serving(&profile).await;
    assert_eq!(slug, "work");
    let mut client = rig.client(Role::Mcp).await;
    let waited = client.ask(Admin::WaitForProfile { ms: 5_000 }).await;
    assert_eq!(waited["connected"], 1);
    let reply = client.call("browser_tabs", json!({})).await;
    assert!(reply.text.contains('3'), "{}", reply.text);
    rig.end().await;
    soon(link).await.unwrap();
}

#[tokio::test]
async fn a_key_that_was_never_enrolled_is_told_so() {
    let rig = Rig::new().await;
    let stranger = PeerProfile::new("Work").unwrap();
    let refused = rig.link(&stranger).await.err().unwrap();
    assert!(matches!(refused, PeerError::Refused(Refusal::UnknownProfile)), "{refused}");
    rig.enrol(&stranger).await;
    rig.link(&stranger).await.unwrap();
}

#[tokio::test]
async fn enrolment_and_identity_outlive_the_daemon() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let before = rig.key.clone();
    let rig = rig.restart().await;
    assert_eq!(rig.key, before);
    rig.link(&profile).await.unwrap();
}

#[tokio::test]
async fn a_squatter_gets_the_hello_and_nothing_else() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let other = Identity::generate().unwrap();
    let pinned_other = soon(pillion_testkit::extension_peer::ExtensionPeer::connect(
        rig.record.port,
        &profile,
        other.public(),
    ));
    assert!(matches!(pinned_other.await.err(), Some(PeerError::NotPinned)));

    // One that speaks F2 and F3 in the daemon's name, with a key of its own.
    let hello = profile.hello(7, LinkKind::Ws).unwrap();
    let daemon = json!({"t": "daemon", "proto": 1, "nonce": identity::encode(&[1; 32]),
        "pk": rig.key.to_text(), "port": 7, "ver": "0", "caps": []})
    .to_string();
    let mut transcript = Transcript::default();
    transcript.add(&hello);
    transcript.add(&daemon);
    let sig = other.sign(&transcript.message(LABEL_DAEMON));
    let sig = json!({"t": "sig", "sig": identity::encode(&sig)}).to_string();
    let answer = profile.answer(7, &rig.key, [&hello, &daemon, &sig]);
    assert!(matches!(answer, Err(PeerError::NotPinned)));
}

#[tokio::test]
async fn two_profiles_are_linked_at_once_and_named_apart() {
    let rig = Rig::new().await;
    let (work, home) = (rig.enrolled("Work").await, rig.enrolled("Home").await);
    let (one, _one) = rig.serving(&work).await;
    let (two, _two) = rig.serving(&home).await;
    assert_eq!((one.as_str(), two.as_str()), ("work", "home"));
    let status = rig.client(Role::Cli).await.ask(Admin::Status).await;
    assert_eq!(status["connected"], 2);
    assert_eq!(status["known"], 2);
}

#[tokio::test]
async fn a_copy_is_refused_while_the_original_answers() {
    let rig = Rig::new().await;
    let mut profile = rig.enrolled("Work").await;
    let (_, original) = rig.serving(&profile).await;
    profile.boot = [9; 16];
    let refused = rig.link(&profile).await.err().unwrap();
    assert!(matches!(refused, PeerError::Refused(Refusal::Copy)), "{refused}");
    assert!(!original.is_finished());
}

#[tokio::test]
async fn another_run_takes_over_from_one_that_does_not_answer() {
    let rig = Rig::new().await;
    let mut profile = rig.enrolled("Work").await;
    let mut silent = rig.link(&profile).await.unwrap();
    profile.boot = [9; 16];
    rig.link(&profile).await.unwrap();
    // The silent one was asked, and then ended.
    while let Ok(frame) = soon(silent.next()).await {
        assert!(!matches!(frame, ToExtension::Cancel { .. }));
    }
}

#[tokio::test]
async fn a_reconnect_of_the_same_run_replaces_at_once() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let (_, old) = rig.serving(&profile).await;
    let (slug, new) = rig.serving(&profile).await;
    assert_eq!(slug, "work");
    soon(old).await.unwrap();
    assert!(!new.is_finished());
    let mut client = rig.client(Role::Mcp).await;
    assert!(client.call("browser_tabs", json!({})).await.text.contains('3'));
}

#[tokio::test]
async fn the_daemon_says_goodbye_when_it_ends() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let (_, link) = rig.serving(&profile).await;
    rig.end().await;
    soon(link).await.unwrap();
}

#[tokio::test]
async fn frames_out_of_order_malformed_or_too_large_end_the_handshake() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let port = rig.record.port;
    let hello = |port| profile.hello(port, LinkKind::Ws).unwrap();
    let long = format!("{}{}", hello(port), " ".repeat(5_000));
    for frame in [
        "hello".to_owned(),
        "{}".to_owned(),
        profile.profile(),
        profile.signature(&Transcript::default()),
        hello(port.wrapping_add(1)),
        hello(0),
        profile.hello(port, LinkKind::Nm).unwrap(),
        long,
        "[".repeat(4_000),
    ] {
        let mut socket = Socket::dial(port, &profile.origin).await.unwrap();
        socket.send(frame.clone()).await.unwrap();
        assert!(soon(socket.receive()).await.is_err(), "{frame}");
    }
    let mut socket = Socket::dial(port, &profile.origin).await.unwrap();
    socket.send_binary(vec![0, 1]).await.unwrap();
    assert!(soon(socket.receive()).await.is_err());
    rig.link(&profile).await.unwrap();
}

#[tokio::test]
async fn a_malformed_frame_of_a_link_ends_that_link_only() {
    let rig = Rig::new().await;
    let (work, home) = (rig.enrolled("Work").await, rig.enrolled("Home").await);
    let mut bad = rig.link(&work).await.unwrap();
    let (_, good) = rig.serving(&home).await;
    bad.socket().send("nonsense".into()).await.unwrap();
    while soon(bad.next()).await.is_ok() {}
    assert!(!good.is_finished());
    rig.link(&work).await.unwrap();
}

#[tokio::test]
async fn a_handshake_that_stalls_gives_way_to_the_seventeenth() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let port = rig.record.port;
    let mut first = Socket::dial(port, &profile.origin).await.unwrap();
    let mut others = Vec::new();
    for _ in 0..pillion_wire::limits::HANDSHAKES_PENDING {
        others.push(Socket::dial(port, &profile.origin).await.unwrap());
    }
    let started = std::time::Instant::now();
    assert!(soon(first.receive()).await.is_err());
    assert!(started.elapsed() < pillion_wire::limits::HANDSHAKE_TIME);
    rig.link(&profile).await.unwrap();
}

#[tokio::test]
async fn a_recorded_session_cannot_be_replayed() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let hello = profile.hello(rig.record.port, LinkKind::Ws).unwrap();
    let mut recorded = Vec::new();
    for replay in [false, true] {
        let mut socket = Socket::dial(rig.record.port, &profile.origin).await.unwrap();
        socket.send(hello.clone()).await.unwrap();
        let (daemon, sig) = (socket.receive().await.unwrap(), socket.receive().await.unwrap());
        if !replay {
            let answer =
                profile.answer(rig.record.port, &rig.key, [&hello, &daemon, &sig]).unwrap();
            recorded = answer.to_vec();
        }
        for frame in &recorded {
            socket.send(frame.clone()).await.unwrap();
        }
        let end = soon(socket.receive()).await;
        let welcomed = end.is_ok_and(|frame| {
            matches!(serde_json::from_str(&frame), Ok(Handshake::Welcome { .. }))
        });
        assert_eq!(welcomed, !replay);
    }
}

#[tokio::test]
async fn a_link_over_the_native_relay_works_as_well() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let mut helper = rig.client(Role::Native).await;
    assert_eq!(helper.ask(Admin::OpenRelay).await, json!({}));
    let hello = profile.hello(0, LinkKind::Nm).unwrap();
    helper.send(&ToDaemon::Relay { frame: hello.clone() }).await;
    let mut frames = Vec::new();
    for _ in 0..2 {
        let Some(ToClient::Relay { frame }) = helper.next().await else { panic!("no frame") };
        frames.push(frame);
    }
    for frame in profile.answer(0, &rig.key, [&hello, &frames[0], &frames[1]]).unwrap() {
        helper.send(&ToDaemon::Relay { frame }).await;
    }
    let Some(ToClient::Relay { frame }) = helper.next().await else { panic!("no frame") };
    assert!(frame.contains("welcome"), "{frame}");
    let mut client = rig.client(Role::Mcp).await;
    let relayed = async {
        while let Some(ToClient::Relay { frame }) = helper.next().await {
            let reply = match serde_json::from_str(&frame).unwrap() {
                ToExtension::Request { id, verb, .. } => {
                    FromExtension::Response { id, value: answer(&verb) }
                }
                ToExtension::Ping {} => FromExtension::Pong {},
                ToExtension::Cancel { .. } => continue,
            };
            let frame = serde_json::to_string(&reply).unwrap();
            helper.send(&ToDaemon::Relay { frame }).await;
        }
    };
    let reply = tokio::select! {
        () = relayed => panic!("the relay ended"),
        reply = client.call("browser_tabs", json!({})) => reply,
    };
    assert!(reply.text.contains('3'), "{}", reply.text);
}

#[tokio::test]
async fn consent_and_label_are_remembered() {
    let rig = Rig::new().await;
    let mut profile = PeerProfile::new("Work").unwrap();
    profile.consent = false;
    rig.enrol(&profile).await;
    let mut peer = rig.link(&profile).await.unwrap();
    peer.tell(Event::Consent { granted: true }).await.unwrap();
    peer.tell(Event::Label { label: "Büro\n".into() }).await.unwrap();
    // Events are taken in order: once the next link stands they have been.
    drop(peer);
    let list = rig.home.state_dir().join("profiles.json");
    soon(async {
        loop {
            let text = std::fs::read_to_string(&list).unwrap();
            if text.contains("Büro\"") && text.contains("\"consented\": true") {
                return;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn consent_in_advance_needs_a_nonce_and_works_once() {
    let rig = Rig::new().await;
    let nonce = rig.client(Role::Cli).await.ask(Admin::PreConsent).await;
    let nonce = nonce["nonce"].as_str().unwrap().to_owned();
    let mut helper = rig.client(Role::Native).await;
    let mut enrol = async |consent: &str| {
        let pk = Identity::generate().unwrap().public().to_text();
        let (ext, consent) = (pillion_wire::EXTENSION_ID.to_owned(), Some(consent.to_owned()));
        helper.ask(Admin::Enrol { pk, ext, parent: None, consent }).await["consent"].clone()
    };
    assert_eq!(enrol("guess").await, false);
    assert_eq!(enrol(&nonce).await, true);
    assert_eq!(enrol(&nonce).await, false);
}

#[tokio::test]
async fn there_is_room_for_so_many_profiles_and_no_more() {
    let rig = Rig::new().await;
    let mut links = Vec::new();
    for n in 0..pillion_wire::limits::LIVE_PROFILES {
        let profile = rig.enrolled(&format!("P{n}")).await;
        links.push(rig.link(&profile).await.unwrap());
    }
    let one_more = rig.enrolled("One more").await;
    let refused = rig.link(&one_more).await.err().unwrap();
    assert!(matches!(refused, PeerError::Refused(Refusal::Full)), "{refused}");
    let mut gone = links.pop().unwrap();
    gone.socket().send("nonsense".into()).await.unwrap();
    while soon(gone.next()).await.is_ok() {}
    // Its place is free as soon as the daemon has seen the end.
    soon(async { while rig.link(&one_more).await.is_err() {} }).await;
}
