//! The engine: what a tool call means, in terms of browsers, tabs and pages.
//!
//! Knows browsers only through [`Browser`] and the files that agents name only through [`Files`];
//! never a socket, never a file but the small state file. The daemon feeds it connections, events
//! and calls.

mod access;
mod act;
mod admission;
mod asks;
mod browser;
mod clock;
mod dispatch;
mod events;
mod failure;
mod files;
mod frames;
mod handle;
mod happened;
mod listing;
mod looking;
mod meanwhile;
mod options;
mod pdf;
mod persist;
mod presence;
mod random;
mod receipt;
mod record;
mod resolve;
mod secrets;
mod sessions;
mod settle;
mod sources;
mod state;
mod tab;
pub mod tools;
mod tried;
mod verdict;

pub use browser::{Browser, LinkError};
use clock::now_ms;
use failure::Outcome;
pub use files::{FileError, Files, Sink, Source};
pub use options::{
    ConnectionId, EngineConfig, ProfileLink, SessionGrant, SessionOptions, ToolCall,
};
pub use pdf::{PdfError, PdfReader, PdfText};
use pillion_wire::id::{ProfileId, SessionId, TabNumber};
use pillion_wire::limits;
use pillion_wire::local::Reply;
use pillion_wire::verb::{Event, TabList, Verb};
pub use record::{Record, Witness};
pub use secrets::{Bound, Secret, SecretError, Secrets};
use serde_json::{Value, json};
use state::{Session, State};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tab::Gone;
use tokio::sync::{mpsc, watch};

/// How often a profile is asked for its tabs when something happens meanwhile.
const TABS_TRIES: u32 = 5;

/// The engine. Cheap to clone through its `Arc`; every method may be called from any task.
pub struct Engine {
    config: EngineConfig,
    state: Mutex<State>,
    /// Highest number of a tab that was written down.
    saved_tab: AtomicU32,
    /// Held while the state file is written, so that what was taken last is written last.
    saving: Mutex<()>,
    /// Whether [`Engine::save_soon`] is due.
    save_due: AtomicBool,
    /// Counts changes of which profiles are connected and consented.
    profiles_changed: watch::Sender<u64>,
    /// Questions to users that ended lately, the newest first.
    decided: watch::Sender<VecDeque<String>>,
    /// Counts asks that ended.
    asks_ended: watch::Sender<u64>,
    /// Told of every call.
    witness: Option<Arc<dyn Witness>>,
    /// Number of the last call.
    records: AtomicU32,
    secrets: secrets::Keep,
    pdfs: pdf::Reader,
}

impl Engine {
    /// An engine without browsers or sessions; reads what the last one left in the state folder.
    pub fn new(config: EngineConfig) -> Arc<Self> {
        Self::open(config, None)
    }

    /// As [`Engine::new`], with somebody who is told of every call.
    pub fn witnessed(config: EngineConfig, witness: Arc<dyn Witness>) -> Arc<Self> {
        Self::open(config, Some(witness))
    }

    fn open(config: EngineConfig, witness: Option<Arc<dyn Witness>>) -> Arc<Self> {
        let state = State::restore(persist::load(&config.state_dir), &config);
        Arc::new(Self {
            config,
            saved_tab: AtomicU32::new(state.next_tab),
            saving: Mutex::default(),
            save_due: AtomicBool::new(false),
            state: Mutex::new(state),
            profiles_changed: watch::Sender::new(0),
            decided: watch::Sender::new(VecDeque::new()),
            asks_ended: watch::Sender::new(0),
            witness,
            records: AtomicU32::new(0),
            secrets: secrets::Keep::default(),
            pdfs: pdf::Reader::default(),
        })
    }

