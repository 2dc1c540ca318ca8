//! A program on the daemon's port that does not hold its key. Takes down what the extension tells it.
//! Never part of the product.

use anyhow::{Context, Result, bail, ensure};
use futures_util::{SinkExt, StreamExt};
use pillion_link::{Handshaker, Identity, Offer, Step};
use pillion_testkit::until;
use pillion_wire::PROTOCOL;
use pillion_wire::link::LinkKind;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// The port of a daemon that was just killed is free within this.
const BIND: Duration = Duration::from_secs(10);
/// The extension comes by within this.
const DIAL: Duration = Duration::from_secs(20);
/// Longer than the extension waits for a daemon to prove itself.
const HANG_UP: Duration = Duration::from_secs(15);

/// How it answers a hello.
#[derive(Debug, Clone, Copy)]
pub enum Lie {
    /// With a key of its own, and a good signature by it.
    OwnKey,
    /// That the profile is not known, without any proof.
    Refused,
    /// That all is well, without any proof.
    Welcome,
    /// Not at all.
    Silence,
    /// With frames that nobody could read.
    Rubbish,
}

/// See the module.
pub struct Squatter(TcpListener);

impl Squatter {
    /// Sits down on the port as soon as it is free.
    pub async fn sit(port: u16) -> Result<Self> {
        let listener = until("the daemon's port", BIND, || async {
            Ok(TcpListener::bind(("127.0.0.1", port)).await.ok())
        })
        .await?;
        Ok(Self(listener))
    }

    /// Lies to the next link until the extension hangs up. Gives what it was told.
    pub async fn lie(&self, lie: Lie) -> Result<Vec<String>> {
        let mut socket = tokio::time::timeout(DIAL, self.next())
            .await
            .context("the extension did not dial")??;
        let mut heard = Vec::new();
        let listen = async {
            while let Some(Ok(message)) = socket.next().await {
                let Message::Text(text) = message else { continue };
                let is_first = heard.is_empty();
                heard.push(text.to_string());
                if !is_first {
                    continue;
                }
                for frame in self.answer(lie, &text)? {
                    socket.send(Message::text(frame)).await?;
                }
            }
            anyhow::Ok(())
        };
        tokio::time::timeout(HANG_UP, listen).await.context("the extension stayed")??;
        Ok(heard)
    }

    fn answer(&self, lie: Lie, hello: &str) -> Result<Vec<String>> {
        Ok(match lie {
            Lie::Silence => vec![],
            Lie::Refused => vec![r#"{"t":"refused","code":"unknown_profile"}"#.into()],
            Lie::Welcome => vec![r#"{"t":"welcome","profile":"work"}"#.into()],
            Lie::Rubbish => vec!["{\"t\":".repeat(400), "[".repeat(4_000), "\u{0}".into()],
            Lie::OwnKey => {
                let identity = Identity::generate()?;
                let port = self.0.local_addr()?.port();
                let proto = [PROTOCOL, PROTOCOL];
                let version = "0.1.0";
                let offer = Offer { identity: &identity, link: LinkKind::Ws, port, version, proto };
                match Handshaker::new(offer).receive(hello, |_| true) {
                    Step::Send(frames) => frames,
                    _ => bail!("the hello was none: {hello}"),
                }
            }
        })
    }

    /// The next link; probes before it are answered as the daemon does.
    async fn next(&self) -> Result<WebSocketStream<TcpStream>> {
        loop {
            let (mut stream, _) = self.0.accept().await?;
            let mut start = [0_u8; 10];
            let read = stream.peek(&mut start).await?;
            if start[..read].starts_with(b"GET /probe") {
                let mut head = [0_u8; 2_048];
                ensure!(stream.read(&mut head).await? > 0, "an empty probe");
                let nothing = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
                stream.write_all(nothing).await?;
                continue;
            }
            if let Ok(socket) = tokio_tungstenite::accept_async(stream).await {
                return Ok(socket);
            }
        }
    }
}
