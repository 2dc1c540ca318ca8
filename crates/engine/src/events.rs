//! What happens in a browser, written into the tabs' state. Never waits for anything.

use crate::clock::now_ms;
use crate::looking;
use crate::tab::{Dialog, Download, Gone, Nav, TabState};
use crate::{ConnectionId, Engine};
use pillion_core::net_log::STOPPED;
use pillion_core::page_text::quote;
use pillion_wire::id::{ChromeTab, FrameId, ProfileId};
use pillion_wire::limits;
use pillion_wire::verb::{Event, Phase, TabInfo};
use serde_json::Value;

/// Console errors that are kept for receipts.
const ERRORS: usize = 100;

impl Engine {
    pub(crate) fn apply(&self, connection: ConnectionId, event: Event) {
        let Some(profile) = self.profile_of(connection) else { return };
        let of_tabs = matches!(
            event,
            Event::Tab { .. }
                | Event::TabGone { .. }
                | Event::TabReplaced { .. }
                | Event::OpenedBy { .. }
                | Event::Given { .. }
        );
        if of_tabs && let Some(entry) = self.state().profiles.get_mut(&profile) {
            entry.news += 1;
        }
        match event {
            Event::Tab { tab } => {
                self.tab_seen(&profile, tab);
                self.save_numbers();
            }
            Event::TabGone { tab, unshared, stopped } => {
                let how = match (unshared, stopped) {
                    (true, Some(true)) => Gone::Stopped,
                    (true, _) => Gone::Unshared,
                    (false, _) => Gone::Closed,
                };
                self.tab_gone(&profile, tab, how);
            }
            Event::UserInput { tab, kind } => {
                self.on_tab(&profile, tab, |state| state.user = Some((now_ms(), kind)));
            }
            Event::TabReplaced { old, new } => self.tab_replaced(&profile, old, new),
            Event::OpenedBy { source, tab } => self.opened_by(&profile, source, tab),
            Event::Given { tab, session } => self.given(&profile, tab, &session),
            Event::Navigation { tab, frame, document, url, phase, error, at } => {
                if frame == FrameId(0) {
                    tracing::debug!(tab = tab.0, ?phase, error, "navigation");
                    self.on_tab(&profile, tab, |state| {
                        navigated(state, document, url, phase, error);
                        if phase == Phase::Committed {
                            state.logs.commit = at.unwrap_or_else(looking::wall_ms);
                        }
                    });
                }
            }
            Event::Status { tab, url, status } => self.on_tab(&profile, tab, |state| {
                // It comes before the commit that it belongs to, or (a slow link) just after it.
                if state.nav.phase != Some(Phase::Started) && same_page(&state.nav.url, &url) {
                    state.nav.status = Some(status);
                }
                state.status_seen = Some((url, status));
            }),
            Event::Cdp { tab, session, method, params } => self.on_tab(&profile, tab, |state| {
                let number = looking::debugger(state, session.as_deref(), &method, &params);
                debugger(state, &method, &params, number.unwrap_or_default());
            }),
            Event::Requests { told } => {
                self.on_tab(&profile, told.tab, |state| looking::requests(state, told));
            }
            Event::Body { told } => {
                self.on_tab(&profile, told.tab, |state| looking::body(state, told));
            }
            Event::Detached { tab, reason } => self.detached(&profile, tab, &reason),
            Event::Undone { tab } => self.on_tab(&profile, tab, |state| state.tried.undone()),
            Event::Download { tab, id, url, path, received, total, state } => {
                let download = Download { id, url, path, received, total, state };
                if let Some(tab) = tab {
                    self.on_tab(&profile, tab, |state| downloading(state, download));
                }
            }
            Event::Decided { id } => self.decided.send_modify(|decided| {
                decided.truncate(limits::DECISIONS_KEPT - 1);
                decided.push_front(id);
            }),
            Event::Consent { granted } => {
                if let Some(entry) = self.state().profiles.get_mut(&profile) {
                    entry.consent = granted;
                }
                self.profiles_changed.send_modify(|count| *count += 1);
            }
            Event::AskEnded { id } => self.ask_ended(&id),
            Event::Label { label } => self.state().set_label(&profile, &label),
            // Connections of clients are the daemon's: it ends the session on both sides.
            Event::Disconnect { .. } => {}
        }
    }

