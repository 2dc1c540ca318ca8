//! How far a tab's top document is, from the events that tell of it. Pure: changes the tab and gives
//! what is to be told.

use crate::book::{Going, Tab};
use pillion_wire::id::{DocumentId, FrameId};
use pillion_wire::verb::{Event, Phase};
use serde_json::Value;

/// Steps that are remembered of documents that are not known yet.
const EARLY_MOST: usize = 32;

fn told(
    tab: &Tab,
    document: Option<&str>,
    url: &str,
    phase: Phase,
    error: Option<String>,
) -> Event {
    Event::Navigation {
        tab: tab.chrome,
        frame: FrameId(0),
        document: document.map(DocumentId::from),
        url: url.to_owned(),
        phase,
        error,
        at: None,
    }
}

/// `Page.frameStartedNavigating`, or the first request of a document where Chrome does not tell that.
pub(crate) fn started(tab: &mut Tab, loader: &str, url: &str, kind: &str) -> Option<Event> {
    let is_known = tab.attachment.going.as_ref().is_some_and(|going| going.loader == loader);
    let is_here = tab.top().is_some_and(|top| top.loader == loader && !loader.is_empty());
    if matches!(kind, "sameDocument" | "historySameDocument") || is_known || is_here {
        return None;
    }
    let (loader, url) = (loader.to_owned(), url.to_owned());
    let event = told(tab, None, &url, Phase::Started, None);
    tab.attachment.going = Some(Going { loader, url, error: None });
    tab.attachment.loading = true;
    Some(event)
}

/// `Page.frameNavigated` of the top frame. A start that nobody told (the debugger was just coming, or
/// Chrome restored the page) is told with it.
pub(crate) fn committed(tab: &mut Tab, frame: &Value) -> Vec<Event> {
    let text = |key: &str| frame[key].as_str().unwrap_or_default();
    let going = tab.attachment.going.take();
    let url = format!("{}{}", text("url"), text("urlFragment"));
    let began = going.is_none().then(|| {
        let url = frame["unreachableUrl"].as_str().filter(|url| !url.is_empty()).unwrap_or(&url);
        told(tab, None, url, Phase::Started, None)
    });
    let ended = landed(tab, frame, going, url);
    began.into_iter().chain([ended]).collect()
}

fn landed(tab: &mut Tab, frame: &Value, going: Option<Going>, url: String) -> Event {
    let text = |key: &str| frame[key].as_str().unwrap_or_default();
    if let Some(failed) = frame["unreachableUrl"].as_str().filter(|url| !url.is_empty()) {
        let error = going.and_then(|going| going.error);
        tab.url = failed.to_owned();
        let error = error.unwrap_or_else(|| "net::ERR_FAILED".to_owned());
        return told(tab, None, failed, Phase::Failed, Some(error));
    }
    tab.url.clone_from(&url);
    tab.attachment.loading = true;
    text("loaderId").clone_into(&mut tab.attachment.told);
    tab.attachment.early.retain(|(loader, _)| loader == text("loaderId"));
    told(tab, Some(text("loaderId")), &url, Phase::Committed, None)
}

/// `Network.loadingFailed`. A page that cannot be shown is told when Chrome shows why.
pub(crate) fn request_failed(tab: &mut Tab, request: &str, error: &str) -> Option<Event> {
    let going = tab.attachment.going.as_mut().filter(|going| going.loader == request)?;
    going.error = Some(error.to_owned());
    (error == "net::ERR_ABORTED").then(|| given_up(tab)).flatten()
}

/// `Page.frameStoppedLoading`: what has not committed by now will not. A 204, a download.
pub(crate) fn stopped(tab: &mut Tab) -> Option<Event> {
    tab.attachment.loading = false;
    // An error page is still to come.
    let failed = tab.attachment.going.as_ref()?.error.as_deref();
    matches!(failed, None | Some("net::ERR_ABORTED")).then(|| given_up(tab)).flatten()
}

/// The navigation that was under way is none any more.
pub(crate) fn given_up(tab: &mut Tab) -> Option<Event> {
    let going = tab.attachment.going.take()?;
    tab.attachment.loading = false;
    let error = going.error.unwrap_or_else(|| "net::ERR_ABORTED".to_owned());
    Some(told(tab, None, &going.url, Phase::Failed, Some(error)))
}

/// `Page.lifecycleEvent`.
pub(crate) fn further(tab: &mut Tab, loader: &str, name: &str) -> Option<Event> {
    let phase = match name {
        "DOMContentLoaded" => Phase::Ready,
        "load" => Phase::Complete,
        _ => return None,
    };
    if tab.top().is_none_or(|top| top.loader != loader) {
        let early = &mut tab.attachment.early;
        if early.len() < EARLY_MOST {
            early.push((loader.to_owned(), name.to_owned()));
        }
        return None;
    }
    let top = tab.top().filter(|top| !top.is_error && !tab.begins)?;
    let event = told(tab, Some(&top.loader), &tab.url, phase, None);
    if phase == Phase::Complete {
        tab.attachment.loading = false;
    }
    Some(event)
}

