//! From a connection to a profile that the engine may use: proof, admission, and the link's life.
//!
//! The same for WebSocket and native relay. At most one link a profile; a copied profile is told
//! from a reconnect by its boot id.

use crate::pairing;
use crate::slots::Slot;
use crate::state::Daemon;
use pillion_engine::{Browser, ProfileLink};
use pillion_link::handshake::EndReason;
use pillion_link::handshake::{self, clean_label};
use pillion_link::{ExtensionLink, Guess, Handshaker, Offer, Proven, Step, Wire, WireError};
use pillion_os::version::{protocol, version};
use pillion_wire::id::{ProfileId, SessionId};
use pillion_wire::limits::{COPY_PING, FRAME_BYTES, GOODBYE, HANDSHAKE_TIME, LIVE_PROFILES};
use pillion_wire::link::{LinkKind, Refusal};
use pillion_wire::verb::Event;
use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::timeout;

/// What carries frames until the peer is proven.
pub(crate) trait Carrier: Send {
    /// The next frame.
    fn receive(&mut self) -> impl Future<Output = Result<String, WireError>> + Send;
    /// Send one frame.
    fn send(&mut self, frame: String) -> impl Future<Output = Result<(), WireError>> + Send;
    /// The peer is proven: the same connection with a link's limits.
    fn into_wire(self) -> impl Future<Output = Wire> + Send;
    /// Say goodbye.
    fn close(self) -> impl Future<Output = ()> + Send;
}

impl Carrier for Wire {
    async fn receive(&mut self) -> Result<String, WireError> {
        Self::receive(self).await
    }

    async fn send(&mut self, frame: String) -> Result<(), WireError> {
        Self::send(self, frame).await
    }

    async fn into_wire(self) -> Wire {
        self
    }

    async fn close(self) {
        Self::close(self).await;
    }
}

/// The links that stand.
#[derive(Default)]
pub(crate) struct Links(Arc<Mutex<Live>>);

#[derive(Default)]
struct Live {
    next: u64,
    by_profile: HashMap<ProfileId, Seated>,
    /// Profiles that had a link since the start.
    seen: HashSet<ProfileId>,
}

struct Seated {
    number: u64,
    boot: [u8; 16],
    link: Arc<ExtensionLink>,
}

/// A profile's place, free again when dropped unless a successor has it.
struct Seat {
    links: Arc<Mutex<Live>>,
    profile: ProfileId,
    number: u64,
}

enum Admission {
    Seated(Seat),
    /// The same key from another browser run has the place.
    Other(u64, Arc<ExtensionLink>),
    Full,
}

