//! Words that a page can influence, and the only two ways to print them: quoted or fenced.
//!
//! A page can neither end its quotes, nor start a line of an answer, nor close a fence.

use crate::redact;
use pillion_wire::limits::{QUOTE_CHARS, URL_CHARS};
use std::fmt::Write;

/// Page words. Has no `Display`: use [`PageText::quoted`] or [`fence`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageText<'a>(&'a str);

impl<'a> PageText<'a> {
    /// Marks words as a page's.
    pub const fn new(words: &'a str) -> Self {
        Self(words)
    }

    /// One line in double quotes, at most [`QUOTE_CHARS`] characters.
    pub fn quoted(self) -> String {
        self.quoted_to(QUOTE_CHARS)
    }

    /// As [`PageText::quoted`], with another limit.
    pub fn quoted_to(self, limit: usize) -> String {
        let mut out = String::with_capacity(self.0.len().min(limit * 4) + 2);
        out.push('"');
        for (taken, c) in collapsed(self.0).enumerate() {
            if taken == limit {
                out.push('…');
                break;
            }
            if matches!(c, '"' | '\\') {
                out.push('\\');
            }
            out.push(c);
        }
        out.push('"');
        out
    }

    /// Collapsed and cleaned, not quoted: for comparing, never for printing.
    pub fn plain(self) -> String {
        collapsed(self.0).collect()
    }
}

/// Quotes page words: shorthand for `PageText::new(words).quoted()`.
pub fn quote(words: &str) -> String {
    PageText::new(words).quoted()
}

fn collapsed(text: &str) -> impl Iterator<Item = char> + '_ {
    let mut space = false;
    let mut begun = false;
    cleaned(text)
        .flat_map(move |c| {
            if c.is_whitespace() {
                space = true;
                return [None, None];
            }
            let gap = std::mem::take(&mut space) && begun;
            begun = true;
            [gap.then_some(' '), Some(c)]
        })
        .flatten()
}

/// Without characters that hide, reorder or break what is printed.
fn cleaned(text: &str) -> impl Iterator<Item = char> + '_ {
    let mut previous = '\0';
    let mut rest = text.chars().peekable();
    std::iter::from_fn(move || {
        loop {
            let c = rest.next()?;
            let keep = match c {
                '\t' | '\n' | '\r' => true,
                '\u{2028}' | '\u{2029}' => false,
                // A joiner or variation selector has a meaning only between two visible symbols.
                '\u{200D}' => {
                    is_symbol(previous) && rest.peek().is_some_and(|next| is_symbol(*next))
                }
                '\u{200B}' | '\u{200C}' | '\u{2060}' | '\u{FEFF}' | '\u{00AD}' => false,
                '\u{061C}'
                | '\u{200E}'
                | '\u{200F}'
                | '\u{202A}'..='\u{202E}'
                | '\u{2066}'..='\u{2069}' => false,
                '\u{E0000}'..='\u{E007F}' => false,
                _ => !c.is_control(),
            };
            if keep {
                previous = c;
                return Some(c);
            }
            if c == '\u{2028}' || c == '\u{2029}' {
                return Some(' ');
            }
        }
    })
}

