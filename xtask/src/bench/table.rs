//! Medians and their table.

use crate::ui;
use std::time::Duration;

/// One job on one page.
pub struct Row {
    page: &'static str,
    /// `click`.
    pub what: &'static str,
    /// Our times.
    pub ours: Vec<Duration>,
    /// The bare client's times.
    pub floor: Vec<Duration>,
    /// Length of our answer.
    pub chars: usize,
}

impl Row {
    /// Without times yet.
    pub fn new(page: &'static str, what: &'static str) -> Self {
        Self { page, what, ours: Vec::new(), floor: Vec::new(), chars: 0 }
    }
}

/// Print all.
pub fn print(rows: &[Row]) {
    ui::say(&format!(
        "\n{:<14} {:<11} {:>9} {:>9} {:>7} {:>7}",
        "page", "call", "ours ms", "floor ms", "ratio", "tokens"
    ));
    for row in rows {
        let ours = ms(median(&mut row.ours.clone()));
        let floor = ms(median(&mut row.floor.clone()));
        ui::say(&format!(
            "{:<14} {:<11} {ours:>9.1} {floor:>9.1} {:>7.1} {:>7}",
            row.page,
            row.what,
            ours / floor.max(0.001),
            row.chars / 4
        ));
    }
}

/// The middle one.
pub fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
