//! The first lines of an answer, for a record: what was done, not what a page holds.

use super::arguments::cut;
use super::{Given, record};

/// Most lines that are kept.
pub const RECEIPT_LINES: usize = 8;
/// Most characters that are kept.
const CHARS: usize = 400;

/// The first lines of an answer, at most `lines` and 400 characters. What stands between fences is
/// told as its length, values of fields as theirs, and what the caller gave is left out.
pub fn receipt(answer: &str, given: &Given, lines: usize) -> String {
    let mut kept: Vec<String> = Vec::new();
    let mut inside: Option<(String, usize)> = None;
    for line in answer.lines() {
        match &mut inside {
            Some((end, count)) if line == end => {
                kept.push(format!("({count} characters of the page)"));
                inside = None;
            }
            Some((_, count)) => *count += line.chars().count() + 1,
            None => match line.strip_prefix("<page ").and_then(|rest| rest.strip_suffix('>')) {
                Some(id) => inside = Some((format!("</page {id}>"), 0)),
                None => kept.push(without_values(line)),
            },
        }
        if kept.len() >= lines {
            break;
        }
    }
    cut(&record(&given.without(&kept.join("\n"))), CHARS)
}

/// `value="…"`, `value: "…"`, `shows "…"`, `kept "…"`: what a field holds is somebody's content.
fn without_values(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    loop {
        let next = ["value=\"", "value: \"", "shows \"", "kept \""]
            .iter()
            .filter_map(|mark| rest.find(mark).map(|at| (at, mark.len())))
            .min();
        let Some((at, length)) = next else {
            out.push_str(rest);
            return out;
        };
        let begin = at + length;
        out.push_str(&rest[..begin - 1]);
        let end = quoted_end(&rest[begin..]);
        out.push_str(&format!("({} characters)", rest[begin..begin + end].chars().count()));
        rest = rest.get(begin + end + 1..).unwrap_or_default();
    }
}

/// Where quoted words end: before the first quote that is not escaped.
fn quoted_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' if !escaped => return at,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}