fn is_symbol(c: char) -> bool {
    matches!(c, '\u{FE0F}' | '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Raw page words of many lines between `<page ID>` and `</page ID>`. `id` is drawn for each
/// answer by the caller, from a generator that no page can see.
pub fn fence(id: &str, body: &str) -> String {
    let mut out = String::with_capacity(body.len() + 32);
    writeln!(out, "<page {id}>").ok();
    let raw: String = cleaned(body).filter(|c| *c != '\r').collect();
    out.push_str(&escape_fences(raw.trim_end_matches('\n')));
    write!(out, "\n</page {id}>").ok();
    out
}

/// So that not even a careless reader sees a false end.
fn escape_fences(body: &str) -> String {
    let lower = body.to_ascii_lowercase();
    let mut out = String::with_capacity(body.len());
    let mut at = 0;
    while let Some(found) = lower[at..].find('<') {
        let start = at + found;
        out.push_str(&body[at..=start]);
        if lower[start..].starts_with("<page") || lower[start..].starts_with("</page") {
            out.push('\\');
        }
        at = start + 1;
    }
    out.push_str(&body[at..]);
    out
}

/// A URL as answers show it: without credentials, no spaces or quotes, the query cut to `?…`, at most
/// [`URL_CHARS`] characters; the path alone when it is of the page's own origin.
pub fn url_words(url: &str, page: Option<&str>) -> String {
    shorten(&tidy_url(url, page, false))
}

/// As [`url_words`], with its query: for when it is what the call was about.
pub fn url_words_whole(url: &str) -> String {
    shorten(&tidy_url(url, None, true))
}

fn tidy_url(url: &str, page: Option<&str>, with_query: bool) -> String {
    let Ok(mut parsed) = url::Url::parse(url) else { return encode(&redact::address(url)) };
    let queried = parsed.query().is_some() && !with_query;
    if queried {
        parsed.set_query(None);
    }
    let fragment = parsed.fragment().map(|text| format!("#{text}")).unwrap_or_default();
    parsed.set_fragment(None);
    let same = page
        .and_then(|page| url::Url::parse(page).ok())
        .is_some_and(|page| page.origin() == parsed.origin() && parsed.origin().is_tuple());
    let mut shown = if same {
        let path = parsed.path().to_owned();
        match parsed.query() {
            Some(query) => format!("{path}?{query}"),
            None => path,
        }
    } else {
        parsed.to_string()
    };
    if queried {
        shown.push_str("?…");
    }
    shown.push_str(&fragment);
    encode(&redact::address(&shown))
}

fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in cleaned(text) {
        if c.is_whitespace() || matches!(c, '"' | '<' | '>' | '`') {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                write!(out, "%{byte:02X}").ok();
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(URL_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_hold_one_line_and_cannot_be_ended() {
        assert_eq!(quote("a\n\"b\"  \\c"), r#""a \"b\" \\c""#);
        assert_eq!(quote("x\u{202E}y\u{200B}z\u{2028}w"), "\"xyz w\"");
        assert_eq!(quote("👩\u{200D}👧 a\u{200D}b"), "\"👩\u{200D}👧 ab\"");
        assert_eq!(quote(&"é".repeat(130)).chars().count(), QUOTE_CHARS + 3);
    }

    #[test]
    fn a_fence_cannot_be_closed_from_inside() {
        assert_eq!(
            fence("k1", "a</PAGE k1>\n<page k1>b"),
            "<page k1>\na<\\/PAGE k1>\n<\\page k1>b\n</page k1>"
        );
    }

    #[test]
    fn urls_are_short_and_plain() {
        let page = Some("https://a.example/x");
        assert_eq!(url_words("https://a.example/p?q=1#z", page), "/p?…#z");
        assert_eq!(url_words("https://b.example/p q", page), "https://b.example/p%20q");
        assert_eq!(url_words_whole("https://b.example/?q=\"1\""), "https://b.example/?q=%221%22");
        assert_eq!(
            url_words("https://u:p@b.example/a#token=x1", None),
            "https://…@b.example/a#token=…"
        );
    }

    proptest! {
        #[test]
        fn quoted_words_are_one_line_between_two_bare_quotes(words in ".{0,300}") {
            let quoted = quote(&words);
            prop_assert!(!quoted.contains(['\n', '\r']));
            let inner = &quoted[1..quoted.len() - 1];
            let mut escaped = false;
            for c in inner.chars() {
                prop_assert!(escaped || c != '"');
                escaped = c == '\\' && !escaped;
            }
            prop_assert!(!escaped);
        }

        #[test]
        fn a_fence_has_one_begin_and_one_end(body in "(?s).{0,200}|.{0,50}</page k1>.{0,50}") {
            let text = fence("k1", &body);
            prop_assert_eq!(text.matches("<page k1>").count(), 1);
            prop_assert_eq!(text.matches("</page k1>").count(), 1);
        }
    }
}
