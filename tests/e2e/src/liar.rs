//! A daemon that was taken over: it holds the real key, stands on the real port, shakes hands as it
//! should, and then asks the extension for whatever a test wants. Never part of the product.

use anyhow::{Context, Result, bail, ensure};
use futures_util::{SinkExt, StreamExt};
use pillion_link::handshake::welcome;
use pillion_link::{Handshaker, Identity, Offer, Step};
use pillion_testkit::{kill, until};
use pillion_wire::PROTOCOL;
use pillion_wire::code::Code;
use pillion_wire::link::{Asker, FromExtension, LinkKind, ToExtension};
use pillion_wire::verb::Verb;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// The port of a daemon that was just killed is free within this.
const BIND: Duration = Duration::from_secs(10);
/// The extension finds a new daemon within this.
const DIAL: Duration = Duration::from_secs(20);
/// One verb.
const VERB: Duration = Duration::from_secs(10);

/// The lying daemon, with the extension on its line.
pub struct Liar {
    socket: WebSocketStream<TcpStream>,
    next: u32,
    client: String,
    _listener: TcpListener,
}

impl Liar {
    /// Kill the real daemon and take its place.
    pub async fn take_over(home: &Path, pid: u32, port: u16) -> Result<Self> {
        let pem = find(home, "identity.p8").context("the daemon has no identity on disk")?;
        let identity = Identity::from_pem(&std::fs::read_to_string(pem)?)?;
        kill(pid)?;
        let listener = until("the daemon's port", BIND, || async {
            Ok(TcpListener::bind(("127.0.0.1", port)).await.ok())
        })
        .await?;
        let socket = tokio::time::timeout(DIAL, accept(&listener, &identity, port))
            .await
            .context("the extension did not dial")??;
        Ok(Self { socket, next: 1, client: "liar".to_owned(), _listener: listener })
    }

    /// From now on ask as if it were for another agent.
    pub fn call_itself(&mut self, client: &str) {
        client.clone_into(&mut self.client);
    }

    /// Ask for a verb: its value, or the code with which it was refused or failed.
    pub async fn ask(&mut self, verb: Verb) -> Result<std::result::Result<Value, Code>> {
        let id = self.next;
        self.next += 1;
        let deadline_ms = u32::try_from(VERB.as_millis())?;
        let client = self.client.clone();
        let asker = Asker { session: "liar".into(), client, program: None, folder: None };
        let request = ToExtension::Request { id, deadline_ms, asker: Some(asker), verb };
        self.socket.send(Message::text(serde_json::to_string(&request)?)).await?;
        tokio::time::timeout(VERB * 2, self.answer(id)).await.context("no answer")?
    }

    async fn answer(&mut self, wanted: u32) -> Result<std::result::Result<Value, Code>> {
        let mut parts = String::new();
        loop {
            let message = self.socket.next().await.context("the extension hung up")??;
            let Message::Text(text) = message else { continue };
            let mut frame: FromExtension = serde_json::from_str(&text)?;
            if let FromExtension::Part { text, last, .. } = &frame {
                parts.push_str(text);
                if !last {
                    continue;
                }
                frame = serde_json::from_str(&std::mem::take(&mut parts))?;
            }
            match frame {
                FromExtension::Response { id, value } if id == wanted => return Ok(Ok(value)),
                FromExtension::Error { id, error } if id == wanted => return Ok(Err(error.code)),
                _ => {}
            }
        }
    }
}

async fn accept(
    listener: &TcpListener,
    identity: &Identity,
    port: u16,
) -> Result<WebSocketStream<TcpStream>> {
    loop {
        let (mut stream, _) = listener.accept().await?;
        let mut start = [0_u8; 10];
        let read = stream.peek(&mut start).await?;
        if start[..read].starts_with(b"GET /probe") {
            let mut head = [0_u8; 2048];
            ensure!(stream.read(&mut head).await? > 0, "an empty probe");
            let nothing = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
            stream.write_all(nothing).await?;
            continue;
        }
        let Ok(socket) = tokio_tungstenite::accept_async(stream).await else { continue };
        if let Ok(socket) = shake_hands(socket, identity, port).await {
            return Ok(socket);
        }
    }
}

async fn shake_hands(
    mut socket: WebSocketStream<TcpStream>,
    identity: &Identity,
    port: u16,
) -> Result<WebSocketStream<TcpStream>> {
    let proto = [PROTOCOL, PROTOCOL];
    let offer = Offer { identity, link: LinkKind::Ws, port, version: "0.1.0", proto };
    let mut handshaker = Handshaker::new(offer);
    loop {
        let message = socket.next().await.context("hung up")??;
        let Message::Text(text) = message else { continue };
        match handshaker.receive(&text, |_| true) {
            Step::Send(frames) => {
                for frame in frames {
                    socket.send(Message::text(frame)).await?;
                }
            }
            Step::Wait => {}
            Step::Proven(_) => {
                socket.send(Message::text(welcome("liar"))).await?;
                return Ok(socket);
            }
            Step::Guess(_) => bail!("the extension paired, which nobody asked for"),
            Step::End(_, reason) => bail!("{reason}"),
        }
    }
}

fn find(folder: &Path, name: &str) -> Option<std::path::PathBuf> {
    let entries: Vec<_> = std::fs::read_dir(folder).ok()?.flatten().collect();
    let here = entries.iter().find(|entry| entry.file_name() == name).map(std::fs::DirEntry::path);
    here.or_else(|| {
        entries.iter().filter(|entry| entry.path().is_dir()).find_map(|dir| find(&dir.path(), name))
    })
}
