//! Which tab and which profile a call means, and whether it may use them: implied tabs, leases,
//! sharing, browsers that are just coming back.

use crate::Browser;
use crate::asks::asked_there;
use crate::clock::{ago, now_ms};
use crate::failure::{Failure, Outcome};
use crate::handle::{Handle, not_shared, stopped};
use crate::tab::{Gone, Tab};
use crate::tools::{Cx, Effect, ask};
use pillion_core::leases::Access;
use pillion_core::page_text::{quote, url_words_whole};
use pillion_core::slug::{Resolved, resolve};
use pillion_wire::code::Code;
use pillion_wire::id::{ProfileId, TabNumber};
use pillion_wire::limits;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

impl Cx {
    /// The call's tab, ready to work in: shared or own, not locked, its browser connected.
    pub(crate) async fn handle(&self, reads: bool) -> Outcome<Arc<Handle>> {
        match self.args.integer("tab") {
            Some(number) => {
                let number = u32::try_from(number)
                    .map_err(|_| Failure::invalid("tab is a number above 0."))?;
                self.handle_of(TabNumber(number), reads).await
            }
            None => {
                let number = self.implied_tab(reads).await?;
                let handle = self.handle_of(number, reads).await?;
                Ok(Arc::new(Handle {
                    implied: true,
                    ..Arc::try_unwrap(handle).map_err(|_| {
                        Failure::new(Code::Internal, "a tab was in use twice in one call.")
                    })?
                }))
            }
        }
    }

    /// The tab that a call without `tab` means.
    async fn implied_tab(&self, reads: bool) -> Outcome<TabNumber> {
        let (held, last) = {
            let state = self.engine.state();
            let last = state.sessions.get(&self.session).and_then(|session| session.last_tab);
            (state.held(&self.session), last)
        };
        match held.as_slice() {
            [only] => Ok(only.number),
            [] if reads => self.active_shared().await,
            [] => Err(Failure::new(
                Code::NoTab,
                "you hold no tab. Next: browser_navigate {\"url\":…}, or browser_tabs {} and pass tab.",
            )),
            several => {
                let used = several.iter().find(|tab| reads && Some(tab.number) == last);
                used.map(|tab| tab.number).ok_or_else(|| {
                    let names: Vec<_> = several.iter().map(|tab| name_of(tab)).collect();
                    Failure::new(
                        Code::Ambiguous,
                        format!("you hold tabs {}; pass tab.", names.join(", ")),
                    )
                })
            }
        }
    }

    async fn active_shared(&self) -> Outcome<TabNumber> {
        let (profile, _) = self.profile(None).await?;
        let state = self.engine.state();
        let tabs = state.tabs.values().filter(|tab| tab.profile == profile);
        let mut active = tabs.filter(|tab| {
            let tab = tab.state();
            tab.gone.is_none() && tab.info.as_ref().is_some_and(|info| info.shared && info.active)
        });
        active.next().map(|tab| tab.number).ok_or_else(|| {
            Failure::new(Code::NoTab, "you hold no tab, and the user's active tab is not shared. Next: browser_navigate {\"url\":…}, or browser_tabs {}.")
        })
    }

    /// A tab that is there, whoever holds it.
    pub(crate) fn present_tab(&self, number: TabNumber) -> Outcome<Arc<Tab>> {
        // The lock ends with each of these statements: saying which tabs there are takes it again.
        let known = self.engine.state().tabs.get(&number).cloned();
        let tab = known.ok_or_else(|| self.no_such_tab(number))?;
        let gone = tab.state().gone;
        match gone {
            Some((at, Gone::Closed)) => Err(self.closed_tab(&tab, at)),
            Some((_, Gone::Unshared)) => Err(not_shared(number.0)),
            Some((_, Gone::Stopped)) => Err(stopped(number.0)),
            None => Ok(tab),
        }
    }

    /// The tab that the session's next call means when it names none.
    fn remember_tab(&self, number: TabNumber) {
        let mut state = self.engine.state();
        let Some(session) = state.sessions.get_mut(&self.session) else { return };
        let before = session.last_tab.replace(number);
        drop(state);
        if before != Some(number) {
            self.engine.save_soon();
        }
    }

    /// That tab, ready to work in.
    pub(crate) async fn handle_of(&self, number: TabNumber, reads: bool) -> Outcome<Arc<Handle>> {
        let tab = self.present_tab(number)?;
        self.record.at(&tab);
        if !self.is_admitted(&tab.profile) {
            // Whoever the user does not know learns nothing of who else is in a tab.
            self.browser_of(&tab.profile, true).await?;
        }
        if self.def.name != ask::NAME
            && let Some(kind) = self.engine.state().asks.in_tab(number)
        {
            return Err(asked_there(number, kind));
        }
        self.lease(&tab, reads)?;
        let browser = self.browser_of(&tab.profile, true).await?;
        // A restart may have told meanwhile that the tab is gone.
        let gone = tab.state().gone;
        if let Some((at, Gone::Closed)) = gone {
            return Err(self.closed_tab(&tab, at));
        }
        self.refuse_unusable(&tab)?;
        self.remember_tab(number);
        Ok(Arc::new(Handle {
            engine: self.engine.clone(),
            tab,
            browser,
            session: self.session.clone(),
            deadline: self.deadline,
            cancel: self.cancel.clone(),
            budget_percent: self.budget_percent,
            room: self.room,
            acted: AtomicBool::new(false),
            implied: false,
        }))
    }

