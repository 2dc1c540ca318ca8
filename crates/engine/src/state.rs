//! What the engine remembers: profiles, tabs, sessions, leases. One short lock, never held across
//! an await; pages, refs and requests are in each [`Tab`]'s own lock.

use crate::asks::Asks;
use crate::clock::now_ms;
use crate::happened::Happened;
use crate::meanwhile::Meanwhile;
use crate::persist::{REF_BLOCK, Saved, SavedProfile, SavedSession, SavedTab, VERSION};
use crate::tab::Tab;
use crate::{Browser, ConnectionId, EngineConfig, SessionOptions};
use pillion_core::leases::{Claim, Leases};
use pillion_core::rate::Bucket;
use pillion_core::slug;
use pillion_wire::id::{ChromeTab, ProfileId, SessionId, TabNumber};
use pillion_wire::limits::FORGET_UNUSED_DAYS;
use pillion_wire::link::Asker;
use pillion_wire::local::Role;
use pillion_wire::verb::{Held, Holder, TabInfo};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// See the module.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) profiles: BTreeMap<ProfileId, Profile>,
    pub(crate) tabs: BTreeMap<TabNumber, Arc<Tab>>,
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    pub(crate) leases: Leases,
    pub(crate) next_tab: u32,
    pub(crate) next_session: u32,
    pub(crate) next_connection: u64,
    /// Grows with every focus of a browser window: the newest is the one used last.
    pub(crate) focus_count: u64,
    pub(crate) counters: BTreeMap<String, u64>,
    /// What the user is asked, as far as this daemon knows.
    pub(crate) asks: Asks,
}

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// One profile, connected or not.
pub(crate) struct Profile {
    pub(crate) label: String,
    pub(crate) slug: String,
    pub(crate) consent: bool,
    /// Opened for some sessions only.
    pub(crate) reserved: bool,
    pub(crate) version: String,
    /// The browser run that `by_chrome` is of.
    pub(crate) boot: String,
    pub(crate) link: Option<(ConnectionId, Arc<dyn Browser>)>,
    pub(crate) by_chrome: HashMap<ChromeTab, TabNumber>,
    /// Counts what was told about its tabs.
    pub(crate) news: u64,
    pub(crate) unshared: u32,
    pub(crate) focus: u64,
    /// Milliseconds since 1970 at which it was connected last.
    pub(crate) seen: u64,
    pub(crate) sync: Arc<tokio::sync::Notify>,
    /// What its extension is told of calls, while it is connected.
    pub(crate) feed: Option<tokio::sync::mpsc::Sender<pillion_wire::activity::Activity>>,
    /// Sessions that its extension let in, over this connection.
    pub(crate) admitted: BTreeSet<SessionId>,
}

/// One agent's session.
pub(crate) struct Session {
    pub(crate) client: String,
    pub(crate) role: Role,
    pub(crate) resume: String,
    pub(crate) cwd: Option<String>,
    pub(crate) program: Option<String>,
    pub(crate) budget_percent: u32,
    pub(crate) tools: Option<Vec<String>>,
    /// Chosen with `use`.
    pub(crate) profile: Option<ProfileId>,
    /// Where the session opened a tab last.
    pub(crate) last_profile: Option<ProfileId>,
    pub(crate) last_tab: Option<TabNumber>,
    pub(crate) connections: u32,
    pub(crate) bucket: Bucket,
    pub(crate) calls: u64,
    /// What it was told of its tabs.
    pub(crate) meanwhile: Meanwhile,
    /// What happened to its connections and calls.
    pub(crate) happened: Happened,
}

