//! The journal: what agents did, on disk. One thread writes and holds up nobody; anybody of the same user reads.
//!
//! Everything that comes here is redacted already (`core::record`). A journal that cannot be written costs
//! entries, never a call: it says so in its [`Report`] and goes on as soon as it can.

mod read;
mod schema;
mod store;
mod writer;

pub use read::{Entry, Filter, ReadError, Reader};
pub use store::Keep;
pub use writer::{Journal, Report};

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// A newer Pillion wrote it. It is left as it is.
    #[error("the journal was written by a newer Pillion (format {0})")]
    Newer(i32),
    /// It is no journal, or damaged.
    #[error("the journal is damaged")]
    Broken,
    /// There is no room.
    #[error("the disk is full")]
    Full,
    /// SQLite says no.
    #[error("the journal cannot be written")]
    Sql(#[source] rusqlite::Error),
    /// The file cannot be made.
    #[error("the journal cannot be opened")]
    Io(#[from] std::io::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Broken,
            Some(ErrorCode::DiskFull) => Self::Full,
            _ => Self::Sql(error),
        }
    }
}

#[cfg(test)]
mod tests;
