//! Puts a frame that came in parts together again. Bounded in frames and in bytes over all of them.

use pillion_wire::limits::{FRAME_BYTES, PARTS_OPEN};
use std::collections::HashMap;

/// Why parts do not make a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// Not the next index of that frame.
    #[error("a part is out of order")]
    Order,
    /// More than may be kept.
    #[error("the parts are too large")]
    TooLarge,
}

/// Frames that are not complete yet.
#[derive(Debug, Default)]
pub struct Parts {
    open: HashMap<u32, (u32, String)>,
    bytes: usize,
}

impl Parts {
    /// Take one part; gives the frame when it was the last.
    ///
    /// # Errors
    /// When the part is out of order or too much.
    pub fn add(
        &mut self,
        of: u32,
        index: u32,
        last: bool,
        text: String,
    ) -> Result<Option<String>, PartError> {
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes > FRAME_BYTES {
            return Err(PartError::TooLarge);
        }
        let (next, mut whole) = match self.open.remove(&of) {
            Some(partial) => partial,
            None if self.open.len() >= PARTS_OPEN => return Err(PartError::TooLarge),
            None => (0, String::new()),
        };
        if index != next {
            return Err(PartError::Order);
        }
        whole.push_str(&text);
        if last {
            self.bytes -= whole.len();
            return Ok(Some(whole));
        }
        self.open.insert(of, (next.checked_add(1).ok_or(PartError::TooLarge)?, whole));
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_two_frames_may_alternate() {
        let mut parts = Parts::default();
        assert_eq!(parts.add(1, 0, false, "a".into()), Ok(None));
        assert_eq!(parts.add(2, 0, false, "x".into()), Ok(None));
        assert_eq!(parts.add(1, 1, true, "b".into()), Ok(Some("ab".into())));
        assert_eq!(parts.add(2, 1, true, "y".into()), Ok(Some("xy".into())));
        assert_eq!(parts.bytes, 0);
    }

    #[test]
    fn a_gap_or_a_repeat_is_refused() {
        let mut parts = Parts::default();
        assert_eq!(parts.add(1, 1, false, "a".into()), Err(PartError::Order));
        assert_eq!(parts.add(1, 0, false, "a".into()), Ok(None));
        assert_eq!(parts.add(1, 0, false, "a".into()), Err(PartError::Order));
    }

    #[test]
    fn the_caps_hold_over_all_frames() {
        let mut parts = Parts::default();
        for of in 0..u32::try_from(PARTS_OPEN).unwrap() {
            assert_eq!(parts.add(of, 0, false, String::new()), Ok(None));
        }
        assert_eq!(parts.add(99, 0, false, String::new()), Err(PartError::TooLarge));
        let mut parts = Parts::default();
        let half = "a".repeat(FRAME_BYTES / 2 + 1);
        assert_eq!(parts.add(1, 0, false, half.clone()), Ok(None));
        assert_eq!(parts.add(2, 0, false, half), Err(PartError::TooLarge));
    }
}
