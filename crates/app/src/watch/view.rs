//! What a moment looks like, and what happened between two of them. Pure but for the clock of the reader.

use super::{Moment, call_event};
use crate::history::moment::Clock;
use crate::style::{Tone, paint};
use pillion_journal::Entry;
use pillion_os::version::version;
use serde_json::{Value, json};

/// Calls on a screen.
const SHOWN: usize = 15;

/// Words of agents and pages move no cursor.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// A view that fits the columns.
pub fn screen(moment: &Moment, columns: usize) -> Vec<String> {
    let mut lines = vec![paint(Tone::Bold, &format!("Pillion {}", version())), String::new()];
    if !moment.running {
        lines.push(paint(
            Tone::Warn,
            "The daemon does not run; it starts with an agent's first call.",
        ));
    } else if moment.profiles.is_empty() {
        lines
            .push(paint(Tone::Warn, "No browser is connected. What is in the way: pillion doctor"));
    } else {
        lines.push(cut(&format!("Browsers  {}", plain(&moment.profiles.join(", "))), columns));
    }
    lines.push(String::new());
    lines.push(paint(Tone::Bold, "Agents"));
    if moment.sessions.is_empty() {
        lines.push(paint(Tone::Dim, "  none"));
    }
    for session in &moment.sessions {
        let running = moment
            .calls
            .iter()
            .rev()
            .find(|call| call.session == text(session, "id") && call.outcome.is_none());
        let doing = running
            .filter(|_| moment.running)
            .map(|call| format!("{} {}", short(&call.tool), call.about));
        let state = match (session["connected"] == true, &doing) {
            (false, _) => "gone".to_owned(),
            (true, Some(doing)) => plain(doing),
            (true, None) => "waits".to_owned(),
        };
        let line = format!(
            "  {:<6} {:<20} {:<14} {state}",
            plain(text(session, "id")),
            cut(&plain(text(session, "client")), 20),
            tabs(session)
        );
        lines.push(cut(&line, columns));
    }
    lines.push(String::new());
    lines.push(paint(Tone::Bold, "Calls"));
    let clock = Clock::local();
    let newest = moment.calls.iter().rev().take(SHOWN).collect::<Vec<_>>();
    lines.extend(newest.into_iter().rev().map(|call| {
        let (tone, line) = call_line(call, clock);
        paint(tone, &cut(&line, columns))
    }));
    lines.push(String::new());
    lines.push(paint(Tone::Dim, "Ctrl-C ends the view. Stop or pause agents in Pillion's popup."));
    lines
}

fn call_line(call: &Entry, clock: Clock) -> (Tone, String) {
    let (tone, outcome) = match call.outcome.as_deref() {
        Some("ok") => (Tone::Good, "ok"),
        Some(code) => (Tone::Bad, code),
        None => (Tone::Dim, "…"),
    };
    let site = call.site.as_deref().map(|site| format!(" {}", plain(site))).unwrap_or_default();
    let took = call.took_ms.map(|ms| format!(" {ms} ms")).unwrap_or_default();
    let line = format!(
        "  {} {:<14} {:<11} {outcome}{took}{site}  {}",
        clock.time(call.at_ms),
        cut(&plain(&call.client), 14),
        short(&call.tool),
        plain(&call.about)
    );
    (tone, line)
}

fn short(tool: &str) -> &str {
    tool.strip_prefix("browser_").unwrap_or(tool)
}

fn tabs(session: &Value) -> String {
    let numbers: Vec<String> =
        session["tabs"].as_array().into_iter().flatten().map(ToString::to_string).collect();
    match numbers.as_slice() {
        [] => "no tabs".to_owned(),
        [one] => format!("tab {one}"),
        more => format!("tabs {}", more.join(", ")),
    }
}

/// At most so many characters.
fn cut(text: &str, columns: usize) -> String {
    if text.chars().count() <= columns {
        return text.to_owned();
    }
    text.chars().take(columns.saturating_sub(1)).chain(['…']).collect()
}

