//! Who is inside: the clients that keep the daemon alive, and the moment after which it takes none.
//!
//! Counting and closing are one step, so that no client is let in and then shut out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// The door.
pub(crate) struct Gate {
    inside: watch::Sender<usize>,
    closed: AtomicBool,
}

/// A client inside; it leaves when dropped.
pub(crate) struct Inside {
    gate: Arc<Gate>,
    counts: bool,
}

impl Gate {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { inside: watch::Sender::new(0), closed: AtomicBool::new(false) })
    }

    /// In, unless the daemon is about to end. Who does not count keeps nobody alive.
    pub(crate) fn enter(self: &Arc<Self>, counts: bool) -> Option<Inside> {
        let mut entered = false;
        self.inside.send_if_modified(|count| {
            entered = !self.closed.load(Ordering::Relaxed);
            *count += usize::from(entered && counts);
            entered && counts
        });
        entered.then(|| Inside { gate: Arc::clone(self), counts })
    }

    /// Closes for good when at most that many are inside. Says whether it did.
    pub(crate) fn close_if_at_most(&self, most: usize) -> bool {
        let mut closed = false;
        self.inside.send_if_modified(|count| {
            closed = *count <= most;
            // Read under the same lock in `enter`.
            self.closed.fetch_or(closed, Ordering::Relaxed);
            false
        });
        closed
    }

    /// How many are inside.
    pub(crate) fn count(&self) -> usize {
        *self.inside.borrow()
    }

    /// Tells of every change.
    pub(crate) fn watch(&self) -> watch::Receiver<usize> {
        self.inside.subscribe()
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        if self.counts {
            self.gate.inside.send_modify(|count| *count -= 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_closes_only_when_nobody_else_is_inside_and_stays_closed() {
        let gate = Gate::new();
        let asker = gate.enter(true).unwrap();
        let other = gate.enter(true).unwrap();
        let helper = gate.enter(false).unwrap();
        assert!(!gate.close_if_at_most(1));
        drop(other);
        assert!(gate.close_if_at_most(1));
        assert!(gate.enter(true).is_none() && gate.enter(false).is_none());
        drop((asker, helper));
        assert_eq!(gate.count(), 0);
        assert!(gate.enter(true).is_none());
    }
}
