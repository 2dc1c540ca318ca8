//! The sessions as a person sees them: who is there, and who left tabs behind.

use crate::Engine;
use serde_json::{Value, json};

impl Engine {
    /// Every session that is connected or holds a tab, the longest known first.
    pub fn sessions(&self) -> Vec<Value> {
        let state = self.state();
        let mut sessions: Vec<_> = state
            .sessions
            .iter()
            .map(|(id, session)| {
                let tabs: Vec<_> = state.held(id).iter().map(|tab| tab.number.0).collect();
                (id, session, tabs)
            })
            .filter(|(_, session, tabs)| session.connections > 0 || !tabs.is_empty())
            .collect();
        // `s10` comes after `s9`.
        sessions.sort_by_key(|(id, ..)| (id.0.len(), &id.0));
        sessions
            .into_iter()
            .map(|(id, session, tabs)| {
                json!({
                    "id": id.0,
                    "client": session.client,
                    "role": session.role,
                    "connected": session.connections > 0,
                    "calls": session.calls,
                    "tabs": tabs,
                })
            })
            .collect()
    }
}
