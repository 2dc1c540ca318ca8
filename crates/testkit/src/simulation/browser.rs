//! One simulated browser: tabs, and what verbs do to them. No sockets, no time; the same rules as
//! the extension's: a tab that is neither shared nor held is not touched.

use super::page;
use super::record::{Arrival, PageId, Record};
use pillion_wire::code::Code;
use pillion_wire::id::{ChromeTab, DocumentId, FrameId};
use pillion_wire::link::VerbError;
use pillion_wire::page::PageCall;
use pillion_wire::verb::{
    Attached, CdpCommand, CdpReply, Event, FrameReply, Holder, Phase, Picture, Planned, Pointing,
    TabInfo, TabList, Verb,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Chrome's id of the first tab in every profile.
pub const FIRST_TAB: i32 = 100;

/// What a verb gives, and what the browser tells on the way.
#[derive(Debug)]
pub struct Answer {
    /// Told before the answer.
    pub before: Vec<Event>,
    /// The answer.
    pub value: Result<Value, VerbError>,
    /// Told after the answer.
    pub after: Vec<Event>,
}

impl From<Result<Value, VerbError>> for Answer {
    fn from(value: Result<Value, VerbError>) -> Self {
        Self { before: vec![], value, after: vec![] }
    }
}

struct SimTab {
    page: u64,
    document: u32,
    url: String,
    shared: bool,
    holder: Option<Holder>,
    attached: bool,
}

#[derive(Default)]
struct Tabs {
    next_chrome: i32,
    next_page: u64,
    by_chrome: BTreeMap<i32, SimTab>,
}

/// One browser of one profile.
pub struct SimBrowser {
    profile: usize,
    record: Option<Record>,
    tabs: Mutex<Tabs>,
}

impl SimBrowser {
    /// A browser without tabs. `profile` names it in the record, where one is kept.
    pub fn new(profile: usize, record: Option<Record>) -> Self {
        let tabs = Tabs { next_chrome: FIRST_TAB, ..Tabs::default() };
        Self { profile, record, tabs: Mutex::new(tabs) }
    }

    fn tabs(&self) -> MutexGuard<'_, Tabs> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The user opens a tab and shares it. Gives what the browser tells, and the page.
    pub fn share(&self, url: &str) -> (Event, PageId) {
        let mut tabs = self.tabs();
        let chrome = tabs.add(url, true, None);
        let tab = &tabs.by_chrome[&chrome];
        (Event::Tab { tab: info(chrome, tab) }, PageId { profile: self.profile, page: tab.page })
    }

    /// Pages that are there, with their addresses.
    pub fn pages(&self) -> Vec<(PageId, String)> {
        let tabs = self.tabs();
        let page = |tab: &SimTab| PageId { profile: self.profile, page: tab.page };
        tabs.by_chrome.values().map(|tab| (page(tab), tab.url.clone())).collect()
    }

    /// The user closes a tab.
    pub fn close(&self, page: PageId) -> Option<Event> {
        let mut tabs = self.tabs();
        let chrome = tabs.chrome_of(page)?;
        tabs.by_chrome.remove(&chrome);
        Some(Event::TabGone { tab: ChromeTab(chrome), unshared: false, stopped: None })
    }

    /// Chrome gives a page's tab another id, as it does when it puts the tab to sleep.
    pub fn renumber(&self, page: PageId) -> Option<Event> {
        let mut tabs = self.tabs();
        let old = tabs.chrome_of(page)?;
        let new = tabs.next_chrome;
        tabs.next_chrome += 1;
        let tab = tabs.by_chrome.remove(&old)?;
        tabs.by_chrome.insert(new, tab);
        Some(Event::TabReplaced { old: ChromeTab(old), new: ChromeTab(new) })
    }

    /// The browser ends and is opened again: the user's tabs come back as new pages, under ids that
    /// other pages had before. What agents had opened is not held any more and stays unshared.
    pub fn restart(&self, rotate: usize) {
        let mut tabs = self.tabs();
        let mut urls: Vec<_> =
            tabs.by_chrome.values().map(|tab| (tab.url.clone(), tab.shared)).collect();
        if !urls.is_empty() {
            let by = rotate % urls.len();
            urls.rotate_left(by);
        }
        tabs.by_chrome.clear();
        tabs.next_chrome = FIRST_TAB;
        for (url, shared) in urls {
            tabs.add(&url, shared, None);
        }
    }

    /// Does a verb.
    pub fn answer(&self, verb: Verb) -> Answer {
        self.answer_after(verb, Duration::ZERO)
    }

    /// Does a verb that was with the browser for so long already: a script gives its own words back
    /// with the microseconds that the browser took over it.
    pub fn answer_after(&self, verb: Verb, spent: Duration) -> Answer {
        let mut tabs = self.tabs();
        match verb {
            Verb::Tabs {} => Answer::from(Ok(tabs.list())),
            Verb::Open { url, holder } => {
                let chrome = tabs.add(&url, false, Some(holder));
                let tab = &tabs.by_chrome[&chrome];
                self.mark_of_url(tab);
                let info = info(chrome, tab);
                let mut way = way(chrome, tab);
                let after = way.split_off(1);
                let before = [Event::Tab { tab: info.clone() }].into_iter().chain(way).collect();
                Answer { before, value: Ok(value(&info)), after }
            }
            Verb::Navigate { tab, url } => match tabs.usable(tab) {
                Err(error) => Answer::from(Err(error)),
                Ok(entry) => {
                    entry.document += 1;
                    entry.url = url;
                    self.mark_of_url(entry);
                    let after = way(tab.0, entry);
                    Answer { before: vec![], value: Ok(Value::Null), after }
                }
            },
            Verb::Close { tab } => {
                let done = tabs.usable(tab).map(|_| Value::Null);
                let after = match &done {
                    Ok(_) => vec![Event::TabGone { tab, unshared: false, stopped: None }],
                    Err(_) => vec![],
                };
                if done.is_ok() {
                    tabs.by_chrome.remove(&tab.0);
                }
                Answer { before: vec![], value: done, after }
            }
            Verb::Release { tab } => {
                let done = tabs.usable(tab).map(|tab| {
                    tab.holder = None;
                    tab.shared = false;
                    Value::Null
                });
                Answer::from(done)
            }
            Verb::Hold { .. } | Verb::Activity { .. } | Verb::Knock { .. } => {
                Answer::from(Ok(Value::Null))
            }
            Verb::Page { tab, documents, call } => {
                let replies = tabs.usable(tab).map(|tab| self.page(tab, documents, &call));
                Answer::from(replies)
            }
            Verb::Cdp { tab, commands } => {
                Answer::from(tabs.usable(tab).map(|tab| self.cdp(tab, &commands)))
            }
            Verb::Press { tab, how, at, .. } => Answer::from(tabs.usable(tab).map(|tab| {
                if let Pointing::Press { .. } = how {
                    self.mark(&format!("e{}", at.x), tab);
                }
                self.cdp(tab, &[])
            })),
            Verb::Keys { tab, commands, .. } => {
                Answer::from(tabs.usable(tab).map(|tab| self.cdp(tab, &commands)))
            }
            Verb::Plan { tab, .. } => {
                Answer::from(tabs.usable(tab).map(|_| value(&Planned { asks: false })))
            }
            Verb::Attach { tab } => Answer::from(tabs.usable(tab).map(attach)),
            Verb::Evaluate { tab, expression, .. } => Answer::from(tabs.usable(tab).map(|tab| {
                self.mark(&expression, tab);
                let words = format!("{expression} {}", spent.as_micros());
                json!({"object": {"type": "string", "value": words}})
            })),
            Verb::Screenshot { tab, .. } => Answer::from(tabs.usable(tab).map(|_| picture())),
            Verb::Dialog { .. } => Answer::from(Err(refusal(Code::NoDialog, "no dialog is open"))),
            Verb::Detach { tab } | Verb::Focus { tab } => {
                Answer::from(tabs.usable(tab).map(|_| Value::Null))
            }
            _ => Answer::from(Err(refusal(Code::Internal, "the simulation has no such verb"))),
        }
    }

    fn page(&self, tab: &SimTab, documents: Option<Vec<DocumentId>>, call: &PageCall) -> Value {
        let document = document(tab);
        if documents.is_some_and(|named| !named.contains(&document)) {
            return json!([]);
        }
        if let PageCall::Fill { value, .. } = call {
            self.mark(value, tab);
        }
        let (value_, error) = match page::answer(&tab.url, call) {
            Ok(value) => (Some(value), None),
            Err(error) => (None, Some(*error)),
        };
        let (frame, parent) = (FrameId(0), FrameId(-1));
        value(&[FrameReply { frame, parent, document, value: value_, error }])
    }

    fn cdp(&self, tab: &SimTab, commands: &[CdpCommand]) -> Value {
        for command in commands {
            if command.params["type"] == "mousePressed" {
                let x = command.params["x"].as_f64().unwrap_or_default();
                self.mark(&format!("e{x}"), tab);
            }
        }
        let results = commands.iter().map(|_| json!({})).collect();
        value(&CdpReply { results, error: None, epoch: 1 })
    }

    fn mark_of_url(&self, tab: &SimTab) {
        if let Some((_, mark)) = tab.url.split_once("mark=") {
            self.mark(mark, tab);
        }
    }

    fn mark(&self, mark: &str, tab: &SimTab) {
        let Some(record) = &self.record else { return };
        let page = PageId { profile: self.profile, page: tab.page };
        let holder = tab.holder.as_ref().map(|holder| holder.session.clone());
        record.add(mark, Arrival { page, holder });
    }
}

impl Tabs {
    fn add(&mut self, url: &str, shared: bool, holder: Option<Holder>) -> i32 {
        let chrome = self.next_chrome;
        self.next_chrome += 1;
        self.next_page += 1;
        let page = self.next_page;
        let url = url.to_owned();
        let tab = SimTab { page, document: 1, url, shared, holder, attached: false };
        self.by_chrome.insert(chrome, tab);
        chrome
    }

    fn chrome_of(&self, page: PageId) -> Option<i32> {
        self.by_chrome.iter().find(|(_, tab)| tab.page == page.page).map(|(chrome, _)| *chrome)
    }

    fn usable(&mut self, tab: ChromeTab) -> Result<&mut SimTab, VerbError> {
        self.by_chrome
            .get_mut(&tab.0)
            .filter(|tab| tab.shared || tab.holder.is_some())
            .ok_or_else(|| refusal(Code::TabNotShared, "the tab is not shared"))
    }

    fn list(&self) -> Value {
        let (known, other): (Vec<_>, Vec<_>) =
            self.by_chrome.iter().partition(|(_, tab)| tab.shared || tab.holder.is_some());
        let tabs = known.into_iter().map(|(chrome, tab)| info(*chrome, tab)).collect();
        value(&TabList { tabs, unshared: other.len() as u32 })
    }
}

fn attach(tab: &mut SimTab) -> Value {
    let fresh = !std::mem::replace(&mut tab.attached, true);
    value(&Attached { epoch: 1, fresh, dom: None })
}

fn picture() -> Value {
    let data = "iVBORw0KGgo=".to_owned();
    value(&Picture { data, width: 1, height: 1, css_per_pixel: 1.0, left: 0.0, top: 0.0 })
}

fn document(tab: &SimTab) -> DocumentId {
    DocumentId(format!("P{}D{}", tab.page, tab.document))
}

fn info(chrome: i32, tab: &SimTab) -> TabInfo {
    TabInfo {
        tab: ChromeTab(chrome),
        window: 1,
        url: tab.url.clone(),
        title: format!("Page {}", tab.page),
        active: false,
        focused: false,
        loading: false,
        discarded: false,
        shared: tab.shared,
        held: tab.holder.is_some(),
        incognito: false,
    }
}

/// A navigation from its start to the load event.
fn way(chrome: i32, tab: &SimTab) -> Vec<Event> {
    let step = |phase, document| Event::Navigation {
        tab: ChromeTab(chrome),
        frame: FrameId(0),
        document,
        url: tab.url.clone(),
        phase,
        error: None,
        at: None,
    };
    let here = Some(document(tab));
    vec![
        step(Phase::Started, None),
        step(Phase::Committed, here.clone()),
        step(Phase::Ready, here.clone()),
        step(Phase::Complete, here),
    ]
}

fn refusal(code: Code, message: &str) -> VerbError {
    VerbError { code, message: message.to_owned(), ask: None }
}

fn value(of: &impl serde::Serialize) -> Value {
    serde_json::to_value(of).expect("plain data")
}
