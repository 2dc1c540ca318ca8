//! What the settings of MCP clients look like, and how an entry of ours gets into them and out again.
//!
//! Pure: text in, text out; every byte that is not ours stays. Reads no file, looks at no environment, starts nothing.

mod client;
mod entry;
mod jsonc;
mod toml;

pub use client::{ALL, Base, Client, Folders, Permit, Place, named};
pub use entry::Entry;

/// The name of our entry in every client.
pub const NAME: &str = "pillion";

/// How a client keeps its servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON, often with comments: an object of servers at that key.
    Json(&'static str, Shape),
    /// `OpenCode`: under `mcp`, or under `mcp.servers` where the file is of its second version.
    OpenCode,
    /// Codex: a table `[mcp_servers.NAME]`.
    Toml,
}

/// How a JSON entry is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `{"command": …, "args": […]}`
    Plain,
    /// The same with `"type": "stdio"`.
    Stdio,
}

/// What became of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// It says so already.
    Same,
    /// The whole new text.
    New(String),
}

/// Why a text is left alone. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is not what the client reads.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// Something else stands where the servers should be.
    #[error("`{0}` in it is no list of servers")]
    Unexpected(String),
    /// A name stands twice, and readers differ in which one they take.
    #[error("`{0}` stands in it twice")]
    Twice(String),
}

/// The text with our entry in it. Fields of an entry that are not ours to say (`env`, what is allowed
/// without asking) stay.
pub fn add(format: Format, text: &str, entry: &Entry) -> Result<Edit, Refusal> {
    let (mark, body) = split_mark(text);
    let edit = match format {
        Format::Toml => toml::add(body, entry),
        _ => jsonc::add(format, body, entry),
    };
    edit.map(|edit| with_mark(mark, edit))
}

/// The text without our entry.
pub fn remove(format: Format, text: &str) -> Result<Edit, Refusal> {
    let (mark, body) = split_mark(text);
    let edit = match format {
        Format::Toml => toml::remove(body),
        _ => jsonc::remove(format, body),
    };
    edit.map(|edit| with_mark(mark, edit))
}

/// Our entry, as it stands there.
pub fn read(format: Format, text: &str) -> Result<Option<Entry>, Refusal> {
    let (_, body) = split_mark(text);
    match format {
        Format::Toml => toml::read(body),
        _ => jsonc::read(format, body),
    }
}

/// Some editors begin a file with a mark of its encoding.
fn split_mark(text: &str) -> (&str, &str) {
    const MARK: &str = "\u{feff}";
    text.strip_prefix(MARK).map_or(("", text), |body| (MARK, body))
}

fn with_mark(mark: &str, edit: Edit) -> Edit {
    match edit {
        Edit::New(text) if !mark.is_empty() => Edit::New(format!("{mark}{text}")),
        edit => edit,
    }
}

#[cfg(test)]
mod tests;
