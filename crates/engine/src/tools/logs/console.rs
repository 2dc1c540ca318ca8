//! The console of a tab: read from the page at each call, numbered here.

use super::{Ask, count_words, pick, rest};
use crate::failure::Outcome;
use crate::handle::Handle;
use crate::random;
use crate::sources;
use pillion_core::console_log::{Message, lines};
use pillion_core::page_text::fence;
use pillion_wire::limits;
use pillion_wire::looking::ConsoleReply;
use pillion_wire::verb::Verb;
use std::sync::Arc;

pub(super) async fn list(handle: &Arc<Handle>, ask: &Ask) -> Outcome<String> {
    handle.refuse_dialog()?;
    handle.attach().await?;
    let verb = Verb::Console { tab: handle.chrome() };
    let reply: ConsoleReply = handle.or_dialog(handle.verb(verb, limits::VERB)).await??;
    let (mut messages, earlier, forgotten) = {
        let mut state = handle.tab.state();
        state.logs.console.take(reply.entries);
        let floor = state.logs.cleared.get(&handle.session).map_or(0, |(_, console)| *console);
        let console = &state.logs.console;
        let here = console.messages().filter(|message| message.here).count();
        let known = console.messages().filter(|message| message.number > floor);
        let shown: Vec<Message> = known.filter(|message| fits(message, ask)).cloned().collect();
        (shown, console.messages().count() - here, console.forgotten)
    };
    let errors = messages.iter().filter(|message| message.entry.level == "error").count();
    in_sources(handle, &mut messages, ask).await;
    let all = messages.iter().map(|message| (message.number, lines(message).trim_end().to_owned()));
    let picked = pick(all.collect(), ask);
    let what =
        if ask.filter.is_some() || ask.errors || ask.since.is_some() { " that fit" } else { "" };
    let mut out = format!(
        "console of tab {}: {}{what}{}\n",
        handle.tab.number,
        count_words(messages.len(), "message"),
        if errors > 0 { format!(", {}", count_words(errors, "error")) } else { String::new() },
    );
    if !picked.lines.is_empty() {
        out.push_str(&fence(&random::word(5), &picked.lines.join("\n")));
        out.push('\n');
    }
    out.push_str(&rest(handle, ask, 'c', "console", &picked));
    if reply.full || reply.dropped > 0 {
        out.push_str("Chrome keeps the last 1000 messages of a page: older ones are gone\n");
    }
    if forgotten > 0 {
        out.push_str(&format!("{forgotten} older ones were dropped here\n"));
    }
    if earlier > 0 && !ask.all {
        out.push_str(&format!(
            "{earlier} of earlier pages or cleared, not shown: add \"all\":true\n"
        ));
    }
    if reply.silent > 0 {
        out.push_str(&format!("{} did not answer\n", count_words(reply.silent as usize, "frame")));
    }
    Ok(out)
}

fn fits(message: &Message, ask: &Ask) -> bool {
    let entry = &message.entry;
    (message.here || ask.all)
        && ask.since.is_none_or(|since| message.number > since)
        && (!ask.errors || entry.level == "error")
        && ask.filter.as_ref().is_none_or(|words| {
            entry.text.to_lowercase().contains(words)
                || entry.stack.first().is_some_and(|at| at.url.to_lowercase().contains(words))
        })
}

/// Places as their sources have them, for what can be shown at most.
async fn in_sources(handle: &Handle, messages: &mut [Message], ask: &Ask) {
    let shown = if ask.since.is_some() {
        let most = messages.len().min(ask.limit);
        &mut messages[..most]
    } else {
        let from = messages.len().saturating_sub(ask.limit);
        &mut messages[from..]
    };
    let places: Vec<_> = shown.iter().flat_map(|message| message.entry.stack.clone()).collect();
    let mut wanted: Vec<sources::Wanted> = Vec::new();
    for at in &places {
        if at.url.starts_with("http") && at.line > 0 && wanted.iter().all(|(url, _)| *url != at.url)
        {
            wanted.push((at.url.clone(), None));
        }
    }
    if wanted.is_empty() {
        return;
    }
    let found = sources::map(handle, places, wanted).await;
    for at in shown.iter_mut().flat_map(|message| &mut message.entry.stack) {
        if let Some(source) = found.get(&sources::key(at)) {
            at.clone_from(source);
        }
    }
}
