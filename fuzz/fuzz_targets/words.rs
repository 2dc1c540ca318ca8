//! Words of pages: they never become words of ours.
#![no_main]

use pillion_core::page_text::{fence, quote, url_words};

libfuzzer_sys::fuzz_target!(|words: &str| {
    let quoted = quote(words);
    assert!(!quoted.contains(['\n', '\r', '\u{202e}', '\u{2066}', '\u{1b}']), "{quoted:?}");
    assert!(quoted.len() >= 2 && quoted.starts_with('"') && quoted.ends_with('"'), "{quoted:?}");
    let url = url_words(words, None);
    assert!(!url.contains(['\n', '\r', '\u{202e}', '\u{1b}']), "{url:?}");
    let id = "0123456789abcdef";
    let fenced = fence(id, words);
    let inner = fenced.strip_prefix(&format!("<page {id}>\n")).expect("it opens");
    let inner = inner.strip_suffix(&format!("\n</page {id}>")).expect("it closes");
    let lower = inner.to_ascii_lowercase();
    assert!(!lower.contains("<page") && !lower.contains("</page"), "{fenced}");
});
