//! The engine's clock: milliseconds since the first look at it. `core` gets times from here.

use std::sync::OnceLock;
use std::time::Instant;

static START: OnceLock<Instant> = OnceLock::new();

/// `12 s`, `3 min`: how long something is past.
pub(crate) fn ago(ms: u64) -> String {
    let seconds = ms / 1_000;
    if seconds < 90 { format!("{seconds} s") } else { format!("{} min", seconds / 60) }
}

/// Milliseconds of a steady clock.
pub(crate) fn now_ms() -> u64 {
    START.get_or_init(Instant::now).elapsed().as_millis() as u64
}
