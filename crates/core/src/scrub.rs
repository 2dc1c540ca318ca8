//! Takes values of secrets out of texts, however they were written on the way: plain, as parts of
//! addresses, JSON, HTML, base64 at any of its three alignments, hex, and mixtures of these. Pure.
//!
//! Each letter is looked for in every form that it may have, so that no list of whole forms has to be
//! complete. It takes too much rather than too little: case is not told apart where a text is plain.

mod base64;
mod letter;

use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// A copy that was cut is taken when it has this many of the secret's letters.
const CUT: usize = 4;
/// The same where the text just ends: a shorter one may be a word by itself.
const CUT_BARE: usize = 8;
/// The same of base64.
const CUT_BASE64: usize = 8;
/// Longest run of blanks that is one space.
const BLANKS: usize = 64;
/// Longest part of an escape that is left of one.
const ESCAPE: usize = 12;
/// What stands where a text was cut.
const MARK: char = '…';

/// Values that no text may hold any more.
#[derive(Clone, Default)]
pub struct Scrubber(Vec<Known>);

#[derive(Clone)]
struct Known {
    name: String,
    value: String,
    /// The value's letters, each run of blanks as one space.
    letters: Vec<char>,
    base64: Vec<String>,
}

/// Bytes of a text that go, and the secret that they are of.
type Cut = (usize, usize, usize);

impl Scrubber {
    /// From now on that value goes, too. Values of fewer than four characters are words that are
    /// everywhere and are left alone.
    pub fn add(&mut self, name: &str, value: &str) {
        let is_known = |known: &Known| known.name == name && known.value == value;
        if value.chars().count() < CUT || self.0.iter().any(is_known) {
            return;
        }
        self.0.push(Known {
            name: name.to_owned(),
            value: value.to_owned(),
            letters: letters(value),
            base64: base64::forms(value.as_bytes()),
        });
    }

    /// Whether there is nothing to take out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text with each value's name in its place, as `«work»`: not as agents write it, which would
    /// read as the name of a value to whoever looks for those.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut cuts: Vec<Cut> = Vec::new();
        for (secret, known) in self.0.iter().enumerate() {
            known.find(text, |start, end| cuts.push((start, end, secret)));
        }
        if cuts.is_empty() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(self.without(text, &merged(cuts)))
    }

    /// The same for every text in a value, names of fields among them.
    pub fn json(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.text(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.json(item)),
            Value::Object(fields) => {
                let taken = std::mem::take(fields);
                for (name, mut value) in taken {
                    self.json(&mut value);
                    fields.insert(self.text(&name).into_owned(), value);
                }
            }
            // Digits alone may be a secret, too.
            Value::Number(number) => {
                let text = number.to_string();
                if let Cow::Owned(clean) = self.text(&text) {
                    *value = Value::String(clean);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn without(&self, text: &str, cuts: &[Cut]) -> String {
        let mut out = String::with_capacity(text.len());
        let mut kept = 0;
        for &(start, end, secret) in cuts {
            out.push_str(&text[kept..start]);
            out.push_str(&format!("«{}»", self.0[secret].name));
            kept = end;
        }
        out.push_str(&text[kept..]);
        out
    }
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scrubber").field(&self.0.len()).finish()
    }
}

impl Known {
    fn find(&self, text: &str, mut found: impl FnMut(usize, usize)) {
        let mut free = 0;
        for (start, _) in text.char_indices() {
            if start < free {
                continue;
            }
            if let Some(end) = self.letters_at(text, start).or_else(|| self.hex_at(text, start)) {
                found(start, end);
                free = end;
            }
        }
        // As it stands, too: runs of blanks that are longer than a page's are one only in a value.
        for (start, same) in text.match_indices(self.value.as_str()) {
            found(start, start + same.len());
        }
        for form in &self.base64 {
            base64::find(text, form, &mut found);
        }
    }

    /// Where the value ends that begins there, letter by letter; also of a copy that was cut.
    fn letters_at(&self, text: &str, start: usize) -> Option<usize> {
        let mut ends = vec![start];
        for (count, wanted) in self.letters.iter().enumerate() {
            let next = after(text, &ends, *wanted);
            if next.is_empty() {
                let cut = || ends.iter().rev().find_map(|end| cut_at(text, *end, count));
                return (count >= CUT).then(cut).flatten();
            }
            ends = next;
        }
        ends.last().copied()
    }

    fn hex_at(&self, text: &str, start: usize) -> Option<usize> {
        let mut at = start;
        for (count, byte) in self.value.bytes().enumerate() {
            let next = if count > 0 { at + letter::gap(&text[at..]) } else { at };
            if letter::hex(&text[next..], 2) != Some(u32::from(byte)) {
                let digits = text[at..].bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
                let is_cut = count >= CUT && digits < 2 && is_cut(&text[at + digits..]);
                return is_cut.then_some(at + digits);
            }
            at = next + 2;
        }
        Some(at)
    }
}

/// Every place where the letter may end that begins at one of these. One space stands for a run of
/// blanks, each in a form of its own.
fn after(text: &str, begins: &[usize], wanted: char) -> Vec<usize> {
    let mut all: Vec<usize> = Vec::new();
    let mut begins = begins.to_vec();
    for _ in 0..BLANKS {
        let mut next = Vec::new();
        for begin in begins {
            letter::ends(text, begin, wanted, &mut next);
        }
        next.retain(|end| !all.contains(end));
        next.sort_unstable();
        next.dedup();
        all.extend(&next);
        if wanted != ' ' || next.is_empty() {
            break;
        }
        begins = next;
    }
    all.sort_unstable();
    all
}

/// Where a copy ends that was cut behind `at`, or within the escape that begins there.
fn cut_at(text: &str, at: usize, count: usize) -> Option<usize> {
    let rest = &text[at..];
    if rest.is_empty() && count < CUT_BARE {
        return None;
    }
    if is_cut(rest) {
        return Some(at);
    }
    if !rest.starts_with(['%', '\\', '&']) {
        return None;
    }
    let escape = |c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '\\' | '&' | '#' | '{');
    let length = rest.find(|c| !escape(c)).unwrap_or(rest.len());
    (length <= ESCAPE && is_cut(&rest[length..])).then_some(at + length)
}

fn is_cut(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(MARK) || rest.starts_with("...")
}

fn letters(value: &str) -> Vec<char> {
    let plain = value.chars().map(|c| if c.is_whitespace() { ' ' } else { c });
    let mut letters: Vec<char> = Vec::new();
    for c in plain.clone() {
        if c != ' ' || letters.last() != Some(&' ') {
            letters.push(c);
        }
    }
    // Of a value that is hardly more than blanks each one counts.
    if letters.len() < CUT { plain.collect() } else { letters }
}

/// In order, those that touch as one: what two forms share goes as a whole.
fn merged(mut cuts: Vec<Cut>) -> Vec<Cut> {
    cuts.sort_unstable();
    let mut out: Vec<Cut> = Vec::new();
    for (start, end, secret) in cuts {
        match out.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => out.push((start, end, secret)),
        }
    }
    out
}

#[cfg(test)]
mod tests;
