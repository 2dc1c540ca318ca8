//! Files of a client elsewhere: questions over its connection, answers checked as they come. The
//! client decides what may be used; this side sees that it keeps to what it said.

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pillion_core::chunks::{self, Chunks, Fault};
use pillion_core::page_text::quote;
use pillion_engine::{FileError, Files, Sink, Source};
use pillion_wire::code::Code;
use pillion_wire::file::{FileAnswer, FileAsk};
use pillion_wire::limits::{FILE_ANSWER, FILE_CHUNKS_AHEAD, FILE_WORDS, UPLOAD_BYTES};
use pillion_wire::local::ToClient;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// The client said more than it was asked.
#[derive(Debug)]
pub(crate) struct Unasked;

/// Every open file of one client's calls.
pub(crate) struct Exchange {
    next: AtomicU32,
    streams: Mutex<HashMap<u32, mpsc::Sender<FileAnswer>>>,
    out: mpsc::Sender<ToClient>,
}

impl Exchange {
    pub(crate) fn new(out: mpsc::Sender<ToClient>) -> Arc<Self> {
        Arc::new(Self { next: AtomicU32::new(1), streams: Mutex::default(), out })
    }

    /// The files of that call.
    pub(crate) fn files_of(self: &Arc<Self>, call: u32) -> Arc<dyn Files> {
        Arc::new(ClientFiles { exchange: Arc::clone(self), call })
    }

    /// The client answered. An answer for a file that is done with is let fall.
    pub(crate) fn answered(&self, stream: u32, answer: FileAnswer) -> Result<(), Unasked> {
        let waiting = self.streams().get(&stream).cloned();
        let Some(waiting) = waiting else { return Ok(()) };
        match waiting.try_send(answer) {
            Err(mpsc::error::TrySendError::Full(_)) => Err(Unasked),
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => Ok(()),
        }
    }

    fn streams(&self) -> MutexGuard<'_, HashMap<u32, mpsc::Sender<FileAnswer>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The files of one call.
struct ClientFiles {
    exchange: Arc<Exchange>,
    call: u32,
}

impl ClientFiles {
    fn stream(&self, path: &str) -> Stream {
        let id = self.exchange.next.fetch_add(1, Ordering::Relaxed);
        let (answer, answers) = mpsc::channel(FILE_CHUNKS_AHEAD);
        self.exchange.streams().insert(id, answer);
        let exchange = Arc::clone(&self.exchange);
        Stream { exchange, call: self.call, id, path: path.to_owned(), answers }
    }
}

#[async_trait]
impl Files for ClientFiles {
    async fn open(&self, path: &str) -> Result<Box<dyn Source>, FileError> {
        let mut stream = self.stream(path);
        stream.ask(FileAsk::Open { path: path.to_owned() }).await?;
        let FileAnswer::Opened { name, bytes } = stream.answer().await? else {
            return Err(stream.nonsense());
        };
        let bytes = u64::from(bytes);
        if bytes > UPLOAD_BYTES {
            return Err(stream.broken(Fault::TooMuch));
        }
        let name: String =
            name.chars().filter(|c| !c.is_control() && !matches!(c, '/' | '\\')).collect();
        let chunks = Chunks::new(bytes);
        Ok(Box::new(ClientSource { stream, name, bytes, chunks, asked: 0 }))
    }

    async fn create(&self, path: &str) -> Result<Box<dyn Sink>, FileError> {
        let mut stream = self.stream(path);
        stream.ask(FileAsk::Create { path: path.to_owned() }).await?;
        match stream.answer().await? {
            FileAnswer::Ready => Ok(Box::new(ClientSink { stream, next: 0, written: 0, bytes: 0 })),
            _ => Err(stream.nonsense()),
        }
    }

    async fn digest(&self, path: &str) -> Result<(u64, String), FileError> {
        crate::files::digest(path).await
    }
}

/// One file that the client has open. Its drop closes it there.
struct Stream {
    exchange: Arc<Exchange>,
    call: u32,
    id: u32,
    path: String,
    answers: mpsc::Receiver<FileAnswer>,
}

impl Stream {
    fn line(&self, file: FileAsk) -> ToClient {
        ToClient::File { call: self.call, stream: self.id, file }
    }

    async fn ask(&self, ask: FileAsk) -> Result<(), FileError> {
        self.exchange.out.send(self.line(ask)).await.map_err(|_| self.failed("it is gone"))
    }