impl State {
    /// What an earlier daemon left.
    pub(crate) fn restore(saved: Saved, config: &EngineConfig) -> Self {
        let mut state =
            Self { next_tab: saved.next_tab, next_session: saved.next_session, ..Self::default() };
        state.leases = Leases::new(config.orphan);
        for session in saved.sessions {
            let id = SessionId(session.id);
            let options = SessionOptions {
                client: session.client,
                role: Role::Mcp,
                resume: None,
                cwd: session.cwd,
                program: None,
                budget_percent: 100,
                tools: None,
            };
            let mut back = Session::new(&options, session.resume, config.calls_a_minute, 0);
            back.profile = session.profile.map(ProfileId);
            back.last_profile = session.last_profile.map(ProfileId);
            back.last_tab = session.last_tab.map(TabNumber);
            state.sessions.insert(id.clone(), back);
            state.leases.session_gone(&id, now_ms());
        }
        let unused_ms = FORGET_UNUSED_DAYS * DAY_MS;
        for SavedProfile { id, label, slug, seen } in saved.profiles {
            if now_ms().saturating_sub(seen) < unused_ms {
                let profile = Profile { seen, ..Profile::new(label, slug) };
                state.profiles.insert(ProfileId(id), profile);
            }
        }
        for tab in saved.tabs {
            let number = TabNumber(tab.number);
            let profile = ProfileId(tab.profile);
            let chrome = ChromeTab(tab.chrome);
            let entry = state.profile_entry(&profile, "");
            entry.by_chrome.insert(chrome, number);
            entry.boot = tab.boot;
            state.tabs.insert(number, Arc::new(Tab::new(number, profile, chrome, tab.ref_floor)));
            if let Some(owner) = tab.owner {
                state.leases.own(number, &SessionId(owner), now_ms());
            }
        }
        state
    }

    pub(crate) fn profile_entry(&mut self, id: &ProfileId, label: &str) -> &mut Profile {
        if !self.profiles.contains_key(id) {
            let slug = slug::free_slug(label, |slug| {
                self.profiles.values().any(|known| known.slug == slug)
            });
            self.profiles.insert(id.clone(), Profile::new(label.to_owned(), slug));
        }
        self.profiles.get_mut(id).expect("was inserted above")
    }

    pub(crate) fn set_label(&mut self, id: &ProfileId, label: &str) {
        let taken = slug::free_slug(label, |slug| {
            self.profiles.iter().any(|(other, known)| other != id && known.slug == slug)
        });
        if let Some(profile) = self.profiles.get_mut(id)
            && profile.label != label
        {
            label.clone_into(&mut profile.label);
            profile.slug = taken;
        }
    }

    /// The tab with Chrome's id, made known if it was not.
    pub(crate) fn tab_for(&mut self, profile: &ProfileId, chrome: ChromeTab) -> Arc<Tab> {
        let known = self.profiles.get(profile).and_then(|entry| entry.by_chrome.get(&chrome));
        if let Some(tab) = known.and_then(|number| self.tabs.get(number)) {
            return tab.clone();
        }
        self.next_tab += 1;
        let number = TabNumber(self.next_tab);
        let tab = Arc::new(Tab::new(number, profile.clone(), chrome, 0));
        self.tabs.insert(number, tab.clone());
        if let Some(entry) = self.profiles.get_mut(profile) {
            entry.by_chrome.insert(chrome, number);
        }
        tab
    }

    pub(crate) fn connected(&self) -> impl Iterator<Item = (&ProfileId, &Profile)> {
        self.profiles.iter().filter(|(_, profile)| profile.is_connected())
    }

    /// The session's own and leased tabs that are still there.
    pub(crate) fn held(&self, session: &SessionId) -> Vec<Arc<Tab>> {
        let held = self.leases.held_by(session, now_ms());
        held.iter()
            .filter_map(|number| self.tabs.get(number))
            .filter(|tab| tab.state().gone.is_none())
            .cloned()
            .collect()
    }

    /// What the extension of a profile should know of numbers and holders.
    pub(crate) fn holds(&self, profile: &ProfileId) -> Vec<Held> {
        let now = now_ms();
        let Some(entry) = self.profiles.get(profile) else { return vec![] };
        let mut held: Vec<_> = entry
            .by_chrome
            .iter()
            .filter(|(_, number)| {
                self.tabs.get(number).is_some_and(|tab| tab.state().gone.is_none())
            })
            .map(|(chrome, number)| Held {
                tab: *chrome,
                number: number.0,
                holder: self.leases.holder(*number, now).map(|(session, _)| self.holder(session)),
            })
            .collect();
        held.sort_by_key(|held| held.number);
        held
    }

    pub(crate) fn holder(&self, session: &SessionId) -> Holder {
        let label = self
            .sessions
            .get(session)
            .map_or_else(|| "agent".to_owned(), |session| session.client.clone());
        Holder { session: session.0.clone(), label }
    }

