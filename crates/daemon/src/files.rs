//! Whose files a call names: those of this machine, or those of a client elsewhere. This module
//! reads and writes the former.

use crate::client_files::Exchange;
use async_trait::async_trait;
use pillion_core::page_text::quote;
use pillion_engine::{FileError, Files, Sink, Source};
use pillion_os::named::{self, Place, Reading, Temporary, Writing};
use pillion_wire::code::Code;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// Where the files of one client are.
#[derive(Clone)]
pub(crate) enum Whose {
    /// On this machine, within these folders.
    Ours(Arc<LocalFiles>),
    /// On the client's.
    Theirs(Arc<Exchange>),
}

impl Whose {
    /// The files of that call.
    pub(crate) fn of_call(&self, call: u32) -> Arc<dyn Files> {
        match self {
            Self::Ours(files) => Arc::clone(files) as Arc<dyn Files>,
            Self::Theirs(exchange) => exchange.files_of(call),
        }
    }
}

/// Files of this machine.
pub(crate) struct LocalFiles {
    pub(crate) roots: Vec<String>,
    pub(crate) cwd: Option<String>,
}

impl LocalFiles {
    async fn at<T: Send + 'static>(
        &self,
        path: &str,
        open: fn(&Place, &str) -> Result<T, named::FileError>,
    ) -> Result<T, FileError> {
        let (roots, cwd, path) = (self.roots.clone(), self.cwd.clone(), path.to_owned());
        blocking(move || open(&Place::of(&roots, cwd.as_deref()), &path)).await
    }
}

/// Disks may take their time; nobody else waits for them.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, named::FileError> + Send + 'static,
) -> Result<T, FileError> {
    match spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| FileError { code: error.code, text: error.text }),
        Err(_) => Err(fault()),
    }
}

fn fault() -> FileError {
    FileError { code: Code::Internal, text: "a fault while a file was used.".to_owned() }
}

#[async_trait]
impl Files for LocalFiles {
    async fn open(&self, path: &str) -> Result<Box<dyn Source>, FileError> {
        let reading = self.at(path, Place::open).await?;
        let (name, bytes) = (reading.name().to_owned(), reading.bytes());
        Ok(Box::new(LocalSource { name, bytes, reading: Some(reading) }))
    }

    async fn create(&self, path: &str) -> Result<Box<dyn Sink>, FileError> {
        let writing = self.at(path, Place::create).await?;
        let (guard, bytes) = (writing.guard(), 0);
        Ok(Box::new(LocalSink { writing: Some(writing), bytes, _unfinished: guard }))
    }

    async fn digest(&self, path: &str) -> Result<(u64, String), FileError> {
        digest(path).await
    }
}

/// Size and SHA-256 of a file that the browser wrote on this machine. Nothing of its content is told.
pub(crate) async fn digest(path: &str) -> Result<(u64, String), FileError> {
    let given = path.to_owned();
    let work = move || -> std::io::Result<(u64, String)> {
        let mut file = std::fs::File::open(&given)?;
        if !file.metadata()?.is_file() {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        let mut hash = Sha256::new();
        let bytes = std::io::copy(&mut file, &mut HashWriter(&mut hash))?;
        let words: Vec<String> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok((bytes, words.concat()))
    };
    let failed = |why: &str| FileError {
        code: Code::FileNotFound,
        text: format!("{}: {why}.", quote(path)),
    };
    match spawn_blocking(work).await {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(error)) => Err(failed(&error.kind().to_string())),
        Err(_) => Err(fault()),
    }
}

struct HashWriter<'a>(&'a mut Sha256);

impl std::io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct LocalSource {
    name: String,
    bytes: u64,
    /// Away while a piece is read; for good after a failure.
    reading: Option<Reading>,
}

#[async_trait]
impl Source for LocalSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, FileError> {
        let mut reading = self.reading.take().ok_or_else(fault)?;
        if reading.is_over() {
            return Ok(None);
        }
        let read = move || reading.read().map(|piece| (reading, piece));
        let (reading, piece) = blocking(read).await?;
        self.reading = Some(reading);
        Ok(Some(piece))
    }
}

struct LocalSink {
    /// Away while a piece is written; for good after a failure.
    writing: Option<Writing>,
    bytes: u64,
    /// When the daemon ends in the middle of a write.
    _unfinished: Option<Temporary>,
}

#[async_trait]
impl Sink for LocalSink {
    async fn write(&mut self, piece: &[u8]) -> Result<(), FileError> {
        let mut writing = self.writing.take().ok_or_else(fault)?;
        let piece = piece.to_owned();
        self.bytes += piece.len() as u64;
        let write = move || writing.write(writing.next_index(), &piece).map(|()| writing);
        self.writing = Some(blocking(write).await?);
        Ok(())
    }

    async fn keep(mut self: Box<Self>) -> Result<String, FileError> {
        let writing = self.writing.take().ok_or_else(fault)?;
        let bytes = self.bytes;
        let path = blocking(move || writing.keep(bytes)).await?;
        Ok(path.display().to_string())
    }
}
