//! Frames of a proven extension.
#![no_main]

libfuzzer_sys::fuzz_target!(|frame: &str| {
    if let Ok(frame) = pillion_link::frames::parse(frame) {
        // What was taken can be told again.
        serde_json::to_string(&frame).expect("frames have string keys only");
    }
});
