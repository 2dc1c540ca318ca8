//! What is known by an id, the oldest forgotten first.

use std::collections::{HashMap, VecDeque};

/// See the module.
#[derive(Debug)]
pub(crate) struct Notes<T> {
    most: usize,
    order: VecDeque<String>,
    by_id: HashMap<String, T>,
}

impl<T> Notes<T> {
    /// Room for `most`.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, order: VecDeque::new(), by_id: HashMap::new() }
    }

    pub(crate) fn add(&mut self, id: &str, note: T) {
        if self.by_id.insert(id.to_owned(), note).is_some() {
            return;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_id.remove(&oldest);
        }
    }

    pub(crate) fn get(&self, id: &str) -> Option<&T> {
        self.by_id.get(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut notes = Notes::new(2);
        for (id, note) in [("a", 1), ("b", 2), ("a", 3), ("c", 4)] {
            notes.add(id, note);
        }
        assert_eq!((notes.get("a"), notes.get("b"), notes.get("c")), (None, Some(&2), Some(&4)));
    }
}
