//! What the browser tells: targets, navigations, dialogs, downloads; the rest goes on to the engine,
//! reduced. Never waits for anything; what takes time has a task of its own.

use crate::book::{Asked, Book, Child, Downloading, Tab};
use crate::connection::CdpEvent;
use crate::link::CdpLink;
use crate::navigation;
use crate::reduce::reduce;
use crate::verbs;
use pillion_wire::id::{ChromeTab, FrameId};
use pillion_wire::limits::cdp::DOWNLOADS_KEPT;
use pillion_wire::trying::DownloadNow;
use pillion_wire::verb::Event;
use serde_json::{Value, json};
use std::sync::Arc;

/// Messages of a console: never followed, only replayed for who reads it.
const CONSOLE: [&str; 2] = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown"];

impl CdpLink {
    /// One event.
    pub(crate) fn happened(self: &Arc<Self>, event: CdpEvent) {
        let CdpEvent { session, method, params } = event;
        match (method.as_str(), &session) {
            ("Target.targetCreated" | "Target.targetInfoChanged", None) => {
                self.target_seen(&params["targetInfo"]);
            }
            ("Target.targetDestroyed", None) => self.target_gone(text(&params["targetId"])),
            ("Target.targetCrashed", None) => self.crashed(text(&params["targetId"])),
            ("Target.attachedToTarget", _) => self.attached(session.as_deref(), &params),
            ("Target.detachedFromTarget", _) => self.detached(text(&params["sessionId"])),
            ("Browser.downloadWillBegin", None) => self.download_begun(&params),
            ("Browser.downloadProgress", None) => self.download_further(&params),
            (_, Some(session)) => self.in_tab(session, &method, params),
            _ => {}
        }
    }

    fn target_seen(&self, info: &Value) {
        if info["type"] != "page" {
            return;
        }
        let (told, opened) = {
            let mut book = self.book();
            let opener = info["openerId"].as_str().map(str::to_owned);
            let source = opener
                .as_deref()
                .and_then(|opener| book.find(opener))
                .filter(|source| source.own && !source.released)
                .map(|source| (source.chrome, source.holder.clone()));
            let front = book.front;
            let is_new = book.find(text(&info["targetId"])).is_none();
            let is_ours = is_new
                && opener.is_none()
                && book.opening.iter().any(|url| same(url, text(&info["url"])));
            let tab = book.tab_of(text(&info["targetId"]));
            text(&info["title"]).clone_into(&mut tab.title);
            if tab.attachment.frames.is_empty() || tab.attachment.going.is_none() {
                text(&info["url"]).clone_into(&mut tab.url);
            }
            tab.opener = opener;
            tab.own |= is_ours;
            tab.begins |= is_ours;
            let opened = match source {
                Some((source, holder)) if is_new => {
                    (tab.own, tab.holder) = (true, holder);
                    Some((source, tab.info(front)))
                }
                _ => None,
            };
            (changed(tab, front), opened)
        };
        if let Some((source, tab)) = opened {
            self.tell(Event::OpenedBy { source, tab });
        }
        told.into_iter().for_each(|event| self.tell(event));
    }

    fn target_gone(&self, target: &str) {
        let gone = self.book().forget(target);
        let Some(tab) = gone else { return };
        if let Some(session) = &tab.session {
            self.connection.session_ended(session);
        }
        if tab.told.is_some() {
            self.tell(Event::TabGone { tab: tab.chrome, unshared: false, stopped: None });
        }
    }

    fn crashed(&self, target: &str) {
        let tab = self.book().find(target).map(|tab| tab.chrome);
        let Some(tab) = tab else { return };
        let method = "Inspector.targetCrashed".to_owned();
        self.tell(Event::Cdp { tab, session: None, method, params: json!({}) });
    }

