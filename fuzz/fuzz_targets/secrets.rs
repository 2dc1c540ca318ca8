//! A value that was used is in no answer afterwards, however it is written.
#![no_main]

use pillion_core::scrub::Scrubber;
use pillion_core::{secret, target};

libfuzzer_sys::fuzz_target!(|input: (&str, &str, &str)| {
    let (value, before, after) = input;
    let _ = secret::origin(before);
    let _ = secret::origin_of(before);
    let _ = secret::reference(before);
    let _ = target::parse(before);
    let mut scrubber = Scrubber::default();
    scrubber.add("name", value);
    let answer = format!("{before}{value}{after}");
    let scrubbed = scrubber.text(&answer);
    // The mark that stands for it is no leak.
    if !scrubber.is_empty() && !"name".contains(value) && !value.contains(['«', '»']) {
        assert!(!scrubbed.contains(value), "{value:?} in {scrubbed:?}");
    }
});
