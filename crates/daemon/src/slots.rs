//! A bounded number of places of which the oldest gives way to a newcomer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// The places. Clones share them.
#[derive(Clone)]
pub(crate) struct Slots {
    taken: Arc<Mutex<Taken>>,
    most: usize,
}

#[derive(Default)]
struct Taken {
    next: u64,
    order: VecDeque<(u64, CancellationToken)>,
}

/// One place, free again when dropped.
pub(crate) struct Slot {
    slots: Slots,
    number: u64,
    /// Cancelled when this place was needed for a newcomer.
    pub(crate) evicted: CancellationToken,
}

impl Slots {
    pub(crate) fn new(most: usize) -> Self {
        Self { taken: Arc::default(), most }
    }

    /// Take a place; the oldest holder loses its own when all are taken.
    pub(crate) fn enter(&self) -> Slot {
        let evicted = CancellationToken::new();
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.order.len() >= self.most
            && let Some((_, oldest)) = taken.order.pop_front()
        {
            oldest.cancel();
        }
        taken.next += 1;
        let number = taken.next;
        taken.order.push_back((number, evicted.clone()));
        drop(taken);
        Slot { slots: self.clone(), number, evicted }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.slots.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.order.retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_gives_way_and_a_freed_place_is_free() {
        let slots = Slots::new(2);
        let first = slots.enter();
        let second = slots.enter();
        let third = slots.enter();
        assert!(first.evicted.is_cancelled());
        drop(second);
        let fourth = slots.enter();
        assert!(!third.evicted.is_cancelled() && !fourth.evicted.is_cancelled());
        drop(first);
        assert!(!third.evicted.is_cancelled());
    }
}
