//! What differs between operating systems: folders, sockets, locks, processes, browsers.
//!
//! Knows no tool, no frame and no session. The only crate that says `cfg(windows)`.

pub mod browsers;
pub mod debug_pipe;
pub mod dumps;
pub mod exe;
pub mod file;
pub mod home;
pub mod installs;
pub mod local;
pub mod lock;
pub mod named;
pub mod native_manifest;
pub mod record;
pub mod settings_file;
pub mod signal;
pub mod spawn;
pub mod terminal;
pub mod version;
