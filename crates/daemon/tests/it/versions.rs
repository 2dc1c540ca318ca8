//! An extension of another protocol: refused by a proven daemon, and named to whoever asks for a
//! browser.

use crate::rig::{Rig, soon};
use pillion_testkit::extension_peer::Socket;
use pillion_wire::code::Code;
use pillion_wire::limits::HANDSHAKE_FRAMES;
use pillion_wire::link::{Handshake, LinkKind, Refusal};
use pillion_wire::local::{Admin, Role};
use serde_json::{Value, json};

#[tokio::test]
async fn an_extension_of_another_protocol_is_refused_and_the_agent_is_told_what_to_update() {
    let rig = Rig::new().await;
    let profile = rig.enrolled("Work").await;
    let port = rig.record.port;
    let hello = profile.hello(port, LinkKind::Ws).unwrap();
    let mut hello: Value = serde_json::from_str(&hello).unwrap();
    hello["proto"] = json!([900, 901]);
    hello["ext"] = json!("99.0.0");
    let mut socket = soon(Socket::dial(port, &profile.origin)).await.unwrap();
    soon(socket.send(hello.to_string())).await.unwrap();
    let mut last = None;
    for _ in 0..HANDSHAKE_FRAMES {
        let Ok(frame) = soon(socket.receive()).await else { break };
        last = Some(serde_json::from_str(&frame).unwrap());
    }
    // After the proof, so that it is believed.
    assert!(matches!(last, Some(Handshake::Refused { code: Refusal::Version })), "{last:?}");

    let mut agent = rig.client(Role::Mcp).await;
    let reply = agent.call("browser_snapshot", json!({})).await;
    assert_eq!(reply.failure.unwrap().code, Code::VersionMismatch, "{}", reply.text);
    assert!(reply.text.contains("99.0.0") && reply.text.contains("Update the program"));
    let status = agent.ask(Admin::Status).await;
    assert!(status["note"].as_str().unwrap().contains("99.0.0"), "{status}");
}
