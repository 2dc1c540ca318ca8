//! The requests of one tab: two tellers (`webRequest` and, where it is attached, the debugger), one row a
//! request and hop, numbered once, bounded in count and bytes. What gives way is counted.

use crate::redact;
use pillion_wire::limits::{BODIES, BODIES_BYTES, NET_BYTES, NET_ROWS};
use pillion_wire::looking::{CallFrame, NetBody, NetStep, Step};
use std::collections::VecDeque;

/// Two tellers mean the same request when they saw it begin within this, milliseconds.
const SAME_MS: f64 = 1_500.0;
/// Chrome's reason where the page itself gave up.
pub const STOPPED: &str = "net::ERR_ABORTED";
/// What a row costs beside its words, bytes.
const ROW_BYTES: usize = 200;
/// A document that began longer ago than this before a commit is not the one that was committed.
const TRIP_MS: f64 = 120_000.0;

/// One request, or one hop of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// `r17`: unique in the tab, never reused.
    pub number: u32,
    /// `GET`.
    pub method: String,
    /// Address without credentials.
    pub url: String,
    /// `document`, `xhr`, `fetch`, `stream`, `websocket`, `script` …
    pub kind: String,
    /// The tab's own document.
    pub top: bool,
    /// Origin of who asked.
    pub initiator: Option<String>,
    /// The place in a script that asked.
    pub caller: Option<CallFrame>,
    /// Milliseconds since 1970.
    pub begun: f64,
    /// See `begun`.
    pub ended: Option<f64>,
    /// Headers came, and the answer may never end.
    pub open: bool,
    /// 200.
    pub status: Option<u32>,
    /// `net::ERR_…`.
    pub error: Option<String>,
    /// Bytes over the network.
    pub size: Option<f64>,
    /// `text/html`.
    pub mime: Option<String>,
    /// No server was asked.
    pub cached: bool,
    /// A service worker answered.
    pub by_worker: bool,
    /// Names and values.
    pub request_headers: Vec<[String; 2]>,
    /// Names and values.
    pub response_headers: Vec<[String; 2]>,
    /// It was sent elsewhere.
    pub redirected: bool,
    /// The debugger's id, and its child session.
    pub debugger: Option<(String, Option<String>)>,
    /// A kept body.
    pub body: Option<Body>,
    pub(crate) web: Option<String>,
}

/// The first part of an answer's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// Text, or base64.
    pub text: String,
    /// `text` is base64.
    pub base64: bool,
    /// Characters in all.
    pub size: u32,
}

impl Row {
    /// Failed, or answered with 400 and more.
    pub fn is_bad(&self) -> bool {
        self.error.is_some() || self.status.is_some_and(|status| status >= 400)
    }

    /// What a list without `all` leaves out: what only dresses the page.
    pub fn is_dress(&self) -> bool {
        matches!(self.kind.as_str(), "image" | "stylesheet" | "script" | "font" | "media")
    }

    fn is_awaited(&self) -> bool {
        matches!(self.kind.as_str(), "document" | "script" | "xhr" | "fetch")
    }

    fn bytes(&self) -> usize {
        let headers = self.request_headers.iter().chain(&self.response_headers);
        let words: usize = headers.map(|[name, value]| name.len() + value.len() + 48).sum();
        ROW_BYTES + self.url.len() + words
    }

    fn finish(&mut self, at: f64) {
        self.ended.get_or_insert(at.max(self.begun));
        self.open = false;
    }
}

/// What the debugger tells of a request that begins.
#[derive(Debug, Clone, Default)]
pub struct Begun {
    /// Its id.
    pub id: String,
    /// The child session.
    pub session: Option<String>,
    /// `GET`.
    pub method: String,
    /// Address.
    pub url: String,
    /// The debugger's type: `Fetch`.
    pub kind: String,
    /// Milliseconds since 1970.
    pub at: f64,
    /// The place that asked.
    pub caller: Option<CallFrame>,
    /// Names and values.
    pub headers: Vec<[String; 2]>,
}

/// What the debugger tells of an answer.
#[derive(Debug, Clone, Default)]
pub struct Answered {
    /// 200.
    pub status: Option<u32>,
    /// `text/html`.
    pub mime: Option<String>,
    /// From a cache.
    pub cached: bool,
    /// From a service worker.
    pub by_worker: bool,
    /// Names and values.
    pub headers: Vec<[String; 2]>,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct NetLog {
    rows: VecDeque<Row>,
    last: u32,
    bytes: usize,
    /// Rows that gave way.
    pub forgotten: u32,
    /// Steps that the browser's side had no room for.
    pub dropped: u32,
    /// Requests of sites that the user closed to agents.
    pub blocked: u32,
    /// How often the connection was lost: what happened meanwhile may be missing.
    pub gaps: u32,
}

impl NetLog {
    /// Oldest first.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &Row> {
        self.rows.iter()
    }

