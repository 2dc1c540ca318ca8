//! Carries a simulated browser's frames: dials, proves itself, answers, loses its connection now and
//! then, and dials again. Never decides what a verb does.

use super::browser::SimBrowser;
use super::random::Random;
use crate::extension_peer::{ExtensionPeer, PeerError, PeerProfile, Socket};
use pillion_link::PublicKey;
use pillion_wire::link::{FromExtension, ToExtension};
use pillion_wire::verb::{Event, Verb};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Between two tries to reach a daemon that does not listen.
const AGAIN: Duration = Duration::from_millis(10);

/// Where the daemon is.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Its loopback port.
    pub port: u16,
    /// Its key.
    pub key: PublicKey,
}

/// How often a connection is lost, in a thousand requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    /// Before the request is done.
    pub before: u32,
    /// After it was done, before its answer.
    pub after: u32,
    /// Tells the sequence.
    pub seed: u64,
}

/// How a link stands.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// Connections so far.
    pub connections: u32,
    /// What the daemon calls the profile.
    pub slug: String,
}

/// A profile's link that comes back for as long as it runs.
pub struct SimLink {
    /// Who it is.
    pub profile: PeerProfile,
    /// What it answers.
    pub browser: Arc<SimBrowser>,
    /// How it fails.
    pub faults: Faults,
    /// Microseconds that every verb takes.
    pub latency: Arc<AtomicU64>,
    /// Told with every connection.
    pub standing: watch::Sender<Standing>,
}

enum End {
    /// The daemon or a fault ended the connection.
    Lost,
    /// Nobody needs the simulation any more.
    Over,
}

impl SimLink {
    /// A link without faults.
    pub fn new(profile: PeerProfile, browser: Arc<SimBrowser>) -> Self {
        Self {
            profile,
            browser,
            faults: Faults::default(),
            latency: Arc::default(),
            standing: watch::Sender::default(),
        }
    }

    /// Keeps the link up, wherever the daemon is, until the sender of `endpoint` or of `events` is
    /// dropped. `events` are told to the daemon, or lost when there is no connection.
    pub async fn run(
        self,
        mut endpoint: watch::Receiver<Endpoint>,
        mut events: mpsc::UnboundedReceiver<Event>,
    ) {
        let mut random = Random::new(self.faults.seed);
        loop {
            let Endpoint { port, key } = endpoint.borrow_and_update().clone();
            match ExtensionPeer::connect(port, &self.profile, &key).await {
                Ok(mut peer) => {
                    self.standing.send_modify(|standing| {
                        standing.connections += 1;
                        standing.slug.clone_from(&peer.slug);
                    });
                    match self.carry(peer.socket(), &mut random, &mut events).await {
                        End::Lost => {}
                        End::Over => return,
                    }
                }
                Err(PeerError::Refused(_) | PeerError::NotPinned | PeerError::Key(_)) => return,
                // The daemon restarts, or is busy with others: it says where it is, or a little later
                // is soon enough.
                Err(_) => {
                    if let Ok(Err(_)) = timeout(AGAIN, endpoint.changed()).await {
                        return;
                    }
                }
            }
        }
    }

    async fn carry(
        &self,
        socket: &mut Socket,
        random: &mut Random,
        events: &mut mpsc::UnboundedReceiver<Event>,
    ) -> End {
        let mut slow = JoinSet::new();
        loop {
            let done = tokio::select! {
                frame = socket.receive() => {
                    let Ok(frame) = frame else { return End::Lost };
                    let came = Instant::now();
                    match serde_json::from_str(&frame) {
                        Ok(ToExtension::Request { id, verb, .. }) => {
                            let latency = Duration::from_micros(self.latency.load(Ordering::Relaxed));
                            if latency.is_zero() {
                                (id, verb, came)
                            } else {
                                slow.spawn(async move {
                                    sleep(latency).await;
                                    (id, verb, came)
                                });
                                continue;
                            }
                        }
                        Ok(ToExtension::Ping {}) => {
                            if send(socket, &FromExtension::Pong {}).await.is_err() {
                                return End::Lost;
                            }
                            continue;
                        }
                        Ok(ToExtension::Cancel { .. }) => continue,
                        Err(_) => return End::Lost,
                    }
                }
                Some(done) = slow.join_next() => match done {
                    Ok(done) => done,
                    Err(_) => return End::Lost,
                },
                event = events.recv() => {
                    let Some(event) = event else { return End::Over };
                    if send(socket, &FromExtension::Event { event }).await.is_err() {
                        return End::Lost;
                    }
                    continue;
                }
            };
            if self.fulfil(socket, random, done).await.is_err() {
                return End::Lost;
            }
        }
    }

    async fn fulfil(
        &self,
        socket: &mut Socket,
        random: &mut Random,
        (id, verb, came): (u32, Verb, Instant),
    ) -> Result<(), PeerError> {
        if random.per_mille(self.faults.before) {
            return Err(PeerError::Closed);
        }
        let answer = self.browser.answer_after(verb, came.elapsed());
        if random.per_mille(self.faults.after) {
            return Err(PeerError::Closed);
        }
        for event in answer.before {
            send(socket, &FromExtension::Event { event }).await?;
        }
        let frame = match answer.value {
            Ok(value) => FromExtension::Response { id, value },
            Err(error) => FromExtension::Error { id, error },
        };
        send(socket, &frame).await?;
        for event in answer.after {
            send(socket, &FromExtension::Event { event }).await?;
        }
        Ok(())
    }
}

async fn send(socket: &mut Socket, frame: &FromExtension) -> Result<(), PeerError> {
    socket.send(serde_json::to_string(frame).expect("frames have string keys only")).await
}
