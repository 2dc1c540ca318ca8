//! What our entry says: which program a client starts, and with what.

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The program, by its whole path: editors that are started from a desktop know no search path of a shell.
    pub command: String,
    /// What follows.
    pub args: Vec<String>,
}
