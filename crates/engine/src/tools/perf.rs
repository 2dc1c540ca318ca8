//! `browser_perf`: how a page loads and runs, from a trace of the tab's own frames.

use super::{Answer, Cx, Effect, Kind, ToolDef, may, navigate};
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use crate::tried;
use pillion_core::page_text::{quote, url_words_whole};
use pillion_core::trace;
use pillion_wire::code::{Code, Done};
use pillion_wire::limits;
use pillion_wire::measuring::Traced;
use pillion_wire::verb::{Phase, Verb};
use serde_json::Value;
use std::sync::Arc;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_perf",
    doc: "Performance from a trace: Web Vitals and where their time went, long tasks, forced layouts, slow and blocking requests. load (reload under trace), or start … stop around your own acts.",
    details: "`path`: with `load` and `stop`, the trace as a new file (its name ends with `trace.json`; Chrome's own format; where files may be written, see `browser_files`). A trace holds events of known names of the tab's own frames and nothing of other tabs, of Chrome's own processes, or of frames of sites that the user closed to agents; addresses without credentials, no headers, no bodies. Tasks of a process that the tab shares with others are told only where nothing of the others ran in them. INP is of what was done during the trace; CLS of the top frame. With `browser_emulate` it measures what is emulated, and says so. The user is asked first, on every site. Attaches the debugger, which takes time itself. A trace that is not stopped within two minutes is thrown away. Chrome has one trace at a time.",
    effect: Effect::Act,
    params: &[
        may("tab", Kind::Integer, ""),
        may("action", Kind::OneOf(&["load", "start", "stop"]), ""),
        may("path", Kind::Text, "trace as a file: …trace.json"),
        may("max_chars", Kind::Integer, ""),
    ],
    positional: &["action", "path"],
    idempotent: false,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let budget = cx.args.characters(handle.budget(limits::PERF_CHARS))?;
    let action = cx.args.text("action").unwrap_or_else(|| "load".to_owned());
    let path = cx.args.text("path");
    if path.is_some() && action == "start" {
        return Err(Failure::invalid("path belongs to load and stop. Nothing was done."));
    }
    // A path that cannot be written is said before anything is measured.
    let file = match &path {
        Some(path) if path.to_ascii_lowercase().ends_with("trace.json") => {
            Some(cx.files.create(path).await?)
        }
        Some(path) => {
            return Err(Failure::new(
                Code::FileNotAllowed,
                format!(
                    "{}: the name of a trace's file ends with trace.json. Nothing was done.",
                    quote(path)
                ),
            ));
        }
        None => None,
    };
    let traced = match action.as_str() {
        "start" => {
            start(&handle).await?;
            let tab = handle.tab.number;
            return Ok(format!(
                "tracing tab {tab}. Act there, then: browser_perf {{\"tab\":{tab},\"action\":\"stop\"}}"
            )
            .into());
        }
        "stop" => stop(&handle).await?.ok_or_else(|| none(&handle))?,
        _ => load(&handle).await?,
    };
    let mut text = told(&handle, &action, &traced, budget);
    if let Some(mut file) = file {
        let body = trace::file(&traced.events);
        let body = handle.engine.scrubbed(&body);
        for piece in body.as_bytes().chunks(limits::FILE_CHUNK_BYTES) {
            file.write(piece).await?;
        }
        let path = file.keep().await?;
        let size = crate::receipt::size(body.len() as f64);
        text.push_str(&format!("\nsaved: {} ({size})", quote(&path)));
    }
    Ok(text.into())
}

fn none(handle: &Handle) -> Failure {
    let tab = handle.tab.number;
    Failure::invalid(format!(
        "no trace runs in tab {tab}, or it was thrown away. Nothing was done. Next: browser_perf {{\"tab\":{tab},\"action\":\"start\"}}."
    ))
}

async fn start(handle: &Arc<Handle>) -> Outcome<()> {
    handle.refuse_dialog()?;
    let verb = Verb::Trace { tab: handle.chrome(), on: true };
    handle.or_dialog(handle.verb::<Value>(verb, limits::CALL)).await??;
    Ok(())
}

async fn stop(handle: &Arc<Handle>) -> Outcome<Option<Traced>> {
    let verb = Verb::Trace { tab: handle.chrome(), on: false };
    handle.or_dialog(handle.verb(verb, limits::TRACE_END)).await?
}

/// Reloads under trace, and looks until a while after the load.
async fn load(handle: &Arc<Handle>) -> Outcome<Traced> {
    start(handle).await?;
    let loaded = reload(handle).await;
    let traced = stop(handle).await;
    loaded?;
    traced?.ok_or_else(|| {
        let lost =
            "the trace was lost: the debugger was detached. The page was reloaded. Next: again.";
        Failure::new(Code::DebuggerUnavailable, lost).done(Done::Partly)
    })
}

async fn reload(handle: &Arc<Handle>) -> Outcome<()> {
    let since = navigate::start(handle, "reload", Some(0)).await?;
    // A page that goes on loading is measured as far as it came.
    handle.or_gone(handle.navigated(since, Phase::Complete)).await?;
    handle.refuse_dialog()?;
    if handle.tab.state().nav.phase == Some(Phase::Failed) {
        return Err(Failure::new(
            Code::NavigationFailed,
            "the page could not be loaded again. Next: browser_snapshot.",
        )
        .done(Done::Partly));
    }
    handle.pause(limits::TRACE_AFTER_LOAD).await
}

fn told(handle: &Handle, action: &str, traced: &Traced, budget: usize) -> String {
    let (page, title, emulated) = {
        let state = handle.tab.state();
        let emulated = tried::names(&state.tried.emulation_of(&handle.session));
        (state.url().to_owned(), quote(state.title()), emulated)
    };
    let element =
        |id: u32| traced.nodes.iter().find(|node| node.id == id).map(|node| node.words.clone());
    let words = trace::Words { page: &page, element: &element };
    let report = trace::read(&traced.events);
    let mut lines = trace::told(&report, &words);
    let how = if action == "load" { "reloaded under trace" } else { "traced" };
    lines.insert(0, format!("tab {} {title} {} {how}", handle.tab.number, url_words_whole(&page)));
    if !emulated.is_empty() {
        lines.insert(1, format!("emulated: {}", emulated.join(", ")));
    }
    let mut left = vec!["other tabs and Chrome's own processes are left out".to_owned()];
    if traced.hidden > 0 {
        left.push(format!("so are frames of sites that are closed to agents: {}", traced.hidden));
    }
    if traced.dropped > 0 {
        left.push(format!("{} events were too many", traced.dropped));
    }
    if traced.lost {
        left.push("Chrome lost a part of the trace".to_owned());
    }
    let last = format!("measured: this tab's own frames; {}", left.join("; "));
    let mut room = budget.saturating_sub(last.chars().count());
    let mut out = String::new();
    let all = lines.len();
    for (nth, line) in lines.into_iter().enumerate() {
        let length = line.chars().count() + 1;
        if length > room {
            out.push_str(&format!("… cut, {} more lines: max_chars\n", all - nth));
            break;
        }
        room -= length;
        out.push_str(&line);
        out.push('\n');
    }
    out + &last
}
