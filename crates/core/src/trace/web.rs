//! What happened on the page: shifts of its layout, interactions, requests.

use super::Event;
use std::collections::BTreeMap;

/// Shifts belong to one window while each follows the last one within this, and all within `WINDOW`.
const GAP: f64 = 1_000.0;
const WINDOW: f64 = 5_000.0;

/// Layout shifts without input just before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shifts {
    /// Of the worst window: the cumulative layout shift.
    pub score: f64,
    /// How many there were.
    pub count: usize,
    /// The largest one: score and time.
    pub largest: Option<(f64, f64)>,
    /// Numbers of the elements that the largest one moved.
    pub moved: Vec<u32>,
}

/// The slowest interaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Worst {
    /// `click`, page words.
    pub kind: String,
    /// To the next paint.
    pub ms: f64,
    /// Until handlers began, in handlers, and until the paint.
    pub parts: [f64; 3],
}

/// One request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// Its address.
    pub url: String,
    /// When it began.
    pub at: f64,
    /// How long it took; absent while it goes on.
    pub ms: Option<f64>,
    /// Bytes over the wire.
    pub bytes: f64,
    /// Nothing was painted before it.
    pub blocking: bool,
    /// No answer, or one of an error.
    pub failed: bool,
    /// From Chrome's cache.
    pub cached: bool,
    /// Of the answer.
    pub status: Option<u32>,
}

pub(super) fn shifts(events: &[Event], zero: f64) -> Shifts {
    let mut all: Vec<(f64, f64, &Event)> = events
        .iter()
        .filter(|event| event.name == "LayoutShift" && event.flag("is_main_frame"))
        .filter(|event| !event.flag("had_recent_input"))
        .filter_map(|event| {
            let score = event.number("weighted_score_delta").filter(|score| *score > 0.0)?;
            Some(((event.at - zero) / 1_000.0, score, event))
        })
        .collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut score, mut sum, mut begun, mut last) = (0.0_f64, 0.0, f64::MIN, f64::MIN);
    for (at, delta, _) in &all {
        if at - last > GAP || at - begun > WINDOW {
            (sum, begun) = (0.0, *at);
        }
        sum += delta;
        last = *at;
        score = score.max(sum);
    }
    let largest = all.iter().max_by(|one, other| one.1.total_cmp(&other.1));
    let moved = largest.map(|(_, _, event)| nodes(event)).unwrap_or_default();
    Shifts { score, count: all.len(), largest: largest.map(|(at, by, _)| (*by, *at)), moved }
}

fn nodes(event: &Event) -> Vec<u32> {
    let all = event.data["impacted_nodes"].as_array().map_or(&[][..], Vec::as_slice);
    all.iter().filter_map(|node| u32::try_from(node["node_id"].as_u64()?).ok()).collect()
}

/// How many, and the slowest.
pub(super) fn interactions(events: &[Event]) -> (usize, Option<Worst>) {
    let mut all: BTreeMap<(u64, u64), Vec<&Event>> = BTreeMap::new();
    for event in events.iter().filter(|event| event.name == "EventTiming") {
        if let Some(id) = event.data["interactionId"].as_u64().filter(|id| *id > 0) {
            all.entry((event.thread.0, id)).or_default().push(event);
        }
    }
    let worst = all.values().filter_map(|parts| worst_of(parts));
    let worst = worst.max_by(|one, other| one.ms.total_cmp(&other.ms));
    (all.len(), worst)
}

/// One interaction: its slowest event, and those that ended with the same paint.
fn worst_of(events: &[&Event]) -> Option<Worst> {
    let end = |event: &&Event| Some(event.number("timeStamp")? + event.number("duration")?);
    let slowest = events.iter().copied().max_by(|one, other| {
        let ms = |event: &Event| event.number("duration").unwrap_or_default();
        ms(one).total_cmp(&ms(other))
    })?;
    let paint = end(&slowest)?;
    // Chrome rounds durations to 8 ms.
    let together = events.iter().filter(|event| end(event).is_some_and(|at| paint - at <= 8.0));
    let (mut begun, mut ended, mut longest) = (f64::MAX, f64::MIN, (f64::MIN, slowest));
    for event in together {
        let (Some(start), Some(over)) =
            (event.number("processingStart"), event.number("processingEnd"))
        else {
            continue;
        };
        begun = begun.min(start);
        ended = ended.max(over);
        if over - start > longest.0 {
            longest = (over - start, event);
        }
    }
    let ms = slowest.number("duration")?;
    let stamp = slowest.number("timeStamp")?;
    if begun > ended {
        return None;
    }
    let parts = [begun - stamp, ended - begun, paint - ended].map(|part| part.max(0.0));
    Some(Worst { kind: longest.1.text("type").to_owned(), ms, parts })
}

pub(super) fn requests(events: &[Event], zero: f64) -> Vec<Request> {
    let mut all: BTreeMap<(u64, &str), Request> = BTreeMap::new();
    for event in events.iter().filter(|event| event.name == "ResourceSendRequest") {
        let key = (event.thread.0, event.text("requestId"));
        all.entry(key).or_insert_with(|| Request {
            url: event.text("url").to_owned(),
            at: (event.at - zero) / 1_000.0,
            blocking: event.text("renderBlocking") == "blocking",
            ..Request::default()
        });
    }
    for event in events {
        let Some(request) = all.get_mut(&(event.thread.0, event.text("requestId"))) else {
            continue;
        };
        match event.name {
            "ResourceReceiveResponse" => {
                request.cached = event.flag("fromCache");
                request.status =
                    event.data["statusCode"].as_u64().and_then(|status| u32::try_from(status).ok());
                request.failed |= request.status.is_some_and(|status| status >= 400);
                // The document's own was sent before its process heard of it.
                let sent = super::number(&event.data["timing"]["requestTime"]);
                if let Some(at) = sent.map(|seconds| (seconds * 1e6 - zero) / 1_000.0) {
                    request.at = request.at.min(at.max(0.0));
                }
            }
            "ResourceFinish" => {
                let told = event.number("finishTime").filter(|seconds| *seconds > 0.0);
                let at = told.map_or(event.at, |seconds| seconds * 1e6);
                request.ms = Some(((at - zero) / 1_000.0 - request.at).max(0.0));
                request.bytes = event.number("encodedDataLength").unwrap_or_default().max(0.0);
                request.failed |= event.flag("didFail");
            }
            _ => {}
        }
    }
    let mut all: Vec<Request> = all.into_values().collect();
    all.sort_by(|one, other| one.at.total_cmp(&other.at));
    all
}