fn lock(links: &Mutex<Live>) -> MutexGuard<'_, Live> {
    links.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Links {
    /// Take the profile's place; an older link of the same browser run loses it.
    fn seat(&self, profile: &ProfileId, boot: [u8; 16], link: &Arc<ExtensionLink>) -> Admission {
        let mut live = lock(&self.0);
        match live.by_profile.get(profile) {
            Some(other) if other.boot != boot && other.link.is_connected() => {
                return Admission::Other(other.number, Arc::clone(&other.link));
            }
            Some(older) => older.link.close(),
            None if live.by_profile.len() >= LIVE_PROFILES => return Admission::Full,
            None => {}
        }
        live.next += 1;
        let number = live.next;
        live.by_profile.insert(profile.clone(), Seated { number, boot, link: Arc::clone(link) });
        Admission::Seated(Seat { links: Arc::clone(&self.0), profile: profile.clone(), number })
    }

    /// Whether that profile has a link.
    pub(crate) fn has(&self, profile: &ProfileId) -> bool {
        lock(&self.0).by_profile.contains_key(profile)
    }

    /// Whether that profile had a link before. Remembers that it has one now.
    fn is_back(&self, profile: &ProfileId) -> bool {
        !lock(&self.0).seen.insert(profile.clone())
    }

    fn evict(&self, profile: &ProfileId, number: u64) {
        let mut live = lock(&self.0);
        if live.by_profile.get(profile).is_some_and(|seated| seated.number == number)
            && let Some(seated) = live.by_profile.remove(profile)
        {
            seated.link.close();
        }
    }

    /// A place for a proven profile, or why not.
    async fn admit(&self, proven: &Proven, link: &Arc<ExtensionLink>) -> Result<Seat, Refusal> {
        let profile = proven.key.profile_id();
        loop {
            match self.seat(&profile, proven.boot, link) {
                Admission::Seated(seat) => return Ok(seat),
                Admission::Full => return Err(Refusal::Full),
                Admission::Other(_, other) if other.answers_within(COPY_PING).await => {
                    return Err(Refusal::Copy);
                }
                Admission::Other(number, _) => self.evict(&profile, number),
            }
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut live = lock(&self.links);
        if live.by_profile.get(&self.profile).is_some_and(|seated| seated.number == self.number) {
            live.by_profile.remove(&self.profile);
        }
    }
}

/// Where a connection comes from.
pub(crate) struct From {
    pub(crate) link: LinkKind,
    /// The extension's id, as far as it can be told before the proof.
    pub(crate) extension: String,
}

/// A peer that proved that it holds its key.
enum Peer {
    /// That is enrolled.
    Known(Box<Proven>),
    /// That claims to know the pairing code.
    Guesses(Box<Guess>),
}

/// One connection from its first frame to its end.
pub(crate) async fn serve(daemon: &Arc<Daemon>, mut carrier: impl Carrier, from: From, slot: Slot) {
    let peer = tokio::select! {
        () = slot.evicted.cancelled() => None,
        () = daemon.shutdown.cancelled() => None,
        peer = timeout(HANDSHAKE_TIME, prove(daemon, &mut carrier, from.link)) => {
            peer.unwrap_or_else(|_| {
                tracing::debug!("a handshake took too long");
                None
            })
        }
    };
    let proven = match peer {
        None => None,
        Some(Peer::Known(proven)) => Some(proven),
        Some(Peer::Guesses(guess)) => pair(daemon, &mut carrier, *guess, &from.extension).await,
    };
    let Some(proven) = proven else { return say_goodbye(carrier).await };
    // The helper cuts what native messaging cannot carry, so both ways have the same limit.
    let (link, driver) = ExtensionLink::new(FRAME_BYTES);
    let seat = match daemon.links.admit(&proven, &link).await {
        Ok(seat) => seat,
        Err(refusal) => {
            tracing::info!(profile = %proven.key.profile_id(), ?refusal, "link refused");
            if timeout(GOODBYE, carrier.send(handshake::refused(refusal))).await.is_ok() {
                say_goodbye(carrier).await;
            }
            return;
        }
    };
    drop(slot);
    live(daemon, carrier.into_wire().await, proven, (link, driver)).await;
    drop(seat);
}

async fn say_goodbye(carrier: impl Carrier) {
    // A peer that does not take the goodbye loses nothing by it.
    timeout(GOODBYE, carrier.close()).await.ok();
}

/// P7, or why not. Nothing is read of the peer meanwhile, and each write has its time.
async fn pair(
    daemon: &Daemon,
    carrier: &mut impl Carrier,
    guess: Guess,
    extension: &str,
) -> Option<Box<Proven>> {
    let (proven, answer) = match pairing::settle(daemon, guess, extension).await {
        Ok((proven, answer)) => (Some(proven), answer),
        Err(answer) => (None, answer),
    };
    timeout(GOODBYE, carrier.send(answer)).await.ok()?.ok()?;
    proven
}

/// F1 to F5, or to P6. `None` when the peer is not to be linked; what there was to say has been said.
async fn prove(daemon: &Daemon, carrier: &mut impl Carrier, link: LinkKind) -> Option<Peer> {
    let port = match link {
        LinkKind::Ws => daemon.port?,
        LinkKind::Nm => 0,
    };
    let mut handshaker = Handshaker::new(Offer {
        identity: &daemon.identity,
        link,
        port,
        version: version(),
        proto: [protocol(); 2],
    });
    loop {
        let frame = carrier.receive().await.ok()?;
        let frames = match handshaker.receive(&frame, |key| daemon.profiles.has(key)) {
            Step::Wait => continue,
            Step::Send(frames) => frames,
            Step::Proven(proven) => return Some(Peer::Known(proven)),
            Step::Guess(guess) => return Some(Peer::Guesses(guess)),
            Step::End(frames, reason) => {
                tracing::info!(%reason, ?link, "handshake ended");
                if reason == EndReason::Refused(Refusal::Version) {
                    daemon.mismatch.note(&frame);
                }
                for frame in frames {
                    carrier.send(frame).await.ok()?;
                }
                return None;
            }
        };
        for frame in frames {
            carrier.send(frame).await.ok()?;
        }
    }
}

/// F6 and everything after it.
async fn live(
    daemon: &Arc<Daemon>,
    mut wire: Wire,
    proven: Box<Proven>,
    (link, driver): (Arc<ExtensionLink>, pillion_link::Driver),
) {
    let id = proven.key.profile_id();
    let (slug, connection) = daemon.engine.connect(ProfileLink {
        id: id.clone(),
        label: proven.label.clone(),
        consent: proven.consent,
        boot: proven.boot.iter().map(|byte| format!("{byte:02x}")).collect(),
        version: proven.version.clone(),
        reserved: false,
        browser: Arc::clone(&link) as Arc<dyn Browser>,
    });
    if daemon.links.is_back(&id) {
        daemon.counters.reconnected();
    }
    if daemon.profiles.seen(&id, &proven.label, proven.consent) {
        save(daemon);
    }
    tracing::info!(profile = slug, extension = proven.version, "profile connected");
    let ended = tokio::select! {
        ended = async {
            wire.send(handshake::welcome(&slug)).await.ok()?;
            Some(driver.run(wire, |event| take(daemon, &id, connection, event)).await)
        } => ended,
        () = async {
            daemon.shutdown.cancelled().await;
            link.close();
            // The driver sees it and says goodbye; this branch never wins.
            std::future::pending::<()>().await;
        } => None,
    };
    daemon.engine.disconnect(connection);
    let reason = ended.map(|ended| ended.to_string()).unwrap_or_default();
    tracing::info!(profile = slug, reason, "profile disconnected");
}

fn take(
    daemon: &Arc<Daemon>,
    id: &ProfileId,
    connection: pillion_engine::ConnectionId,
    mut event: Event,
) {
    let changed = match &mut event {
        Event::Consent { granted } => {
            daemon.profiles.change(id, |profile| profile.consented |= *granted)
        }
        Event::Label { label } => {
            *label = clean_label(label);
            daemon.profiles.change(id, |profile| label.clone_into(&mut profile.label))
        }
        Event::Disconnect { session } => {
            daemon.end_session(&SessionId(session.clone()));
            false
        }
        _ => false,
    };
    if changed {
        save(daemon);
    }
    daemon.engine.event(connection, event);
}

fn save(daemon: &Daemon) {
    daemon.tasks.spawn("save profiles", daemon.profiles.clone().save_or_log());
}
