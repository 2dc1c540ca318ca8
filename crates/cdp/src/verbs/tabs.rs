//! Verbs about tabs as such: list, open, navigate, history, close, focus, hold, release. None of them
//! brings anything to the front but `focus`.

use crate::events::changed;
use crate::fault::{Outcome, fault};
use crate::link::CdpLink;
use crate::{navigation, undo, urls};
use pillion_wire::code::Code;
use pillion_wire::id::ChromeTab;
use pillion_wire::limits::VERB;
use pillion_wire::limits::cdp::{CLOSE, COMMAND};
use pillion_wire::trying::DownloadNow;
use pillion_wire::verb::{Event, Held, Holder, TabInfo, TabList};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Tabs that agents may know of, and how many others there are.
pub(super) async fn list(link: &CdpLink) -> Outcome<TabList> {
    // After its answer every target was told; titles are told by nothing else.
    let told = link.root("Target.getTargets", json!({})).await?;
    let mut book = link.book();
    for info in told["targetInfos"].as_array().into_iter().flatten() {
        let of = |tab: &&mut crate::book::Tab| info["targetId"].as_str() == Some(&tab.target);
        if let (Some(tab), Some(title)) = (book.tabs.values_mut().find(of), info["title"].as_str())
        {
            title.clone_into(&mut tab.title);
        }
    }
    let front = book.front;
    let mut reply = TabList { tabs: vec![], unshared: 0 };
    for tab in book.tabs.values_mut() {
        if tab.is_listed() {
            let info = tab.info(front);
            tab.told = Some(info.clone());
            reply.tabs.push(info);
        } else {
            reply.unshared += 1;
        }
    }
    Ok(reply)
}

/// Where a new tab begins.
const EMPTY: &str = "about:blank";

/// Says that a tab of that address is being opened, until it is.
struct Opening<'a> {
    link: &'a CdpLink,
    url: &'a str,
}

impl<'a> Opening<'a> {
    fn begin(link: &'a CdpLink, url: &'a str) -> Self {
        link.book().opening.push(url.to_owned());
        Self { link, url }
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        let mut book = self.link.book();
        if let Some(at) = book.opening.iter().position(|url| url == self.url) {
            book.opening.remove(at);
        }
    }
}

/// A new tab in the background, held from birth. It begins with an empty page, so that the debugger is
/// there before the first request.
pub(super) async fn open(link: &CdpLink, url: String, holder: Holder) -> Outcome<TabInfo> {
    let opening = Opening::begin(link, EMPTY);
    let params = json!({"url": EMPTY, "background": true});
    let made = match link.root("Target.createTarget", params).await {
        Ok(made) => made,
        // Without a window there is no background.
        Err(_) => {
            let params = json!({"url": EMPTY, "newWindow": true});
            link.root("Target.createTarget", params).await?
        }
    };
    let target = made["targetId"].as_str().unwrap_or_default();
    let tab = {
        let mut book = link.book();
        let tab = book.tab_of(target);
        (tab.own, tab.begins, tab.holder) = (true, true, Some(holder));
        tab.chrome
    };
    drop(opening);
    link.attach(tab).await?;
    let session = session_of(link, tab)?;
    link.with(tab, |tab| {
        tab.begins = false;
        tab.url.clone_from(&url);
    })?;
    go(link, tab, session, "Page.navigate", json!({"url": url})).await?;
    let mut book = link.book();
    let front = book.front;
    let tab = book.tabs.get_mut(&tab);
    let tab = tab.ok_or_else(|| fault(Code::TabNotFound, "the new tab was closed at once"))?;
    let info = tab.info(front);
    tab.told = Some(info.clone());
    Ok(info)
}

/// Sends a tab somewhere; resolves as soon as Chrome took it.
pub(super) async fn navigate(link: &CdpLink, tab: ChromeTab, url: &str) -> Outcome<()> {
    link.attach(tab).await?;
    let session = session_of(link, tab)?;
    // Answered when the page commits or fails, both of which events tell: not waited for.
    go(link, tab, session, "Page.navigate", json!({"url": url})).await
}

/// Sends a command that is answered only when the page has gone there.
async fn go(
    link: &CdpLink,
    tab: ChromeTab,
    session: String,
    method: &'static str,
    params: Value,
) -> Outcome<()> {
    link.spawn(move |link| async move {
        let answer = link.connection.send(Some(&session), method, params, VERB).await;
        let error = answer.ok().and_then(|answer| answer["errorText"].as_str().map(str::to_owned));
        let Some(error) = error else { return };
        // Some failures have neither a request nor a page of their own.
        let event = link.with(tab, |tab| {
            let going = tab.attachment.going.as_mut()?;
            going.error.get_or_insert(error);
            matches!(going.error.as_deref(), Some("net::ERR_ABORTED"))
                .then(|| navigation::given_up(tab))
                .flatten()
        });
        if let Ok(Some(event)) = event {
            link.tell(event);
        }
    });
    Ok(())
}

/// Back, forward, or reload.
pub(super) async fn history(link: &CdpLink, tab: ChromeTab, delta: i32) -> Outcome<()> {
    link.attach(tab).await?;
    let session = session_of(link, tab)?;
    if delta == 0 {
        return go(link, tab, session, "Page.reload", json!({})).await;
    }
    let past = link.command(tab, &session, "Page.getNavigationHistory", json!({})).await?;
    let at = past["currentIndex"].as_i64().unwrap_or(0) + i64::from(delta);
    let entry = usize::try_from(at).ok().and_then(|at| past["entries"].get(at));
    let Some(entry) = entry else {
        return Err(fault(Code::NoHistoryEntry, "there is no page in that direction"));
    };
    if !urls::may_open(entry["url"].as_str().unwrap_or_default()) {
        let words = "the page in that direction is not an http or https page";
        return Err(fault(Code::UrlNotAllowed, words));
    }
    go(link, tab, session, "Page.navigateToHistoryEntry", json!({"entryId": entry["id"]})).await
}

