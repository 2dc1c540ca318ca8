//! The only place that prints. A reader that closed its end early (`pillion … | head`) is fine.

use std::io::{self, IsTerminal as _, Write as _};

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

/// A line that the next one replaces. Only for a terminal: anything else would collect them.
pub fn progress(line: &str) {
    let mut stderr = io::stderr().lock();
    if stderr.is_terminal() {
        write!(stderr, "\r\x1b[K{line}").and_then(|()| stderr.flush()).ok();
    }
}

/// Takes that line away.
pub fn clear_progress() {
    progress("");
}