    fn attached(self: &Arc<Self>, within: Option<&str>, params: &Value) {
        let session = text(&params["sessionId"]).to_owned();
        let target = text(&params["targetInfo"]["targetId"]).to_owned();
        match within {
            None => {
                let (tab, eager) = {
                    let mut book = self.book();
                    let waits = params["waitingForDebugger"] == true && !book.opening.is_empty();
                    let tab = book.tab_of(&target);
                    // One session a tab: a second one would tell everything twice.
                    tab.session.get_or_insert_with(|| session.clone());
                    tab.attachment.epoch += 1;
                    let (chrome, eager) = (tab.chrome, (tab.own || waits) && !tab.released);
                    book.by_session.insert(session.clone(), chrome);
                    (chrome, eager)
                };
                self.spawn(|link| async move {
                    if !eager {
                        link.let_go(&session).await;
                    } else if let Err(error) = link.attach(tab).await {
                        tracing::debug!(%error, "a new tab was not attached");
                    }
                });
            }
            Some(parent) => {
                let url = text(&params["targetInfo"]["url"]).to_owned();
                let tab = {
                    let mut book = self.book();
                    let Some(tab) = book.of_session(parent) else { return };
                    let chrome = tab.chrome;
                    let child = Child { target: target.clone(), url: url.clone() };
                    tab.attachment.children.insert(session.clone(), child);
                    book.by_session.insert(session.clone(), chrome);
                    let parent = params["targetInfo"]["parentFrameId"].as_str();
                    let frame = json!({"id": target, "parentId": parent, "url": url});
                    // What another process showed in it is over: the tree tells what is there now.
                    book.see_frame(&session, &frame, true);
                    chrome
                };
                self.spawn(move |link| async move { link.prepare_child(tab, &session).await });
            }
        }
    }

    fn detached(&self, session: &str) {
        self.connection.session_ended(session);
        let event = {
            let mut book = self.book();
            let Some(tab) = book.of_session(session) else { return };
            let chrome = tab.chrome;
            let event = if tab.session.as_deref() == Some(session) {
                tab.detached();
                Event::Detached { tab: chrome, reason: "target_closed".to_owned() }
            } else {
                tab.attachment.children.remove(session);
                tab.attachment.frames.retain(|_, frame| frame.session != session);
                let method = "Target.detachedFromTarget".to_owned();
                let params = json!({"sessionId": session});
                Event::Cdp { tab: chrome, session: None, method, params }
            };
            book.by_session.remove(session);
            event
        };
        self.tell(event);
    }

    /// An event of a tab or one of its child frames.
    fn in_tab(self: &Arc<Self>, session: &str, method: &str, params: Value) {
        let (chrome, events) = {
            let mut book = self.book();
            let Some(tab) = book.of_session(session) else { return };
            let (chrome, is_child) = (tab.chrome, tab.session.as_deref() != Some(session));
            let mut taken = false;
            for listener in &tab.attachment.listeners {
                if listener.session == session && listener.methods.contains(&method) {
                    listener.heard.add(method, params.clone(), listener.most);
                    taken = true;
                }
            }
            // Every session of a tab tells of its dialogs; the tab's own is the one that counts.
            let is_dialog = method.starts_with("Page.javascriptDialog");
            if taken || is_child && is_dialog {
                return;
            }
            let events = tab_event(&mut book, chrome, session, method, &params);
            (chrome, events)
        };
        events.into_iter().for_each(|event| self.tell(event));
        self.follow_up(chrome, session, method, params);
    }

    /// What an event makes us do.
    fn follow_up(self: &Arc<Self>, tab: ChromeTab, session: &str, method: &str, params: Value) {
        let session = session.to_owned();
        match method {
            "Page.screencastFrame" => self.spawn(move |link| async move {
                let params = json!({"sessionId": params["sessionId"]});
                // Unanswered frames stop the cast. The tab may be gone by now.
                link.post(&session, [("Page.screencastFrameAck", params)]).await.ok();
            }),
            "Page.domContentEventFired" | "Page.loadEventFired" => {
                self.spawn(move |link| async move { verbs::tabs::look_at_title(&link, tab).await });
            }
            "Page.frameNavigated"
                if self.with(tab, |tab| tab.attachment.mocks.is_some()).unwrap_or(false) =>
            {
                self.spawn(move |link| async move {
                    // A page that is gone asks for nothing.
                    verbs::arm(&link, tab).await.ok();
                });
            }
            "Network.loadingFinished" => {
                let request = text(&params["requestId"]).to_owned();
                let keeps = |tab: &mut Tab| {
                    let talks = |asked: &Asked| asked.talks && verbs::may_read(asked);
                    tab.attachment.capture
                        && tab.attachment.requests.get(&request).is_some_and(talks)
                };
                if self.with(tab, keeps).unwrap_or(false) {
                    self.spawn(move |link| async move {
                        verbs::keep_body(&link, tab, &session, &request).await;
                    });
                }
            }
            "Fetch.requestPaused" => self.spawn(move |link| async move {
                verbs::paused(&link, tab, &session, &params).await;
            }),
            _ => {}
        }
    }

