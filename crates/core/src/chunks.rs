//! The order and size of the pieces of a file. Both ends count, because neither trusts the other.

use pillion_wire::limits::FILE_CHUNK_BYTES;
use std::fmt;

/// What is wrong with a piece, or with the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Another number was next.
    OutOfOrder,
    /// A piece is larger than allowed, or empty without being the end.
    Size,
    /// More came than the file may have.
    TooMuch,
    /// The end came before everything was there.
    TooLittle,
    /// Something came after the end.
    Over,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfOrder => "a piece came out of order",
            Self::Size => "a piece has a wrong size",
            Self::TooMuch => "there is more of it than there may be",
            Self::TooLittle => "it ended before it was whole",
            Self::Over => "a piece came after its end",
        })
    }
}

/// Counts the pieces of one file.
#[derive(Debug, Clone)]
pub struct Chunks {
    next: u32,
    bytes: u64,
    most: u64,
    over: bool,
}

impl Chunks {
    /// Of a file of at most `most` bytes.
    pub fn new(most: u64) -> Self {
        Self { next: 0, bytes: 0, most, over: false }
    }

    /// Takes a piece in the middle, or the last one.
    ///
    /// # Errors
    /// After one, the file is of no more use.
    pub fn take(&mut self, index: u32, len: usize, last: bool) -> Result<(), Fault> {
        if self.over {
            return Err(Fault::Over);
        }
        if index != self.next {
            return Err(Fault::OutOfOrder);
        }
        if len > FILE_CHUNK_BYTES || len == 0 && !last {
            return Err(Fault::Size);
        }
        self.bytes += len as u64;
        if self.bytes > self.most {
            return Err(Fault::TooMuch);
        }
        // Bounded by the bytes: a piece in the middle has at least one.
        self.next = self.next.saturating_add(1);
        self.over = last;
        Ok(())
    }

    /// The file ends here and must have had exactly `bytes`.
    ///
    /// # Errors
    /// When it had not.
    pub fn end(&self, bytes: u64) -> Result<(), Fault> {
        match self.bytes.cmp(&bytes) {
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Less => Err(Fault::TooLittle),
            std::cmp::Ordering::Greater => Err(Fault::TooMuch),
        }
    }

    /// Number of the piece that is next.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The last one was there.
    pub fn is_over(&self) -> bool {
        self.over
    }
}

/// How many pieces a file of that size has; an empty one has one.
pub fn count(bytes: u64) -> u32 {
    let pieces = bytes.div_ceil(FILE_CHUNK_BYTES as u64).max(1);
    u32::try_from(pieces).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_in_order_make_the_file_and_no_others_do(
            sizes in prop::collection::vec(1..=FILE_CHUNK_BYTES, 1..12),
            wrong in 0u32..20,
            at in 0usize..12,
        ) {
            let bytes: u64 = sizes.iter().map(|size| *size as u64).sum();
            let mut chunks = Chunks::new(bytes);
            for (place, size) in sizes.iter().enumerate() {
                let index = place as u32;
                if place == at && wrong != index {
                    prop_assert_eq!(chunks.clone().take(wrong, *size, false), Err(Fault::OutOfOrder));
                }
                prop_assert_eq!(chunks.take(index, *size, place + 1 == sizes.len()), Ok(()));
            }
            prop_assert_eq!(chunks.end(bytes), Ok(()));
            prop_assert_eq!(chunks.end(bytes + 1), Err(Fault::TooLittle));
            prop_assert_eq!(chunks.end(bytes - 1), Err(Fault::TooMuch));
            prop_assert_eq!(chunks.take(chunks.next(), 1, false), Err(Fault::Over));
        }

        /// Whatever a hostile peer sends, what is taken stays under the limit and is finite.
        #[test]
        fn nothing_passes_the_limit(
            most in 0u64..2_000_000,
            pieces in prop::collection::vec((0u32..6, 0usize..600_000, any::<bool>()), 0..40),
        ) {
            let mut chunks = Chunks::new(most);
            let mut kept = 0;
            for (index, len, last) in pieces {
                if chunks.take(index, len, last).is_err() { break; }
                kept += len as u64;
                prop_assert!(len <= FILE_CHUNK_BYTES);
            }
            prop_assert!(kept <= most);
        }

        #[test]
        fn the_count_fits_the_size(bytes in 0u64..200_000_000) {
            let most = u64::from(count(bytes)) * FILE_CHUNK_BYTES as u64;
            prop_assert!(bytes <= most && (bytes == 0 || bytes + FILE_CHUNK_BYTES as u64 > most));
        }
    }

    #[test]
    fn pieces_of_a_wrong_size_are_refused() {
        assert_eq!(Chunks::new(u64::MAX).take(0, FILE_CHUNK_BYTES + 1, true), Err(Fault::Size));
        assert_eq!(Chunks::new(10).take(0, 0, false), Err(Fault::Size));
        assert_eq!(Chunks::new(10).take(0, 11, true), Err(Fault::TooMuch));
        assert_eq!(Chunks::new(0).take(0, 0, true), Ok(()));
    }
}
