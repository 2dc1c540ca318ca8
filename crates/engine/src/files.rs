//! Files that agents name, as tools use them: read for an upload, written for a picture. Where they
//! are, and whether they may be used, is [`Files`]' affair: the client may be on another machine.

use crate::failure::{Failure, Outcome};
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderStringWriter;
use pillion_core::files as rules;
use pillion_core::page_text::quote;
use pillion_wire::code::Code;
use pillion_wire::limits::{FILE_CHUNK_BYTES, UPLOAD_BYTES};
use pillion_wire::verb::FileData;
use std::io::Write as _;

/// Why a file could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// Which.
    pub code: Code,
    /// The file, the reason, and what to do next.
    pub text: String,
}

/// The files of one call, on its client's machine and within its client's bounds.
#[async_trait]
pub trait Files: Send + Sync {
    /// Opens a file that the call names.
    async fn open(&self, path: &str) -> Result<Box<dyn Source>, FileError>;

    /// Begins a new file that the call names. It never replaces one.
    async fn create(&self, path: &str) -> Result<Box<dyn Sink>, FileError>;

    /// Size and SHA-256, in hexadecimal, of a file that the browser wrote: it is on the browser's machine,
    /// wherever the client is.
    async fn digest(&self, path: &str) -> Result<(u64, String), FileError> {
        let text = format!("{} cannot be read from here.", quote(path));
        Err(FileError { code: Code::FileNotFound, text })
    }
}

/// A file that is read.
#[async_trait]
pub trait Source: Send {
    /// Its name without folders.
    fn name(&self) -> &str;

    /// Its size, bytes. Exactly so many are read.
    fn bytes(&self) -> u64;

    /// The next piece, at most [`FILE_CHUNK_BYTES`]; `None` at the end.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, FileError>;
}

/// A file that is written. Dropped before it was kept, nothing of it stays.
#[async_trait]
pub trait Sink: Send {
    /// Appends a piece of at most [`FILE_CHUNK_BYTES`].
    async fn write(&mut self, piece: &[u8]) -> Result<(), FileError>;

    /// Gives the file its name. The answer is its whole path on its machine.
    async fn keep(self: Box<Self>) -> Result<String, FileError>;
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::new(error.code, error.text)
    }
}

/// Reads the files that a field's value names.
pub(crate) async fn read(files: &dyn Files, value: &str) -> Outcome<Vec<FileData>> {
    let paths = rules::paths(value);
    if paths.is_empty() {
        return Err(Failure::invalid("the value is a path, or a JSON list of paths."));
    }
    let mut left = UPLOAD_BYTES;
    let mut read = Vec::with_capacity(paths.len());
    for path in &paths {
        read.push(read_one(files, path, &mut left).await?);
    }
    Ok(read)
}

async fn read_one(files: &dyn Files, given: &str, left: &mut u64) -> Outcome<FileData> {
    let mut source = files.open(given).await?;
    let Some(rest) = left.checked_sub(source.bytes()) else {
        let most = UPLOAD_BYTES / (1024 * 1024);
        let why = format!("{}: it is too large to be carried ({most} MB in all).", quote(given));
        return Err(Failure::new(Code::FileNotAllowed, why));
    };
    *left = rest;
    // Never both: the bytes are encoded as they come.
    let mut text = EncoderStringWriter::from_consumer(
        String::with_capacity(base64_len(source.bytes())),
        &STANDARD,
    );
    while let Some(piece) = source.next().await? {
        let damaged = |_| Failure::new(Code::Internal, "a file could not be encoded.");
        text.write_all(&piece).map_err(damaged)?;
    }
    let name = source.name().to_owned();
    Ok(FileData { mime: mime(&name).to_owned(), name, data: text.into_inner() })
}

fn base64_len(bytes: u64) -> usize {
    bytes.div_ceil(3) as usize * 4
}

/// Writes a picture that came as base64. Its whole path and its size.
pub(crate) async fn save(mut sink: Box<dyn Sink>, data: &str) -> Outcome<(String, usize)> {
    let mut size = 0;
    // A piece of text that holds whole groups of four is base64 by itself.
    for text in data.as_bytes().chunks(FILE_CHUNK_BYTES / 3 * 4) {
        let piece = STANDARD
            .decode(text)
            .map_err(|_| Failure::new(Code::Internal, "the picture came back damaged."))?;
        size += piece.len();
        sink.write(&piece).await?;
    }
    Ok((sink.keep().await?, size))
}

/// The picture's format by the file's ending.
pub(crate) fn picture_format(path: &str) -> Outcome<String> {
    let format = rules::picture_format(path).ok_or_else(|| {
        let why = rules::Refusal::Ending;
        Failure::new(Code::FileNotAllowed, format!("{}: {why}.", quote(path)))
    })?;
    Ok(format.to_owned())
}

fn mime(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase().as_str() {
        "txt" | "log" | "md" => "text/plain",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "json" => "application/json",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "zip" => "application/zip",
        "xml" => "text/xml",
        "mp4" => "video/mp4",
        "mp3" => "audio/mpeg",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;
