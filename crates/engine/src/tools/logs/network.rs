//! The list of requests, from what was told of the tab.

use super::{Ask, count_words, now, pick, rest};
use crate::handle::Handle;
use crate::tab::TabState;
use pillion_core::net_line::line;
use pillion_core::net_log::Row;
use pillion_wire::id::SessionId;

/// Rows that the call asks for. `every`: also what only dresses the page.
pub(super) fn fitting<'a>(
    state: &'a TabState,
    session: &SessionId,
    ask: &'a Ask,
    every: bool,
) -> impl DoubleEndedIterator<Item = &'a Row> {
    let logs = &state.logs;
    let start = logs.net.page_start(logs.commit);
    let floor = logs.cleared.get(session).map_or(0, |(network, _)| *network);
    logs.net.rows().filter(move |row| {
        row.number > floor
            && ask.since.is_none_or(|since| row.number > since)
            && (ask.all || row.begun >= start)
            && (ask.all || every || row.is_bad() || !row.is_dress() || ask.filter.is_some())
            && (!ask.errors || row.is_bad())
            && ask.filter.as_ref().is_none_or(|words| row.url.to_lowercase().contains(words))
            && !logs.is_own(row)
    })
}

pub(super) fn list(handle: &Handle, ask: &Ask) -> String {
    let state = handle.tab.state();
    let net = &state.logs.net;
    let rows: Vec<&Row> = fitting(&state, &handle.session, ask, false).collect();
    let failed = rows.iter().filter(|row| row.is_bad()).count();
    let dress = if ask.all || ask.errors || ask.filter.is_some() {
        0
    } else {
        fitting(&state, &handle.session, ask, true).count() - rows.len()
    };
    let start = net.page_start(state.logs.commit);
    let earlier = if ask.all { 0 } else { net.rows().filter(|row| row.begun < start).count() };
    let all = rows.iter().map(|row| (row.number, line(row, state.url(), now())));
    let picked = pick(all.collect(), ask);
    let what = if ask.all { "" } else { " of this page" };
    let mut out = format!(
        "network of tab {}: {}{what}",
        handle.tab.number,
        count_words(rows.len(), "request")
    );
    if failed > 0 {
        out.push_str(&format!(", {failed} failed"));
    }
    out.push('\n');
    for line in &picked.lines {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(&rest(handle, ask, 'r', "network", &picked));
    if dress > 0 {
        out.push_str(&format!("+{dress} scripts, styles, images, fonts: add \"all\":true\n"));
    }
    if earlier > 0 {
        out.push_str(&format!("+{earlier} of earlier pages: add \"all\":true\n"));
    }
    for (count, words) in [
        (net.blocked, "blocked: requests to sites that the user closed to agents"),
        (net.dropped, "lost: more than could be told"),
        (net.forgotten, "dropped: the oldest, for want of room"),
        (
            net.gaps,
            "times the connection to the browser was lost; requests of that moment may be missing",
        ),
    ] {
        if count > 0 {
            out.push_str(&format!("{count} {words}\n"));
        }
    }
    out
}
