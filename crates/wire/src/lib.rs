//! Every message that crosses a process boundary, the error codes and the ids.
//!
//! Types here are dumb: serde data with constructors at most. The TypeScript types in `web/wire/`
//! are generated from them (feature `ts`), so each fact stands once. Nothing here does I/O.

pub mod activity;
pub mod ask;
pub mod code;
pub mod file;
pub mod id;
pub mod limits;
pub mod link;
pub mod local;
pub mod looking;
pub mod measuring;
pub mod page;
pub mod secret;
pub mod trying;
pub mod verb;

/// Version of the protocol on both hops. A peer of another number is refused with the sentence
/// that says what to update. Adding optional fields keeps it; renaming or removing raises it.
pub const PROTOCOL: u32 = 1;

/// The extension's id: fixed by the public `key` in `web/extension/manifest.json`.
pub const EXTENSION_ID: &str = "hkaohndhgdkjjcdbjijgleomaokgaiom";

/// Name under which the native messaging helper is registered with a browser.
pub const NATIVE_HOST: &str = "dev.pillion.host";
