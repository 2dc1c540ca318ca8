//! `browser_logs`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use crate::looking::wall_ms;
use pillion_core::files as rules;
use pillion_core::har;
use pillion_core::page_text::quote;
use pillion_wire::code::Code;
use pillion_wire::limits;
use pillion_wire::verb::Verb;
use serde_json::Value;
use std::sync::Arc;

mod console;
mod network;
mod one;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_logs",
    doc: "Console and network of a tab; one request in full.",
    details: "Without `kind`: both. The network list is kept for every shared or own tab without the debugger: requests of this page, without images, scripts, styles and fonts that came well (`all`: every kind, and earlier pages). The console is what Chrome remembers of this page (the last 1,000 messages). `since`: an id of either list (`r17`, `c12`): what came after it, oldest first. `request`: an id, or `last` (the last one that fits `filter` and `errors`), with headers, timing and body; with `filter` the part of the body around those words. Bodies are at hand while the debugger is attached; `capture` keeps the last 50 from then on, 200 kB each, of documents and of what scripts of the same origin asked for. `clear` hides what is there now from this session. `path` writes the network list as a HAR 1.2 file (`.har`).",
    effect: Effect::Read,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param {
            name: "kind",
            kind: Kind::OneOf(&["console", "network"]),
            doc: "",
            required: false,
            rare: false,
        },
        Param {
            name: "filter",
            kind: Kind::Text,
            doc: "words, or part of URL",
            required: false,
            rare: false,
        },
        Param {
            name: "errors",
            kind: Kind::Boolean,
            doc: "only errors",
            required: false,
            rare: false,
        },
        Param {
            name: "since",
            kind: Kind::Text,
            doc: "only after this id",
            required: false,
            rare: false,
        },
        Param {
            name: "request",
            kind: Kind::Text,
            doc: "r17, or last",
            required: false,
            rare: false,
        },
        Param {
            name: "capture",
            kind: Kind::Boolean,
            doc: "keep bodies from now on",
            required: false,
            rare: false,
        },
        Param { name: "limit", kind: Kind::Integer, doc: "", required: false, rare: true },
        Param {
            name: "all",
            kind: Kind::Boolean,
            doc: "every kind, and earlier pages",
            required: false,
            rare: true,
        },
        Param { name: "clear", kind: Kind::Boolean, doc: "", required: false, rare: true },
        Param {
            name: "path",
            kind: Kind::Text,
            doc: "write a .har file",
            required: false,
            rare: true,
        },
    ],
    positional: &["filter"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

/// What a call asks for.
struct Ask {
    filter: Option<String>,
    errors: bool,
    all: bool,
    limit: usize,
    /// Only above this number, oldest first.
    since: Option<u32>,
    budget: usize,
}

/// Which list a `since` belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Console,
    Network,
}

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let since = cx.args.text("since").map(|text| parse_since(&text)).transpose()?;
    let kind = match cx.args.text("kind").as_deref() {
        Some("console") => Some(List::Console),
        Some(_) => Some(List::Network),
        None => since.map(|(list, _)| list),
    };
    if let (Some(kind), Some((list, _))) = (kind, since)
        && kind != list
    {
        return Err(Failure::invalid(
            "since is an id of the other list: r… are requests, c… console messages. Nothing was done.",
        ));
    }
    let mut out = String::new();
    if cx.args.has("capture") {
        let on = cx.args.flag("capture");
        capture(&handle, on).await?;
        let words = if on {
            "bodies are kept from now on, this tab"
        } else {
            "bodies are not kept any more, this tab"
        };
        out.push_str(&format!("{words}{}\n", super::tab_note(&handle)));
        let more = ["kind", "filter", "errors", "since", "request", "all", "path", "limit"];
        if more.iter().all(|name| !cx.args.has(name)) && !cx.args.flag("clear") {
            return Ok(out.trim_end().to_owned().into());
        }
    }
    let mut ask = Ask {
        filter: cx.args.text("filter").map(|words| words.to_lowercase()),
        errors: cx.args.flag("errors"),
        all: cx.args.flag("all"),
        limit: cx
            .args
            .within("limit", 1..=limits::LOG_LINES_MAX as i64)?
            .and_then(|limit| usize::try_from(limit).ok())
            .unwrap_or(limits::LOG_LINES),
        since: since.map(|(_, number)| number),
        budget: handle.budget(limits::LOGS_CHARS),
    };
    if let Some(path) = cx.args.text("path") {
        return Ok(write_har(&cx, &handle, &ask, &path).await?.into());
    }
    if let Some(id) = cx.args.text("request") {
        out.push_str(&one::request(&handle, &ask, &id).await?);
        return Ok(out.trim_end().to_owned().into());
    }
    if kind.is_none() {
        ask.budget /= 2;
    }
    if kind != Some(List::Network) {
        match console::list(&handle, &ask).await {
            Ok(text) => out.push_str(&text),
            // The requests are there also when the page cannot be asked.
            Err(failure) if kind.is_none() && !failure.lost && is_of_page(failure.code) => {
                out.push_str(&format!(
                    "console: not read. {}: {}\n",
                    failure.code.as_str(),
                    failure.text
                ));
            }
            Err(failure) => return Err(failure),
        }
    }
    if kind != Some(List::Console) {
        out.push_str(&network::list(&handle, &ask));
    }
    if cx.args.flag("clear") {
        let mut state = handle.tab.state();
        let last = (
            state.logs.net.rows().next_back().map_or(0, |row| row.number),
            state.logs.console.messages().next_back().map_or(0, |message| message.number),
        );
        state.logs.cleared.insert(handle.session.clone(), last);
        out.push_str("cleared: what is told above will not be told to you again\n");
    }
    Ok(out.trim_end().to_owned().into())
}

