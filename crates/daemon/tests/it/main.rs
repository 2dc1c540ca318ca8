//! A daemon in this process, with a fake extension and local clients on real sockets. Each test
//! has its own home and its own port.

#![expect(clippy::unwrap_used, reason = "tests, also outside of test functions")]

mod clients;
mod ended;
mod home;
mod links;
mod loopback;
mod numbers;
mod pairing;
mod rig;
mod rubbish;
mod shuffle;
mod versions;