/// The debugger came to a document that is there already: what it missed is told after all.
pub(crate) fn caught_up(tab: &mut Tab, frame: &Value) -> Vec<Event> {
    let loader = frame["loaderId"].as_str().unwrap_or_default();
    let is_here = tab.top().is_some_and(|top| top.loader == loader && !top.url.is_empty());
    if !is_here || tab.begins || tab.attachment.told == loader {
        return vec![];
    }
    let mut events = committed(tab, frame);
    for (of, name) in std::mem::take(&mut tab.attachment.early) {
        events.extend((of == loader).then(|| further(tab, &of, &name)).flatten());
    }
    events
}

/// `Page.navigatedWithinDocument` of the top frame.
pub(crate) fn within(tab: &mut Tab, url: &str) -> Event {
    url.clone_into(&mut tab.url);
    let document = tab.top().map(|top| top.loader.clone());
    told(tab, document.as_deref(), url, Phase::SameDocument, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Book;
    use serde_json::json;

    fn phase(event: Option<Event>) -> Option<(Phase, Option<String>)> {
        match event? {
            Event::Navigation { phase, error, .. } => Some((phase, error)),
            _ => None,
        }
    }

    fn with_tab(check: impl FnOnce(&mut Book)) {
        let mut book = Book::default();
        let tab = book.tab_of("T");
        tab.session = Some("S".into());
        let chrome = tab.chrome;
        book.by_session.insert("S".into(), chrome);
        check(&mut book);
    }

    #[test]
    fn a_page_comes_in_four_steps_and_each_is_told_once() {
        with_tab(|book| {
            let frame = json!({"id": "T", "loaderId": "L", "url": "http://a.example/", "urlFragment": "#x"});
            let tab = book.tab_of("T");
            let begun = started(tab, "L", "http://a.example/#x", "differentDocument");
            assert_eq!(phase(begun), Some((Phase::Started, None)));
            assert_eq!(started(tab, "L", "http://a.example/#x", "differentDocument"), None);
            let event = committed(tab, &frame).pop();
            assert_eq!(phase(event), Some((Phase::Committed, None)));
            assert_eq!(tab.url, "http://a.example/#x");
            book.see_frame("S", &frame, true);
            let tab = book.tab_of("T");
            assert_eq!(further(tab, "old", "load"), None);
            assert_eq!(phase(further(tab, "L", "DOMContentLoaded")), Some((Phase::Ready, None)));
            assert_eq!(phase(further(tab, "L", "load")), Some((Phase::Complete, None)));
            assert_eq!(stopped(tab), None);
        });
    }

    #[test]
    fn a_204_fails_at_once_and_an_unreachable_page_with_its_reason() {
        with_tab(|book| {
            let tab = book.tab_of("T");
            started(tab, "L", "http://a.example/204", "differentDocument");
            let failed = request_failed(tab, "L", "net::ERR_ABORTED");
            assert_eq!(phase(failed), Some((Phase::Failed, Some("net::ERR_ABORTED".into()))));
            assert_eq!(stopped(tab), None);
            started(tab, "M", "http://b.example/", "differentDocument");
            assert_eq!(request_failed(tab, "M", "net::ERR_CONNECTION_REFUSED"), None);
            assert_eq!(stopped(tab), None);
            let page = json!({"id": "T", "loaderId": "M", "url": "chrome-error://chromewebdata/",
                "unreachableUrl": "http://b.example/"});
            let event = committed(tab, &page).pop();
            let error = Some("net::ERR_CONNECTION_REFUSED".into());
            assert_eq!(phase(event), Some((Phase::Failed, error)));
        });
    }

    #[test]
    fn a_document_that_was_faster_than_the_debugger_is_told_as_a_whole() {
        with_tab(|book| {
            let frame = json!({"id": "T", "loaderId": "L", "url": "http://a.example/"});
            assert_eq!(further(book.tab_of("T"), "L", "DOMContentLoaded"), None);
            book.see_frame("S", &frame, false);
            let phases: Vec<_> = caught_up(book.tab_of("T"), &frame)
                .into_iter()
                .filter_map(|event| Some(phase(Some(event))?.0))
                .collect();
            assert_eq!(phases, [Phase::Started, Phase::Committed, Phase::Ready]);
            assert!(caught_up(book.tab_of("T"), &frame).is_empty());
        });
    }

    #[test]
    fn steps_inside_a_document_begin_nothing() {
        with_tab(|book| {
            let tab = book.tab_of("T");
            assert_eq!(started(tab, "L", "http://a.example/#y", "sameDocument"), None);
            assert_eq!(started(tab, "L", "http://a.example/#y", "historySameDocument"), None);
            assert!(started(tab, "L", "http://a.example/z", "historyDifferentDocument").is_some());
        });
    }
}