fn is_of_page(code: Code) -> bool {
    matches!(
        code,
        Code::DialogOpen
            | Code::TabWedged
            | Code::DebuggerUnavailable
            | Code::ProtectedPage
            | Code::TabDiscarded
            | Code::Timeout
    )
}

fn parse_since(text: &str) -> Outcome<(List, u32)> {
    let refused = || {
        Failure::invalid(format!(
            "since is an id of a list, r17 or c12, not {}. Nothing was done.",
            quote(text)
        ))
    };
    let text = text.trim().trim_matches(['[', ']']);
    let list = match text.chars().next() {
        Some('r') => List::Network,
        Some('c') => List::Console,
        _ => return Err(refused()),
    };
    Ok((list, text[1..].parse().map_err(|_| refused())?))
}

async fn capture(handle: &Arc<Handle>, on: bool) -> Outcome<()> {
    if on {
        handle.attach().await?;
    }
    let verb = Verb::Capture { tab: handle.chrome(), on };
    handle.or_dialog(handle.verb::<Value>(verb, limits::VERB)).await??;
    handle.tab.state().logs.capture = on;
    Ok(())
}

impl Ask {
    fn of(handle: &Handle, errors: bool, limit: usize, budget: usize) -> Self {
        let budget = handle.budget(budget);
        Self { filter: None, errors, all: false, limit, since: None, budget }
    }
}

/// The requests of this page as a HAR file.
pub(super) async fn save_har(cx: &Cx, handle: &Handle, path: &str) -> Outcome<String> {
    write_har(cx, handle, &Ask::of(handle, false, limits::LOG_LINES_MAX, limits::LOGS_CHARS), path)
        .await
}

/// Errors of the console and requests that failed, a few of each.
pub(super) async fn troubles(handle: &Arc<Handle>, lines: usize, budget: usize) -> String {
    let ask = Ask::of(handle, true, lines, budget);
    let console = match console::list(handle, &ask).await {
        Ok(text) => text,
        Err(failure) => {
            format!("console: not read. {}: {}\n", failure.code.as_str(), failure.text)
        }
    };
    format!("{console}{}", network::list(handle, &ask)).trim_end().to_owned()
}

