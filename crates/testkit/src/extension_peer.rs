//! A fake extension: proves itself with a key of its own and answers verbs by a closure.
//!
//! Speaks the same frames as the real one over a real WebSocket. Never shares code with the
//! daemon's side of the handshake but the transcript and the key types.

use futures_util::{SinkExt, StreamExt};
use pillion_link::PairingCode;
use pillion_link::handshake::Transcript;
use pillion_link::identity::{Identity, KeyError, PublicKey, decode, encode, random};
use pillion_link::pairing::PairingKey;
use pillion_wire::link::{
    FromExtension, Handshake, LABEL_DAEMON, LABEL_EXTENSION, LABEL_PAIR, LABEL_PAIR_DAEMON,
    LABEL_PAIR_EXTENSION, LinkKind, Refusal, ToExtension, Unpaired, VerbError,
};
use pillion_wire::verb::{Event, Verb};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::http::{Request, StatusCode};
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

/// Why a peer has no link.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// Nobody listens there.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The upgrade was refused with that status.
    #[error("the upgrade was refused: {0}")]
    Upgrade(StatusCode),
    /// The other side closed without a word, or broke the protocol.
    #[error("the connection ended")]
    Closed,
    /// Anything else of the WebSocket's.
    #[error(transparent)]
    WebSocket(Box<tungstenite::Error>),
    /// The daemon did not prove its key; nothing but the hello was sent.
    #[error("the daemon is not the one that is pinned")]
    NotPinned,
    /// A proven daemon refused.
    #[error("refused: {0:?}")]
    Refused(Refusal),
    /// The daemon does not pair.
    #[error("not paired: {0:?}")]
    Unpaired(Unpaired),
    /// No key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// A browser profile with the extension in it.
pub struct PeerProfile {
    /// Its pair.
    pub identity: Identity,
    /// Of this browser run.
    pub boot: [u8; 16],
    /// What the user calls it.
    pub label: String,
    /// Whether the user lets agents use it.
    pub consent: bool,
    /// Origin that the upgrade carries.
    pub origin: String,
}

impl PeerProfile {
    /// A profile of that name, with a new key, let in by its user.
    ///
    /// # Errors
    /// When the operating system gives no randomness.
    pub fn new(label: &str) -> Result<Self, KeyError> {
        Ok(Self {
            identity: Identity::generate()?,
            boot: random()?,
            label: label.to_owned(),
            consent: true,
            origin: format!("chrome-extension://{}", pillion_wire::EXTENSION_ID),
        })
    }

    /// F1 for a daemon on `port`.
    ///
    /// # Errors
    /// When the operating system gives no randomness.
    pub fn hello(&self, port: u16, link: LinkKind) -> Result<String, KeyError> {
        Ok(text(&Handshake::Hello {
            proto: [pillion_wire::PROTOCOL; 2],
            nonce: encode(&random::<32>()?),
            port,
            link,
            ext: "0.1.0".to_owned(),
            caps: Vec::new(),
        }))
    }

    /// P4, P5 and P6 after F1, F2 and F3 of whichever daemon listens on `port`, and what P7 is
    /// checked with.
    ///
    /// # Errors
    /// When F2 and F3 do not fit.
    pub fn claim(
        &self,
        port: u16,
        code: &PairingCode,
        [hello, daemon, sig]: [&str; 3],
    ) -> Result<([String; 3], Claimed), PeerError> {
        let mut transcript = Transcript::default();
        transcript.add(hello);
        transcript.add(daemon);
        let message = transcript.message(LABEL_DAEMON);
        transcript.add(sig);
        let (
            Ok(Handshake::Hello { nonce: ours, .. }),
            Ok(Handshake::Daemon { nonce: theirs, pk, port: named, .. }),
            Ok(Handshake::Sig { sig }),
        ) = (from_text(hello), from_text(daemon), from_text(sig))
        else {
            return Err(PeerError::Closed);
        };
        let key = PublicKey::from_text(&pk)?;
        let sig: [u8; 64] = decode(&sig).ok_or(PeerError::NotPinned)?;
        if named != port || !key.verifies(&message, &sig) {
            return Err(PeerError::NotPinned);
        }
        let nonce = |text: &str| decode::<32>(text).ok_or(PeerError::Closed);
        let mut salt = [0; 64];
        salt[..32].copy_from_slice(&nonce(&ours)?);
        salt[32..].copy_from_slice(&nonce(&theirs)?);
        let pair = text(&Handshake::Pair {
            pk: self.identity.public().to_text(),
            boot: encode(&self.boot),
            label: self.label.clone(),
        });
        transcript.add(&pair);
        let proof = self.identity.sign(&transcript.message(LABEL_PAIR));
        let proof = text(&Handshake::Sig { sig: encode(&proof) });
        transcript.add(&proof);
        let secret = code.key(&salt);
        let mac = encode(&secret.mac(LABEL_PAIR_EXTENSION, &transcript));
        let mac = text(&Handshake::Mac { mac });
        transcript.add(&mac);
        Ok(([pair, proof, mac], Claimed { key, secret, transcript }))
    }

