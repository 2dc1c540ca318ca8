//! A proven link to one extension: requests out, answers and events in.
//!
//! Two halves: [`ExtensionLink`], which the engine calls, and [`Driver`], the one future that owns
//! the wire. Never interprets a verb, never logs a frame, never spawns.

use crate::frames;
use crate::parts::Parts;
use crate::wire::{Frames, Sender, Wire, WireError};
use async_trait::async_trait;
use futures_util::{SinkExt, StreamExt};
use pillion_engine::{Browser, LinkError};
use pillion_wire::code::Code;
use pillion_wire::limits::{GOODBYE, LINK_DEAD, LINK_PING, LINK_QUEUE};
use pillion_wire::link::{Asker, FromExtension, ToExtension, VerbError};
use pillion_wire::verb::{Event, Verb};
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

/// Why a link ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// This side ended it.
    #[error("ended by this side")]
    Told,
    /// The extension or the carrier went away.
    #[error("the extension went away")]
    Gone,
    /// Nothing came for 45 s.
    #[error("the extension fell silent")]
    Silent,
    /// What came was no frame.
    #[error("the extension sent what is no frame")]
    Malformed,
}

type Answer = Result<Value, LinkError>;

struct Pending {
    answer: oneshot::Sender<Answer>,
    /// Set by the driver just before it hands the frame to the carrier.
    sent: bool,
}

/// What both halves share. Locked for moments only, never across an await.
struct Book {
    open: bool,
    next: u32,
    pending: HashMap<u32, Pending>,
    /// Requests that nobody waits for any more and that the extension has.
    cancels: Vec<u32>,
    ping: bool,
}

struct Shared {
    book: Mutex<Book>,
    /// The driver looks at `cancels` and `ping`.
    wake: Notify,
    /// Counts frames that came.
    heard: watch::Sender<u64>,
    close: CancellationToken,
    largest: usize,
}

impl Shared {
    fn book(&self) -> MutexGuard<'_, Book> {
        // The book is consistent between any two statements, so a panic elsewhere spoils nothing.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self) {
        self.close.cancel();
        let pending = {
            let mut book = self.book();
            book.open = false;
            std::mem::take(&mut book.pending)
        };
        for (_, Pending { answer, sent }) in pending {
            // The caller may have given up meanwhile.
            answer.send(Err(LinkError::Lost { sent })).ok();
        }
    }

    fn answer(&self, id: u32, answer: Answer) {
        // An unknown id is the late answer to a request that was given up.
        let pending = self.book().pending.remove(&id);
        if let Some(pending) = pending {
            pending.answer.send(answer).ok();
        }
    }
}

struct Outgoing {
    id: u32,
    frame: String,
}

/// The engine's half of a link.
pub struct ExtensionLink {
    shared: Arc<Shared>,
    outgoing: mpsc::Sender<Outgoing>,
}

impl ExtensionLink {
    /// A link whose frames towards the extension may have `largest` bytes. Calls made before the
    /// driver runs wait for it.
    pub fn new(largest: usize) -> (Arc<Self>, Driver) {
        let (outgoing, queue) = mpsc::channel(LINK_QUEUE);
        let shared = Arc::new(Shared {
            book: Mutex::new(Book {
                open: true,
                next: 0,
                pending: HashMap::new(),
                cancels: Vec::new(),
                ping: false,
            }),
            wake: Notify::new(),
            heard: watch::Sender::new(0),
            close: CancellationToken::new(),
            largest,
        });
        let link = Arc::new(Self { shared: Arc::clone(&shared), outgoing });
        (link, Driver { shared, queue })
    }

    /// End the link; its driver returns.
    pub fn close(&self) {
        self.shared.close.cancel();
    }

    /// Whether anything comes from the extension within `within` of a ping.
    pub async fn answers_within(&self, within: Duration) -> bool {
        let mut heard = self.shared.heard.subscribe();
        self.shared.book().ping = true;
        self.shared.wake.notify_one();
        tokio::select! {
            () = self.shared.close.cancelled() => false,
            heard = timeout(within, heard.changed()) => heard.is_ok_and(|heard| heard.is_ok()),
        }
    }

    fn enter(&self) -> Option<(Ticket<'_>, oneshot::Receiver<Answer>)> {
        let (answer, receiver) = oneshot::channel();
        let mut pending = Some(Pending { answer, sent: false });
        let mut book = self.shared.book();
        if !book.open {
            return None;
        }
        loop {
            book.next = book.next.wrapping_add(1);
            let id = book.next;
            if let Entry::Vacant(entry) = book.pending.entry(id) {
                entry.insert(pending.take().expect("inserted once: the loop ends here"));
                return Some((Ticket { shared: &self.shared, id }, receiver));
            }
        }
    }

    async fn ask(&self, verb: Verb, asker: Option<Asker>, deadline: Duration) -> Answer {
        let (ticket, answer) = self.enter().ok_or(LinkError::Lost { sent: false })?;
        let id = ticket.id;
        let deadline_ms = u32::try_from(deadline.as_millis()).unwrap_or(u32::MAX);
        let frame = text(&ToExtension::Request { id, deadline_ms, asker, verb });
        if frame.len() > self.shared.largest {
            return Err(LinkError::Refused(VerbError {
                code: Code::ResponseTooLarge,
                message: "the request is larger than the link to the browser carries".to_owned(),
                ask: None,
            }));
        }
        self.outgoing
            .send(Outgoing { id, frame })
            .await
            .map_err(|_| LinkError::Lost { sent: false })?;
        answer.await.unwrap_or(Err(LinkError::Lost { sent: true }))
    }
}

