//! What the daemon knows of one tab: fed by events, read by tools.
//!
//! State is behind a short lock that is never held across an await. Waiters listen to `changed`.

use crate::clock::now_ms;
use crate::events::file_name;
use crate::looking::Logs;
use crate::tried::Tried;
use pillion_core::diff::Told;
use pillion_core::refs::RefTable;
use pillion_wire::id::{ChromeTab, DocumentId, ProfileId, SessionId, TabNumber};
use pillion_wire::limits;
use pillion_wire::verb::{InputKind, Phase, Picture, TabInfo};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{RwLock, watch};

/// Requests of one tab that are kept.
const REQUESTS: usize = 500;

/// One tab. The number never changes; Chrome's id does when the tab is discarded.
pub(crate) struct Tab {
    pub(crate) number: TabNumber,
    pub(crate) profile: ProfileId,
    state: Mutex<TabState>,
    /// Reads share, acts are alone, first come first served.
    pub(crate) queue: RwLock<()>,
    changed: watch::Sender<u64>,
}

/// See [`Tab`].
pub(crate) struct TabState {
    pub(crate) chrome: ChromeTab,
    pub(crate) info: Option<TabInfo>,
    /// Closed or not shared any more: when, and which.
    pub(crate) gone: Option<(u64, Gone)>,
    pub(crate) dialog: Option<Dialog>,
    pub(crate) nav: Nav,
    /// Every event gets the next number: "since the act" is "above this number".
    pub(crate) seq: u64,
    pub(crate) attached: bool,
    /// Why input goes as DOM events, since the last attempt to attach.
    pub(crate) via_dom: Option<String>,
    /// An act or script ran here: leaving may raise a beforeunload dialog.
    pub(crate) touched: bool,
    pub(crate) refs: RefTable,
    /// Refs up to here are written down as used.
    pub(crate) promised: u32,
    pub(crate) told: HashMap<SessionId, (DocumentId, Vec<Told>, u64)>,
    /// The text that each session read last, as a hash.
    pub(crate) texts: HashMap<SessionId, u64>,
    /// The words of the PDF that was read last, and its document.
    pub(crate) pdf: Option<(DocumentId, std::sync::Arc<str>)>,
    /// Rows that each session gathered last.
    pub(crate) rows: HashMap<SessionId, std::sync::Arc<crate::tools::extract::Kept>>,
    pub(crate) shots: HashMap<SessionId, Picture>,
    pub(crate) requests: Vec<Request>,
    pub(crate) logs: Logs,
    pub(crate) errors: Vec<(u64, String, Option<String>)>,
    /// Tabs that this one opened: sequence number and number.
    pub(crate) opened: Vec<(u64, TabNumber)>,
    pub(crate) downloads: Vec<(u64, Download)>,
    /// HTML5 drags that Chrome handed over (`Input.dragIntercepted`).
    pub(crate) drag: Option<(u64, serde_json::Value)>,
    /// The last file chooser that was caught: its input's node, and whether it takes several.
    pub(crate) chooser: Option<(u64, i32, bool)>,
    pub(crate) crashed: bool,
    /// The event of the last crash.
    pub(crate) crashed_seq: u64,
    /// The page did not answer in time; a new document ends that.
    pub(crate) wedged: bool,
    /// When the user did something here last, by the steady clock, and what.
    pub(crate) user: Option<(u64, InputKind)>,
    /// Documents of the last act: a dialog's receipt goes on with their baselines.
    pub(crate) acted_on: Vec<DocumentId>,
    /// Address and HTTP status of the document that is on its way.
    pub(crate) status_seen: Option<(String, u32)>,
    /// What a session tries here.
    pub(crate) tried: Tried,
}

/// Why a tab is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gone {
    Closed,
    Unshared,
    /// As unshared, by the user's stop.
    Stopped,
}

impl Gone {
    /// For whoever held it.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Unshared => "the user took it back",
            Self::Stopped => "the user stopped you there",
        }
    }
}

/// An open JavaScript dialog.
#[derive(Debug, Clone)]
pub(crate) struct Dialog {
    pub(crate) kind: String,
    /// Page words.
    pub(crate) message: String,
    pub(crate) seq: u64,
}

impl Dialog {
    /// `confirm "Delete it?"`.
    pub(crate) fn words(&self) -> String {
        if self.kind == "beforeunload" {
            return "beforeunload (the page asks whether to leave it: accept leaves)".to_owned();
        }
        let kind: String = self.kind.chars().filter(char::is_ascii_alphabetic).collect();
        format!("{kind} {}", pillion_core::page_text::quote(&self.message))
    }
}

/// The top frame's last navigation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Nav {
    pub(crate) seq: u64,
    pub(crate) url: String,
    pub(crate) phase: Option<Phase>,
    pub(crate) document: Option<DocumentId>,
    pub(crate) committed_seq: u64,
    pub(crate) same_document_seq: u64,
    pub(crate) error: Option<String>,
    pub(crate) status: Option<u32>,
}

impl Nav {
    /// Begun after that event and not yet ready.
    pub(crate) fn is_under_way(&self, since: u64) -> bool {
        self.seq > since && matches!(self.phase, Some(Phase::Started | Phase::Committed))
    }
}

/// A request of the page.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) seq: u64,
    pub(crate) number: u32,
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) kind: String,
    pub(crate) begun_ms: u64,
    /// The head of its answer is here.
    pub(crate) answered_ms: Option<u64>,
    pub(crate) ended_ms: Option<u64>,
    pub(crate) status: Option<u32>,
    pub(crate) failed: Option<String>,
}