    /// F4.
    pub fn profile(&self) -> String {
        text(&Handshake::Profile {
            pk: self.identity.public().to_text(),
            boot: encode(&self.boot),
            label: self.label.clone(),
            consent: self.consent,
        })
    }

    /// F5 over the transcript of F1 to F4.
    pub fn signature(&self, transcript: &Transcript) -> String {
        let sig = self.identity.sign(&transcript.message(LABEL_EXTENSION));
        text(&Handshake::Sig { sig: encode(&sig) })
    }

    /// F4 and F5 after F1, F2 and F3, if these come from the pinned daemon on `port`.
    ///
    /// # Errors
    /// When they do not.
    pub fn answer(
        &self,
        port: u16,
        pinned: &PublicKey,
        [hello, daemon, sig]: [&str; 3],
    ) -> Result<[String; 2], PeerError> {
        let mut transcript = Transcript::default();
        transcript.add(hello);
        transcript.add(daemon);
        let message = transcript.message(LABEL_DAEMON);
        transcript.add(sig);
        let (Ok(Handshake::Daemon { proto, pk, port: theirs, .. }), Ok(Handshake::Sig { sig })) =
            (serde_json::from_str(daemon), serde_json::from_str(sig))
        else {
            return Err(PeerError::Closed);
        };
        let sig: [u8; 64] = decode(&sig).ok_or(PeerError::NotPinned)?;
        let fits = pk == pinned.to_text() && theirs == port && proto == pillion_wire::PROTOCOL;
        if !fits || !pinned.verifies(&message, &sig) {
            return Err(PeerError::NotPinned);
        }
        let profile = self.profile();
        transcript.add(&profile);
        let signature = self.signature(&transcript);
        Ok([profile, signature])
    }
}

/// A daemon that was told that its code is known, before it answered with P7.
pub struct Claimed {
    key: PublicKey,
    secret: PairingKey,
    transcript: Transcript,
}

impl Claimed {
    /// The daemon's key, to be pinned, if P7 shows that it knows the code.
    ///
    /// # Errors
    /// When it does not, and when it says why not.
    pub fn check(self, frame: &str) -> Result<PublicKey, PeerError> {
        match from_text(frame) {
            Ok(Handshake::Unpaired { code }) => Err(PeerError::Unpaired(code)),
            Ok(Handshake::Mac { mac }) => {
                let mac = decode(&mac).ok_or(PeerError::NotPinned)?;
                let knows = self.secret.verifies(LABEL_PAIR_DAEMON, &self.transcript, &mac);
                if knows { Ok(self.key) } else { Err(PeerError::NotPinned) }
            }
            _ => Err(PeerError::Closed),
        }
    }
}

/// A WebSocket to a daemon, before any frame.
pub struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    /// Upgrade with that Origin.
    ///
    /// # Errors
    /// When nobody listens or the upgrade is refused.
    pub async fn dial(port: u16, origin: &str) -> Result<Self, PeerError> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        // As Chrome does.
        stream.set_nodelay(true)?;
        let request = Request::get(format!("ws://127.0.0.1:{port}/link"))
            .header("Host", format!("127.0.0.1:{port}"))
            .header("Origin", origin)
            .header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", tungstenite::handshake::client::generate_key())
            .body(())
            .expect("every part of the request is valid");
        match client_async(request, stream).await {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(tungstenite::Error::Http(response)) => Err(PeerError::Upgrade(response.status())),
            Err(error) => Err(PeerError::WebSocket(Box::new(error))),
        }
    }

    /// Send one text.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn send(&mut self, frame: String) -> Result<(), PeerError> {
        self.0.send(Message::Text(frame.into())).await.map_err(|_| PeerError::Closed)
    }

    /// Send one binary message.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn send_binary(&mut self, frame: Vec<u8>) -> Result<(), PeerError> {
        self.0.send(Message::Binary(frame.into())).await.map_err(|_| PeerError::Closed)
    }

    /// The next text.
    ///
    /// # Errors
    /// When the connection ended.
    pub async fn receive(&mut self) -> Result<String, PeerError> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Text(frame))) => return Ok(frame.as_str().to_owned()),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                _ => return Err(PeerError::Closed),
            }
        }
    }
}