    /// Acts take or renew the lease; reads only look whether another agent has the tab.
    fn lease(&self, tab: &Tab, reads: bool) -> Outcome<()> {
        let mut state = self.engine.state();
        let now = now_ms();
        let access = if reads {
            state.leases.access(tab.number, &self.session, now)
        } else {
            let shared = tab.state().info.as_ref().is_none_or(|info| info.shared);
            let before = state.leases.access(tab.number, &self.session, now);
            if before == Access::Free && !shared {
                return Err(nobodys(tab.number));
            }
            let is_new = before == Access::Free;
            let access = state.leases.act(tab.number, &self.session, now);
            // A renewal is no news for the extension, and telling it costs a list of all tabs.
            if is_new && let Some(entry) = state.profiles.get(&tab.profile) {
                entry.sync.notify_one();
            }
            access
        };
        let Access::Locked { session, idle_ms, free_in_ms } = access else { return Ok(()) };
        if state.left_behind(&self.session, &session) {
            let number = tab.number;
            return Err(Failure::new(
                Code::TabLocked,
                format!(
                    "tab {number} was left by an earlier session of yours. Nothing was done. \
                     Next: browser_tabs {{\"action\":\"claim\",\"tab\":{number}}}."
                ),
            ));
        }
        let client = state.holder(&session).label;
        let url = url_words_whole(tab.state().url());
        let again = free_in_ms
            .map_or_else(String::new, |ms| format!(", or again in {} s", ms.div_ceil(1_000)));
        let mut failure = Failure::new(
            Code::TabLocked,
            format!(
                "tab {} is used by {} (last act {} s ago). Nothing was done. Next: browser_navigate {{\"url\":\"{url}\"}} for a tab of your own{again}.",
                tab.number,
                quote(&client),
                idle_ms / 1_000
            ),
        );
        failure.retry_after_ms = free_in_ms.map(|ms| ms as u32);
        Err(failure)
    }

    fn refuse_unusable(&self, tab: &Tab) -> Outcome<()> {
        let state = tab.state();
        let Some(info) = &state.info else { return Ok(()) };
        if info.discarded && self.def.effect != Effect::Navigate {
            return Err(Failure::new(
                Code::TabDiscarded,
                format!(
                    "Chrome put tab {0} to sleep. Next: browser_navigate {{\"tab\":{0},\"url\":\"reload\"}}.",
                    tab.number
                ),
            ));
        }
        if !crate::state::is_web(info) && self.def.effect != Effect::Navigate {
            return Err(Failure::new(
                Code::ProtectedPage,
                format!(
                    "tab {} shows {}, which Chrome keeps extensions off. Next: browser_navigate to a web page.",
                    tab.number,
                    url_words_whole(&info.url)
                ),
            ));
        }
        Ok(())
    }

    fn no_such_tab(&self, number: TabNumber) -> Failure {
        Failure::new(
            Code::TabNotFound,
            format!("there is no tab {number}.{} Next: browser_tabs {{}}.", self.yours()),
        )
    }

    fn closed_tab(&self, tab: &Tab, at: u64) -> Failure {
        let ago = ago(now_ms().saturating_sub(at));
        Failure::new(
            Code::TabNotFound,
            format!(
                "tab {} was closed {ago} ago.{} Next: browser_tabs {{}}.",
                tab.number,
                self.yours()
            ),
        )
    }

    /// The extension has one word for a closed tab and one that is not shared; the event that tells
    /// which may be a moment behind.
    pub(crate) async fn why_not_shared(&self, tab: &Tab, failure: Failure) -> Failure {
        match tokio::time::timeout(limits::TAB_EVENT, tab.until(|state| state.gone)).await {
            Ok((at, Gone::Closed)) => self.closed_tab(tab, at),
            _ => failure,
        }
    }

    fn yours(&self) -> String {
        let held: Vec<_> =
            self.engine.state().held(&self.session).iter().map(|tab| name_of(tab)).collect();
        if held.is_empty() { String::new() } else { format!(" Yours: {}.", held.join(", ")) }
    }

