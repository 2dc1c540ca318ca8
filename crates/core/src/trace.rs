//! What a trace of a page says about its performance. The events are those that the extension lets
//! through, in the form of Chrome's trace files; whatever is odd in them is passed over. Pure.

mod busy;
mod file;
mod load;
mod told;
mod web;

pub use busy::{Forced, Place, Task};
pub use file::file;
pub use load::{Lcp, Load};
pub use told::{Words, told};
pub use web::{Request, Shifts, Worst};

use pillion_wire::limits::TRACE_EVENTS;
use serde_json::Value;

/// Everything that is told of a trace. Times are milliseconds, from the navigation or the trace's first
/// event on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The navigation of the top frame that the trace saw last.
    pub load: Option<Load>,
    /// Layout shifts of the top frame.
    pub shifts: Shifts,
    /// Interactions, and the slowest of them.
    pub interactions: usize,
    /// See `interactions`.
    pub worst: Option<Worst>,
    /// Long tasks, the longest first.
    pub tasks: Vec<Task>,
    /// Time above 50 ms of all long tasks.
    pub blocked: f64,
    /// Layouts that scripts forced, the most expensive place first.
    pub forced: Vec<Forced>,
    /// Requests, in the order in which they began.
    pub requests: Vec<Request>,
}

/// Reads the events.
pub fn read(events: &[Value]) -> Report {
    let all: Vec<Event> = events.iter().take(TRACE_EVENTS).filter_map(Event::of).collect();
    let navigation = load::last_navigation(&all);
    let zero = navigation
        .as_ref()
        .map_or_else(|| all.iter().map(|event| event.at).fold(f64::MAX, f64::min), |nav| nav.at);
    let since: Vec<Event> = all.into_iter().filter(|event| event.at >= zero).collect();
    let requests = web::requests(&since, zero);
    let (interactions, worst) = web::interactions(&since);
    let tasks = busy::tasks(&since, zero);
    Report {
        load: navigation.map(|navigation| load::read(&since, &navigation)),
        shifts: web::shifts(&since, zero),
        interactions,
        worst,
        blocked: tasks.iter().map(|task| task.ms - busy::LONG_MS).sum(),
        tasks,
        forced: busy::forced(&since),
        requests,
    }
}

/// One event. Times are microseconds of Chrome's clock.
struct Event<'a> {
    name: &'a str,
    frame: &'a str,
    /// Process and thread.
    thread: (u64, u64),
    at: f64,
    lasts: f64,
    /// `args.data` or `args.beginData`.
    data: &'a Value,
}

static NOTHING: Value = Value::Null;

impl<'a> Event<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        let args = &value["args"];
        let data = [&args["data"], &args["beginData"]].into_iter().find(|data| data.is_object());
        let frame = args["frame"].as_str().or_else(|| data?["frame"].as_str());
        let whole = |name: &str| value[name].as_u64().unwrap_or_default();
        Some(Self {
            name: value["name"].as_str()?,
            frame: frame.unwrap_or_default(),
            thread: (whole("pid"), whole("tid")),
            at: number(&value["ts"])?,
            lasts: number(&value["dur"]).unwrap_or_default().max(0.0),
            data: data.unwrap_or(&NOTHING),
        })
    }

    fn text(&self, name: &str) -> &'a str {
        self.data[name].as_str().unwrap_or_default()
    }

    fn number(&self, name: &str) -> Option<f64> {
        number(&self.data[name])
    }

    fn flag(&self, name: &str) -> bool {
        self.data[name].as_bool().unwrap_or_default()
    }

    fn holds(&self, other: &Event) -> bool {
        self.thread == other.thread
            && other.at >= self.at
            && other.at + other.lasts <= self.at + self.lasts
    }
}

/// A number that can be reckoned with.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite() && number.abs() < 1e15)
}

#[cfg(test)]
mod tests;
