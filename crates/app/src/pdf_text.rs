//! `pillion pdf-text`: reads a PDF from stdin and writes its words to stdout. The daemon starts it for each PDF,
//! so that a hostile one can panic, loop or eat memory here, and nowhere else.

use crate::exit::Exit;
use crate::ui;
use pdf_extract::{Document, Error, PlainTextOutput, output_doc_page};
use pillion_engine::{PdfError, PdfText};
use pillion_os::dumps;
use pillion_wire::limits::{PDF_BYTES, PDF_CHARS, PDF_MEMORY, PDF_TIME};
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Deeply nested PDFs are read by recursion.
const STACK_BYTES: usize = 64 * 1024 * 1024;
/// What was read by then is the answer.
const LEFT: Duration = Duration::from_secs(3);

/// Reads, answers with one line of JSON.
pub fn run() -> anyhow::Result<Exit> {
    dumps::none();
    dumps::memory(PDF_MEMORY);
    // Words of a panic may be the PDF's.
    std::panic::set_hook(Box::new(|_| {}));
    let mut pdf = Vec::new();
    std::io::stdin().take(PDF_BYTES as u64 + 1).read_to_end(&mut pdf)?;
    let work = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || read(&pdf))?;
    let answer = work.join().unwrap_or(Err(PdfError::Broken));
    ui::say(&serde_json::to_string(&answer)?);
    Ok(Exit::Ok)
}

fn read(pdf: &[u8]) -> Result<PdfText, PdfError> {
    let until = Instant::now() + PDF_TIME.saturating_sub(LEFT);
    let loaded = catch_unwind(|| Document::load_mem(pdf)).map_err(|_| PdfError::Broken)?;
    // Many are encrypted with no password, only to forbid things: those are open already.
    let mut document = loaded.map_err(|error| match error {
        Error::InvalidPassword | Error::Decryption(_) => PdfError::Encrypted,
        _ => PdfError::Broken,
    })?;
    if document.is_encrypted() && !document.was_encrypted() {
        let opened = catch_unwind(AssertUnwindSafe(|| document.decrypt("").is_ok()));
        if !opened.unwrap_or(false) {
            return Err(PdfError::Encrypted);
        }
    }
    let count = catch_unwind(AssertUnwindSafe(|| document.get_pages().len()));
    let count = count.ok().filter(|count| *count > 0).ok_or(PdfError::Broken)?;
    let mut text = PdfText { pages: Vec::new(), count };
    let mut size = 0;
    for number in 1..=u32::try_from(count).unwrap_or(u32::MAX) {
        let page = page(&document, number);
        size += page.len();
        if size > PDF_CHARS || Instant::now() > until {
            break;
        }
        text.pages.push(page);
    }
    Ok(text)
}

/// A page that cannot be read has no words; the others have theirs.
fn page(document: &Document, number: u32) -> String {
    let read = catch_unwind(AssertUnwindSafe(|| {
        let mut words = String::new();
        let mut output = PlainTextOutput::new(&mut words);
        // What came before the fault is kept.
        output_doc_page(document, &mut output, number).ok();
        words
    }));
    tidy(&read.unwrap_or_default())
}

/// Lines without spaces at their ends, at most one empty one between them.
fn tidy(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut empty = 0;
    for line in words.lines().map(str::trim) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.trim().to_owned()
}
