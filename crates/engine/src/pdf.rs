//! The words of a tab that shows a PDF. Chrome's viewer lets nobody look in, so the document itself fetches its
//! own address once more (page call `pdf`), and a [`PdfReader`] finds the words in what came. Who that is, and
//! what a hostile PDF does to it, is the daemon's affair.

use crate::Engine;
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pillion_wire::code::Code;
use pillion_wire::id::DocumentId;
use pillion_wire::limits;
use pillion_wire::page::{PageCall, PdfPiece};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

/// What was found in a PDF.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PdfText {
    /// Words of the pages that could be read, from the first one on.
    pub pages: Vec<String>,
    /// Pages that there are.
    pub count: usize,
}

/// Why there are no words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PdfError {
    /// It opens with a password only.
    Encrypted,
    /// It is no PDF, or a damaged one.
    Broken,
    /// It took too much time or memory.
    TooMuch,
    /// Nobody here reads PDFs.
    Unavailable,
}

/// Finds words in PDFs.
#[async_trait]
pub trait PdfReader: Send + Sync {
    /// The words of that file.
    async fn read(&self, pdf: Vec<u8>) -> Result<PdfText, PdfError>;
}

/// Who reads PDFs.
pub(crate) type Reader = OnceLock<Arc<dyn PdfReader>>;

impl Engine {
    /// Who reads PDFs. The first one that is given stays.
    pub fn use_pdfs(&self, reader: Arc<dyn PdfReader>) {
        // A second one would be a mistake of the daemon's that changes nothing.
        self.pdfs.set(reader).ok();
    }
}

/// The words of the PDF that a document is, with a mark before each page. Read once for each document.
pub(crate) async fn text(handle: &Handle, document: &DocumentId) -> Outcome<Arc<str>> {
    let known = handle.tab.state().pdf.clone();
    if let Some((_, text)) = known.filter(|(of, _)| of == document) {
        return Ok(text);
    }
    let bytes = bytes(handle, document).await?;
    let read = match handle.engine.pdfs.get() {
        Some(reader) => reader.read(bytes).await,
        None => Err(PdfError::Unavailable),
    };
    let text: Arc<str> = words(&read.map_err(|error| failure(error, handle.tab.number.0))?).into();
    handle.tab.state().pdf = Some((document.clone(), text.clone()));
    Ok(text)
}

async fn bytes(handle: &Handle, document: &DocumentId) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let from = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let most = if from == 0 { limits::PDF_FETCH } else { limits::PAGE_CALL };
        let call = PageCall::Pdf { from };
        let piece: PdfPiece = handle.page_within(document, call, most).await?;
        let size = piece.size as usize;
        let data = STANDARD.decode(&piece.data).unwrap_or_default();
        bytes.extend_from_slice(&data);
        if size > limits::PDF_BYTES || bytes.len() > size {
            return Err(Failure::new(
                Code::ResponseTooLarge,
                "the PDF is larger than can be read.",
            ));
        }
        if bytes.len() == size {
            return Ok(bytes);
        }
        if data.is_empty() {
            return Err(Failure::new(Code::Internal, "the PDF came back damaged."));
        }
    }
}

/// `page 2 of 7` before the words of each page.
fn words(read: &PdfText) -> String {
    if read.pages.iter().all(|page| page.trim().is_empty()) {
        return String::new();
    }
    let mut out = String::new();
    for (at, page) in read.pages.iter().enumerate() {
        let words = if page.trim().is_empty() { "(no words)" } else { page.trim() };
        out.push_str(&format!("page {} of {}\n{words}\n\n", at + 1, read.count));
    }
    if read.pages.len() < read.count {
        out.push_str(&format!("(the other {} were not read)", read.count - read.pages.len()));
    }
    out.trim_end().to_owned()
}

fn failure(error: PdfError, tab: u32) -> Failure {
    let look = format!("Next: browser_screenshot {{\"tab\":{tab}}}.");
    match error {
        PdfError::Encrypted => Failure::new(
            Code::ProtectedPage,
            format!(
                "the PDF of tab {tab} is encrypted with a password: its words cannot be read. {look}"
            ),
        ),
        PdfError::Broken => Failure::new(
            Code::ProtectedPage,
            format!(
                "what the address of tab {tab} gives is no PDF that can be read: damaged, or another file than the tab shows. {look}"
            ),
        ),
        PdfError::TooMuch => Failure::new(
            Code::ResponseTooLarge,
            format!("the PDF of tab {tab} takes too much time or memory to be read. {look}"),
        ),
        PdfError::Unavailable => Failure::new(
            Code::Internal,
            format!("the words of the PDF in tab {tab} could not be read here. {look}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_has_its_mark_and_none_has_words_when_none_has_some() {
        let read = |pages: &[&str], count| {
            let pages = pages.iter().map(|page| (*page).to_owned()).collect();
            words(&PdfText { pages, count })
        };
        expect_test::expect![[r#"
            page 1 of 3
            First

            page 2 of 3
            (no words)

            (the other 1 were not read)"#]]
        .assert_eq(&read(&["First\n", " "], 3));
        assert_eq!(read(&[" ", ""], 2), "");
    }
}
