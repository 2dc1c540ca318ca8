//! Free text: finds credentials by their make, by the word before them, and by the name they follow.

use super::shape::{self, Name};
use super::{GONE, address};
use std::borrow::Cow;

/// How much may be lost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// As `Answer`, in a value of an address: what looks like one more address is text.
    Value,
    /// Only what is a credential beyond doubt.
    Answer,
    /// Whatever may be one.
    Record,
}

/// Text for an agent without credentials: tokens of known make, what follows `Bearer` or `Basic`, values
/// of authorization and cookie headers, values under secret names.
pub fn answer(text: &str) -> Cow<'_, str> {
    let mut now = redacted(text, Level::Answer);
    // What was taken out may have stood between a name and its value: looked through until nothing is found.
    for _ in 0..LOOKS {
        let Cow::Owned(next) = redacted(&now, Level::Answer) else { break };
        if next == *now {
            break;
        }
        now = Cow::Owned(next);
    }
    now
}

/// More looks than any text was seen to need.
const LOOKS: usize = 6;

/// Text for a record: as [`answer`], and without long random words, one-time codes, and anything of
/// an address but its host, plain path and names of its query.
pub fn record(text: &str) -> String {
    let plain: String =
        text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
    redacted(&plain, Level::Record).into_owned()
}

/// Whether a value of an address holds a credential.
pub(super) fn has_credential(value: &str) -> bool {
    matches!(redacted(value, Level::Value), Cow::Owned(_))
}

fn redacted(text: &str, level: Level) -> Cow<'_, str> {
    let mut cuts: Vec<(usize, usize, Cow<'_, str>)> = Vec::new();
    let mut at = 0;
    while let Some((start, end)) = next_word(text, at) {
        at = end;
        if let Some((from, to, words)) = found(text, start, end, level) {
            at = to.max(end);
            cuts.push((from, to, words));
        }
    }
    if cuts.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    for (from, to, words) in cuts {
        out.push_str(&text[kept..from]);
        out.push_str(&words);
        kept = to;
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

/// The next run of a token's letters.
fn next_word(text: &str, from: usize) -> Option<(usize, usize)> {
    let start = from + text[from..].find(shape::is_token_char)?;
    let length = text[start..].find(|c| !shape::is_token_char(c)).unwrap_or(text.len() - start);
    Some((start, start + length))
}

type Cut<'a> = (usize, usize, Cow<'a, str>);

/// What is to be cut because of the word at `start..end`, if anything.
fn found<'a>(text: &'a str, start: usize, end: usize, level: Level) -> Option<Cut<'a>> {
    let word = &text[start..end];
    let gone = |from, to| Some((from, to, Cow::Borrowed(GONE)));
    if let Some(cut) = in_address(text, start, level) {
        return Some(cut);
    }
    // `name=value` is one run of token letters: judged by its parts.
    if let Some((name, value)) = word.split_once('=').filter(|(_, value)| !value.is_empty()) {
        let from = start + name.len() + 1;
        if is_value(shape::name(name), &text[from..], value, level, false) {
            return match shape::name(name) {
                Name::Header => gone(from, line_end(text, from)),
                _ => gone(from, value_end(text, from)),
            };
        }
    }
    if shape::is_credential(word)
        || word.contains('%') && shape::is_credential(&shape::decoded(word))
    {
        return gone(start, end);
    }
    if let Some(from) = after_scheme(text, start, word) {
        return gone(from, end);
    }
    if let Some(cut) = after_name(text, start, end, level) {
        return Some(cut);
    }
    if level == Level::Record {
        let end = code_end(text, start, end);
        return is_doubtful(text, start, end).then_some((start, end, Cow::Borrowed(GONE)));
    }
    None
}

/// `Bearer abc…`, also with the gap percent-encoded. Gives where the credential begins.
fn after_scheme(text: &str, start: usize, word: &str) -> Option<usize> {
    for (gap, length) in [("%20", 3), ("+", 1)] {
        if let Some((scheme, rest)) = word.split_once(gap)
            && is_scheme(scheme.rsplit(['=', '/']).next().unwrap_or(scheme))
            && is_scheme_value(rest)
        {
            return Some(start + scheme.len() + length);
        }
    }
    let before = text[..start].strip_suffix([' ', '\t'])?;
    let scheme = before.rsplit(|c: char| !c.is_ascii_alphabetic()).next()?;
    (is_scheme(scheme) && is_scheme_value(word)).then_some(start)
}

fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
}

/// "Basic information" is prose.
fn is_scheme_value(word: &str) -> bool {
    let plain = word.trim_end_matches(['.', ',']);
    plain.len() >= 20 || (plain.len() >= 8 && shape::is_mixed(plain))
}

