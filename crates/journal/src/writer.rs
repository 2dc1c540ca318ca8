//! The one thread that writes. Callers hand over notes and never wait.

use crate::StoreError;
use crate::store::{Keep, Store, set_aside};
use pillion_core::record::Note;
use pillion_wire::limits::{JOURNAL_CLOSE, JOURNAL_QUEUE, JOURNAL_TIDY};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Notes that are written in one step.
const BATCH: usize = 256;
/// Notes after which old entries are looked for, whatever the time.
const TIDY_NOTES: u64 = 5_000;
/// After a failure to open the file: the next try.
const AGAIN: Duration = Duration::from_secs(5);

/// How the journal does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
pub struct Report {
    /// Whether what happens now is written down.
    pub on: bool,
    /// What the user should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Notes that were written since the start.
    pub written: u64,
    /// Notes that were lost since the start.
    pub dropped: u64,
}

#[derive(Default)]
struct Health {
    state: Mutex<(bool, Option<String>)>,
    /// Why something was lost; stays when it is over.
    trouble: Mutex<Option<String>>,
    written: AtomicU64,
    dropped: AtomicU64,
}

impl Health {
    fn say(&self, on: bool, note: Option<String>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = (on, note);
    }
}

/// The journal of a running daemon.
pub struct Journal {
    /// Taken away at the end: then the thread writes what waits and ends.
    queue: Mutex<Option<SyncSender<Note>>>,
    health: Arc<Health>,
    ended: Mutex<Receiver<()>>,
}

impl Journal {
    /// Starts the thread. The file is opened there, so this never waits and never fails: a journal that
    /// cannot be used says so in its report.
    pub fn start(path: PathBuf, version: &str, keep: Keep) -> Self {
        let (queue, notes) = mpsc::sync_channel(JOURNAL_QUEUE);
        let (end, ended) = mpsc::sync_channel(1);
        let health = Arc::new(Health::default());
        let writer = Writer {
            path,
            version: version.to_owned(),
            keep,
            health: Arc::clone(&health),
            store: None,
            next_try: Instant::now(),
            is_newer: false,
            moved: None,
        };
        let thread = std::thread::Builder::new().name("journal".to_owned()).spawn(move || {
            writer.run(&notes);
            // Whoever waited may have given up.
            end.send(()).ok();
        });
        if let Err(error) = thread {
            health.say(false, Some(format!("no journal: {error}")));
        }
        Self { queue: Mutex::new(Some(queue)), health, ended: Mutex::new(ended) }
    }

    /// Writes that down, soon. Never waits; what finds no place is counted.
    pub fn write(&self, note: Note) {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = queue.as_ref().is_some_and(|queue| queue.try_send(note).is_ok());
        if !is_taken {
            self.health.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How it does.
    pub fn report(&self) -> Report {
        let (on, note) = self.health.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let dropped = self.health.dropped.load(Ordering::Relaxed);
        let trouble = self.health.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let lost = (dropped > 0 && note.is_none()).then(|| {
            let why = trouble.unwrap_or_else(|| "it could not keep up".to_owned());
            format!("{dropped} notes were lost since the start: {why}")
        });
        let written = self.health.written.load(Ordering::Relaxed);
        Report { on, note: note.or(lost), written, dropped }
    }

    /// Takes no more, writes what waits, closes the file. Waits at most [`JOURNAL_CLOSE`].
    pub fn close(&self) {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if ended.recv_timeout(JOURNAL_CLOSE) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!("the journal did not end in time");
        }
    }
}

struct Writer {
    path: PathBuf,
    version: String,
    keep: Keep,
    health: Arc<Health>,
    store: Option<Store>,
    next_try: Instant,
    /// A newer Pillion's file is left alone for the whole run.
    is_newer: bool,
    /// Said until the end: a damaged journal was moved here.
    moved: Option<String>,
}

impl Writer {
    fn run(mut self, notes: &Receiver<Note>) {
        self.open();
        self.tidy();
        let mut tidied = (Instant::now(), 0_u64);
        loop {
            let first = match notes.recv_timeout(JOURNAL_TIDY) {
                Ok(note) => Some(note),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let batch: Vec<Note> = first.into_iter().chain(notes.try_iter().take(BATCH)).collect();
            tidied.1 += batch.len() as u64;
            self.write(&batch);
            if tidied.0.elapsed() >= JOURNAL_TIDY || tidied.1 >= TIDY_NOTES {
                self.tidy();
                tidied = (Instant::now(), 0);
            }
        }
    }

    fn open(&mut self) {
        if self.is_newer || Instant::now() < self.next_try {
            return;
        }
        let opened = match Store::open(&self.path, &self.version, now_ms()) {
            Err(StoreError::Broken) => {
                self.set_aside();
                Store::open(&self.path, &self.version, now_ms())
            }
            other => other,
        };
        match opened {
            Ok(store) => {
                self.store = Some(store);
                self.health.say(true, self.moved.clone());
            }
            Err(error) => {
                self.is_newer = matches!(error, StoreError::Newer(_));
                self.next_try = Instant::now() + AGAIN;
                self.fails(&error);
            }
        }
    }

    fn set_aside(&mut self) {
        match set_aside(&self.path, now_ms()) {
            Ok(aside) => {
                let words = format!(
                    "the journal was damaged; it lies in {} and a new one was begun",
                    aside.display()
                );
                tracing::warn!("{words}");
                self.moved = Some(words);
            }
            Err(error) => tracing::warn!(%error, "a damaged journal could not be moved"),
        }
    }

    fn write(&mut self, batch: &[Note]) {
        if batch.is_empty() {
            return;
        }
        if self.store.is_none() {
            self.open();
        }
        let Some(store) = &mut self.store else { return self.lost(batch) };
        match store.write(batch) {
            Ok(()) => {
                self.health.written.fetch_add(batch.len() as u64, Ordering::Relaxed);
                self.health.say(true, self.moved.clone());
            }
            Err(error) => {
                self.fails(&error);
                self.lost(batch);
                if matches!(error, StoreError::Broken) {
                    // Opened anew, which finds out and sets it aside.
                    self.store = None;
                    self.next_try = Instant::now();
                    self.open();
                } else if matches!(error, StoreError::Full) {
                    // What is too old may be what fills the disk.
                    self.tidy();
                }
            }
        }
    }

    fn lost(&self, batch: &[Note]) {
        self.health.dropped.fetch_add(batch.len() as u64, Ordering::Relaxed);
    }

    fn tidy(&mut self) {
        let Some(store) = &mut self.store else { return };
        if let Err(error) = store.tidy(now_ms(), self.keep) {
            tracing::warn!(%error, "old entries of the journal could not be forgotten");
        }
    }

    fn fails(&self, error: &StoreError) {
        let next = match error {
            StoreError::Newer(_) => "nothing is written down; update Pillion",
            StoreError::Full => "nothing is written down until there is room",
            _ => "nothing is written down until it can be",
        };
        let words = format!("{error}: {next} ({})", name(&self.path));
        let is_news = self.health.state.lock().unwrap_or_else(PoisonError::into_inner).1.as_deref()
            != Some(words.as_str());
        if is_news {
            tracing::warn!(?error, "{words}");
        }
        *self.health.trouble.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(error.to_string());
        self.health.say(false, Some(words));
    }
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

/// The wall clock: a journal is about days.
fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