    fn download_begun(&self, params: &Value) {
        let event = {
            let mut book = self.book();
            book.next_download += 1;
            let id = book.next_download;
            let frame = text(&params["frameId"]);
            let Some(tab) =
                book.tabs.values_mut().find(|tab| tab.attachment.frames.contains_key(frame))
            else {
                return;
            };
            if tab.downloads.len() >= DOWNLOADS_KEPT {
                tab.downloads.remove(0);
            }
            let now = DownloadNow {
                id,
                url: text(&params["url"]).to_owned(),
                path: text(&params["suggestedFilename"]).to_owned(),
                received: 0.0,
                total: -1.0,
                state: "in_progress".to_owned(),
                error: String::new(),
                missing: false,
            };
            tab.downloads.push(Downloading { guid: text(&params["guid"]).to_owned(), now });
            told_download(tab, id)
        };
        event.into_iter().for_each(|event| self.tell(event));
    }

    fn download_further(&self, params: &Value) {
        let event = {
            let mut book = self.book();
            let guid = text(&params["guid"]);
            let found = book.tabs.values_mut().find_map(|tab| {
                let at = tab.downloads.iter().position(|one| one.guid == guid)?;
                Some((tab, at))
            });
            let Some((tab, at)) = found else { return };
            let Some(Downloading { now: one, .. }) = tab.downloads.get_mut(at) else { return };
            one.received = params["receivedBytes"].as_f64().unwrap_or(0.0);
            // Chrome says 0 as long as it does not know.
            one.total = params["totalBytes"].as_f64().filter(|total| *total > 0.0).unwrap_or(-1.0);
            if let Some(path) = params["filePath"].as_str() {
                path.clone_into(&mut one.path);
            }
            one.state = match text(&params["state"]) {
                "inProgress" => "in_progress",
                "completed" => "complete",
                _ => "interrupted",
            }
            .to_owned();
            if one.state == "complete" && one.total < 0.0 {
                one.total = one.received;
            }
            let id = one.id;
            told_download(tab, id)
        };
        event.into_iter().for_each(|event| self.tell(event));
    }
}

fn told_download(tab: &Tab, id: u32) -> Option<Event> {
    let one = &tab.downloads.iter().find(|one| one.now.id == id)?.now;
    Some(Event::Download {
        tab: Some(tab.chrome),
        id,
        url: one.url.clone(),
        path: one.path.clone(),
        received: one.received,
        total: one.total,
        state: one.state.clone(),
    })
}

/// What an event changes in the book, and what is told of it.
fn tab_event(
    book: &mut Book,
    chrome: ChromeTab,
    session: &str,
    method: &str,
    params: &Value,
) -> Vec<Event> {
    let front = book.front;
    if method == "Page.frameNavigated" {
        book.see_frame(session, &params["frame"], true);
    } else if method == "Page.frameAttached" {
        let frame = json!({"id": params["frameId"], "parentId": params["parentFrameId"]});
        book.see_frame(session, &frame, false);
    }
    let Some(tab) = book.tabs.get_mut(&chrome) else { return vec![] };
    let is_top = params["frameId"].as_str() == Some(&tab.target);
    let mut events: Vec<Event> = vec![];
    match method {
        "Page.frameNavigated" => {
            let frame = &params["frame"];
            if frame["id"].as_str() == Some(&tab.target) {
                events.extend(navigation::committed(tab, frame));
            } else if let Some(child) = tab.attachment.children.get_mut(session)
                && frame["id"].as_str() == Some(&child.target)
            {
                text(&frame["url"]).clone_into(&mut child.url);
            }
        }
        "Page.frameDetached" if params["reason"] != "swap" => {
            tab.attachment.frames.remove(text(&params["frameId"]));
        }
        "Page.frameStartedNavigating" if is_top => {
            let (loader, url) = (text(&params["loaderId"]), text(&params["url"]));
            events.extend(navigation::started(tab, loader, url, text(&params["navigationType"])));
        }
        "Page.frameStoppedLoading" if is_top => events.extend(navigation::stopped(tab)),
        "Page.lifecycleEvent" if is_top => {
            let (loader, name) = (text(&params["loaderId"]), text(&params["name"]));
            events.extend(navigation::further(tab, loader, name));
        }
        "Page.navigatedWithinDocument" => {
            let url = text(&params["url"]);
            if let Some(frame) = tab.attachment.frames.get_mut(text(&params["frameId"])) {
                url.clone_into(&mut frame.url);
            }
            if is_top {
                events.push(navigation::within(tab, url));
            }
        }
        "Page.javascriptDialogOpening" => {
            tab.attachment.dialog = Some(text(&params["type"]).to_owned());
        }
        "Page.javascriptDialogClosed" => tab.attachment.dialog = None,
        _ if method.starts_with("Network.") => network(tab, method, params, &mut events),
        _ => {}
    }
    let is_silent = CONSOLE.contains(&method) && !tab.attachment.runtime;
    if !is_silent && let Some(params) = reduce(method, params) {
        let child = (tab.session.as_deref() != Some(session)).then(|| session.to_owned());
        events.push(Event::Cdp { tab: chrome, session: child, method: method.to_owned(), params });
    }
    if method == "Page.javascriptDialogOpening" {
        // After it was told: who waits for the page looks for the dialog.
        tab.attachment.dialogs.send_modify(|count| *count += 1);
    }
    events.extend(changed(tab, front));
    events
}

