//! Who may act in which tab. Never talks to Chrome; never looks at a clock.
//!
//! A tab that a session opened is its own until closed. A shared tab is leased by its first act and
//! free again some time after the last one. Nothing queues behind another agent.

use pillion_wire::id::{SessionId, TabNumber};
use pillion_wire::limits::{LEASE, ORPHAN};
use std::collections::HashMap;
use std::time::Duration;

/// Why a session holds a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// It opened the tab, or one of its tabs did: until closed or released.
    Own,
    /// It acted in a tab that the user shares: until some time after its last act there.
    Lease,
}

#[derive(Debug, Clone)]
struct Hold {
    session: SessionId,
    claim: Claim,
    last_ms: u64,
}

/// What a session may do with a tab at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// It holds the tab.
    Mine(Claim),
    /// Nobody does.
    Free,
    /// Another session does.
    Locked {
        /// Whose.
        session: SessionId,
        /// Since its last act, milliseconds.
        idle_ms: u64,
        /// Until the tab may be free, milliseconds; `None` for an own tab.
        free_in_ms: Option<u64>,
    },
}

/// All holds. Times are milliseconds of any steady clock.
#[derive(Debug)]
pub struct Leases {
    /// How long a vanished session keeps its tabs.
    orphan: Duration,
    holds: HashMap<TabNumber, Hold>,
    /// Sessions without a connection, since when.
    gone: HashMap<SessionId, u64>,
}

impl Default for Leases {
    fn default() -> Self {
        Self::new(ORPHAN)
    }
}

impl Leases {
    /// No holds yet. `orphan`: how long a vanished session keeps its tabs.
    pub fn new(orphan: Duration) -> Self {
        Self { orphan, holds: HashMap::new(), gone: HashMap::new() }
    }

    /// What `session` may do with `tab`.
    pub fn access(&self, tab: TabNumber, session: &SessionId, now_ms: u64) -> Access {
        let Some(hold) = self.live(tab, now_ms) else { return Access::Free };
        if hold.session == *session {
            return Access::Mine(hold.claim);
        }
        let idle_ms = now_ms.saturating_sub(hold.last_ms);
        let free_in_ms = match hold.claim {
            Claim::Lease => Some((LEASE.as_millis() as u64).saturating_sub(idle_ms)),
            Claim::Own => None,
        };
        Access::Locked { session: hold.session.clone(), idle_ms, free_in_ms }
    }

    fn live(&self, tab: TabNumber, now_ms: u64) -> Option<&Hold> {
        let hold = self.holds.get(&tab)?;
        let over =
            |since: u64, limit: Duration| now_ms.saturating_sub(since) >= limit.as_millis() as u64;
        let expired = match hold.claim {
            Claim::Lease => over(hold.last_ms, LEASE),
            Claim::Own => {
                self.gone.get(&hold.session).is_some_and(|since| over(*since, self.orphan))
            }
        };
        (!expired).then_some(hold)
    }

    /// The session opened the tab, or a tab of its own did.
    pub fn own(&mut self, tab: TabNumber, session: &SessionId, now_ms: u64) {
        let hold = Hold { session: session.clone(), claim: Claim::Own, last_ms: now_ms };
        self.holds.insert(tab, hold);
    }

    /// The session acts in the tab: takes or renews its lease. Gives what stands in the way.
    pub fn act(&mut self, tab: TabNumber, session: &SessionId, now_ms: u64) -> Access {
        let access = self.access(tab, session, now_ms);
        match &access {
            Access::Mine(claim) => {
                let hold = Hold { session: session.clone(), claim: *claim, last_ms: now_ms };
                self.holds.insert(tab, hold);
            }
            Access::Free => {
                let hold = Hold { session: session.clone(), claim: Claim::Lease, last_ms: now_ms };
                self.holds.insert(tab, hold);
                return Access::Mine(Claim::Lease);
            }
            Access::Locked { .. } => {}
        }
        access
    }

    /// The session asks for a tab: takes a free one, or one that its vanished predecessor left
    /// (`adopts`: the caller knows that the holder is that). Gives what stands in the way.
    pub fn claim(
        &mut self,
        tab: TabNumber,
        session: &SessionId,
        claim: Claim,
        adopts: bool,
        now_ms: u64,
    ) -> Access {
        let access = self.access(tab, session, now_ms);
        let takes = match &access {
            Access::Free => true,
            Access::Locked { .. } => adopts,
            Access::Mine(_) => false,
        };
        if !takes {
            return access;
        }
        let hold = Hold { session: session.clone(), claim, last_ms: now_ms };
        self.holds.insert(tab, hold);
        Access::Mine(claim)
    }

    /// The session lets go. False: it did not hold the tab.
    pub fn release(&mut self, tab: TabNumber, session: &SessionId) -> bool {
        let mine = self.holds.get(&tab).is_some_and(|hold| hold.session == *session);
        if mine {
            self.holds.remove(&tab);
        }
        mine
    }

