//! How far two parts of Pillion may be apart: within a major version they work together. Pure.

/// How two versions stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skew {
    /// The same release.
    Same,
    /// Not the same, within a major version.
    Tolerated,
    /// Of different major versions.
    Apart,
}

/// An unpacked extension has a fourth number, which counts builds and says nothing.
pub fn of(ours: &str, theirs: &str) -> Skew {
    match (numbers(ours), numbers(theirs)) {
        (Some(ours), Some(theirs)) if ours == theirs => Skew::Same,
        (Some(ours), Some(theirs)) if ours[0] != theirs[0] => Skew::Apart,
        // What is no version cannot be called too far away: the protocol number decides anyway.
        _ => Skew::Tolerated,
    }
}

fn numbers(version: &str) -> Option<[u64; 3]> {
    let plain = version.split(['-', '+']).next()?;
    let mut parts = plain.split('.').map(|part| part.parse().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_work_together_within_a_major() {
        assert_eq!(of("0.1.0", "0.1.0"), Skew::Same);
        assert_eq!(of("0.1.0", "0.1.0.7421"), Skew::Same);
        assert_eq!(of("0.1.0", "0.9.3"), Skew::Tolerated);
        assert_eq!(of("1.0.0", "2.0.0"), Skew::Apart);
        assert_eq!(of("1.0.0", "?"), Skew::Tolerated);
    }
}
