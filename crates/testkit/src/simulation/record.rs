//! What arrived in simulated browsers: every mark, each time, with the place.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A page of a simulated browser: stays the same when Chrome gives its tab another id, and is never
/// used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageId {
    /// Which profile.
    pub profile: usize,
    /// Which page of it.
    pub page: u64,
}

/// An act that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// Where.
    pub page: PageId,
    /// The session that the browser thinks holds the tab: whoever opened it.
    pub holder: Option<String>,
}

/// Everything that arrived. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Record(Arc<Mutex<HashMap<String, Vec<Arrival>>>>);

impl Record {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<Arrival>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A mark arrived.
    pub fn add(&self, mark: &str, arrival: Arrival) {
        self.lock().entry(mark.to_owned()).or_default().push(arrival);
    }

    /// Where that mark arrived, each time.
    pub fn of(&self, mark: &str) -> Vec<Arrival> {
        self.lock().get(mark).cloned().unwrap_or_default()
    }

    /// How many different marks arrived.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether none did.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Marks that arrived, with how often.
    pub fn counts(&self) -> Vec<(String, usize)> {
        self.lock().iter().map(|(mark, arrivals)| (mark.clone(), arrivals.len())).collect()
    }
}