    fn detached(&self, profile: &ProfileId, tab: ChromeTab, reason: &str) {
        tracing::info!(tab = tab.0, reason, "debugger detached");
        // Left idle it goes by itself.
        if reason != "released" {
            let mut state = self.state();
            let number = state.tab_for(profile, tab).number;
            state.note_holder(number, &format!("the debugger was detached ({})", quote(reason)));
        }
        self.on_tab(profile, tab, |state| {
            state.detached();
            state.tried.detached(reason);
        });
    }

    fn on_tab(&self, profile: &ProfileId, chrome: ChromeTab, change: impl FnOnce(&mut TabState)) {
        let tab = self.state().tab_for(profile, chrome);
        tab.update(change);
    }

    pub(crate) fn tab_seen(&self, profile: &ProfileId, info: TabInfo) {
        let tab = {
            let mut state = self.state();
            if info.focused {
                state.focus_count += 1;
                let count = state.focus_count;
                if let Some(entry) = state.profiles.get_mut(profile) {
                    entry.focus = count;
                }
            }
            state.tab_for(profile, info.tab)
        };
        tab.update(|state| {
            state.gone = None;
            state.info = Some(info);
        });
        self.sync_holds(profile);
    }

    pub(crate) fn tab_gone(&self, profile: &ProfileId, chrome: ChromeTab, how: Gone) {
        let tab = {
            let mut state = self.state();
            let number =
                state.profiles.get_mut(profile).and_then(|entry| entry.by_chrome.remove(&chrome));
            let Some(tab) = number.and_then(|number| state.tabs.get(&number)).cloned() else {
                return;
            };
            if how != Gone::Closed {
                state.note_holder(tab.number, how.words());
            }
            state.leases.forget_tab(tab.number);
            if how != Gone::Closed {
                // The number stays: shared again, it is the same tab.
                if let Some(entry) = state.profiles.get_mut(profile) {
                    entry.by_chrome.insert(chrome, tab.number);
                }
            }
            tab
        };
        tab.update(|state| {
            state.gone = Some((now_ms(), how));
            state.logs.clear();
            state.detached();
        });
        self.sync_holds(profile);
        self.save();
    }

    fn tab_replaced(&self, profile: &ProfileId, old: ChromeTab, new: ChromeTab) {
        let tab = {
            let mut state = self.state();
            let Some(entry) = state.profiles.get_mut(profile) else { return };
            let Some(number) = entry.by_chrome.remove(&old) else { return };
            // Something of the new id may have been told first.
            let early = entry.by_chrome.insert(new, number);
            let tab = state.tabs.get(&number).cloned();
            drop(state);
            self.retire(early.as_slice());
            tab
        };
        if let Some(tab) = tab {
            tab.update(|state| {
                state.chrome = new;
                state.detached();
                state.tried.detached("Chrome gave the tab another id");
            });
        }
        self.save();
    }

    fn given(&self, profile: &ProfileId, chrome: ChromeTab, session: &str) {
        let session = pillion_wire::id::SessionId::from(session);
        {
            let mut state = self.state();
            let tab = state.tab_for(profile, chrome);
            if state.sessions.contains_key(&session) {
                state.leases.own(tab.number, &session, now_ms());
            }
        }
        self.sync_holds(profile);
        self.save();
    }

    fn opened_by(&self, profile: &ProfileId, source: ChromeTab, info: TabInfo) {
        let (opener, tab) = {
            let mut state = self.state();
            let opener = state.tab_for(profile, source);
            let tab = state.tab_for(profile, info.tab);
            let holder =
                state.leases.holder(opener.number, now_ms()).map(|(session, _)| session.clone());
            if let Some(session) = holder {
                state.leases.own(tab.number, &session, now_ms());
            }
            (opener, tab)
        };
        tab.update(|state| state.info = Some(info));
        let number = tab.number;
        opener.update(|state| {
            let seq = state.seq;
            state.opened.push((seq, number));
        });
        self.sync_holds(profile);
        self.save();
    }
}

fn same_page(one: &str, other: &str) -> bool {
    one.split('#').next() == other.split('#').next()
}

