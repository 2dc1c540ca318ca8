//! What is known of a browser: its tabs, their frames, and what agents did there. Asks nobody.

use crate::ledger::Notes;
use crate::urls;
use pillion_wire::id::{ChromeTab, DocumentId, FrameId};
use pillion_wire::limits::cdp::{OBJECTS_ISSUED, REQUESTS_SEEN};
use pillion_wire::trying::{DownloadNow, Emulation, MockRule};
use pillion_wire::verb::{Holder, TabInfo};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OnceCell, watch};

/// Everything.
#[derive(Default)]
pub(crate) struct Book {
    next_tab: i32,
    next_frame: i32,
    next_listener: u64,
    pub(crate) next_download: u32,
    pub(crate) tabs: BTreeMap<ChromeTab, Tab>,
    /// Tabs by the sessions of their pages and child frames.
    pub(crate) by_session: HashMap<String, ChromeTab>,
    /// Addresses of tabs that are just being opened.
    pub(crate) opening: Vec<String>,
    /// The tab that was brought to the front last.
    pub(crate) front: Option<ChromeTab>,
}

/// One page target.
pub(crate) struct Tab {
    pub(crate) chrome: ChromeTab,
    pub(crate) target: String,
    pub(crate) url: String,
    pub(crate) title: String,
    /// A session opened it, or a tab of a session did.
    pub(crate) own: bool,
    /// Given back to the user: agents know it no more.
    pub(crate) released: bool,
    /// It shows the empty page that it begins with, and that is told of to nobody.
    pub(crate) begins: bool,
    pub(crate) holder: Option<Holder>,
    pub(crate) opener: Option<String>,
    /// What was told of it, so that it is told again only when it changed.
    pub(crate) told: Option<TabInfo>,
    pub(crate) session: Option<String>,
    pub(crate) attachment: Attachment,
    pub(crate) downloads: Vec<Downloading>,
}

/// A download and the browser's own name of it.
pub(crate) struct Downloading {
    pub(crate) guid: String,
    pub(crate) now: DownloadNow,
}

/// What goes with the debugger when it leaves the tab.
pub(crate) struct Attachment {
    pub(crate) epoch: u32,
    /// Set once its domains are on.
    pub(crate) ready: Arc<OnceCell<()>>,
    /// By the debugger's id.
    pub(crate) frames: HashMap<String, Frame>,
    /// Sessions of child frames.
    pub(crate) children: BTreeMap<String, Child>,
    /// The kind of the open dialog.
    pub(crate) dialog: Option<String>,
    /// Counts dialogs that opened: who waits for the page is let go.
    pub(crate) dialogs: watch::Sender<u64>,
    /// The agent asked for the Runtime domain's events.
    pub(crate) runtime: bool,
    /// Bodies are kept.
    pub(crate) capture: bool,
    pub(crate) emulation: Emulation,
    pub(crate) mocks: Option<Mocks>,
    /// A page was patched.
    pub(crate) patched: bool,
    pub(crate) objects: Notes<()>,
    pub(crate) requests: Notes<Asked>,
    /// Where the top frame is going.
    pub(crate) going: Option<Going>,
    /// The top document that was told of last.
    pub(crate) told: String,
    /// Steps of documents that nothing else is known of yet.
    pub(crate) early: Vec<(String, String)>,
    pub(crate) loading: bool,
    /// One after the other: whoever switches the Runtime domain on to have something replayed.
    pub(crate) turn: Arc<tokio::sync::Mutex<()>>,
    pub(crate) listeners: Vec<Listener>,
}

/// A frame that Chrome told of.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) number: FrameId,
    pub(crate) parent: Option<String>,
    pub(crate) session: String,
    /// Names its document.
    pub(crate) loader: String,
    pub(crate) url: String,
    /// It shows Chrome's own error page.
    pub(crate) is_error: bool,
    /// Our isolated world of its document.
    pub(crate) ours: Option<i64>,
    /// The page's own world of its document.
    pub(crate) main: Option<i64>,
}

/// A child frame of another process.
#[derive(Debug, Clone)]
pub(crate) struct Child {
    pub(crate) target: String,
    pub(crate) url: String,
}

/// A navigation of the top frame that has not committed.
#[derive(Debug, Clone)]
pub(crate) struct Going {
    pub(crate) loader: String,
    pub(crate) url: String,
    pub(crate) error: Option<String>,
}

