//! The end-to-end rig: one daemon, one browser with the extension, one page server, and a runner
//! that shares them between tests. Real processes only; of the product nothing is linked in but what
//! simulated profiles need.

mod liar;
mod rig;
mod runner;
mod scribe;
mod squatter;

pub use liar::Liar;
pub use rig::{Opened, Over, Rig, binary, fixtures};
pub use runner::{Test, run};
pub use scribe::{Scribe, golden};
pub use squatter::{Lie, Squatter};

/// A list of tests out of paths of `async fn(&mut Rig) -> anyhow::Result<()>`.
#[macro_export]
macro_rules! tests {
    ($($($part:ident)::+),* $(,)?) => {
        &[$($crate::Test {
            name: concat!($("::", stringify!($part)),+),
            over: $crate::Over::Extension,
            run: |rig| Box::pin($($part)::+(rig)),
        }),*]
    };
}

/// The same tests over plain CDP, as `cdp::…`.
#[macro_export]
macro_rules! tests_over_cdp {
    ($($($part:ident)::+),* $(,)?) => {
        &[$($crate::Test {
            name: concat!("::cdp", $("::", stringify!($part)),+),
            over: $crate::Over::Cdp,
            run: |rig| Box::pin($($part)::+(rig)),
        }),*]
    };
}
