//! Pure rules of Pillion: leases, numbers, slugs, the target grammar, and how answers look.
//!
//! No tokio, no I/O, no clock: callers pass the time in. Everything here is a function of its
//! arguments, so that property tests can try what no browser will do in a test.

pub mod arguments;
pub mod cascade;
pub mod chunks;
pub mod console_log;
pub mod diff;
pub mod files;
pub mod har;
pub mod harvest;
pub mod keys;
pub mod leases;
pub mod lines;
pub mod mhtml;
pub mod net_line;
pub mod net_log;
pub mod outline;
pub mod page_text;
pub mod rate;
pub mod receipt;
pub mod record;
pub mod redact;
pub mod refs;
pub mod scrub;
pub mod secret;
pub mod shell_words;
pub mod slug;
pub mod source_map;
pub mod target;
pub mod trace;
pub mod value;
