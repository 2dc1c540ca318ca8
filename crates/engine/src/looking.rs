//! Requests and console of a tab: what events tell is put into bounded logs, for `browser_logs` and for
//! the numbers of receipts. Never asks anybody.

use crate::tab::TabState;
use pillion_core::console_log::ConsoleLog;
use pillion_core::net_log::{Answered, Begun, NetLog, Row};
use pillion_wire::id::SessionId;
use pillion_wire::looking::{CallFrame, NetBody, NetSteps};
use serde_json::Value;
use std::collections::HashMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// A source map that was asked for shows up as a request within this, milliseconds.
const OWN_MS: f64 = 5_000.0;
/// Own requests that are remembered.
const OWN: usize = 32;

/// See the module.
#[derive(Default)]
pub(crate) struct Logs {
    pub(crate) net: NetLog,
    pub(crate) console: ConsoleLog,
    /// When the page was committed, milliseconds since 1970.
    pub(crate) commit: f64,
    /// Bodies are kept.
    pub(crate) capture: bool,
    /// What a session does not want to see any more: up to these numbers of requests and messages.
    pub(crate) cleared: HashMap<SessionId, (u32, u32)>,
    own: Vec<(String, f64)>,
}

impl Logs {
    /// The tab is gone: nothing of it is kept but the numbers.
    pub(crate) fn clear(&mut self) {
        self.net.clear();
        self.console.clear();
        self.cleared.clear();
        self.own.clear();
        self.capture = false;
    }

    /// We asked for that address ourselves, just now.
    pub(crate) fn asked_ourselves(&mut self, url: &str) {
        if self.own.len() >= OWN {
            self.own.remove(0);
        }
        self.own.push((pillion_core::redact::address(url), wall_ms()));
    }

    /// Whether the request is one of ours, not the page's.
    pub(crate) fn is_own(&self, row: &Row) -> bool {
        matches!(row.kind.as_str(), "xhr" | "fetch" | "other")
            && self.own.iter().any(|(url, at)| *url == row.url && (row.begun - at).abs() < OWN_MS)
    }
}

/// Milliseconds since 1970: the clock that the browser's times are of.
pub(crate) fn wall_ms() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_millis() as f64)
}

/// Requests were told.
pub(crate) fn requests(state: &mut TabState, told: NetSteps) {
    let net = &mut state.logs.net;
    net.dropped = net.dropped.saturating_add(told.dropped);
    net.blocked = net.blocked.saturating_add(told.blocked);
    for step in told.steps {
        net.step(step);
    }
}

/// A body was told.
pub(crate) fn body(state: &mut TabState, mut told: NetBody) {
    // Whatever the other side says of it.
    if told.body.len() > pillion_wire::limits::BODY_BYTES {
        let most = pillion_wire::limits::BODY_BYTES;
        let end = (0..=most).rev().find(|at| told.body.is_char_boundary(*at)).unwrap_or(0);
        told.body.truncate(end);
        told.body.shrink_to_fit();
    }
    state.logs.net.keep_body(told);
}

/// An event of the debugger. The number of a request that began.
pub(crate) fn debugger(
    state: &mut TabState,
    session: Option<&str>,
    method: &str,
    params: &Value,
) -> Option<u32> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let net = &mut state.logs.net;
    let id = text(&params["requestId"]);
    match method {
        "Network.requestWillBeSent" => {
            let request = &params["request"];
            let redirect = &params["redirectResponse"];
            if redirect.is_object() {
                net.answered(&id, answered(redirect));
                net.over(&id, wall_ms(), redirect["encodedDataLength"].as_f64(), None, true);
            }
            let at = params["wallTime"].as_f64().map_or_else(wall_ms, |seconds| seconds * 1_000.0);
            return Some(net.begun(Begun {
                id,
                session: session.map(str::to_owned),
                method: request["method"].as_str().unwrap_or("GET").to_owned(),
                url: text(&request["url"]),
                kind: text(&params["type"]),
                at,
                caller: caller(&params["initiator"]["at"]),
                headers: headers(&request["headers"]),
            }));
        }
        "Network.responseReceived" => net.answered(&id, answered(&params["response"])),
        "Network.loadingFinished" => {
            net.over(&id, wall_ms(), params["encodedDataLength"].as_f64(), None, false);
        }
        "Network.loadingFailed" => {
            let blocked = params["blockedReason"].as_str().map(|why| format!("blocked:{why}"));
            let error = blocked.or_else(|| params["errorText"].as_str().map(str::to_owned));
            net.over(&id, wall_ms(), None, error, false);
        }
        _ => {}
    }
    None
}

fn answered(response: &Value) -> Answered {
    let flag = |name: &str| response[name].as_bool().unwrap_or(false);
    Answered {
        status: response["status"].as_u64().map(|status| status as u32),
        mime: response["mimeType"].as_str().map(str::to_owned),
        cached: flag("fromDiskCache"),
        by_worker: flag("fromServiceWorker"),
        headers: headers(&response["headers"]),
    }
}

fn headers(given: &Value) -> Vec<[String; 2]> {
    serde_json::from_value(given.clone()).unwrap_or_default()
}

fn caller(at: &Value) -> Option<CallFrame> {
    let number = |name: &str| at[name].as_u64().map_or(0, |number| number as u32 + 1);
    let url = at["url"].as_str().filter(|url| !url.is_empty())?.to_owned();
    let function = at["function"].as_str().unwrap_or_default().to_owned();
    Some(CallFrame { function, url, line: number("lineNumber"), column: number("columnNumber") })
}
