//! `browser_bridge`: what happened to this session's own connections and calls.

use super::{Answer, Cx, Effect, Kind, ToolDef, may};
use crate::clock::{ago, now_ms};
use crate::failure::Outcome;
use crate::handle::Handle;
use crate::happened::Entry;
use pillion_core::page_text::quote;
use pillion_wire::limits;
use std::sync::Arc;

/// Lines unless the call says otherwise.
const LINES: usize = 20;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_bridge",
    doc: "Pillion's own recent events of this session: connections, retries, lost overrides, failures by code, stops.",
    details: "The newest last, with how long ago each was; the same several times in a row is one line. Only of this session, since this daemon began; `pillion history` tells the user more.",
    effect: Effect::Manage,
    params: &[may("limit", Kind::Integer, "")],
    positional: &["limit"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, _: Option<Arc<Handle>>) -> Outcome<Answer> {
    let most = limits::LOG_LINES_MAX as i64;
    let given = cx.args.within("limit", 1..=most)?.and_then(|lines| usize::try_from(lines).ok());
    let state = cx.engine.state();
    let Some(session) = state.sessions.get(&cx.session) else {
        return Ok("this session has ended".to_owned().into());
    };
    let mut lines = vec![format!(
        "session {} {}, Pillion {}, {} calls, daemon up for {}",
        cx.session,
        quote(&session.client),
        env!("CARGO_PKG_VERSION"),
        session.calls,
        ago(now_ms())
    )];
    for (id, profile) in &state.profiles {
        if !state.uses(&cx.session, id) {
            continue;
        }
        let how = if profile.is_connected() { "connected" } else { "not connected" };
        let version = match quote(&profile.version).as_str() {
            "\"\"" => String::new(),
            version => format!(", extension {version}"),
        };
        lines.push(format!("profile {}: {how} now{version}", profile.slug));
    }
    let failures: Vec<String> =
        session.happened.failures().iter().map(|(code, count)| format!("{code} {count}")).collect();
    if !failures.is_empty() {
        lines.push(format!("failures: {}", failures.join(" · ")));
    }
    let entries = session.happened.last(given.unwrap_or(LINES));
    let earlier = session.happened.len() - entries.len();
    if earlier > 0 {
        lines.push(format!("… {earlier} earlier: limit"));
    }
    lines.extend(entries.iter().map(line));
    Ok(lines.join("\n").into())
}

fn line(Entry { at_ms, times, what }: &Entry) -> String {
    let times = if *times > 1 { format!(" ({times} times)") } else { String::new() };
    format!("{} ago: {what}{times}", ago(now_ms().saturating_sub(*at_ms)))
}
