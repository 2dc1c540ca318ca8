//! What a session tries in a tab, as far as the daemon remembers it: overrides and answers in a server's
//! place, which can be lost, and remembered outlines. The pages and the extension have the truth.

use pillion_core::page_text::quote;
use pillion_wire::id::SessionId;
use pillion_wire::trying::Emulation;
use std::collections::HashMap;

/// Outlines of one tab that are remembered; the oldest give way.
const BASELINES: usize = 20;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Tried {
    /// Whose it is.
    pub(crate) session: Option<SessionId>,
    pub(crate) emulation: Emulation,
    /// How many answers in a server's place there are.
    pub(crate) mocks: usize,
    /// Numbers that were given.
    pub(crate) last_mock: u32,
    pub(crate) last_patch: u32,
    /// What the session has not been told yet.
    lost: Option<String>,
    baselines: Vec<((SessionId, String), Baseline)>,
}

/// A remembered part of a page.
#[derive(Debug, Clone)]
pub(crate) struct Baseline {
    /// Of which part: a target, or the whole page.
    pub(crate) target: Option<String>,
    /// Lines without refs.
    pub(crate) outline: String,
    /// When, by the steady clock.
    pub(crate) at_ms: u64,
}

impl Tried {
    /// What holds for this session; another one's is none of its own.
    pub(crate) fn emulation_of(&self, session: &SessionId) -> Emulation {
        if self.session.as_ref() == Some(session) {
            self.emulation.clone()
        } else {
            Emulation::default()
        }
    }

    /// The session tries something.
    pub(crate) fn by(&mut self, session: &SessionId) {
        if self.session.as_ref() != Some(session) {
            *self = Self {
                session: Some(session.clone()),
                last_mock: self.last_mock,
                last_patch: self.last_patch,
                baselines: std::mem::take(&mut self.baselines),
                ..Self::default()
            };
        }
    }

    /// The debugger is gone, and with it what it upheld.
    pub(crate) fn detached(&mut self, why: &str) {
        let words = self.words();
        self.emulation = Emulation::default();
        self.mocks = 0;
        if !words.is_empty() {
            self.lost = Some(format!(
                "{} ended: the debugger was detached ({}). Make the calls again if you need them.",
                words.join(" and "),
                quote(why)
            ));
        }
    }

    /// All of it was taken back, since the session let the tab go.
    pub(crate) fn undone(&mut self) {
        self.emulation = Emulation::default();
        self.mocks = 0;
        self.lost = Some(
            "your patches, emulation and mocks in this tab were taken back, since you had let it go."
                .to_owned(),
        );
    }

    fn words(&self) -> Vec<String> {
        let names = names(&self.emulation);
        let mut words = Vec::new();
        if !names.is_empty() {
            words.push(format!("emulation ({})", names.join(", ")));
        }
        if self.mocks > 0 {
            words.push(format!("{} mock{}", self.mocks, if self.mocks == 1 { "" } else { "s" }));
        }
        words
    }

    /// What the session is to be told once.
    pub(crate) fn take_lost(&mut self, session: &SessionId) -> Option<String> {
        if self.session.as_ref() == Some(session) { self.lost.take() } else { None }
    }

    pub(crate) fn remember(&mut self, session: &SessionId, name: &str, baseline: Baseline) {
        self.forget(session, name);
        if self.baselines.len() >= BASELINES {
            self.baselines.remove(0);
        }
        self.baselines.push(((session.clone(), name.to_owned()), baseline));
    }

    pub(crate) fn forget(&mut self, session: &SessionId, name: &str) -> bool {
        let before = self.baselines.len();
        self.baselines.retain(|((owner, known), _)| owner != session || known != name);
        self.baselines.len() < before
    }

    /// Names and outlines that the session remembers here.
    pub(crate) fn remembered(&self, session: &SessionId) -> HashMap<String, Baseline> {
        let own = self.baselines.iter().filter(|((owner, _), _)| owner == session);
        own.map(|((_, name), baseline)| (name.clone(), baseline.clone())).collect()
    }
}

/// Names of what is overridden.
pub(crate) fn names(emulation: &Emulation) -> Vec<&'static str> {
    let all = [
        ("viewport", emulation.viewport.is_some()),
        ("network", emulation.network.is_some()),
        ("cpu", emulation.cpu.is_some()),
        ("geolocation", emulation.geolocation.is_some()),
        ("color_scheme", emulation.color_scheme.is_some()),
        ("reduced_motion", emulation.reduced_motion.is_some()),
        ("user_agent", emulation.user_agent.is_some()),
        ("locale", emulation.locale.is_some()),
        ("timezone", emulation.timezone.is_some()),
    ];
    all.into_iter().filter(|(_, is)| *is).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_is_told_once_and_to_its_owner() {
        let (me, other) = (SessionId::from("s1"), SessionId::from("s2"));
        let mut tried = Tried::default();
        tried.by(&me);
        tried.emulation.cpu = Some(4.0);
        tried.mocks = 2;
        tried.detached("canceled_by_user");
        assert_eq!(tried.take_lost(&other), None);
        let lost = tried.take_lost(&me).unwrap();
        assert!(lost.starts_with("emulation (cpu) and 2 mocks ended: "), "{lost}");
        assert_eq!(tried.take_lost(&me), None);
        tried.detached("again");
        assert_eq!(tried.take_lost(&me), None, "nothing was there to be lost");
    }

    #[test]
    fn another_session_begins_with_nothing() {
        let (me, other) = (SessionId::from("s1"), SessionId::from("s2"));
        let mut tried = Tried::default();
        tried.by(&me);
        tried.emulation.locale = Some("de-DE".into());
        assert!(names(&tried.emulation_of(&other)).is_empty());
        tried.by(&other);
        assert!(names(&tried.emulation).is_empty());
    }
}