    /// The row of that number.
    pub fn row(&self, number: u32) -> Option<&Row> {
        self.rows.iter().find(|row| row.number == number)
    }

    /// Bytes that rows and bodies take, about.
    pub fn bytes(&self) -> usize {
        self.bytes
            + self
                .rows
                .iter()
                .filter_map(|row| row.body.as_ref())
                .map(|b| b.text.len())
                .sum::<usize>()
    }

    /// Forgets everything but the numbers.
    pub fn clear(&mut self) {
        *self = Self { last: self.last, ..Self::default() };
    }

    /// A step of `webRequest`.
    pub fn step(&mut self, step: NetStep) {
        let known = self
            .rows
            .iter()
            .rposition(|row| row.web.as_deref() == Some(step.id.as_str()) && !row.redirected);
        let url = redact::address(&step.url);
        let at = match known {
            Some(at) => at,
            None => {
                let same =
                    self.twin(|row| row.web.is_none(), &step.method, &url, step.at, step.step);
                let at = same.unwrap_or_else(|| {
                    self.push(Row {
                        method: step.method.clone(),
                        url,
                        begun: step.at,
                        ..Row::default()
                    })
                });
                self.edit(at, |row| row.web = Some(step.id.clone()));
                at
            }
        };
        self.edit(at, |row| {
            if row.ended.is_some() && row.debugger.is_none() {
                return;
            }
            row.top = step.kind == "main_frame";
            if row.kind.is_empty() {
                row.kind = web_kind(&step.kind).to_owned();
            }
            row.initiator = row.initiator.take().or(step.initiator);
            row.status = step.status.or(row.status);
            row.mime = step.mime.or(row.mime.take());
            row.size = row.size.or(step.size);
            row.cached |= step.cached;
            if !step.request_headers.is_empty() {
                row.request_headers = step.request_headers;
            }
            if !step.response_headers.is_empty() {
                row.response_headers = step.response_headers;
            }
            match step.step {
                Step::Begun => {}
                Step::Open => {
                    row.open = row.ended.is_none();
                    if row.kind == "xhr" {
                        "stream".clone_into(&mut row.kind);
                    }
                }
                Step::Redirected => {
                    row.redirected = true;
                    row.finish(step.at);
                }
                Step::Ended => {
                    row.error = step.error.or(row.error.take());
                    row.finish(step.at);
                }
            }
        });
        self.shrink();
    }

    /// The debugger saw a request begin. Gives its number.
    pub fn begun(&mut self, begun: Begun) -> u32 {
        let url = redact::address(&begun.url);
        let same =
            self.twin(|row| row.debugger.is_none(), &begun.method, &url, begun.at, Step::Begun);
        let at = same.unwrap_or_else(|| {
            self.push(Row { method: begun.method, url, begun: begun.at, ..Row::default() })
        });
        self.edit(at, |row| {
            let kind = debugger_kind(&begun.kind);
            // `webRequest` knows streams better, and does not tell fetch from XHR.
            if row.kind != "stream" && !kind.is_empty() {
                kind.clone_into(&mut row.kind);
            }
            row.caller = begun.caller;
            if row.request_headers.is_empty() {
                row.request_headers = begun.headers;
            }
            row.debugger = Some((begun.id, begun.session));
        });
        let number = self.rows[at].number;
        self.shrink();
        number
    }

    /// The debugger saw an answer's headers.
    pub fn answered(&mut self, id: &str, answered: Answered) {
        self.of_debugger(id, |row| {
            row.status = answered.status.or(row.status);
            row.mime = answered.mime.filter(|mime| !mime.is_empty()).or(row.mime.take());
            row.cached |= answered.cached;
            row.by_worker |= answered.by_worker;
            if row.response_headers.is_empty() {
                row.response_headers = answered.headers;
            }
        });
    }

    /// The debugger saw a request end, or be sent elsewhere.
    pub fn over(
        &mut self,
        id: &str,
        at: f64,
        size: Option<f64>,
        error: Option<String>,
        redirected: bool,
    ) {
        self.of_debugger(id, |row| {
            row.size = size.filter(|size| *size > 0.0).or(row.size);
            // A page that does not read an answer to its end stops it; answered it was.
            let error = error.filter(|error| row.status.is_none() || error != STOPPED);
            row.error = error.or(row.error.take());
            row.redirected |= redirected && row.web.is_none();
            row.finish(at);
        });
    }