/// `name: value` and `"name": "value"`, with what quotes and escapes there are.
fn after_name<'a>(text: &'a str, start: usize, end: usize, level: Level) -> Option<Cut<'a>> {
    let word = text[start..end].trim_end_matches('=');
    let kind = shape::name(word);
    if kind == Name::Plain {
        return None;
    }
    let mut rest = &text[start + word.len()..];
    rest = skip_quote(rest);
    rest = rest.trim_start_matches([' ', '\t']);
    rest = rest.strip_prefix([':', '='])?;
    let spaced = rest.starts_with([' ', '\t']);
    rest = rest.trim_start_matches([' ', '\t']);
    let quoted = skip_quote(rest);
    let is_quoted = quoted.len() < rest.len();
    let from = text.len() - quoted.len();
    let to = match kind {
        Name::Header => line_end(text, from),
        _ => value_end(text, from),
    };
    let value = &text[from..to];
    is_value(kind, &text[from..], value, level, spaced && !is_quoted).then_some((
        from,
        to,
        Cow::Borrowed(GONE),
    ))
}

fn skip_quote(text: &str) -> &str {
    let text = text.trim_start_matches('\\');
    text.strip_prefix(['"', '\'']).unwrap_or(text)
}

/// Whether what follows a name is its value and a secret. `prose`: after a colon and a space, where
/// words may follow that mean nothing.
fn is_value(kind: Name, rest: &str, value: &str, level: Level, prose: bool) -> bool {
    if value.is_empty() || value.starts_with(GONE) || is_gone_already(rest) {
        return false;
    }
    let trivial = matches!(value, "true" | "false" | "null" | "undefined" | "none" | "0" | "1");
    match kind {
        Name::Plain => false,
        _ if trivial => false,
        // "Cookie: we use them" is prose, `sid=1` is one.
        Name::Header => {
            let line = &rest[..line_end(rest, 0)];
            let first = line.split([' ', ';']).next().unwrap_or_default();
            line.contains('=') || is_scheme(first) || shape::is_mixed(first) || first.len() >= 16
        }
        Name::Secret if prose && level != Level::Record => {
            value.len() >= 8 && shape::is_mixed(value)
        }
        Name::Secret => value.len() >= 4,
        Name::Open if level == Level::Record => shape::is_code(value) || shape::is_mixed(value),
        Name::Open => value.len() >= 16 && shape::is_mixed(value),
    }
}

/// What the browser's side put in a value's place; the list of headers goes on behind it.
fn is_gone_already(rest: &str) -> bool {
    let Some(after) = rest.strip_prefix("[redacted]") else { return false };
    let next = after.strip_prefix(' ').unwrap_or(after);
    let name: &str = next.split('=').next().unwrap_or_default();
    after.is_empty()
        || after.starts_with('\n')
        || (next.len() < after.len()
            && next.len() > name.len()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
}

/// A header's value ends with its line, or with the quotes around it.
fn line_end(text: &str, from: usize) -> usize {
    let stop = |c: char| matches!(c, '\n' | '\r' | '"' | '<');
    let end = text[from..].find(stop).map_or(text.len(), |length| from + length);
    // An escaped quote ends what an unescaped one began around it.
    end - text[from..end].bytes().rev().take_while(|byte| *byte == b'\\').count()
}

fn value_end(text: &str, from: usize) -> usize {
    let stop = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '&' | ';' | ',' | '<' | ')' | '}' | '\\')
    };
    text[from..].find(stop).map_or(text.len(), |length| from + length)
}

/// Where the run without white space and quotes ends.
fn whole_end(text: &str, start: usize) -> usize {
    let stop = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`');
    text[start..].find(stop).map_or(text.len(), |length| start + length)
}

/// An address in the text: `https://…`, and in records paths as well. It is one thing, colon and
/// query included.
fn in_address<'a>(text: &'a str, start: usize, level: Level) -> Option<Cut<'a>> {
    let rest = &text[start..];
    let is_whole = rest.starts_with("https://") || rest.starts_with("http://");
    if level == Level::Value || !(is_whole || level == Level::Record && rest.starts_with('/')) {
        return None;
    }
    let whole = &rest[..whole_end(text, start) - start];
    let plain = whole.trim_end_matches([',', '.', ')', '}', ';', ':']);
    let shown = match level {
        Level::Record if is_whole => address::page_of(plain).words(),
        Level::Record => address::plain_path(plain),
        Level::Answer | Level::Value => address::address(plain),
    };
    (shown != plain).then_some((start, start + plain.len(), Cow::Owned(shown)))
}

/// `482 913` is one code.
fn code_end(text: &str, start: usize, end: usize) -> usize {
    let digits =
        |word: &str| (3..=4).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit());
    match text[end..].strip_prefix(' ').and_then(|rest| next_word(rest, 0)) {
        Some((0, length))
            if digits(&text[start..end]) && digits(&text[end + 1..end + 1 + length]) =>
        {
            end + 1 + length
        }
        _ => end,
    }
}

/// Random words, and short codes in a line that speaks of one.
fn is_doubtful(text: &str, start: usize, end: usize) -> bool {
    let word = &text[start..end];
    if word.len() >= 12 && shape::is_random(word) && shape::is_mixed(word) {
        return true;
    }
    if !shape::is_code(word) {
        return false;
    }
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line = text[line_start..line_end(text, start).max(end)].to_ascii_lowercase();
    let line = line + &text[end..].lines().next().unwrap_or_default().to_ascii_lowercase();
    ["code", "otp", "pin", "passcode", "verif", "one-time", "one time", "2fa", "mfa", "tan "]
        .iter()
        .any(|word| line.contains(word))
}
