//! A client and a daemon that is not there.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod fake;
mod files;
mod lost;
