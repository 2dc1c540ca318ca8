//! The only place of this crate that prints.

#![expect(clippy::print_stdout, reason = "a chore's output is for the person who started it")]

use std::io::Write;

/// One line.
pub fn say(line: &str) {
    println!("{line}");
    // A reader that hung up is no reason to stop a chore half way.
    std::io::stdout().flush().ok();
}

/// The head of a part.
pub fn head(line: &str) {
    say(&format!("\n== {line}"));
}