impl Request {
    /// For how many milliseconds more settling waits for it; nothing when it does not. Chrome tells
    /// the end of a fetch only once the page read its body, and many a page looks at the status alone.
    pub(crate) fn holds_up(&self, now_ms: u64) -> Option<Duration> {
        if self.ended_ms.is_some() {
            return None;
        }
        match (self.kind.as_str(), self.answered_ms) {
            ("Fetch", Some(answered)) => {
                let quiet = Duration::from_millis(now_ms.saturating_sub(answered));
                limits::UNREAD_BODY.checked_sub(quiet).filter(|left| !left.is_zero())
            }
            ("Document" | "Script" | "XHR" | "Fetch", _) => Some(Duration::MAX),
            _ => None,
        }
    }

    /// Milliseconds until it was done, or answered.
    pub(crate) fn took_ms(&self) -> Option<u64> {
        self.ended_ms.or(self.answered_ms).map(|end| end.saturating_sub(self.begun_ms))
    }

    /// Chrome asks for an icon by itself, and many a site has none.
    pub(crate) fn is_icon(&self) -> bool {
        self.url.ends_with("/favicon.ico")
    }

    pub(crate) fn is_bad(&self) -> bool {
        self.failed.is_some() || self.status.is_some_and(|status| status >= 400)
    }
}

/// A download.
#[derive(Debug, Clone)]
pub(crate) struct Download {
    pub(crate) id: u32,
    pub(crate) url: String,
    /// Empty until it is known.
    pub(crate) path: String,
    pub(crate) received: f64,
    pub(crate) total: f64,
    pub(crate) state: String,
}

impl Download {
    pub(crate) fn is_going_on(&self) -> bool {
        self.state == "in_progress"
    }

    /// The file's name, or what the address says.
    pub(crate) fn name(&self) -> &str {
        match self.path.rsplit(['/', '\\']).next() {
            Some(name) if !name.is_empty() => name,
            _ if self.url.starts_with("http") => file_name(&self.url),
            _ => "file",
        }
    }
}

impl Tab {
    pub(crate) fn new(
        number: TabNumber,
        profile: ProfileId,
        chrome: ChromeTab,
        ref_floor: u32,
    ) -> Self {
        let state = TabState {
            chrome,
            info: None,
            gone: None,
            dialog: None,
            nav: Nav::default(),
            seq: 0,
            attached: false,
            via_dom: None,
            touched: false,
            refs: RefTable::above(ref_floor),
            promised: ref_floor,
            told: HashMap::new(),
            texts: HashMap::new(),
            pdf: None,
            rows: HashMap::new(),
            shots: HashMap::new(),
            requests: Vec::new(),
            logs: Logs::default(),
            errors: Vec::new(),
            opened: Vec::new(),
            downloads: Vec::new(),
            drag: None,
            chooser: None,
            crashed: false,
            crashed_seq: 0,
            wedged: false,
            user: None,
            acted_on: Vec::new(),
            status_seen: None,
            tried: Tried::default(),
        };
        Self {
            number,
            profile,
            state: Mutex::new(state),
            queue: RwLock::new(()),
            changed: watch::Sender::new(0),
        }
    }

    /// The state, for a moment. A poisoned lock is taken over: each field stands for itself.
    pub(crate) fn state(&self) -> MutexGuard<'_, TabState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state as one event and wakes the waiters.
    pub(crate) fn update(&self, change: impl FnOnce(&mut TabState)) {
        let seq = {
            let mut state = self.state();
            state.seq += 1;
            change(&mut state);
            state.seq
        };
        self.changed.send_replace(seq);
    }

    /// Tells of every event from now on.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Resolves as soon as `test` gives something.
    pub(crate) async fn until<T>(&self, mut test: impl FnMut(&TabState) -> Option<T>) -> T {
        let mut changes = self.watch();
        loop {
            if let Some(found) = test(&self.state()) {
                return found;
            }
            // The sender lives in `self`: waiting cannot fail.
            changes.changed().await.ok();
        }
    }
}

impl TabState {
    /// Title as last told; page words.
    pub(crate) fn title(&self) -> &str {
        self.info.as_ref().map_or("", |info| info.title.as_str())
    }

    /// Address as last told.
    pub(crate) fn url(&self) -> &str {
        self.info.as_ref().map_or(self.nav.url.as_str(), |info| info.url.as_str())
    }

    pub(crate) fn request_begun(
        &mut self,
        id: &str,
        number: u32,
        method: &str,
        url: &str,
        kind: &str,
    ) {
        self.requests.retain(|request| request.id != id || request.ended_ms.is_some());
        if self.requests.len() >= REQUESTS {
            self.requests.remove(0);
        }
        self.requests.push(Request {
            id: id.to_owned(),
            seq: self.seq,
            number,
            method: method.to_owned(),
            url: url.to_owned(),
            kind: kind.to_owned(),
            begun_ms: now_ms(),
            answered_ms: None,
            ended_ms: None,
            status: None,
            failed: None,
        });
    }

    pub(crate) fn request(&mut self, id: &str) -> Option<&mut Request> {
        self.requests.iter_mut().rev().find(|request| request.id == id)
    }

    /// Everything that only held for the old connection or attachment.
    pub(crate) fn detached(&mut self) {
        self.attached = false;
        self.dialog = None;
        self.logs.net.detached();
        self.logs.capture = false;
        for request in &mut self.requests {
            request.ended_ms.get_or_insert(now_ms());
        }
    }
}