    /// The tab is no more, or the user took it.
    pub fn forget_tab(&mut self, tab: TabNumber) {
        self.holds.remove(&tab);
    }

    /// The session lost its connection.
    pub fn session_gone(&mut self, session: &SessionId, now_ms: u64) {
        self.gone.insert(session.clone(), now_ms);
    }

    /// The session is back.
    pub fn session_back(&mut self, session: &SessionId) {
        self.gone.remove(session);
    }

    /// The session ended for good: its tabs are free. Gives them.
    pub fn end_session(&mut self, session: &SessionId) -> Vec<TabNumber> {
        self.gone.remove(session);
        let mut freed = self.held_by(session, u64::MAX);
        self.holds.retain(|_, hold| hold.session != *session);
        freed.sort();
        freed
    }

    /// Sessions that have been without a connection for so long that nothing of theirs is kept.
    pub fn long_gone(&self, now_ms: u64) -> Vec<SessionId> {
        let over = |since: &u64| now_ms.saturating_sub(*since) >= self.orphan.as_millis() as u64;
        self.gone
            .iter()
            .filter(|(_, since)| over(since))
            .map(|(session, _)| session.clone())
            .collect()
    }

    /// The session's tabs, by number.
    pub fn held_by(&self, session: &SessionId, now_ms: u64) -> Vec<TabNumber> {
        let mut tabs: Vec<_> = self
            .holds
            .iter()
            .filter(|(tab, hold)| {
                hold.session == *session
                    && (now_ms == u64::MAX || self.live(**tab, now_ms).is_some())
            })
            .map(|(tab, _)| *tab)
            .collect();
        tabs.sort();
        tabs
    }

    /// Who holds the tab now.
    pub fn holder(&self, tab: TabNumber, now_ms: u64) -> Option<(&SessionId, Claim)> {
        self.live(tab, now_ms).map(|hold| (&hold.session, hold.claim))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const T: TabNumber = TabNumber(7);

    #[test]
    fn an_own_tab_stays_and_a_lease_ends() {
        let (a, b) = (SessionId::from("a"), SessionId::from("b"));
        let mut leases = Leases::default();
        leases.own(T, &a, 0);
        assert_eq!(leases.access(T, &a, 900_000), Access::Mine(Claim::Own));
        assert!(matches!(
            leases.act(T, &b, 5),
            Access::Locked { free_in_ms: None, idle_ms: 5, .. }
        ));
        assert!(leases.release(T, &a) && !leases.release(T, &a));
        assert_eq!(leases.act(T, &b, 10), Access::Mine(Claim::Lease));
        assert!(matches!(
            leases.access(T, &a, 10_010),
            Access::Locked { free_in_ms: Some(50_000), .. }
        ));
        assert_eq!(leases.access(T, &a, 60_010), Access::Free);
    }

    #[test]
    fn a_lost_owner_keeps_its_tabs_for_a_while() {
        let a = SessionId::from("a");
        let mut leases = Leases::default();
        leases.own(T, &a, 0);
        leases.session_gone(&a, 1_000);
        assert_eq!(leases.held_by(&a, 600_999), vec![T]);
        assert!(leases.held_by(&a, 601_000).is_empty());
        leases.session_back(&a);
        assert_eq!(leases.held_by(&a, 900_000), vec![T]);
        assert_eq!(leases.end_session(&a), vec![T]);
    }

    #[test]
    fn a_claim_takes_what_is_free_or_left_behind() {
        let (a, b) = (SessionId::from("a"), SessionId::from("b"));
        let mut leases = Leases::default();
        assert_eq!(leases.claim(T, &a, Claim::Own, false, 0), Access::Mine(Claim::Own));
        assert!(matches!(leases.claim(T, &b, Claim::Own, false, 1), Access::Locked { .. }));
        leases.session_gone(&a, 1);
        assert_eq!(leases.claim(T, &b, Claim::Own, true, 2), Access::Mine(Claim::Own));
        assert!(matches!(leases.access(T, &a, 3), Access::Locked { .. }));
    }

    proptest! {
        #[test]
        fn no_tab_has_two_holders(steps in prop::collection::vec((0_u8..4, 0_u32..3, 0_u8..3, 0_u64..40_000), 0..60)) {
            let mut leases = Leases::default();
            let mut now = 0;
            for (what, tab, who, passed) in steps {
                now += passed;
                let (tab, session) = (TabNumber(tab), SessionId(who.to_string()));
                match what {
                    0 => { leases.act(tab, &session, now); }
                    1 => { leases.release(tab, &session); }
                    2 => leases.session_gone(&session, now),
                    _ => { leases.end_session(&session); }
                }
                let holders = (0..3).filter(|who| {
                    matches!(leases.access(tab, &SessionId(who.to_string()), now), Access::Mine(_))
                });
                prop_assert!(holders.count() <= 1);
            }
        }
    }
}