fn network(tab: &mut Tab, method: &str, params: &Value, events: &mut Vec<Event>) {
    let request = text(&params["requestId"]);
    let is_top_document = params["type"] == "Document"
        && params["loaderId"] == params["requestId"]
        && params["frameId"].as_str() == Some(&tab.target);
    match method {
        "Network.requestWillBeSent" => {
            let asked = Asked {
                url: text(&params["request"]["url"]).to_owned(),
                page: text(&params["documentURL"]).to_owned(),
                document: params["type"] == "Document",
                talks: matches!(text(&params["type"]), "Document" | "XHR" | "Fetch"),
            };
            if is_top_document {
                events.extend(navigation::started(tab, request, &asked.url, "differentDocument"));
            }
            tab.attachment.requests.add(request, asked);
        }
        "Network.responseReceived" => {
            let response = &params["response"];
            if tab.attachment.requests.get(request).is_none() {
                events.push(missed_request(tab, params));
            }
            if is_top_document && let Some(status) = response["status"].as_u64() {
                let url = text(&response["url"]).to_owned();
                events.push(Event::Status { tab: tab.chrome, url, status: status as u32 });
            }
        }
        "Network.loadingFailed" => {
            let error = text(&params["errorText"]);
            events.extend(navigation::request_failed(tab, request, error));
        }
        _ => {}
    }
}

/// The first request of a new tab may be on its way before its domain is on: the answer tells enough.
fn missed_request(tab: &mut Tab, params: &Value) -> Event {
    let url = text(&params["response"]["url"]).to_owned();
    let document = params["type"] == "Document";
    let asked = Asked { page: url.clone(), url: url.clone(), document, talks: document };
    tab.attachment.requests.add(text(&params["requestId"]), asked);
    let told = json!({
        "requestId": params["requestId"], "loaderId": params["loaderId"], "type": params["type"],
        "frameId": params["frameId"], "timestamp": params["timestamp"],
        "request": {"method": "GET", "url": url}, "initiator": {"type": "other"},
    });
    let params = reduce("Network.requestWillBeSent", &told).unwrap_or_default();
    let method = "Network.requestWillBeSent".to_owned();
    Event::Cdp { tab: tab.chrome, session: None, method, params }
}

/// The tab as it is now, when that is news.
pub(crate) fn changed(tab: &mut Tab, front: Option<ChromeTab>) -> Option<Event> {
    if !tab.is_listed() {
        let was = tab.told.take()?;
        return Some(Event::TabGone { tab: was.tab, unshared: true, stopped: None });
    }
    let info = tab.info(front);
    if tab.told.as_ref() == Some(&info) {
        return None;
    }
    tab.told = Some(info.clone());
    Some(Event::Tab { tab: info })
}

/// Chrome tells of addresses in its own spelling.
fn same(wished: &str, told: &str) -> bool {
    let spelled =
        |url: &str| url::Url::parse(url).map_or_else(|_| url.to_owned(), |u| u.to_string());
    wished == told || spelled(wished) == spelled(told)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The number of a frame, −1 for one that is not known.
pub(crate) fn number_of(tab: &Tab, frame: Option<&String>) -> FrameId {
    frame.and_then(|id| tab.attachment.frames.get(id)).map_or(FrameId(-1), |frame| frame.number)
}
