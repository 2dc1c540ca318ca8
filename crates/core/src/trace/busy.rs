//! What kept the page busy: long tasks and what ran in them, and layouts that scripts forced.

use super::Event;
use serde_json::Value;
use std::collections::BTreeMap;

/// A task that is longer makes a page feel stuck.
pub(super) const LONG_MS: f64 = 50.0;
/// Long tasks that are looked into, the longest.
const TASKS: usize = 200;

/// One task.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Task {
    /// When.
    pub at: f64,
    /// How long.
    pub ms: f64,
    /// The script that ran longest in it, and how long.
    pub script: Option<(Place, f64)>,
    /// Style and layout in it.
    pub layout: f64,
}

/// A place of a script, all of it page words.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// May be empty.
    pub function: String,
    /// Address.
    pub url: String,
    /// From 1; 0 is unknown.
    pub line: u32,
}

/// Layouts that one place forced.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forced {
    /// Where.
    pub place: Place,
    /// How often.
    pub count: u32,
    /// Milliseconds together.
    pub ms: f64,
}

pub(super) fn tasks(events: &[Event], zero: f64) -> Vec<Task> {
    let mut long: Vec<&Event> = events
        .iter()
        .filter(|event| event.name == "RunTask" && event.lasts >= LONG_MS * 1_000.0)
        .collect();
    long.sort_by(|one, other| other.lasts.total_cmp(&one.lasts));
    long.truncate(TASKS);
    long.into_iter()
        .map(|task| {
            let inside = |names: &'static [&str]| {
                let fits = move |event: &&Event| names.contains(&event.name) && task.holds(event);
                events.iter().filter(fits)
            };
            let script = inside(&["FunctionCall", "EvaluateScript"])
                .max_by(|one, other| one.lasts.total_cmp(&other.lasts))
                .map(|event| (place(event.data), event.lasts / 1_000.0));
            let layout =
                inside(&["Layout", "UpdateLayoutTree"]).map(|event| event.lasts).sum::<f64>();
            Task {
                at: (task.at - zero) / 1_000.0,
                ms: task.lasts / 1_000.0,
                script,
                layout: layout / 1_000.0,
            }
        })
        .collect()
}

pub(super) fn forced(events: &[Event]) -> Vec<Forced> {
    let mut all: BTreeMap<Place, Forced> = BTreeMap::new();
    for event in events.iter().filter(|event| ["Layout", "UpdateLayoutTree"].contains(&event.name))
    {
        // Only what a script asked for has a stack.
        let Some(top) = event.data["stackTrace"].as_array().and_then(|stack| stack.first()) else {
            continue;
        };
        let entry = all.entry(place(top)).or_default();
        entry.count += 1;
        entry.ms += event.lasts / 1_000.0;
    }
    let told = all.into_iter().map(|(place, forced)| Forced { place, ..forced });
    let mut told: Vec<Forced> = told.collect();
    told.sort_by(|one, other| other.ms.total_cmp(&one.ms));
    told
}

fn place(data: &Value) -> Place {
    let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
    let line = data["lineNumber"].as_u64().and_then(|line| u32::try_from(line).ok());
    Place { function: text("functionName"), url: text("url"), line: line.unwrap_or_default() }
}
