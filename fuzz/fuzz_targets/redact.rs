//! Redaction takes away and never adds; what is redacted stays so.
#![no_main]

use pillion_core::redact;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let once = redact::answer(text).into_owned();
    assert_eq!(redact::answer(&once), once, "twice is as once");
    let _ = redact::record(text);
    let _ = redact::address(text);
    if let Ok(args) = serde_json::from_str(text) {
        let _ = redact::about(&args);
    }
});