/// A request that the debugger told of.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) url: String,
    /// Address of the document that asked.
    pub(crate) page: String,
    /// The request is that document.
    pub(crate) document: bool,
    /// A document, or what a script asked for.
    pub(crate) talks: bool,
}

/// Answers in a server's place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mocks {
    pub(crate) rules: Vec<MockRule>,
    pub(crate) hits: HashMap<u32, u32>,
    /// Sites whose requests are looked at now.
    pub(crate) hosts: Vec<String>,
}

/// Somebody who collects events of a session.
pub(crate) struct Listener {
    pub(crate) id: u64,
    pub(crate) session: String,
    pub(crate) methods: &'static [&'static str],
    pub(crate) most: usize,
    pub(crate) heard: Arc<Heard>,
}

/// What a [`Listener`] collected.
#[derive(Default)]
pub(crate) struct Heard(Mutex<Vec<(String, Value)>>);

impl Heard {
    pub(crate) fn add(&self, method: &str, params: Value, most: usize) {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if heard.len() < most {
            heard.push((method.to_owned(), params));
        }
    }

    pub(crate) fn take(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Book {
    /// The tab of a page target, made known if it was not.
    pub(crate) fn tab_of(&mut self, target: &str) -> &mut Tab {
        let known = self.tabs.values().find(|tab| tab.target == target).map(|tab| tab.chrome);
        let chrome = known.unwrap_or_else(|| {
            self.next_tab += 1;
            ChromeTab(self.next_tab)
        });
        self.tabs.entry(chrome).or_insert_with(|| Tab::new(chrome, target))
    }

    pub(crate) fn find(&self, target: &str) -> Option<&Tab> {
        self.tabs.values().find(|tab| tab.target == target)
    }

    pub(crate) fn of_session(&mut self, session: &str) -> Option<&mut Tab> {
        let chrome = *self.by_session.get(session)?;
        self.tabs.get_mut(&chrome)
    }

    /// A number for a frame; the top one is always 0.
    pub(crate) fn frame_number(&mut self) -> FrameId {
        self.next_frame += 1;
        FrameId(self.next_frame)
    }

    pub(crate) fn listener_number(&mut self) -> u64 {
        self.next_listener += 1;
        self.next_listener
    }

    /// A tab is closed.
    pub(crate) fn forget(&mut self, target: &str) -> Option<Tab> {
        let chrome = self.find(target)?.chrome;
        self.by_session.retain(|_, tab| *tab != chrome);
        self.tabs.remove(&chrome)
    }

    /// A frame was seen: what is known of it is completed, never made older.
    pub(crate) fn see_frame(&mut self, session: &str, frame: &Value, is_newer: bool) {
        let Some(id) = frame["id"].as_str() else { return };
        let number = self.frame_number();
        let Some(tab) = self.of_session(session) else { return };
        let top = id == tab.target;
        let text = |key: &str| frame[key].as_str().unwrap_or_default();
        let parent = frame["parentId"].as_str().map(str::to_owned);
        let known = tab.attachment.frames.entry(id.to_owned()).or_insert_with(|| Frame {
            number: if top { FrameId(0) } else { number },
            parent: parent.clone(),
            session: session.to_owned(),
            loader: String::new(),
            url: String::new(),
            is_error: false,
            ours: None,
            main: None,
        });
        known.parent = parent.or(known.parent.take());
        if !is_newer && !known.loader.is_empty() {
            return;
        }
        known.session = session.to_owned();
        if known.loader != text("loaderId") {
            (known.ours, known.main) = (None, None);
        }
        known.loader = text("loaderId").to_owned();
        // The first, empty document has no address yet.
        known.url = if text("url") == ":" { String::new() } else { text("url").to_owned() };
        known.is_error = frame["unreachableUrl"].as_str().is_some_and(|url| !url.is_empty());
    }
}

impl Tab {
    fn new(chrome: ChromeTab, target: &str) -> Self {
        Self {
            chrome,
            target: target.to_owned(),
            url: String::new(),
            title: String::new(),
            own: false,
            released: false,
            begins: false,
            holder: None,
            opener: None,
            told: None,
            session: None,
            attachment: Attachment::new(0),
            downloads: Vec::new(),
        }
    }

    /// Whether agents may know of it. Blank tabs are of no use to anybody but who opened them.
    pub(crate) fn is_listed(&self) -> bool {
        if self.released {
            return false;
        }
        self.own || (urls::may_touch(&self.url) && !matches!(self.url.as_str(), "" | "about:blank"))
    }

    /// As agents may know it.
    pub(crate) fn info(&self, front: Option<ChromeTab>) -> TabInfo {
        let going = self.attachment.going.as_ref().map(|going| going.url.clone());
        TabInfo {
            tab: self.chrome,
            window: 0,
            url: going.unwrap_or_else(|| self.url.clone()),
            title: self.title.clone(),
            active: front == Some(self.chrome),
            focused: front == Some(self.chrome),
            loading: self.attachment.loading,
            discarded: false,
            shared: !self.own,
            held: self.own,
            incognito: false,
        }
    }

    /// Every session of the tab, its own first.
    pub(crate) fn sessions(&self) -> Vec<String> {
        self.session.iter().cloned().chain(self.attachment.children.keys().cloned()).collect()
    }

    /// The frame whose document has that name.
    pub(crate) fn frame_of(&self, document: &DocumentId) -> Option<(&String, &Frame)> {
        self.attachment.frames.iter().find(|(_, frame)| frame.loader == document.0)
    }

    pub(crate) fn top(&self) -> Option<&Frame> {
        self.attachment.frames.get(&self.target)
    }

    /// The debugger is gone: nothing that it knew holds any more.
    pub(crate) fn detached(&mut self) {
        self.session = None;
        self.attachment = Attachment::new(self.attachment.epoch);
    }
}

impl Attachment {
    fn new(epoch: u32) -> Self {
        Self {
            epoch,
            ready: Arc::default(),
            frames: HashMap::new(),
            children: BTreeMap::new(),
            dialog: None,
            dialogs: watch::Sender::new(0),
            runtime: false,
            capture: false,
            emulation: Emulation::default(),
            mocks: None,
            patched: false,
            objects: Notes::new(OBJECTS_ISSUED),
            requests: Notes::new(REQUESTS_SEEN),
            going: None,
            told: String::new(),
            early: Vec::new(),
            loading: false,
            turn: Arc::default(),
            listeners: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn book() -> Book {
        let mut book = Book::default();
        let tab = book.tab_of("T");
        tab.session = Some("S".into());
        let chrome = tab.chrome;
        book.by_session.insert("S".into(), chrome);
        book
    }

    #[test]
    fn the_top_frame_is_0_and_others_keep_their_numbers() {
        let mut book = book();
        book.see_frame(
            "S",
            &json!({"id": "T", "loaderId": "L1", "url": "http://a.example/"}),
            true,
        );
        let child = json!({"id": "F", "parentId": "T", "loaderId": "L2", "url": ":"});
        book.see_frame("S", &child, true);
        let number = book.tab_of("T").attachment.frames["F"].number;
        // It moved into another process.
        let moved = json!({"id": "F", "loaderId": "L3", "url": "http://b.example/"});
        book.by_session.insert("C".into(), ChromeTab(1));
        book.see_frame("C", &moved, true);
        let tab = book.tab_of("T");
        let frame = &tab.attachment.frames["F"];
        assert_eq!((frame.number, frame.session.as_str()), (number, "C"));
        assert_eq!(frame.parent.as_deref(), Some("T"));
        assert_eq!(tab.top().unwrap().number, FrameId(0));
        assert!(tab.frame_of(&DocumentId::from("L2")).is_none());
    }

    #[test]
    fn an_old_tree_makes_nothing_older() {
        let mut book = book();
        book.see_frame(
            "S",
            &json!({"id": "T", "loaderId": "new", "url": "http://a.example/"}),
            true,
        );
        book.see_frame("S", &json!({"id": "T", "loaderId": "old", "url": ":"}), false);
        assert_eq!(book.tab_of("T").top().unwrap().loader, "new");
    }

    #[test]
    fn blank_tabs_are_listed_for_nobody_but_who_opened_them() {
        let mut book = book();
        let tab = book.tab_of("T");
        for url in ["", "about:blank", "chrome://newtab/", "devtools://x"] {
            url.clone_into(&mut tab.url);
            assert!(!tab.is_listed(), "{url}");
        }
        tab.own = true;
        assert!(tab.is_listed());
        tab.released = true;
        assert!(!tab.is_listed());
    }
}
