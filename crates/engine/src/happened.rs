//! What happened to a session's own connections and calls lately, for `browser_bridge`: a bounded list.
//! Holds no arguments and no words of pages, and nothing of other sessions.

use crate::clock::now_ms;
use crate::state::State;
use pillion_wire::code::Code;
use pillion_wire::id::{ProfileId, SessionId, TabNumber};
use pillion_wire::local::Role;
use std::collections::{BTreeMap, VecDeque};

/// Entries of one session; the oldest give way.
const KEPT: usize = 200;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Happened {
    entries: VecDeque<Entry>,
    failures: BTreeMap<&'static str, u64>,
}

/// One thing, or the same thing several times in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The last time, by the steady clock.
    pub(crate) at_ms: u64,
    pub(crate) times: u32,
    pub(crate) what: String,
}

impl Happened {
    pub(crate) fn note(&mut self, what: &str) {
        let at_ms = now_ms();
        if let Some(last) = self.entries.back_mut().filter(|last| last.what == what) {
            last.times = last.times.saturating_add(1);
            last.at_ms = at_ms;
            return;
        }
        if self.entries.len() >= KEPT {
            self.entries.pop_front();
        }
        self.entries.push_back(Entry { at_ms, times: 1, what: what.to_owned() });
    }

    /// The session's client came or went. Each command of a shell does: that is no news.
    pub(crate) fn client(&mut self, role: Role, how: &str) {
        if role == Role::Mcp {
            self.note(&format!("your client {how}"));
        }
    }

    pub(crate) fn failed(&mut self, tool: &str, code: Code) {
        *self.failures.entry(code.as_str()).or_default() += 1;
        self.note(&format!("{tool} failed: {}", code.as_str()));
    }

    /// The last ones, the oldest first.
    pub(crate) fn last(&self, count: usize) -> Vec<Entry> {
        self.entries.iter().skip(self.entries.len().saturating_sub(count)).cloned().collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// How often calls failed, by code.
    pub(crate) fn failures(&self) -> &BTreeMap<&'static str, u64> {
        &self.failures
    }
}

impl State {
    pub(crate) fn note(&mut self, session: &SessionId, what: &str) {
        if let Some(entry) = self.sessions.get_mut(session) {
            entry.happened.note(what);
        }
    }

    /// For whoever holds that tab.
    pub(crate) fn note_holder(&mut self, tab: TabNumber, what: &str) {
        let holder = self.leases.holder(tab, now_ms()).map(|(session, _)| session.clone());
        if let Some(session) = holder {
            self.note(&session, &format!("tab {tab}: {what}"));
        }
    }

    /// A profile's connection, for the sessions that used it.
    pub(crate) fn note_users(&mut self, profile: &ProfileId, what: &str) {
        let Some(entry) = self.profiles.get(profile) else { return };
        let what = format!("profile {}: {what}", entry.slug);
        let users: Vec<_> =
            self.sessions.keys().filter(|id| self.uses(id, profile)).cloned().collect();
        users.iter().for_each(|session| self.note(session, &what));
    }

    /// Whether the session has to do with that profile.
    pub(crate) fn uses(&self, session: &SessionId, profile: &ProfileId) -> bool {
        let known = self.sessions.get(session);
        let chosen = known.is_some_and(|known| {
            [&known.profile, &known.last_profile].into_iter().flatten().any(|id| id == profile)
        });
        let admitted =
            self.profiles.get(profile).is_some_and(|entry| entry.admitted.contains(session));
        chosen || admitted || self.held(session).iter().any(|tab| tab.profile == *profile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_again_is_counted_and_the_oldest_give_way() {
        let mut happened = Happened::default();
        for _ in 0..3 {
            happened.failed("browser_click", Code::RefGone);
        }
        assert_eq!(happened.last(9).len(), 1);
        assert_eq!(happened.last(9)[0].times, 3);
        assert_eq!(happened.failures()["REF_GONE"], 3);
        for number in 0..KEPT * 2 {
            happened.note(&format!("{number}"));
        }
        assert_eq!(happened.len(), KEPT);
        assert_eq!(happened.last(1)[0].what, (KEPT * 2 - 1).to_string());
    }
}