    /// The state, for a moment. A poisoned lock is taken over: each field stands for itself.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new session, or the one that the resume token names.
    pub fn open_session(&self, options: SessionOptions) -> SessionGrant {
        let grant = {
            let mut state = self.state();
            for session in state.leases.long_gone(now_ms()) {
                state.leases.end_session(&session);
                state.sessions.remove(&session);
            }
            let known: Option<SessionId> = options.resume.as_ref().and_then(|token| {
                state
                    .sessions
                    .iter()
                    .find(|(_, session)| session.resume == *token)
                    .map(|(id, _)| id.clone())
            });
            let was_known = known.is_some();
            let id = known.unwrap_or_else(|| {
                state.next_session += 1;
                let id = SessionId(format!("s{}", state.next_session));
                // A name chosen by the user (`--session`) is its own token.
                let token = options.resume.clone().unwrap_or_else(|| random::word(26));
                state.sessions.insert(
                    id.clone(),
                    Session::new(&options, token, self.config.calls_a_minute, now_ms()),
                );
                id
            });
            state.leases.session_back(&id);
            let session = state.sessions.get_mut(&id).expect("was found or inserted above");
            session.connections += 1;
            session.client.clone_from(&options.client);
            session.role = options.role;
            session.cwd.clone_from(&options.cwd);
            session.program.clone_from(&options.program);
            session.budget_percent = options.budget_percent;
            session.tools.clone_from(&options.tools);
            session.happened.client(options.role, if was_known { "is back" } else { "came" });
            SessionGrant { session: id, resume: session.resume.clone() }
        };
        self.save();
        grant
    }

    /// The session's connection ended; it may be resumed.
    pub fn session_gone(&self, session: &SessionId) {
        let mut state = self.state();
        let Some(entry) = state.sessions.get_mut(session) else { return };
        entry.connections = entry.connections.saturating_sub(1);
        if entry.connections == 0 {
            entry.happened.client(entry.role, "went");
            state.leases.session_gone(session, now_ms());
        }
    }

    /// The session ends for good: its tabs become free.
    pub fn end_session(&self, session: &SessionId) {
        let profiles: Vec<_> = {
            let mut state = self.state();
            state.leases.end_session(session);
            state.sessions.remove(session);
            state.profiles.keys().cloned().collect()
        };
        profiles.iter().for_each(|profile| self.sync_holds(profile));
        self.save();
    }

    /// A profile connected. Gives its slug and the connection's name.
    pub fn connect(self: &Arc<Self>, profile: ProfileLink) -> (String, ConnectionId) {
        let mut stale: Vec<TabNumber> = vec![];
        let (feed, told) = mpsc::channel(limits::FEED_QUEUE);
        let (slug, connection) = {
            let mut state = self.state();
            state.next_connection += 1;
            let connection = ConnectionId(state.next_connection);
            state.profile_entry(&profile.id, &profile.label);
            state.set_label(&profile.id, &profile.label);
            state.note_users(&profile.id, "connected");
            let entry = state.profiles.get_mut(&profile.id).expect("was inserted above");
            if entry.boot != profile.boot {
                stale = std::mem::take(&mut entry.by_chrome).into_values().collect();
                entry.boot.clone_from(&profile.boot);
            }
            entry.consent = profile.consent;
            entry.version.clone_from(&profile.version);
            entry.reserved = profile.reserved;
            entry.link = Some((connection, profile.browser.clone()));
            entry.feed = Some(feed);
            entry.admitted.clear();
            let slug = entry.slug.clone();
            state.count("connections");
            (slug, connection)
        };
        self.retire(&stale);
        // Before anybody hears the name: after a restart it must not mean another profile.
        self.save();
        let engine = self.clone();
        // Ends with the connection: every step looks whether it still stands.
        tokio::spawn(async move {
            let told = record::carry(told, profile.browser.clone());
            tokio::join!(engine.follow(profile.id, connection, profile.browser), told)
        });
        (slug, connection)
    }

    /// Tabs of an earlier run of the browser: their numbers never mean anything else.
    fn retire(&self, numbers: &[TabNumber]) {
        for number in numbers {
            let tab = {
                let mut state = self.state();
                state.leases.forget_tab(*number);
                state.tabs.get(number).cloned()
            };
            if let Some(tab) = tab {
                tab.update(|state| {
                    state.gone = Some((now_ms(), Gone::Closed));
                    state.logs.clear();
                    state.detached();
                });
            }
        }
    }

