//! Files of a client elsewhere, in chunks over the local protocol. The daemon asks, the client
//! answers; every stream belongs to one call and ends with it.
//!
//! Sizes and counts are `u32`: limits keep them far below.

use crate::code::Code;
use serde::{Deserialize, Serialize};

/// What the daemon asks about one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum FileAsk {
    /// Opens a file that the call named, for reading. Answered with `opened`.
    Open {
        /// As the call named it.
        path: String,
    },
    /// The chunk of that number; numbers come in order. Answered with `chunk`.
    Read {
        /// From 0.
        index: u32,
    },
    /// Begins a new file that the call named. Answered with `ready`.
    Create {
        /// As the call named it.
        path: String,
    },
    /// Appends a chunk; numbers come in order. Answered with `written`.
    Write {
        /// From 0.
        index: u32,
        /// base64, at most [`crate::limits::FILE_CHUNK_BYTES`] decoded.
        data: String,
    },
    /// Gives the file its name: it is whole. Answered with `kept`.
    Keep {
        /// How large it must be.
        bytes: u32,
    },
    /// Ends the stream; a file that was not kept is gone. Not answered.
    Close,
}

/// What the client answers, in the order of the questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum FileAnswer {
    /// The file is open.
    Opened {
        /// Its name without folders.
        name: String,
        /// Its size.
        bytes: u32,
    },
    /// A part of it.
    Chunk {
        /// The number that was asked for.
        index: u32,
        /// base64.
        data: String,
        /// Nothing follows.
        last: bool,
    },
    /// The file may be written.
    Ready,
    /// A chunk is in the file.
    Written {
        /// Its number.
        index: u32,
    },
    /// The file has its name.
    Kept {
        /// Its whole path on the client's machine.
        path: String,
    },
    /// It does not go on; the stream is over.
    Failed {
        /// Which.
        code: Code,
        /// Why, for a reader.
        message: String,
    },
}
