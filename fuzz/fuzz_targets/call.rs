//! What an agent writes: targets, keys, arguments.
#![no_main]

use pillion_core::{arguments, keys, target};
use serde_json::Value;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = target::parse(text);
    let _ = keys::sequence(text);
    let _ = keys::chord(text);
    if let Ok(args) = serde_json::from_str::<Value>(text) {
        let _ = arguments::normalise(&args, |name| name.len() < 9);
        let _ = (arguments::text(&args), arguments::integer(&args), arguments::boolean(&args));
    }
});
