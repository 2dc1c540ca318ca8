//! Refs of one tab: numbers that are issued when they are printed and never mean anything else.

use pillion_wire::id::{DocumentId, LocalId, Ref};
use std::collections::HashMap;

/// An element in one document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// Its document.
    pub document: DocumentId,
    /// Its number there.
    pub id: LocalId,
}

/// What is remembered of an element that has a ref.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Where it is.
    pub key: Key,
    /// What it was when it was last shown.
    pub role: String,
    /// Page words.
    pub name: String,
}

/// All refs that were ever shown in one tab.
#[derive(Debug, Default)]
pub struct RefTable {
    first: u32,
    entries: Vec<Entry>,
    by_key: HashMap<Key, Ref>,
}

impl RefTable {
    /// A table whose first ref is above `floor`: numbers up to it may have been shown before.
    pub fn above(floor: u32) -> Self {
        Self { first: floor, ..Self::default() }
    }

    /// The ref that the element has.
    pub fn get(&self, key: &Key) -> Option<Ref> {
        self.by_key.get(key).copied()
    }

    /// The element's ref, now issued if it had none.
    pub fn issue(&mut self, key: &Key, role: &str, name: &str) -> Ref {
        if let Some(known) = self.get(key) {
            if let Some(entry) = self.entries.get_mut((known.0 - self.first - 1) as usize) {
                role.clone_into(&mut entry.role);
                name.clone_into(&mut entry.name);
            }
            return known;
        }
        self.entries.push(Entry { key: key.clone(), role: role.to_owned(), name: name.to_owned() });
        let new = Ref(self.next() - 1);
        self.by_key.insert(key.clone(), new);
        new
    }

    /// What a ref stands for; `None`: it was never shown.
    pub fn look_up(&self, number: Ref) -> Option<&Entry> {
        self.entries.get((number.0.checked_sub(self.first + 1)?) as usize)
    }

    /// The number that the next new ref will get.
    pub fn next(&self) -> u32 {
        self.first + self.entries.len() as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(document: &str, id: u32) -> Key {
        Key { document: document.into(), id: LocalId(id) }
    }

    #[test]
    fn an_element_keeps_its_ref_and_no_other_gets_it() {
        let mut refs = RefTable::above(1000);
        let save = refs.issue(&key("a", 5), "button", "Save");
        let next = refs.issue(&key("b", 5), "button", "Save");
        assert_eq!((save, next), (Ref(1001), Ref(1002)));
        assert_eq!(refs.issue(&key("a", 5), "button", "Saved"), save);
        assert_eq!(refs.look_up(save).unwrap().name, "Saved");
        assert!(refs.look_up(Ref(3)).is_none() && refs.look_up(Ref(1003)).is_none());
    }
}