fn navigated(
    state: &mut TabState,
    document: Option<pillion_wire::id::DocumentId>,
    url: String,
    phase: Phase,
    error: Option<String>,
) {
    let seq = state.seq;
    match phase {
        Phase::Started => {
            let (committed_seq, same_document_seq) =
                (state.nav.committed_seq, state.nav.same_document_seq);
            let document = state.nav.document.take();
            state.nav = Nav {
                seq,
                url,
                phase: Some(phase),
                document,
                committed_seq,
                same_document_seq,
                error: None,
                status: None,
            };
        }
        Phase::SameDocument => {
            state.nav.same_document_seq = seq;
            if let Some(info) = &mut state.info {
                info.url.clone_from(&url);
            }
            state.nav.url = url;
        }
        // The empty document that a new tab begins with is not where it goes.
        Phase::Committed
            if url == "about:blank"
                && state.nav.phase == Some(Phase::Started)
                && state.nav.url != url => {}
        Phase::Committed => {
            if let Some(info) = &mut state.info {
                info.url.clone_from(&url);
            }
            // A commit without a start: restored from the back-forward cache, or already under way
            // when the link came up.
            if state.nav.phase != Some(Phase::Started) {
                state.nav.seq = seq;
            }
            let seen = state.status_seen.take();
            state.nav.status = seen.filter(|(of, _)| same_page(of, &url)).map(|(_, status)| status);
            state.nav.url = url;
            state.nav.phase = Some(phase);
            state.nav.document = document;
            state.nav.committed_seq = seq;
            state.nav.error = None;
            state.dialog = None;
            state.crashed = false;
            state.wedged = false;
        }
        Phase::Ready | Phase::Complete => {
            let further = !(phase == Phase::Ready && state.nav.phase == Some(Phase::Complete));
            if state.nav.phase != Some(Phase::Started) && further {
                state.nav.phase = Some(phase);
            }
        }
        Phase::Failed => {
            if state.nav.phase == Some(Phase::Started) || state.nav.phase == Some(Phase::Committed)
            {
                state.nav.phase = Some(phase);
                state.nav.error = error;
            }
        }
    }
}

fn debugger(state: &mut TabState, method: &str, params: &Value, number: u32) {
    let text = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
    match method {
        "Page.javascriptDialogOpening" => {
            state.dialog =
                Some(Dialog { kind: text("type"), message: text("message"), seq: state.seq });
        }
        "Page.javascriptDialogClosed" => state.dialog = None,
        "Network.requestWillBeSent" => {
            let id = text("requestId");
            if let (Some(status), Some(request)) =
                (params["redirectResponse"]["status"].as_u64(), state.request(&id))
            {
                request.status = Some(status as u32);
                request.ended_ms = Some(now_ms());
            }
            let method = params["request"]["method"].as_str().unwrap_or("GET").to_owned();
            let url = params["request"]["url"].as_str().unwrap_or_default().to_owned();
            state.request_begun(&id, number, &method, &url, &text("type"));
        }
        "Network.responseReceived" => {
            let status = params["response"]["status"].as_u64();
            if let Some(request) = state.request(&text("requestId")) {
                request.status = status.map(|status| status as u32);
                request.answered_ms = Some(now_ms());
            }
        }
        "Network.dataReceived" => {
            if let Some(request) = state.request(&text("requestId")) {
                request.answered_ms = Some(now_ms());
            }
        }
        "Network.loadingFinished" | "Network.loadingFailed" => {
            let failed = (method == "Network.loadingFailed").then(|| text("errorText"));
            if let Some(request) = state.request(&text("requestId")) {
                request.ended_ms = Some(now_ms());
                // See `NetLog::over`.
                request.failed =
                    failed.filter(|error| request.status.is_none() || error != STOPPED);
            }
        }
        "Log.entryAdded" => {
            let entry = &params["entry"];
            // A request that failed is told as one.
            let is_news = entry["level"] == "error" && entry["source"] != "network";
            if is_news && state.errors.len() < ERRORS {
                let words = entry["text"].as_str().unwrap_or_default().to_owned();
                let at = entry["url"].as_str().map(|url| match entry["lineNumber"].as_u64() {
                    Some(line) => format!("{}:{}", file_name(url), line + 1),
                    None => file_name(url).to_owned(),
                });
                let seq = state.seq;
                state.errors.push((seq, words, at));
            }
        }
        "Input.dragIntercepted" => state.drag = Some((state.seq, params["data"].clone())),
        "Page.fileChooserOpened" => {
            let node = params["backendNodeId"].as_i64().and_then(|node| i32::try_from(node).ok());
            let several = params["mode"] == "selectMultiple";
            state.chooser = node.map(|node| (state.seq, node, several));
        }
        "Inspector.targetCrashed" => {
            state.crashed = true;
            state.crashed_seq = state.seq;
        }
        _ => {}
    }
}

pub(crate) fn file_name(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path)
}

fn downloading(state: &mut TabState, download: Download) {
    let seq = state.seq;
    match state.downloads.iter_mut().find(|(_, known)| known.id == download.id) {
        Some((_, known)) => *known = download,
        None => state.downloads.push((seq, download)),
    }
}