    /// The session as the extension is told of it with each request.
    pub(crate) fn asker(&self, session: &SessionId) -> Asker {
        let Holder { session: id, label } = self.holder(session);
        let known = self.sessions.get(session);
        let folder = known.and_then(|known| known.cwd.clone());
        let program = known.and_then(|known| known.program.clone());
        Asker { session: id, client: label, program, folder }
    }

    /// Whether the holder is an earlier session of the same client and folder that has vanished.
    pub(crate) fn left_behind(&self, session: &SessionId, holder: &SessionId) -> bool {
        let (Some(now), Some(before)) = (self.sessions.get(session), self.sessions.get(holder))
        else {
            return false;
        };
        before.connections == 0 && before.client == now.client && before.cwd == now.cwd
    }

    pub(crate) fn count(&mut self, what: &str) {
        *self.counters.entry(what.to_owned()).or_default() += 1;
    }

    /// What should outlive the daemon.
    pub(crate) fn save(&self) -> Saved {
        let now = now_ms();
        let tabs = self.tabs.values().filter_map(|tab| {
            let mut state = tab.state();
            if state.gone.is_some() {
                return None;
            }
            state.promised = state.refs.next().next_multiple_of(REF_BLOCK);
            let owner =
                self.leases.holder(tab.number, now).filter(|(_, claim)| *claim == Claim::Own);
            Some(SavedTab {
                number: tab.number.0,
                profile: tab.profile.0.clone(),
                chrome: state.chrome.0,
                boot: self.profiles.get(&tab.profile).map(|p| p.boot.clone()).unwrap_or_default(),
                owner: owner.map(|(session, _)| session.0.clone()),
                ref_floor: state.promised,
            })
        });
        let sessions = self.sessions.iter().map(|(id, session)| SavedSession {
            id: id.0.clone(),
            client: session.client.clone(),
            resume: session.resume.clone(),
            cwd: session.cwd.clone(),
            profile: session.profile.as_ref().map(|id| id.0.clone()),
            last_profile: session.last_profile.as_ref().map(|id| id.0.clone()),
            last_tab: session.last_tab.map(|tab| tab.0),
        });
        let profiles = self.profiles.iter().map(|(id, profile)| SavedProfile {
            id: id.0.clone(),
            label: profile.label.clone(),
            slug: profile.slug.clone(),
            seen: if profile.is_connected() { now } else { profile.seen },
        });
        Saved {
            version: VERSION,
            next_tab: self.next_tab,
            next_session: self.next_session,
            profiles: profiles.collect(),
            tabs: tabs.collect(),
            sessions: sessions.collect(),
        }
    }
}

impl Profile {
    fn new(label: String, slug: String) -> Self {
        Self {
            label,
            slug,
            consent: false,
            reserved: false,
            version: String::new(),
            boot: String::new(),
            link: None,
            by_chrome: HashMap::new(),
            news: 0,
            unshared: 0,
            focus: 0,
            seen: now_ms(),
            sync: Arc::default(),
            feed: None,
            admitted: BTreeSet::new(),
        }
    }

    /// Whether a session may know of it at all.
    pub(crate) fn is_for(&self, session: &SessionId) -> bool {
        !self.reserved || self.admitted.contains(session)
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.link.as_ref().is_some_and(|(_, browser)| browser.is_connected())
    }

    pub(crate) fn browser(&self) -> Option<Arc<dyn Browser>> {
        self.link
            .as_ref()
            .map(|(_, browser)| browser.clone())
            .filter(|browser| browser.is_connected())
    }
}

impl Session {
    pub(crate) fn new(
        options: &SessionOptions,
        resume: String,
        calls_a_minute: u32,
        now: u64,
    ) -> Self {
        Self {
            client: options.client.clone(),
            role: options.role,
            resume,
            cwd: options.cwd.clone(),
            program: options.program.clone(),
            budget_percent: options.budget_percent,
            tools: options.tools.clone(),
            profile: None,
            last_profile: None,
            last_tab: None,
            connections: 0,
            bucket: Bucket::new(calls_a_minute, now),
            calls: 0,
            meanwhile: Meanwhile::default(),
            happened: Happened::default(),
        }
    }
}

/// Whether a person may look at this address through an agent at all.
pub(crate) fn is_web(info: &TabInfo) -> bool {
    let url = info.url.as_str();
    url.starts_with("http://")
        || url.starts_with("https://")
        || url.starts_with("about:blank")
        || url.is_empty()
        || url.starts_with("blob:")
        || url.starts_with("data:")
}