    /// The browser of a profile, waiting a moment for one that is just coming back.
    pub(crate) async fn browser_of(
        &self,
        profile: &ProfileId,
        known: bool,
    ) -> Outcome<Arc<dyn Browser>> {
        let mut changes = self.engine.profiles_changed.subscribe();
        let until = Instant::now()
            + limits::WAIT_FOR_PROFILE.min(self.deadline.saturating_duration_since(Instant::now()));
        loop {
            let (browser, consent, label) = {
                let state = self.engine.state();
                let entry = state.profiles.get(profile);
                (
                    entry.and_then(crate::state::Profile::browser),
                    entry.is_some_and(|entry| entry.consent),
                    entry.map(|entry| entry.label.clone()).unwrap_or_default(),
                )
            };
            if let Some(browser) = browser {
                let admitted = self.knock(profile, &browser, true).await;
                if !consent {
                    // What the extension says names the button; it may also have said nothing.
                    return Err(admitted
                        .err()
                        .filter(|failure| !failure.lost && failure.code != Code::TabWedged)
                        .unwrap_or_else(|| pairing_pending(&label)));
                }
                return admitted.map(|()| browser);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || tokio::time::timeout(left, changes.changed()).await.is_err() {
                return Err(if known { disconnected(&label) } else { not_connected() });
            }
        }
    }

    /// The profile that a call means: named, chosen, the only one, or the one used last.
    pub(crate) async fn profile(
        &self,
        name: Option<&str>,
    ) -> Outcome<(ProfileId, Arc<dyn Browser>)> {
        let id = self.profile_id(name).await?;
        let browser = self.browser_of(&id, name.is_some()).await?;
        Ok((id, browser))
    }

    async fn profile_id(&self, name: Option<&str>) -> Outcome<ProfileId> {
        let mut changes = self.engine.profiles_changed.subscribe();
        let until = Instant::now()
            + limits::WAIT_FOR_PROFILE.min(self.deadline.saturating_duration_since(Instant::now()));
        let mut asked = false;
        loop {
            match self.pick_profile(name) {
                Err(failure) if matches!(failure.code, Code::NotConnected) => {
                    if !asked {
                        asked = true;
                        // Nobody may listen to progress: the wait goes on all the same.
                        self.progress.try_send("waiting for a browser to connect".to_owned()).ok();
                    }
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero()
                        || tokio::time::timeout(left, changes.changed()).await.is_err()
                    {
                        return Err(failure);
                    }
                }
                other => return other,
            }
        }
    }

    fn pick_profile(&self, name: Option<&str>) -> Outcome<ProfileId> {
        let state = self.engine.state();
        if let Some(name) = name {
            let pairs: Vec<_> = state
                .profiles
                .iter()
                .map(|(id, profile)| (id.0.as_str(), profile.slug.as_str()))
                .collect();
            return match resolve(name, &pairs) {
                Resolved::One(id) => Ok(ProfileId(id.to_owned())),
                Resolved::None => Err(Failure::new(
                    Code::ProfileNotFound,
                    format!("no profile is called {}. Next: browser_tabs {{}}.", quote(name)),
                )),
                Resolved::Several(slugs) => Err(Failure::new(
                    Code::Ambiguous,
                    format!("{} may be {}; say which.", quote(name), slugs.join(", ")),
                )),
            };
        }
        if let Some(chosen) =
            state.sessions.get(&self.session).and_then(|session| session.profile.clone())
        {
            return Ok(chosen);
        }
        // Used last, as long as it is there.
        let last =
            state.sessions.get(&self.session).and_then(|session| session.last_profile.clone());
        if let Some(last) = last.filter(|id| state.connected().any(|(other, _)| other == id)) {
            return Ok(last);
        }
        let open = state.connected().filter(|(_, profile)| profile.is_for(&self.session));
        let newest = open.max_by_key(|(_, profile)| (profile.consent, profile.focus));
        newest.map(|(id, _)| id.clone()).ok_or_else(not_connected)
    }

    /// Time that is left, at most `most`.
    pub(crate) fn time(&self, most: Duration) -> Duration {
        self.deadline.saturating_duration_since(Instant::now()).min(most)
    }
}

/// A tab that an agent once opened and nobody holds now.
fn nobodys(tab: TabNumber) -> Failure {
    Failure::new(
        Code::TabLocked,
        format!(
            "tab {tab} is nobody's now. Nothing was done. Next: browser_tabs {{\"action\":\"claim\",\"tab\":{tab}}}."
        ),
    )
}

fn not_connected() -> Failure {
    Failure::new(
        Code::NotConnected,
        "no browser is connected. Is Chrome open with the Pillion extension? Next: pillion status, or pillion launch for a browser of its own.",
    )
}

fn disconnected(label: &str) -> Failure {
    Failure::new(
        Code::ProfileDisconnected,
        format!(
            "the browser of profile {} is not connected. Nothing was done. Next: ask the user to open it, or, if it is open, to reload Pillion at chrome://extensions; then the same call again.",
            quote(label)
        ),
    )
}

fn pairing_pending(label: &str) -> Failure {
    Failure::new(
        Code::PairingPending,
        format!(
            "the user has not let agents use profile {} yet. Nothing was done. Ask the user to click \"Let agents use this profile\" in the Pillion popup there, then make the same call again.",
            quote(label)
        ),
    )
}

pub(crate) fn name_of(tab: &Tab) -> String {
    format!("{} {}", tab.number, quote(tab.state().title()))
}
