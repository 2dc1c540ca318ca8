//! One load of the top document: when what could be seen.

use super::Event;

/// One navigation as the trace saw it.
pub(super) struct Navigation<'a> {
    pub(super) at: f64,
    frame: &'a str,
    id: &'a str,
}

/// See the module. Milliseconds after the navigation's beginning; absent is what did not happen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Load {
    /// First byte of the document's answer.
    pub ttfb: Option<f64>,
    /// First contentful paint.
    pub fcp: Option<f64>,
    /// Largest contentful paint.
    pub lcp: Option<Lcp>,
    /// `DOMContentLoaded`.
    pub dom: Option<f64>,
    /// `load`.
    pub load: Option<f64>,
}

/// The largest contentful paint.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lcp {
    /// When.
    pub at: f64,
    /// The element, as Chrome says it: page words.
    pub element: String,
    /// The picture's address, where it is one.
    pub url: String,
    /// Milliseconds that went by from the first byte to the begin of the picture's load, with its load,
    /// and after it. Without a picture the last one alone counts.
    pub parts: [f64; 3],
}

/// The last navigation of the outermost frame.
pub(super) fn last_navigation<'a>(events: &[Event<'a>]) -> Option<Navigation<'a>> {
    events
        .iter()
        .filter(|event| event.name == "navigationStart" && event.flag("isOutermostMainFrame"))
        // Empty documents have no loader; what follows them counts.
        .filter(|event| !event.text("documentLoaderURL").is_empty())
        .max_by(|one, other| one.at.total_cmp(&other.at))
        .map(|event| Navigation {
            at: event.at,
            frame: event.frame,
            id: event.text("navigationId"),
        })
}

/// Reads one load.
pub(super) fn read(events: &[Event], navigation: &Navigation) -> Load {
    let ms = |at: f64| (at - navigation.at) / 1_000.0;
    let of_top = |name: &'static str| {
        let own = move |event: &&Event| event.name == name && event.frame == navigation.frame;
        events.iter().filter(own)
    };
    let first = |name| of_top(name).map(|event| ms(event.at)).reduce(f64::min);
    let ttfb = of_top("ResourceReceiveResponse")
        .find(|event| event.text("requestId") == navigation.id)
        .and_then(|event| {
            let timing = &event.data["timing"];
            let began = super::number(&timing["requestTime"])? * 1e6;
            let headers = super::number(&timing["receiveHeadersStart"])
                .or_else(|| super::number(&timing["receiveHeadersEnd"]))?;
            Some(ms(began + headers * 1_000.0).max(0.0))
        });
    Load {
        ttfb,
        fcp: first("firstContentfulPaint"),
        lcp: of_top("largestContentfulPaint::Candidate")
            .max_by(|one, other| one.at.total_cmp(&other.at))
            .map(|event| lcp(events, event, ms(event.at), ttfb)),
        dom: first("MarkDOMContent"),
        load: first("MarkLoad"),
    }
}

fn lcp(events: &[Event], found: &Event, at: f64, ttfb: Option<f64>) -> Lcp {
    let ttfb = ttfb.unwrap_or_default();
    let time = |name: &str| found.number(name).filter(|time| *time > 0.0);
    let parts = match (time("imageLoadStart"), time("imageLoadEnd")) {
        (Some(start), Some(end)) => [start - ttfb, end - start, at - end],
        _ => [0.0, 0.0, at - ttfb],
    };
    let node = found.number("nodeId");
    let picture = events.iter().rev().find(|event| {
        event.name == "LargestImagePaint::Candidate"
            && event.frame == found.frame
            && event.number("DOMNodeId") == node
    });
    Lcp {
        at,
        element: found.text("nodeName").to_owned(),
        url: picture.map(|event| event.text("imageUrl")).unwrap_or_default().to_owned(),
        parts: parts.map(|part| part.max(0.0)),
    }
}