    /// A body came.
    pub fn keep_body(&mut self, body: NetBody) {
        self.of_debugger(&body.request, |row| {
            row.body = Some(Body { text: body.body, base64: body.base64, size: body.size });
        });
        let mut count = 0;
        let mut bytes = 0;
        for row in self.rows.iter_mut().rev() {
            let Some(kept) = &row.body else { continue };
            count += 1;
            bytes += kept.text.len();
            if count > BODIES || bytes > BODIES_BYTES {
                row.body = None;
            }
        }
    }

    /// The connection was lost: what runs is not followed any more.
    pub fn gap(&mut self, at: f64) {
        self.gaps += 1;
        for row in &mut self.rows {
            // Its id is the browser's and goes on: an end that is told later still finds it.
            if row.debugger.is_some() && row.web.is_none() {
                row.finish(at);
            }
        }
    }

    /// Nothing of the debugger's can be asked for any more.
    pub fn detached(&mut self) {
        for row in &mut self.rows {
            row.debugger = None;
        }
    }

    /// Rows of the page that began at `start` whose answer is under way and matters to it.
    pub fn under_way(&self, start: f64) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| {
            row.begun >= start && row.ended.is_none() && !row.open && row.is_awaited()
        })
    }

    /// When the page that was committed at `commit` began to be asked for.
    pub fn page_start(&self, commit: f64) -> f64 {
        let main = self.rows.iter().rev().find(|row| {
            row.top
                && row.begun <= commit + 50.0
                && row.begun >= commit - TRIP_MS
                && !row.redirected
        });
        let Some(main) = main else { return commit };
        let mut hops = self.rows.iter().filter(|row| row.web.is_some() && row.web == main.web);
        hops.next().map_or(main.begun, |first| first.begun)
    }

    /// What an address was asked for by ourselves: its row is taken away. False when there is none.
    pub fn forget_own(&mut self, url: &str, since: f64) -> bool {
        let url = redact::address(url);
        let own = self.rows.iter().rposition(|row| {
            row.url == url
                && row.begun >= since
                && matches!(row.kind.as_str(), "xhr" | "fetch" | "other")
        });
        match own.and_then(|at| self.rows.remove(at)) {
            Some(row) => {
                self.bytes = self.bytes.saturating_sub(row.bytes());
                true
            }
            None => false,
        }
    }

    /// The row of the same request that the other teller told of, the nearest in time.
    fn twin(
        &self,
        lacks: impl Fn(&Row) -> bool,
        method: &str,
        url: &str,
        at: f64,
        step: Step,
    ) -> Option<usize> {
        let near = |row: &Row| (row.begun - at).abs();
        self.rows
            .iter()
            .enumerate()
            .filter(|(_, row)| {
                lacks(row)
                    && row.method == method
                    && row.url == url
                    // What was over before is another request, as after a quick reload.
                    && row.ended.is_none_or(|ended| ended >= at)
                    && (near(row) < SAME_MS || (step != Step::Begun && row.begun <= at))
            })
            .min_by(|(_, one), (_, other)| near(one).total_cmp(&near(other)))
            .map(|(index, _)| index)
    }

    fn push(&mut self, mut row: Row) -> usize {
        self.last += 1;
        row.number = self.last;
        self.bytes += row.bytes();
        self.rows.push_back(row);
        self.rows.len() - 1
    }

    fn edit(&mut self, at: usize, change: impl FnOnce(&mut Row)) {
        let Some(row) = self.rows.get_mut(at) else { return };
        let before = row.bytes();
        change(row);
        self.bytes = (self.bytes + row.bytes()).saturating_sub(before);
    }

    fn of_debugger(&mut self, id: &str, change: impl FnOnce(&mut Row)) {
        let found = self
            .rows
            .iter()
            .rposition(|row| row.debugger.as_ref().is_some_and(|(own, _)| own == id));
        if let Some(at) = found {
            self.edit(at, change);
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        while self.rows.len() > NET_ROWS || (self.bytes > NET_BYTES && self.rows.len() > 1) {
            let Some(row) = self.rows.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(row.bytes());
            self.forgotten += 1;
        }
    }
}

fn web_kind(kind: &str) -> &str {
    match kind {
        "main_frame" | "sub_frame" => "document",
        "xmlhttprequest" => "xhr",
        "csp_report" => "report",
        other => other,
    }
}

/// The debugger's types; empty where it says nothing.
fn debugger_kind(kind: &str) -> &'static str {
    match kind {
        "Document" => "document",
        "XHR" => "xhr",
        "Fetch" => "fetch",
        "EventSource" => "stream",
        "WebSocket" => "websocket",
        "Script" => "script",
        "Stylesheet" => "stylesheet",
        "Image" => "image",
        "Font" => "font",
        "Media" | "TextTrack" => "media",
        "Ping" => "ping",
        "Preflight" => "preflight",
        "CSPViolationReport" => "report",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
