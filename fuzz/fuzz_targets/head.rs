//! Heads at the loopback listener: none of a stranger is let in.
#![no_main]

libfuzzer_sys::fuzz_target!(|head: &[u8]| {
    assert!(!pillion_daemon::fuzzing::lets_in(head));
});
