//! Lines of local clients, and of the daemon to them.
#![no_main]

use pillion_wire::local::{ToClient, ToDaemon};

libfuzzer_sys::fuzz_target!(|line: &str| {
    if let Ok(line) = serde_json::from_str::<ToDaemon>(line) {
        serde_json::to_string(&line).expect("lines have string keys only");
    }
    if let Ok(line) = serde_json::from_str::<ToClient>(line) {
        serde_json::to_string(&line).expect("lines have string keys only");
    }
});