async fn write_har(cx: &Cx, handle: &Handle, ask: &Ask, path: &str) -> Outcome<String> {
    if !path.to_ascii_lowercase().ends_with(".har") {
        let why = rules::Refusal::Ending;
        return Err(Failure::new(
            Code::FileNotAllowed,
            format!("{}: {why}. Nothing was written.", quote(path)),
        ));
    }
    let mut file = cx.files.create(path).await?;
    let (text, count) = {
        let state = handle.tab.state();
        let rows: Vec<_> = network::fitting(&state, &handle.session, ask, true).collect();
        let start = state.logs.net.page_start(state.logs.commit);
        let version = env!("CARGO_PKG_VERSION");
        let har = har::har(rows.iter().copied(), state.url(), state.title(), start, version);
        (har.to_string(), rows.len())
    };
    for piece in text.as_bytes().chunks(limits::FILE_CHUNK_BYTES) {
        file.write(piece).await?;
    }
    let path = file.keep().await?;
    let size = crate::receipt::size(text.len() as f64);
    Ok(format!("saved: {} ({size}), {count} requests{}", quote(&path), super::tab_note(handle)))
}

/// Lines within limit and budget: from the oldest on after `since`, else the newest. How many were left
/// out, and the number at which to go on.
struct Picked {
    lines: Vec<String>,
    left: usize,
    /// The number of the last line (`since`), or of what is before the first one.
    go_on: u32,
}

fn pick(all: Vec<(u32, String)>, ask: &Ask) -> Picked {
    let count = all.len();
    let first = all.first().map_or(0, |(number, _)| *number);
    let mut lines = Vec::new();
    let mut room = ask.budget;
    let mut last = first;
    let mut take = |number: u32, line: String| {
        let size = line.chars().count() + 1;
        // One line is always told.
        if lines.len() >= ask.limit || (size > room && !lines.is_empty()) {
            return false;
        }
        room = room.saturating_sub(size);
        last = number;
        lines.push(line);
        true
    };
    let forward = ask.since.is_some();
    if forward {
        for (number, line) in all {
            if !take(number, line) {
                break;
            }
        }
    } else {
        for (number, line) in all.into_iter().rev() {
            if !take(number, line) {
                break;
            }
        }
        lines.reverse();
    }
    let go_on = if forward { last } else { first.saturating_sub(1) };
    Picked { left: count - lines.len(), lines, go_on }
}

/// The call that gets what was left out, oldest first.
fn rest(handle: &Handle, ask: &Ask, letter: char, kind: &str, picked: &Picked) -> String {
    if picked.left == 0 {
        return String::new();
    }
    let mut call = serde_json::json!({"tab": handle.tab.number, "kind": kind, "since": format!("{letter}{}", picked.go_on)});
    if let Some(filter) = &ask.filter {
        call["filter"] = filter.as_str().into();
    }
    for (name, on) in [("errors", ask.errors), ("all", ask.all)] {
        if on {
            call[name] = true.into();
        }
    }
    let which = if ask.since.is_some() { "more" } else { "earlier ones, from the oldest" };
    format!("… {} {which}: browser_logs {call}\n", picked.left)
}

/// `3 requests`, `1 request`.
fn count_words(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn now() -> f64 {
    wall_ms()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(since: Option<u32>, limit: usize, budget: usize) -> Ask {
        Ask { filter: None, errors: false, all: false, limit, since, budget }
    }

    #[test]
    fn the_newest_are_told_and_the_rest_can_be_had_from_the_oldest_on() {
        let all = |from: u32| (from..=9).map(|n| (n, format!("line {n}"))).collect::<Vec<_>>();
        let picked = pick(all(3), &ask(None, 2, 1_000));
        assert_eq!(
            (picked.lines.join(","), picked.left, picked.go_on),
            ("line 8,line 9".into(), 5, 2)
        );
        let picked = pick(all(3), &ask(Some(2), 4, 1_000));
        assert_eq!((picked.lines.len(), picked.left, picked.go_on), (4, 3, 6));
        let picked = pick(all(7), &ask(Some(6), 50, 1));
        assert_eq!((picked.lines.len(), picked.left, picked.go_on), (1, 2, 7));
    }

    #[test]
    fn ids_of_both_lists_are_understood() {
        assert!(
            parse_since("r17").is_ok_and(|(list, number)| list == List::Network && number == 17)
        );
        assert!(
            parse_since("[c3]").is_ok_and(|(list, number)| list == List::Console && number == 3)
        );
        for bad in ["17", "r", "x1", "", "r-1", "é"] {
            assert!(parse_since(bad).is_err(), "{bad}");
        }
    }
}