/// What happened since the moment before; at first what is the case.
pub fn events(before: Option<&Moment>, now: &Moment) -> Vec<Value> {
    let nothing = Moment::default();
    let first = before.is_none();
    let before = before.unwrap_or(&nothing);
    let mut events = Vec::new();
    if first || before.running != now.running {
        events
            .push(json!({"what": if now.running { "daemon runs" } else { "daemon does not run" }}));
    }
    for name in now.profiles.iter().filter(|name| !before.profiles.contains(name)) {
        events.push(json!({"what": "browser connected", "profile": name}));
    }
    for name in before.profiles.iter().filter(|name| !now.profiles.contains(name)) {
        events.push(json!({"what": "browser gone", "profile": name}));
    }
    let find = |moment: &Moment, id: &str| {
        moment.sessions.iter().find(|session| text(session, "id") == id).cloned()
    };
    for session in &now.sessions {
        let id = text(session, "id");
        let seen = find(before, id);
        let event = |what: &str| json!({"what": what, "session": id, "client": text(session, "client"), "tabs": session["tabs"]});
        match seen {
            None => events.push(event("agent came")),
            Some(seen) if seen["tabs"] != session["tabs"] => events.push(event("agent's tabs")),
            Some(_) => {}
        }
    }
    for session in before.sessions.iter().filter(|session| find(now, text(session, "id")).is_none())
    {
        events.push(json!({"what": "agent left", "session": text(session, "id"), "client": text(session, "client")}));
    }
    // What was done before somebody watched is history.
    if !first {
        let known = |call: &Entry| {
            before.calls.iter().any(|other| other.id == call.id && other.outcome == call.outcome)
        };
        let oldest = before.calls.first().map_or(0, |call| call.id);
        let new = now.calls.iter().filter(|call| call.id >= oldest && !known(call));
        events.extend(new.map(call_event));
    }
    events
}

/// An event as a line.
pub fn line(event: &Value) -> String {
    let what = text(event, "what");
    let who = plain(text(event, "client"));
    match what {
        "browser connected" | "browser gone" => {
            format!("{what}: {}", plain(text(event, "profile")))
        }
        "agent came" | "agent's tabs" => {
            format!("{what}: {who} ({}), {}", text(event, "session"), tabs(event))
        }
        "agent left" => format!("{what}: {who} ({})", text(event, "session")),
        "call" | "begins" => {
            let outcome = event["outcome"].as_str().unwrap_or("…");
            let place = [text(event, "site"), text(event, "page")].concat();
            let about = [
                who.as_str(),
                short(text(event, "tool")),
                outcome,
                &plain(&place),
                &plain(text(event, "about")),
            ];
            about.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("  ")
        }
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(sessions: Vec<Value>, profiles: &[&str]) -> Moment {
        let profiles = profiles.iter().map(|name| (*name).to_owned()).collect();
        Moment { running: true, sessions, profiles, calls: Vec::new() }
    }

    fn told(before: Option<&Moment>, now: &Moment) -> Vec<String> {
        events(before, now).iter().map(line).collect()
    }

    #[test]
    fn what_comes_and_goes_is_a_line() {
        let agent = |tabs: Value| json!({"id": "s1", "client": "co\u{1b}dex", "tabs": tabs, "connected": true});
        let empty = moment(vec![], &[]);
        assert_eq!(told(None, &empty), ["daemon runs"]);
        let one = moment(vec![agent(json!([7]))], &["work"]);
        assert_eq!(
            told(Some(&empty), &one),
            ["browser connected: work", "agent came: codex (s1), tab 7"]
        );
        let two = moment(vec![agent(json!([7, 9]))], &["work"]);
        assert_eq!(told(Some(&one), &two), ["agent's tabs: codex (s1), tabs 7, 9"]);
        assert_eq!(
            told(Some(&two), &Moment::default()),
            ["daemon does not run", "browser gone: work", "agent left: codex (s1)"]
        );
        assert_eq!(told(Some(&two), &two), [""; 0]);
    }

    #[test]
    fn the_view_fits_its_columns() {
        let long =
            json!({"id": "s1", "client": "x".repeat(300), "tabs": [1, 2, 3], "connected": true});
        let lines = screen(&moment(vec![long], &["work"]), 40);
        assert!(lines.iter().all(|line| line.chars().count() <= 90), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains("s1")));
    }
}
