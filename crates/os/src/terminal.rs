//! The terminal behind standard output, if there is one.

use std::io::{self, IsTerminal as _};

/// Columns of a terminal that does not say.
const USUAL: usize = 100;

/// How many columns it has; `None` when the output goes elsewhere.
pub fn columns() -> Option<usize> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    #[cfg(unix)]
    let told = rustix::termios::tcgetwinsize(&stdout).map(|size| usize::from(size.ws_col)).ok();
    #[cfg(windows)]
    let told = None;
    Some(told.filter(|columns| *columns > 0).unwrap_or(USUAL))
}