    /// Learns the profile's tabs, then keeps the extension told of numbers and holders.
    async fn follow(
        self: Arc<Self>,
        id: ProfileId,
        connection: ConnectionId,
        browser: Arc<dyn Browser>,
    ) {
        // A link that fails here ends, and its successor asks again.
        self.learn_tabs(&id, &browser, limits::VERB).await.ok();
        self.profiles_changed.send_modify(|count| *count += 1);
        let Some(sync) = self.state().profiles.get(&id).map(|entry| entry.sync.clone()) else {
            return;
        };
        let mut told = None;
        let mut told_sites = None;
        while browser.is_connected() && self.profile_of(connection).is_some() {
            let holds = self.state().holds(&id);
            if told.as_ref() != Some(&holds) {
                let sent =
                    browser.call(Verb::Hold { tabs: holds.clone() }, None, limits::VERB).await;
                told = sent.is_ok().then_some(holds);
            }
            self.tell_secret_origins(&browser, &mut told_sites).await;
            // Leases end by themselves, and secrets are set by other processes: look again now and then.
            tokio::time::timeout(limits::HOLD_SYNC, sync.notified()).await.ok();
        }
    }

    /// Asks for a profile's tabs until nothing was told while the question was under way: an event
    /// is newer than an answer that passed it.
    async fn learn_tabs(
        &self,
        id: &ProfileId,
        browser: &Arc<dyn Browser>,
        time: Duration,
    ) -> Outcome<()> {
        for _ in 0..TABS_TRIES {
            let news = self.state().profiles.get(id).map_or(0, |entry| entry.news);
            let value = browser.call(Verb::Tabs {}, None, time).await?;
            if self.take_tabs(id, news, handle::parse(value)?) {
                break;
            }
        }
        // A browser where something happens all the time tells it by events.
        Ok(())
    }

    /// The whole truth about a profile's tabs: what is not named is gone. False, and nothing is
    /// taken, when something was told since `news`.
    fn take_tabs(&self, id: &ProfileId, news: u64, list: TabList) -> bool {
        let lost: Vec<_> = {
            let mut state = self.state();
            let Some(entry) = state.profiles.get_mut(id) else { return true };
            if entry.news != news {
                return false;
            }
            entry.unshared = list.unshared;
            let there = |chrome| list.tabs.iter().any(|info| info.tab == chrome);
            entry.by_chrome.keys().copied().filter(|chrome| !there(*chrome)).collect()
        };
        for chrome in lost {
            self.tab_gone(id, chrome, Gone::Closed);
        }
        for info in list.tabs {
            self.tab_seen(id, info);
        }
        self.save_numbers();
        true
    }

    /// A connection ended. Says nothing about its successor.
    pub fn disconnect(&self, connection: ConnectionId) {
        let Some(id) = self.profile_of(connection) else { return };
        let tabs: Vec<_> = {
            let mut state = self.state();
            state.note_users(&id, "lost");
            let Some(entry) = state.profiles.get_mut(&id) else { return };
            entry.link = None;
            entry.feed = None;
            entry.sync.notify_waiters();
            let numbers: Vec<_> = entry.by_chrome.values().copied().collect();
            state.count("disconnections");
            numbers.iter().filter_map(|number| state.tabs.get(number)).cloned().collect()
        };
        for tab in tabs {
            // The debugger stays attached in the browser; what was in flight is not known any more.
            tab.update(|state| {
                state.logs.net.gap(looking::wall_ms());
                for request in &mut state.requests {
                    request.ended_ms.get_or_insert(now_ms());
                }
            });
        }
        self.profiles_changed.send_modify(|count| *count += 1);
    }

    /// Something happened in a browser. Never blocks.
    pub fn event(self: &Arc<Self>, connection: ConnectionId, event: Event) {
        self.apply(connection, event);
    }