    async fn answer(&mut self) -> Result<FileAnswer, FileError> {
        match timeout(FILE_ANSWER, self.answers.recv()).await {
            Ok(Some(FileAnswer::Failed { code, message })) => Err(refusal(code, &message)),
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err(self.failed("it is gone")),
            Err(_) => {
                let seconds = FILE_ANSWER.as_secs();
                Err(self.failed(&format!("it did not answer in {seconds} s")))
            }
        }
    }

    fn failed(&self, why: &str) -> FileError {
        let path = quote(&self.path);
        let text = format!("{path} is on the client's machine, and {why}. Nothing of it was used.");
        FileError { code: Code::FileNotFound, text }
    }

    fn broken(&self, fault: Fault) -> FileError {
        FileError { code: Code::FileNotAllowed, text: format!("{}: {fault}.", quote(&self.path)) }
    }

    fn nonsense(&self) -> FileError {
        self.broken(Fault::OutOfOrder)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.exchange.streams().remove(&self.id);
        // Lost on a connection with a full queue; the client closes it with the call at the latest.
        self.exchange.out.try_send(self.line(FileAsk::Close)).ok();
    }
}

/// The client's words, as far as they may be its.
fn refusal(code: Code, message: &str) -> FileError {
    let code = match code {
        Code::FileNotFound | Code::Internal => code,
        _ => Code::FileNotAllowed,
    };
    let text: String = message.chars().filter(|c| !c.is_control()).take(FILE_WORDS).collect();
    FileError { code, text }
}

struct ClientSource {
    stream: Stream,
    name: String,
    bytes: u64,
    chunks: Chunks,
    /// Pieces that were asked for.
    asked: u32,
}

#[async_trait]
impl Source for ClientSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, FileError> {
        if self.chunks.is_over() {
            return Ok(None);
        }
        let count = chunks::count(self.bytes);
        let ahead = u32::try_from(FILE_CHUNKS_AHEAD).unwrap_or(1);
        while self.asked < count && self.asked - self.chunks.next() < ahead {
            self.stream.ask(FileAsk::Read { index: self.asked }).await?;
            self.asked += 1;
        }
        let FileAnswer::Chunk { index, data, last } = self.stream.answer().await? else {
            return Err(self.stream.nonsense());
        };
        let piece = STANDARD.decode(data).map_err(|_| self.stream.broken(Fault::Size))?;
        let is_end = index.saturating_add(1) == count;
        let taken =
            self.chunks.take(index, piece.len(), last).and_then(|()| match (last, is_end) {
                (true, _) => self.chunks.end(self.bytes),
                (false, true) => Err(Fault::TooLittle),
                (false, false) => Ok(()),
            });
        taken.map_err(|fault| self.stream.broken(fault))?;
        Ok(Some(piece))
    }
}

struct ClientSink {
    stream: Stream,
    /// Number of the next piece.
    next: u32,
    /// Pieces that the client has.
    written: u32,
    bytes: u32,
}

impl ClientSink {
    async fn confirm(&mut self) -> Result<(), FileError> {
        match self.stream.answer().await? {
            FileAnswer::Written { index } if index == self.written => {
                self.written += 1;
                Ok(())
            }
            _ => Err(self.stream.nonsense()),
        }
    }
}

#[async_trait]
impl Sink for ClientSink {
    async fn write(&mut self, piece: &[u8]) -> Result<(), FileError> {
        let len = u32::try_from(piece.len()).ok().and_then(|len| self.bytes.checked_add(len));
        self.bytes = len.ok_or_else(|| self.stream.broken(Fault::TooMuch))?;
        let data = STANDARD.encode(piece);
        self.stream.ask(FileAsk::Write { index: self.next, data }).await?;
        self.next += 1;
        while (self.next - self.written) as usize >= FILE_CHUNKS_AHEAD {
            self.confirm().await?;
        }
        Ok(())
    }

    async fn keep(mut self: Box<Self>) -> Result<String, FileError> {
        while self.written < self.next {
            self.confirm().await?;
        }
        self.stream.ask(FileAsk::Keep { bytes: self.bytes }).await?;
        match self.stream.answer().await? {
            FileAnswer::Kept { path } => Ok(path),
            _ => Err(self.stream.nonsense()),
        }
    }
}

#[cfg(test)]
mod tests;
