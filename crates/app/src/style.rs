//! Colours, where a person looks: on a terminal, unless `NO_COLOR` is set. Plain text everywhere else.

use std::io::IsTerminal as _;
use std::sync::OnceLock;

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// A heading.
    Bold,
    /// Beside the point.
    Dim,
    /// As it should be.
    Good,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
}

/// The text in that tone.
pub fn paint(tone: Tone, text: &str) -> String {
    if on() && !text.is_empty() { painted(tone, text) } else { text.to_owned() }
}

fn painted(tone: Tone, text: &str) -> String {
    let code = match tone {
        Tone::Bold => "1",
        Tone::Dim => "2",
        Tone::Good => "32",
        Tone::Warn => "33",
        Tone::Bad => "31",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

/// Whether stdout is a terminal that shows colours.
fn on() -> bool {
    static ON: OnceLock<bool> = OnceLock::new();
    *ON.get_or_init(|| {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        std::io::stdout().is_terminal() && !set("NO_COLOR") && !dumb
    })
}