#[async_trait]
impl Browser for ExtensionLink {
    async fn call(&self, verb: Verb, asker: Option<Asker>, deadline: Duration) -> Answer {
        timeout(deadline, self.ask(verb, asker, deadline)).await.unwrap_or(Err(LinkError::Timeout))
    }

    fn is_connected(&self) -> bool {
        !self.shared.close.is_cancelled()
    }
}

/// A request in flight. Dropped before its answer, it is cancelled in the browser.
struct Ticket<'a> {
    shared: &'a Shared,
    id: u32,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut book = self.shared.book();
        let abandoned = book.pending.remove(&self.id);
        if book.open && abandoned.is_some_and(|pending| pending.sent) {
            book.cancels.push(self.id);
            drop(book);
            self.shared.wake.notify_one();
        }
    }
}

/// The wire's half of a link. Dropping it ends the link.
pub struct Driver {
    shared: Arc<Shared>,
    queue: mpsc::Receiver<Outgoing>,
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.shared.finish();
    }
}

impl Driver {
    /// Carry frames until the link ends. `on_event` must not block.
    pub async fn run(mut self, wire: Wire, on_event: impl FnMut(Event) + Send) -> Ended {
        let Wire { frames, mut sender } = wire;
        let shared = Arc::clone(&self.shared);
        let (ended, can_send) = tokio::select! {
            () = shared.close.cancelled() => (Ended::Told, true),
            ended = read(&shared, frames, on_event) => (ended, true),
            ended = write(&shared, &mut self.queue, &mut sender) => (ended, ended == Ended::Told),
        };
        shared.finish();
        // A sink that failed must not be touched again: adapters of ours panic then.
        if can_send {
            // A peer that does not take the goodbye loses nothing by it.
            timeout(GOODBYE, sender.close()).await.ok();
        }
        ended
    }
}

async fn read(shared: &Shared, mut frames: Frames, mut on_event: impl FnMut(Event)) -> Ended {
    let mut parts = Parts::default();
    loop {
        let frame = match timeout_at(Instant::now() + LINK_DEAD, frames.next()).await {
            Err(_) => return Ended::Silent,
            Ok(None | Some(Err(WireError::Closed))) => return Ended::Gone,
            Ok(Some(Err(WireError::NotText | WireError::TooLarge))) => return Ended::Malformed,
            Ok(Some(Ok(frame))) => frame,
        };
        shared.heard.send_modify(|count| *count = count.wrapping_add(1));
        let frame = match frames::parse(&frame) {
            Ok(FromExtension::Part { of, index, last, text }) => {
                match parts.add(of, index, last, text) {
                    Ok(None) => continue,
                    Ok(Some(whole)) => frames::parse(&whole),
                    Err(_) => return Ended::Malformed,
                }
            }
            frame => frame,
        };
        match frame {
            Ok(FromExtension::Response { id, value }) => shared.answer(id, Ok(value)),
            Ok(FromExtension::Error { id, error }) => {
                shared.answer(id, Err(LinkError::Refused(error)));
            }
            Ok(FromExtension::Event { event }) => on_event(event),
            Ok(FromExtension::Pong {}) => {}
            // A part of parts is no frame either.
            Ok(FromExtension::Part { .. }) | Err(_) => return Ended::Malformed,
        }
    }
}

async fn write(
    shared: &Shared,
    queue: &mut mpsc::Receiver<Outgoing>,
    sender: &mut Sender,
) -> Ended {
    let mut pings = interval_at(Instant::now() + LINK_PING, LINK_PING);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let sent = tokio::select! {
            biased;
            () = shared.wake.notified() => send_controls(shared, sender).await,
            _ = pings.tick() => sender.send(text(&ToExtension::Ping {})).await,
            outgoing = queue.recv() => match outgoing {
                None => return Ended::Told,
                Some(outgoing) => send_request(shared, outgoing, sender).await,
            },
        };
        if sent.is_err() {
            return Ended::Gone;
        }
    }
}

async fn send_controls(shared: &Shared, sender: &mut Sender) -> Result<(), WireError> {
    let (cancels, ping) = {
        let mut book = shared.book();
        (std::mem::take(&mut book.cancels), std::mem::take(&mut book.ping))
    };
    for id in cancels {
        sender.feed(text(&ToExtension::Cancel { id })).await?;
    }
    if ping {
        sender.feed(text(&ToExtension::Ping {})).await?;
    }
    sender.flush().await
}

async fn send_request(
    shared: &Shared,
    Outgoing { id, frame }: Outgoing,
    sender: &mut Sender,
) -> Result<(), WireError> {
    match shared.book().pending.get_mut(&id) {
        Some(pending) => pending.sent = true,
        // Given up before it was sent: the browser never hears of it.
        None => return Ok(()),
    }
    sender.send(frame).await
}

fn text(frame: &ToExtension) -> String {
    serde_json::to_string(frame).expect("frames have string keys only")
}
