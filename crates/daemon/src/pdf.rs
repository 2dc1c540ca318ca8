//! Words of PDFs for the engine. Each PDF is read by a process of its own (`pillion pdf-text`), with little
//! memory, little time and nothing to reach: whatever a hostile one does, it does to that process.

use async_trait::async_trait;
use pillion_engine::{PdfError, PdfReader, PdfText};
use pillion_wire::limits::{PDF_CHARS, PDF_TIME};
use std::process::Stdio;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::sync::Semaphore;

/// PDFs that are read at the same time.
const AT_ONCE: usize = 2;
/// The longest answer: every character may be escaped.
const ANSWER_BYTES: u64 = 6 * PDF_CHARS as u64;

/// Starts a process for each PDF.
pub(crate) struct Reader(Semaphore);

impl Default for Reader {
    fn default() -> Self {
        Self(Semaphore::new(AT_ONCE))
    }
}

#[async_trait]
impl PdfReader for Reader {
    async fn read(&self, pdf: Vec<u8>) -> Result<PdfText, PdfError> {
        // The semaphore is never closed.
        let _turn = self.0.acquire().await.map_err(|_| PdfError::Unavailable)?;
        match tokio::time::timeout(PDF_TIME, ask(pdf)).await {
            Ok(answer) => answer,
            // Dropped, the process is killed.
            Err(_) => Err(PdfError::TooMuch),
        }
    }
}

async fn ask(pdf: Vec<u8>) -> Result<PdfText, PdfError> {
    let unavailable = |error: std::io::Error| {
        tracing::warn!(%error, "the reader of PDFs did not start");
        PdfError::Unavailable
    };
    let mut child = Command::new(std::env::current_exe().map_err(unavailable)?)
        .arg("pdf-text")
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(unavailable)?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(PdfError::Unavailable);
    };
    let give = async move {
        // A reader that gave up early has closed its end; its answer says why.
        stdin.write_all(&pdf).await.ok();
        drop(stdin);
    };
    let mut answer = Vec::new();
    let mut stdout = stdout.take(ANSWER_BYTES);
    let (took, ()) = tokio::join!(stdout.read_to_end(&mut answer), give);
    took.map_err(unavailable)?;
    let ended = child.wait().await.map_err(unavailable)?;
    let answer: Option<Result<PdfText, PdfError>> = serde_json::from_slice(&answer).ok();
    // Without an answer it was ended by its bounds, or by its own fault.
    answer.unwrap_or_else(|| {
        tracing::info!(status = %ended, "a PDF was too much for its reader");
        Err(PdfError::TooMuch)
    })
}
