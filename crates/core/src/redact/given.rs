//! Texts that a caller gave and a record must not repeat: as they are, and in every form in which a
//! page or an answer may echo them.

use super::GONE;
use crate::page_text::PageText;
use std::fmt::Write as _;

/// Shorter texts are words that are everywhere.
const SHORTEST: usize = 4;
/// A cut copy still begins with this many characters.
const START: usize = 12;

/// Texts to leave out, in all their forms.
#[derive(Debug, Clone, Default)]
pub struct Given(Vec<String>);

impl Given {
    /// Forms: plain, one line with collapsed space, percent-encoded (with `%20` and `+`), JSON, HTML,
    /// and base64 (standard and URL alphabet).
    pub fn new(texts: impl IntoIterator<Item = String>) -> Self {
        let mut forms = Vec::new();
        for text in texts {
            if text.chars().count() < SHORTEST {
                continue;
            }
            forms.extend(forms_of(&text));
        }
        // The longest first: what contains another form goes as a whole.
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        forms.dedup();
        Self(forms)
    }

    /// The words without them. A copy that was cut goes as far as it goes.
    pub fn without(&self, words: &str) -> String {
        let mut out = words.to_owned();
        for form in &self.0 {
            out = out.replace(form, GONE);
            let end = form.char_indices().nth(START).map(|(at, _)| at);
            let Some(start) = end.map(|end| &form[..end]) else { continue };
            while let Some(at) = out.find(start) {
                let same = out[at..].chars().zip(form.chars()).take_while(|(a, b)| a == b);
                let length: usize = same.map(|(c, _)| c.len_utf8()).sum();
                out.replace_range(at..at + length, GONE);
            }
        }
        out
    }
}

fn forms_of(text: &str) -> Vec<String> {
    let quoted = PageText::new(text).quoted_to(text.len());
    let json = serde_json::Value::from(text).to_string();
    let html =
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let mut forms = vec![
        text.to_owned(),
        quoted[1..quoted.len() - 1].to_owned(),
        PageText::new(text).plain(),
        json[1..json.len() - 1].to_owned(),
        html.replace('\'', "&#39;"),
        html,
        percent(text, "%20"),
        percent(text, "+"),
        percent(text, "%20").to_ascii_lowercase(),
    ];
    let base64 = base64(text.as_bytes());
    forms.push(base64.replace('+', "-").replace('/', "_"));
    forms.push(base64);
    forms.retain(|form| form.chars().count() >= SHORTEST);
    forms
}

fn percent(text: &str, space: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b' ' => out.push_str(space),
            b if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) => out.push(char::from(b)),
            // A string takes everything that is written into it.
            b => drop(write!(out, "%{b:02X}")),
        }
    }
    out
}

/// Without padding, so that it is found inside a longer one's beginning, too.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let number =
            chunk.iter().enumerate().fold(0_u32, |n, (i, b)| n | u32::from(*b) << (16 - 8 * i));
        for place in 0..=chunk.len() {
            let letter = number >> (18 - 6 * place) & 63;
            out.push(char::from(LETTERS[letter as usize]));
        }
    }
    out
}
