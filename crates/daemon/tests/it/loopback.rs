//! Who may upgrade.

use crate::rig::{Rig, soon};
use pillion_testkit::extension_peer::{PeerError, Socket};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn only_our_extensions_origin_is_upgraded() {
    let rig = Rig::new().await;
    for origin in [
        "null",
        "http://127.0.0.1",
        "https://evil.example",
        "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "moz-extension://11111111-1111-1111-1111-111111111111",
    ] {
        match Socket::dial(rig.record.port, origin).await {
            Err(PeerError::Upgrade(status)) => assert_eq!(status, 403, "{origin}"),
            _ => panic!("{origin} was upgraded"),
        }
    }
    let ours = format!("chrome-extension://{}", pillion_wire::EXTENSION_ID);
    Socket::dial(rig.record.port, &ours).await.unwrap();
}

async fn raw(port: u16, request: &str) -> String {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A reset after the answer is as good as an end.
    soon(socket.read_to_end(&mut answer)).await.ok();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn the_probe_is_bare_and_all_else_is_forbidden_without_a_body() {
    let rig = Rig::new().await;
    let port = rig.record.port;
    let origin = format!("Origin: chrome-extension://{}", pillion_wire::EXTENSION_ID);
    let get = |path: &str, host: &str, origin: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{origin}\r\n\r\n")
    };
    let ours = format!("127.0.0.1:{port}");
    let probe = raw(port, &get("/probe", &ours, &origin)).await;
    assert!(probe.starts_with("HTTP/1.1 204 ") && probe.ends_with("\r\n\r\n"), "{probe}");
    for request in [
        get("/probe", &ours, "Origin: https://evil.example"),
        get("/probe", &format!("localhost:{port}"), &origin),
        get("/", &ours, &origin),
        get("/link", &ours, &origin),
        format!("POST /probe HTTP/1.1\r\nHost: {ours}\r\n{origin}\r\n\r\n"),
    ] {
        let answer = raw(port, &request).await;
        assert!(answer.starts_with("HTTP/1.1 403 ") && answer.ends_with("\r\n\r\n"), "{request}");
        assert!(!answer.to_lowercase().contains("access-control"), "{answer}");
    }
    let huge = format!("GET /probe HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(20_000));
    assert!(!raw(port, &huge).await.contains("204"));
}
