//! Paths that agents name.
#![no_main]

use pillion_core::files::{Named, Use, local_path, paths};
use serde_json::json;

libfuzzer_sys::fuzz_target!(|text: &str| {
    for path in paths(text) {
        let _ = local_path(&path);
    }
    let named = Named::of("browser_fill", &json!({"fields": [{"value": text}]}));
    assert!(named.has(Use::Read, text), "a call names what it says");
    assert!(!named.has(Use::Write, text), "an upload is never written");
});
