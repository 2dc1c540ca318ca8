//! Which version this process is and which protocol it speaks, and how two versions compare.
//!
//! Release builds are what they were built as. Debug builds, and only those, may be told to be
//! another one, so that tests can let two versions meet.

use std::cmp::Ordering;
use std::sync::OnceLock;

/// Debug builds only: the version to be.
#[cfg(debug_assertions)]
const VERSION_ENV: &str = "PILLION_TEST_VERSION";
/// Debug builds only: the protocol number to speak.
#[cfg(debug_assertions)]
const PROTOCOL_ENV: &str = "PILLION_TEST_PROTOCOL";

/// The version of this program.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        #[cfg(debug_assertions)]
        if let Ok(version) = std::env::var(VERSION_ENV) {
            return version;
        }
        env!("CARGO_PKG_VERSION").to_owned()
    })
}

/// The protocol number that this program speaks.
pub fn protocol() -> u32 {
    #[cfg(debug_assertions)]
    if let Some(number) = std::env::var(PROTOCOL_ENV).ok().and_then(|text| text.parse().ok()) {
        return number;
    }
    pillion_wire::PROTOCOL
}

/// Whether `this` is a later release than `that`. What is no version is never newer nor older.
pub fn is_newer(this: &str, that: &str) -> bool {
    match (parse(this), parse(that)) {
        (Some(this), Some(that)) => this.cmp(&that) == Ordering::Greater,
        _ => false,
    }
}

/// Numbers, and last whether it is a release rather than a version before one.
fn parse(version: &str) -> Option<([u64; 3], bool)> {
    let without_build = version.split('+').next()?;
    let (numbers, release) = match without_build.split_once('-') {
        Some((numbers, _)) => (numbers, false),
        None => (without_build, true),
    };
    let mut parts = numbers.split('.').map(|part| part.parse().ok());
    let parsed = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some((parsed, release))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number_and_a_release_comes_after_its_candidates() {
        for (newer, older) in [
            ("0.2.0", "0.1.9"),
            ("0.10.0", "0.9.0"),
            ("1.0.0", "1.0.0-rc.1"),
            ("1.0.1-rc.1", "1.0.0"),
        ] {
            assert!(is_newer(newer, older) && !is_newer(older, newer), "{newer} {older}");
        }
        for (one, other) in [("1.0.0", "1.0.0+build"), ("1.0.0", "nonsense"), ("2", "1.0.0")] {
            assert!(!is_newer(one, other) && !is_newer(other, one), "{one} {other}");
        }
    }
}
