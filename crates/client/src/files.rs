//! Files of this machine for a daemon elsewhere: those that one call of ours names, for as long as
//! the call is in flight, under the rules of this machine. Nothing else is opened for it.

use crate::connection::{Line, line_of};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pillion_core::chunks::Fault;
use pillion_core::files::{Named, Use};
use pillion_os::named::{FileError, Place, Reading, Temporary, Writing};
use pillion_wire::code::Code;
use pillion_wire::file::{FileAnswer, FileAsk};
use pillion_wire::limits::{FILE_CHUNKS_AHEAD, FILES_OPEN};
use pillion_wire::local::ToDaemon;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};

/// Questions of one call that wait: what a daemon that keeps the rules can have asked, with its
/// goodbyes.
const QUESTIONS: usize = FILES_OPEN * (FILE_CHUNKS_AHEAD + 2);

/// About which stream, and what.
type Question = (u32, FileAsk);

/// The files of one call. Dropped, they are closed, and unfinished ones are gone.
pub(crate) struct CallFiles {
    scope: Arc<Scope>,
    running: Option<(mpsc::Sender<Question>, JoinHandle<()>)>,
}

/// What the daemon may ask for.
struct Scope {
    named: Named,
    roots: Vec<String>,
    cwd: Option<String>,
    /// Looked up when a file is first asked for.
    place: OnceLock<Place>,
}

impl CallFiles {
    /// Of a call that names files; nothing is looked at yet.
    pub(crate) fn new(named: Named, roots: Vec<String>, cwd: Option<String>) -> Self {
        let scope = Scope { named, roots, cwd, place: OnceLock::new() };
        Self { scope: Arc::new(scope), running: None }
    }

    /// Takes a question. One too many is not answered: its asker does not keep the rules.
    pub(crate) fn take(&mut self, stream: u32, ask: FileAsk, out: &mpsc::Sender<Line>) {
        let (asks, _) = self.running.get_or_insert_with(|| {
            let (asks, asked) = mpsc::channel(QUESTIONS);
            (asks, tokio::spawn(serve(asked, self.scope.clone(), out.clone())))
        });
        asks.try_send((stream, ask)).ok();
    }
}

impl Drop for CallFiles {
    fn drop(&mut self) {
        if let Some((_, task)) = &self.running {
            task.abort();
        }
    }
}

/// A line that says no.
pub(crate) fn refusal(stream: u32, message: &str) -> Line {
    let code = Code::FileNotAllowed;
    line(stream, FileAnswer::Failed { code, message: message.to_owned() })
}

fn line(stream: u32, file: FileAnswer) -> Line {
    line_of(&ToDaemon::File { stream, file }).into()
}

/// An open file.
enum Open {
    Reading(Reading),
    Writing(Writing),
}

/// Where an open file is while nothing is done with it, and what cleans up when its owner ends in
/// the middle of something.
struct Slot {
    file: Option<Open>,
    _unfinished: Option<Temporary>,
}

async fn serve(mut asks: mpsc::Receiver<Question>, scope: Arc<Scope>, out: mpsc::Sender<Line>) {
    let mut streams: HashMap<u32, Slot> = HashMap::new();
    while let Some((stream, ask)) = asks.recv().await {
        let known = streams.get_mut(&stream).and_then(|place| place.file.take());
        if ask == FileAsk::Close {
            streams.remove(&stream);
            continue;
        }
        if known.is_none() && streams.len() >= FILES_OPEN {
            out.send(refusal(stream, "too many files are open")).await.ok();
            continue;
        }
        let scope = scope.clone();
        // A disk may take its time.
        let step = spawn_blocking(move || scope.step(known, ask)).await;
        let answer = match step {
            Ok(Ok((Some(file), answer))) => {
                let place = streams.entry(stream).or_insert_with(|| {
                    let unfinished = match &file {
                        Open::Writing(writing) => writing.guard(),
                        Open::Reading(_) => None,
                    };
                    Slot { file: None, _unfinished: unfinished }
                });
                place.file = Some(file);
                answer
            }
            Ok(Ok((None, answer))) => {
                streams.remove(&stream);
                answer
            }
            Ok(Err(FileError { code, text })) => {
                streams.remove(&stream);
                FileAnswer::Failed { code, message: text }
            }
            Err(_) => {
                streams.remove(&stream);
                let message = "a fault while the file was used".to_owned();
                FileAnswer::Failed { code: Code::Internal, message }
            }
        };
        if out.send(line(stream, answer)).await.is_err() {
            return;
        }
    }
}

type Step = Result<(Option<Open>, FileAnswer), FileError>;

impl Scope {
    fn place(&self) -> &Place {
        self.place.get_or_init(|| Place::of(&self.roots, self.cwd.as_deref()))
    }

    fn names(&self, what: Use, path: &str) -> Result<(), FileError> {
        if self.named.has(what, path) {
            Ok(())
        } else {
            Err(FileError::refused(path, "the call does not name it"))
        }
    }

    /// One question about a file that is open or not; the file if it stays open. May block.
    fn step(&self, file: Option<Open>, ask: FileAsk) -> Step {
        match (file, ask) {
            (None, FileAsk::Open { path }) => {
                self.names(Use::Read, &path)?;
                let reading = self.place().open(&path)?;
                // Uploads are limited to far less.
                let bytes = u32::try_from(reading.bytes()).unwrap_or(u32::MAX);
                let answer = FileAnswer::Opened { name: reading.name().to_owned(), bytes };
                Ok((Some(Open::Reading(reading)), answer))
            }
            (None, FileAsk::Create { path }) => {
                self.names(Use::Write, &path)?;
                let writing = self.place().create(&path)?;
                Ok((Some(Open::Writing(writing)), FileAnswer::Ready))
            }
            (Some(Open::Reading(mut reading)), FileAsk::Read { index }) => {
                if index != reading.next_index() {
                    return Err(FileError::refused(reading.name(), Fault::OutOfOrder));
                }
                let data = STANDARD.encode(reading.read()?);
                let last = reading.is_over();
                Ok((Some(Open::Reading(reading)), FileAnswer::Chunk { index, data, last }))
            }
            (Some(Open::Writing(mut writing)), FileAsk::Write { index, data }) => {
                let piece = STANDARD.decode(data);
                let piece = piece.map_err(|_| FileError::refused("file", "a piece is damaged"))?;
                writing.write(index, &piece)?;
                Ok((Some(Open::Writing(writing)), FileAnswer::Written { index }))
            }
            (Some(Open::Writing(writing)), FileAsk::Keep { bytes }) => {
                let path = writing.keep(bytes.into())?.display().to_string();
                Ok((None, FileAnswer::Kept { path }))
            }
            _ => Err(FileError::refused("file", "nothing that can be done with it now")),
        }
    }
}

#[cfg(test)]
mod tests;
