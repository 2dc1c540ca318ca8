//! One connection with the daemon after its welcome: numbers requests and hands each answer to
//! whoever waits for it. Never connects again by itself.

use crate::files::{self, CallFiles};
use crate::greeting::Greeted;
use crate::{Call, ClientError};
use pillion_os::local::write_line;
use pillion_wire::file::FileAsk;
use pillion_wire::local::{Admin, Reply, ToClient, ToDaemon};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

/// Lines that wait for the socket.
const WAITING: usize = 256;

/// When the connection broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// Before the request left: it certainly did nothing.
    Unsent,
    /// After: it may have done something.
    Sent,
}

/// A line for the daemon.
#[derive(Debug)]
pub(crate) struct Line {
    text: String,
    /// True from the moment before it is written; false again when that failed.
    written: Arc<AtomicBool>,
}

#[cfg(test)]
impl Line {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self { text, written: Arc::default() }
    }
}

/// Who waits for an answer.
enum Waiter {
    Call {
        progress: Option<mpsc::Sender<String>>,
        done: oneshot::Sender<Reply>,
        /// For a daemon elsewhere. They end with the waiter, and so with the call.
        files: Option<CallFiles>,
    },
    Admin(oneshot::Sender<Value>),
}

/// Waiters by id; `None` once the connection is closed.
type Waiters = Arc<Mutex<Option<HashMap<u32, Waiter>>>>;

/// A welcomed connection. Dropping it closes it.
pub(crate) struct Connection {
    pub(crate) session: String,
    pub(crate) resume: String,
    /// Fails to change once nothing is heard any more.
    ended: watch::Receiver<()>,
    next_id: AtomicU32,
    waiters: Waiters,
    out: mpsc::Sender<Line>,
    relay: Mutex<Option<mpsc::Receiver<String>>>,
    tasks: [JoinHandle<()>; 2],
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("session", &self.session).finish_non_exhaustive()
    }
}

/// The extension's frames, both ways.
#[derive(Debug)]
pub struct Relay {
    out: mpsc::Sender<Line>,
    frames: mpsc::Receiver<String>,
}

impl Relay {
    /// Hands a frame of the extension to the daemon.
    pub async fn send(&self, frame: String) -> Result<(), ClientError> {
        let line = line_of(&ToDaemon::Relay { frame });
        self.out.send(line.into()).await.map_err(|_| ClientError::Lost)
    }

    /// The next frame for the extension; `None` when the connection broke.
    pub async fn next(&mut self) -> Option<String> {
        self.frames.recv().await
    }
}

impl Connection {
    pub(crate) fn start(greeted: Greeted) -> Self {
        let Greeted { mut lines, mut writer, session, resume, .. } = greeted;
        let (alive, ended) = watch::channel(());
        let waiters: Waiters = Arc::new(Mutex::new(Some(HashMap::new())));
        let (out, mut queued) = mpsc::channel::<Line>(WAITING);
        let (relay_in, relay) = mpsc::channel(WAITING);
        let reader = tokio::spawn({
            let (waiters, out) = (waiters.clone(), out.clone());
            async move {
                let _alive = alive;
                while let Ok(Some(line)) = lines.next().await {
                    deliver(&waiters, &relay_in, &out, &line).await;
                }
                close(&waiters);
            }
        });
        let writing = tokio::spawn({
            let waiters = waiters.clone();
            async move {
                while let Some(line) = queued.recv().await {
                    // Under the lock: what a waiter that was let down saw as unwritten stays so.
                    match lock(&waiters).as_ref() {
                        Some(_) => line.written.store(true, Ordering::Release),
                        None => return,
                    }
                    if write_line(&mut writer, &line.text).await.is_err() {
                        line.written.store(false, Ordering::Release);
                        close(&waiters);
                        return;
                    }
                }
            }
        });
        Self {
            session,
            resume,
            ended,
            next_id: AtomicU32::new(1),
            waiters,
            out,
            relay: Mutex::new(Some(relay)),
            tasks: [reader, writing],
        }
    }

    /// Resolves when the connection is over. Does not keep it open.
    pub(crate) fn ended(&self) -> impl Future<Output = ()> + use<> {
        let mut ended = self.ended.clone();
        async move { while ended.changed().await.is_ok() {} }
    }

    pub(crate) fn is_open(&self) -> bool {
        lock(&self.waiters).is_some()
    }