/// Whether a command may go to that entry of the tab's history.
pub(super) async fn may_go_to(link: &CdpLink, tab: ChromeTab, entry: &Value) -> Outcome<bool> {
    let session = session_of(link, tab)?;
    let past = link.command(tab, &session, "Page.getNavigationHistory", json!({})).await?;
    let entries = past["entries"].as_array().cloned().unwrap_or_default();
    let found = entries.iter().find(|candidate| candidate["id"] == *entry);
    Ok(found.is_some_and(|found| urls::may_open(found["url"].as_str().unwrap_or_default())))
}

/// Closes a tab; a beforeunload dialog may keep it open.
pub(super) async fn close(link: &CdpLink, tab: ChromeTab) -> Outcome<()> {
    let (session, target) = link.with(tab, |tab| (tab.session.clone(), tab.target.clone()))?;
    let closing = async {
        match &session {
            // Only this one asks the page.
            Some(session) => {
                let close = ("Page.close", json!({}));
                for sent in link.post(session, [close]).await? {
                    sent.within(COMMAND).await?;
                }
            }
            None => {
                link.root("Target.closeTarget", json!({"targetId": target})).await?;
            }
        }
        Outcome::Ok(())
    };
    // A dialog holds the answer up, and that one is told by its event.
    tokio::time::timeout(CLOSE, closing).await.ok();
    Ok(())
}

/// Asks for the tab's title, and tells of one that changed.
pub(crate) async fn look_at_title(link: &CdpLink, tab: ChromeTab) {
    let Ok(target) = link.with(tab, |tab| tab.target.clone()) else { return };
    // A tab that is gone has none.
    let told = link.root("Target.getTargetInfo", json!({"targetId": target})).await;
    let title = told.ok().and_then(|told| told["targetInfo"]["title"].as_str().map(str::to_owned));
    let event = {
        let mut book = link.book();
        let front = book.front;
        let (Some(tab), Some(title)) = (book.tabs.get_mut(&tab), title) else { return };
        tab.title = title;
        changed(tab, front)
    };
    event.into_iter().for_each(|event| link.tell(event));
}

/// Brings a tab and its window to the front.
pub(super) async fn focus(link: &CdpLink, tab: ChromeTab) -> Outcome<()> {
    let target = link.with(tab, |tab| tab.target.clone())?;
    link.root("Target.activateTarget", json!({"targetId": target})).await?;
    let events: Vec<Event> = {
        let mut book = link.book();
        let before = book.front.replace(tab);
        let front = book.front;
        let both = [before, front].into_iter().flatten();
        both.filter_map(|tab| changed(book.tabs.get_mut(&tab)?, front)).collect()
    };
    events.into_iter().for_each(|event| link.tell(event));
    Ok(())
}

/// Gives a tab back to the user: nobody's, and no agent's to know of any more.
pub(super) async fn release(link: &CdpLink, tab: ChromeTab) -> Outcome<()> {
    undo::give_back(link, tab).await;
    let event = {
        let mut book = link.book();
        let front = book.front;
        let tab = book.tabs.get_mut(&tab).ok_or_else(crate::link::tab_gone)?;
        (tab.own, tab.holder, tab.released) = (false, None, true);
        changed(tab, front)
    };
    event.into_iter().for_each(|event| link.tell(event));
    detach(link, tab).await
}

/// The debugger leaves the tab, unless a dialog is open.
pub(super) async fn detach(link: &CdpLink, tab: ChromeTab) -> Outcome<()> {
    let session =
        link.with(tab, |tab| tab.session.clone().filter(|_| tab.attachment.dialog.is_none()))?;
    let Some(session) = session else { return Ok(()) };
    let params = json!({"sessionId": session});
    // It was detached already.
    link.root("Target.detachFromTarget", params).await.ok();
    Ok(())
}

/// The whole truth about numbers and holders.
pub(super) fn hold(link: &CdpLink, held: Vec<Held>) -> Outcome<()> {
    let mut holders: HashMap<ChromeTab, Option<Holder>> =
        held.into_iter().map(|held| (held.tab, held.holder)).collect();
    let mut free = Vec::new();
    for tab in link.book().tabs.values_mut() {
        let holder = holders.remove(&tab.chrome).flatten();
        let session = |holder: &Option<Holder>| holder.as_ref().map(|one| one.session.clone());
        // Whoever tried something there has the tab no more.
        if tab.holder.is_some() && session(&tab.holder) != session(&holder) {
            free.push(tab.chrome);
        }
        tab.holder = holder;
    }
    for tab in free {
        link.spawn(move |link| async move { undo::give_back(&link, tab).await });
    }
    Ok(())
}

/// Downloads of a tab, the oldest first.
pub(super) fn downloads(link: &CdpLink, tab: ChromeTab) -> Outcome<Vec<DownloadNow>> {
    link.with(tab, |tab| tab.downloads.iter().map(|one| one.now.clone()).collect())
}

/// The tab's own session.
pub(super) fn session_of(link: &CdpLink, tab: ChromeTab) -> Outcome<String> {
    link.with(tab, |tab| tab.session.clone())?
        .ok_or_else(|| fault(Code::DebuggerUnavailable, "the debugger was detached from the tab"))
}