    /// The session uses that profile from now on, unless a call names another one.
    pub fn use_profile(&self, session: &SessionId, profile: &ProfileId, label: &str) {
        let mut state = self.state();
        state.profile_entry(profile, label).reserved = true;
        if let Some(session) = state.sessions.get_mut(session) {
            session.profile = Some(profile.clone());
        }
    }

    /// Profiles that are connected now.
    pub fn connected(&self) -> usize {
        self.state().connected().count()
    }

    /// Resolves as soon as a profile is connected.
    pub async fn wait_for_profile(&self) {
        let mut changes = self.profiles_changed.subscribe();
        while self.connected() == 0 {
            // The sender lives in `self`: waiting cannot fail.
            changes.changed().await.ok();
        }
    }

    /// One tool call.
    pub async fn call(self: &Arc<Self>, session: &SessionId, call: ToolCall) -> Reply {
        let mut reply = self.one_call(session, call, None).await;
        let code = reply.failure.as_ref().map(|failure| failure.code);
        if let Some(lines) = self.meanwhile(session, code) {
            reply.text.push('\n');
            reply.text.push_str(&lines);
        }
        self.clean(&mut reply);
        reply
    }

    fn profile_of(&self, connection: ConnectionId) -> Option<ProfileId> {
        let state = self.state();
        let mut entries = state.profiles.iter();
        entries
            .find(|(_, entry)| entry.link.as_ref().is_some_and(|(own, _)| *own == connection))
            .map(|(id, _)| id.clone())
    }

    fn sync_holds(&self, profile: &ProfileId) {
        if let Some(entry) = self.state().profiles.get(profile) {
            entry.sync.notify_one();
        }
    }

    /// Before refs of a new block are shown, the block is written down: a ref never comes twice.
    fn keep_promises(&self, session: &SessionId) {
        let tab = {
            let state = self.state();
            let last = state.sessions.get(session).and_then(|session| session.last_tab);
            last.and_then(|number| state.tabs.get(&number)).cloned()
        };
        let is_over = |tab: Arc<tab::Tab>| {
            let state = tab.state();
            state.gone.is_none() && state.refs.next() > state.promised
        };
        if tab.is_some_and(is_over) {
            self.save();
        }
    }

    /// Writes when tabs got numbers since the last time.
    fn save_numbers(&self) {
        if self.state().next_tab != self.saved_tab.load(Ordering::Relaxed) {
            self.save();
        }
    }

    /// Writes a moment later, once for all that changes until then: for what a session would miss and
    /// can do without.
    fn save_soon(self: &Arc<Self>) {
        if self.save_due.swap(true, Ordering::Relaxed) {
            return;
        }
        let engine = Arc::downgrade(self);
        tokio::spawn(async move {
            tokio::time::sleep(limits::SAVE_SOON).await;
            if let Some(engine) = engine.upgrade() {
                engine.save_due.store(false, Ordering::Relaxed);
                engine.save();
            }
        });
    }

    /// Writes what must outlive the daemon. A full disk costs only that.
    fn save(&self) {
        let _saving = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let saved = self.state().save();
        self.saved_tab.store(saved.next_tab, Ordering::Relaxed);
        if let Err(error) = persist::store(&self.config.state_dir, &saved) {
            tracing::warn!(%error, "the state file could not be written");
        }
    }

    /// For `daemon status --json`: `{sessions: […], profiles: […], counters: {…}}`.
    pub fn status(&self) -> Value {
        // Before the lock: the list of sessions takes it, too.
        let mut sessions = self.sessions();
        sessions.retain(|session| session["connected"] == true);
        let state = self.state();
        let profiles: Vec<_> = state
            .profiles
            .iter()
            .map(|(id, profile)| {
                json!({"id": id.0, "slug": profile.slug, "label": profile.label, "consent": profile.consent,
                    "connected": profile.is_connected(), "extension": profile.version, "tabs": profile.by_chrome.len(),
                    "unshared": profile.unshared})
            })
            .collect();
        json!({"sessions": sessions, "profiles": profiles, "counters": state.counters})
    }
}

#[cfg(test)]
mod tests;