/// A profile with a standing link.
pub struct ExtensionPeer {
    socket: Socket,
    /// What the daemon calls the profile.
    pub slug: String,
}

impl ExtensionPeer {
    /// F1 to F6 with the daemon on `port`, whose key must be `pinned`.
    ///
    /// # Errors
    /// When there is no link in the end, and why.
    pub async fn connect(
        port: u16,
        profile: &PeerProfile,
        pinned: &PublicKey,
    ) -> Result<Self, PeerError> {
        let mut socket = Socket::dial(port, &profile.origin).await?;
        let hello = profile.hello(port, LinkKind::Ws)?;
        socket.send(hello.clone()).await?;
        let daemon = socket.receive().await?;
        let sig = socket.receive().await?;
        for frame in profile.answer(port, pinned, [&hello, &daemon, &sig])? {
            socket.send(frame).await?;
        }
        match serde_json::from_str(&socket.receive().await?) {
            Ok(Handshake::Welcome { profile: slug }) => Ok(Self { socket, slug }),
            Ok(Handshake::Refused { code }) => Err(PeerError::Refused(code)),
            _ => Err(PeerError::Closed),
        }
    }

    /// F1 to F3 and P4 to P7 with the daemon on `port`, whose key comes with the link.
    ///
    /// # Errors
    /// When there is no link in the end, and why.
    pub async fn pair(
        port: u16,
        profile: &PeerProfile,
        code: &PairingCode,
    ) -> Result<(Self, PublicKey), PeerError> {
        let mut socket = Socket::dial(port, &profile.origin).await?;
        let hello = profile.hello(port, LinkKind::Ws)?;
        socket.send(hello.clone()).await?;
        let (daemon, sig) = (socket.receive().await?, socket.receive().await?);
        let (frames, claimed) = profile.claim(port, code, [&hello, &daemon, &sig])?;
        for frame in frames {
            socket.send(frame).await?;
        }
        let key = claimed.check(&socket.receive().await?)?;
        match serde_json::from_str(&socket.receive().await?) {
            Ok(Handshake::Welcome { profile: slug }) => Ok((Self { socket, slug }, key)),
            Ok(Handshake::Refused { code }) => Err(PeerError::Refused(code)),
            _ => Err(PeerError::Closed),
        }
    }

    /// The socket itself, to misbehave on it.
    pub fn socket(&mut self) -> &mut Socket {
        &mut self.socket
    }

    /// Tell an event.
    ///
    /// # Errors
    /// When the connection is gone.
    pub async fn tell(&mut self, event: Event) -> Result<(), PeerError> {
        self.socket.send(text(&FromExtension::Event { event })).await
    }

    /// The next request, cancel or ping.
    ///
    /// # Errors
    /// When the connection ended.
    pub async fn next(&mut self) -> Result<ToExtension, PeerError> {
        serde_json::from_str(&self.socket.receive().await?).map_err(|_| PeerError::Closed)
    }

    /// Answer verbs and pings until the daemon ends the link.
    pub async fn serve(&mut self, mut answer: impl FnMut(Verb) -> Result<Value, VerbError>) {
        while let Ok(frame) = self.next().await {
            let reply = match frame {
                ToExtension::Request { id, verb, .. } => match answer(verb) {
                    Ok(value) => FromExtension::Response { id, value },
                    Err(error) => FromExtension::Error { id, error },
                },
                ToExtension::Ping {} => FromExtension::Pong {},
                ToExtension::Cancel { .. } => continue,
            };
            if self.socket.send(text(&reply)).await.is_err() {
                return;
            }
        }
    }
}

fn from_text(frame: &str) -> serde_json::Result<Handshake> {
    serde_json::from_str(frame)
}

fn text(frame: &impl serde::Serialize) -> String {
    serde_json::to_string(frame).expect("frames have string keys only")
}
