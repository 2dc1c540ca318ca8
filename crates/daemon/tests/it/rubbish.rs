//! Ten thousand random and mutated messages at each door of the daemon. None lets anybody in, none
//! takes the daemon or another's connection down.

use crate::rig::{Client, Rig, soon};
use pillion_testkit::extension_peer::{PeerError, PeerProfile, Socket};
use pillion_testkit::simulation::Random;
use pillion_wire::link::LinkKind;
use pillion_wire::local::{Role, ToClient, ToDaemon};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Messages a door.
const MESSAGES: usize = 10_000;
/// A peer that is not answered goes on to its next try after this.
const SILENCE: Duration = Duration::from_millis(20);

/// A message with some of it changed, cut, doubled or put elsewhere; now and then bytes alone.
fn mutated(random: &mut Random, text: &str) -> Vec<u8> {
    if random.per_mille(100) {
        let length = random.below(300);
        return (0..length).map(|_| random.bits() as u8).collect();
    }
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] = random.bits() as u8,
            2 => bytes.insert(at, random.bits() as u8),
            3 => {
                let end = (at + random.below(20)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + random.below(40)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => {
                const WORDS: [&str; 8] =
                    ["{", "}", "\"t\":", "null", "1e999", "[[[[", "\u{202e}", "\\ud800"];
                let word = WORDS[random.below(WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
        }
    }
    bytes
}

/// The same as a text: what is no UTF-8 the WebSocket itself refuses.
fn mutated_text(random: &mut Random, text: &str) -> String {
    String::from_utf8_lossy(&mutated(random, text)).into_owned()
}

/// Whoever is honest is still served.
async fn still_serves(rig: &Rig, profile: &PeerProfile) {
    let (_, link) = rig.serving(profile).await;
    let mut client = rig.client(Role::Mcp).await;
    let reply = client.call("browser_tabs", json!({})).await;
    assert!(reply.ok, "{}", reply.text);
    link.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heads_at_the_listener() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let port = rig.record.port;
    let head = format!(
        "GET /link HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://evil.example\r\n\
         Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    let mut random = Random::new(1);
    for _ in 0..MESSAGES {
        let bytes = mutated(&mut random, &head);
        let mut socket = soon(TcpStream::connect(("127.0.0.1", port))).await.unwrap();
        // It may have been closed already.
        socket.write_all(&bytes).await.ok();
        socket.shutdown().await.ok();
        let mut answer = Vec::new();
        soon(socket.read_to_end(&mut answer)).await.ok();
        let answer = String::from_utf8_lossy(&answer);
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 403 "),
            "{}: {answer}",
            String::from_utf8_lossy(&bytes)
        );
    }
    still_serves(&rig, &profile).await;
    rig.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_before_the_proof() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let stranger = PeerProfile::new("Work").unwrap();
    let port = rig.record.port;
    let mut random = Random::new(2);
    let mut sent = 0;
    while sent < MESSAGES {
        let mut socket = soon(Socket::dial(port, &stranger.origin)).await.unwrap();
        let honest = stranger.hello(port, LinkKind::Ws).unwrap();
        // Half of them get as far as the frames that come after the daemon's own.
        let first =
            if random.per_mille(500) { honest.clone() } else { mutated_text(&mut random, &honest) };
        socket.send(first).await.ok();
        for _ in 0..4 {
            let frame = mutated_text(&mut random, &stranger.profile());
            sent += 1;
            if socket.send(frame).await.is_err() {
                break;
            }
        }
        while let Ok(Ok(frame)) = timeout(SILENCE, socket.receive()).await {
            let frame: Value = serde_json::from_str(&frame).unwrap();
            assert!(frame["t"] != "welcome", "{frame}");
        }
    }
    still_serves(&rig, &profile).await;
    rig.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_of_a_proven_profile() {
    let rig = Rig::new().await;
    let honest = rig.enrolled("Work").await;
    let odd = rig.enrolled("Odd").await;
    let frames = [
        json!({"t": "event", "event": {"event": "tab", "tab": {"tab": 7, "window": 1,
            "url": "https://a.example/", "title": "A", "active": false, "focused": false,
            "loading": false, "discarded": false, "shared": true, "held": false,
            "incognito": false}}}),
        json!({"t": "event", "event": {"event": "tab_gone", "tab": 7, "unshared": false}}),
        json!({"t": "event", "event": {"event": "tab_replaced", "old": 7, "new": 8}}),
        json!({"t": "response", "id": 1, "value": {"tabs": [], "unshared": 1}}),
        json!({"t": "error", "id": 1, "error": {"code": "TAB_NOT_FOUND", "message": "x"}}),
        json!({"t": "part", "of": 1, "index": 0, "last": false, "text": "{"}),
        json!({"t": "pong"}),
    ];
    let (_, link) = rig.serving(&honest).await;
    let mut random = Random::new(3);
    let mut sent = 0;
    while sent < MESSAGES {
        let mut peer = match rig.link(&odd).await {
            Ok(peer) => peer,
            // The last one is not yet gone.
            Err(PeerError::Refused(_)) => continue,
            Err(error) => panic!("{error}"),
        };
        // What is no frame ends the connection: until then as many as go.
        for _ in 0..200 {
            let frame = frames[random.below(frames.len())].to_string();
            let frame =
                if random.per_mille(950) { frame } else { mutated_text(&mut random, &frame) };
            sent += 1;
            if peer.socket().send(frame).await.is_err() {
                break;
            }
        }
    }
    let mut client = rig.client(Role::Mcp).await;
    let reply = client.call("browser_tabs", json!({})).await;
    assert!(reply.ok && reply.text.contains("+3 tabs"), "{}", reply.text);
    assert!(!link.is_finished(), "the honest profile was cut off");
    rig.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_at_the_local_socket() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let good = serde_json::to_string(&ToDaemon::Hello(rig.hello(Role::Mcp))).unwrap();
    let stranger = good.replace(&rig.record.token, &"0".repeat(rig.record.token.len()));
    let lines = [
        json!({"t": "call", "id": 1, "tool": "browser_tabs", "args": {}, "deadline_ms": 5}),
        json!({"t": "cancel", "id": 1}),
        json!({"t": "admin", "id": 2, "ask": {"admin": "status"}}),
    ];
    let mut random = Random::new(4);
    let mut sent = 0;
    while sent < MESSAGES {
        let mut client = Client::dial(&rig.record).await;
        let known = random.per_mille(500);
        let first = if known { good.clone() } else { mutated_text(&mut random, &stranger) };
        client.send_raw(&first.replace('\n', " ")).await;
        for _ in 0..20 {
            let line = lines[random.below(lines.len())].to_string();
            let line = mutated_text(&mut random, &line);
            sent += 1;
            client.send_raw(&line).await;
        }
        if !known {
            let told = timeout(SILENCE, client.next()).await;
            assert!(!matches!(told, Ok(Some(ToClient::Welcome { .. }))), "{first}");
        }
    }
    still_serves(&rig, &profile).await;
    rig.end().await;
}
