//! The engine's calls on their way into the journal.

use pillion_core::record::Note;
use pillion_engine::Witness;
use pillion_journal::Journal;
use std::sync::Arc;

/// Hands over what the engine tells.
pub(crate) struct Scribe(pub(crate) Arc<Journal>);

impl Witness for Scribe {
    fn note(&self, note: Note) {
        self.0.write(note);
    }
}
