//! The only place that prints. A reader that closed its end early (`pillion … | head`) is fine.

use std::io::{self, Write as _};

/// A line of the answer.
pub fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    // The reader is gone: there is nobody to tell.
    writeln!(stdout, "{line}").and_then(|()| stdout.flush()).ok();
}

/// A line beside the answer: what is being done, what to do next.
pub fn note(line: &str) {
    // As above.
    writeln!(io::stderr().lock(), "{line}").ok();
}

/// Why it did not work.
pub fn error(line: &str) {
    note(&format!("pillion: {line}"));
}
