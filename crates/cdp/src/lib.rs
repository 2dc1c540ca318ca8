//! The second link: [`pillion_engine::Browser`] over plain CDP, for a Chromium without the extension.
//!
//! Knows no tool and starts no program. There is no person on the other side who could be asked: who
//! may use the browser was decided by whoever named it on the command line.

mod agent;
mod attaching;
mod book;
mod connection;
mod endpoint;
mod events;
mod fault;
mod input;
mod ledger;
mod link;
mod navigation;
mod reduce;
mod table;
mod transport;
mod undo;
mod urls;
mod verbs;

pub use endpoint::resolve;
pub use link::{CdpLink, Owner};
pub use transport::{ConnectError, Transport};