    fn wait_as(&self, waiter: Waiter) -> Option<u32> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        lock(&self.waiters).as_mut()?.insert(id, waiter);
        Some(id)
    }

    /// Makes a call. Dropping the future tells the daemon to stop it.
    pub(crate) async fn call(
        &self,
        call: &Call,
        left: Duration,
        again: bool,
        files: Option<CallFiles>,
    ) -> Result<Reply, Lost> {
        let (done, answer) = oneshot::channel();
        let waiter = Waiter::Call { progress: call.progress.clone(), done, files };
        let id = self.wait_as(waiter).ok_or(Lost::Unsent)?;
        let mut guard = CancelOnDrop { connection: self, id, armed: true };
        let line = line_of(&ToDaemon::Call {
            id,
            tool: call.tool.clone(),
            args: call.args.clone(),
            deadline_ms: u32::try_from(left.as_millis()).unwrap_or(u32::MAX),
            again,
        });
        let line = Line::from(line);
        let written = line.written.clone();
        self.out.send(line).await.map_err(|_| Lost::Unsent)?;
        let reply = answer.await.map_err(|_| match written.load(Ordering::Acquire) {
            true => Lost::Sent,
            false => Lost::Unsent,
        });
        guard.armed = false;
        reply
    }

    pub(crate) async fn admin(&self, ask: Admin) -> Result<Value, ClientError> {
        let (done, answer) = oneshot::channel();
        let id = self.wait_as(Waiter::Admin(done)).ok_or(ClientError::Lost)?;
        let line = line_of(&ToDaemon::Admin { id, ask });
        self.out.send(line.into()).await.map_err(|_| ClientError::Lost)?;
        answer.await.map_err(|_| ClientError::Lost)
    }

    /// The relay's end; there is one.
    pub(crate) fn relay(&self) -> Option<Relay> {
        let frames = self.relay.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some(Relay { out: self.out.clone(), frames })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

struct CancelOnDrop<'a> {
    connection: &'a Connection,
    id: u32,
    armed: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if !self.armed {
            return;
        }
        if let Some(waiters) = lock(&self.connection.waiters).as_mut() {
            waiters.remove(&self.id);
        }
        // A queue that is full or closed belongs to a connection that is of no more use.
        self.connection.out.try_send(line_of(&ToDaemon::Cancel { id: self.id }).into()).ok();
    }
}

fn lock(waiters: &Waiters) -> std::sync::MutexGuard<'_, Option<HashMap<u32, Waiter>>> {
    waiters.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Everybody who waits learns that the connection broke, because their sender is dropped.
fn close(waiters: &Waiters) {
    drop(lock(waiters).take());
}

pub(crate) fn line_of(message: &ToDaemon) -> String {
    serde_json::to_string(message).expect("messages are plain data")
}

async fn deliver(
    waiters: &Waiters,
    relay: &mpsc::Sender<String>,
    out: &mpsc::Sender<Line>,
    line: &str,
) {
    // A line of a later version that says nothing to us is skipped.
    let Ok(message) = serde_json::from_str::<ToClient>(line) else { return };
    let take = |id: u32| lock(waiters).as_mut().and_then(|waiters| waiters.remove(&id));
    match message {
        ToClient::Result { id, reply } => {
            if let Some(Waiter::Call { done, .. }) = take(id) {
                // Its caller gave up at this very moment.
                done.send(reply).ok();
            }
        }
        ToClient::Answer { id, body } => {
            if let Some(Waiter::Admin(done)) = take(id) {
                // As above.
                done.send(body).ok();
            }
        }
        ToClient::Progress { id, message } => {
            if let Some(Some(Waiter::Call { progress: Some(progress), .. })) =
                lock(waiters).as_ref().map(|waiters| waiters.get(&id))
            {
                // A slow reader misses lines; the answer is what counts.
                progress.try_send(message).ok();
            }
        }
        ToClient::Relay { frame } => {
            // Nobody relays in this process.
            relay.send(frame).await.ok();
        }
        ToClient::File { call, stream, file } => {
            let mut waiters = lock(waiters);
            match waiters.as_mut().and_then(|waiters| waiters.get_mut(&call)) {
                Some(Waiter::Call { files: Some(files), .. }) => files.take(stream, file, out),
                _ if file == FileAsk::Close => {}
                // A queue that is full belongs to a connection that is of no more use.
                _ => drop(out.try_send(files::refusal(stream, "no call names a file"))),
            }
        }
        ToClient::Welcome { .. } | ToClient::Refused { .. } => {}
    }
}
