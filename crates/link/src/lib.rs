//! `Browser` over the extension: proof of keys, then requests, answers and events.
//!
//! The frames are the same over WebSocket and native messaging, so everything here works on a
//! [`Wire`] of texts. Never opens a socket, never touches a file, never looks inside a verb.

pub mod extension;
pub mod frames;
pub mod handshake;
pub mod identity;
pub mod pairing;
pub mod parts;
pub mod wire;

pub use extension::{Driver, Ended, ExtensionLink};
pub use handshake::{EndReason, Handshaker, Offer, Proven, Step};
pub use identity::{Identity, KeyError, PublicKey};
pub use pairing::{Guess, PairingCode};
pub use wire::{Wire, WireError};
