//! The binary as others run it. Each test has a home of its own and ends its daemon.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod commands;
mod disk;
mod doctor;
mod history;
mod life;
mod mcp;
mod pairing;
mod pdf;
mod rig;
mod secret;
mod sessions;
mod setup;
mod starts;
#[cfg(debug_assertions)]
mod versions;
mod via;
mod via_files;
