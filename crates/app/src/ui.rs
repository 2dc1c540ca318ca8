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

/// A question: the answer is typed behind it.
pub fn prompt(question: &str) {
    let mut stderr = io::stderr().lock();
    // As above.
    write!(stderr, "{question}").and_then(|()| stderr.flush()).ok();
}

/// Several lines in place of those that stood there before.
pub fn redraw(lines: &[String]) {
    let mut stdout = io::stdout().lock();
    let text: String = lines.iter().map(|line| format!("{line}\x1b[K\n")).collect();
    write!(stdout, "\x1b[H{text}\x1b[J").and_then(|()| stdout.flush()).ok();
}

/// Bytes as they are.
pub fn bytes(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).ok();
}

/// The terminal's other screen: what stood there before is back when it goes.
pub struct Screen(());

impl Screen {
    /// Takes it, without a cursor.
    pub fn take() -> Self {
        bytes(b"\x1b[?1049h\x1b[?25l\x1b[2J");
        Self(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        bytes(b"\x1b[?25h\x1b[?1049l");
    }
}
