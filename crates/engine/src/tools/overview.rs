//! `browser_overview`: what an agent would look at first, in one answer.

use super::{Answer, Cx, Effect, Kind, ToolDef, logs, may, snapshot};
use crate::failure::Outcome;
use crate::handle::Handle;
use crate::tried;
use pillion_wire::limits;
use std::sync::Arc;

/// Lines of each kind of trouble.
const TROUBLES: usize = 5;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_overview",
    doc: "State, outline, console errors and failed requests of a tab in one answer, within one budget.",
    details: "Two thirds of a snapshot's budget go to the outline, the rest to errors of the console and requests that failed, a few of each. Attaches the debugger for the console.",
    effect: Effect::Read,
    params: &[may("tab", Kind::Integer, ""), may("query", Kind::Text, "outline of this only")],
    positional: &["query"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let budget = handle.budget(limits::SNAPSHOT_CHARS) * 2 / 3;
    let look = snapshot::Look { query: cx.args.text("query"), budget, ..snapshot::Look::default() };
    let outline = snapshot::outline(&handle, &look).await?;
    let troubles = logs::troubles(&handle, TROUBLES, limits::SNAPSHOT_CHARS / 6).await;
    Ok(format!("state: {}\n{outline}\n{troubles}", state(&handle)).into())
}

fn state(handle: &Handle) -> String {
    let state = handle.tab.state();
    let info = state.info.as_ref();
    let mut words = Vec::new();
    if info.is_some_and(|info| info.held) {
        words.push("yours".to_owned());
    }
    if info.is_some_and(|info| info.shared) {
        words.push("shared by the user".to_owned());
    }
    if info.is_some_and(|info| info.loading) {
        words.push("still loading".to_owned());
    }
    if let Some(status) = state.nav.status {
        words.push(format!("HTTP {status}"));
    }
    if state.attached {
        words.push("debugger attached".to_owned());
    }
    let going_on =
        state.downloads.iter().filter(|(_, download)| download.state == "in_progress").count();
    if going_on > 0 {
        words.push(format!("downloading: {going_on}"));
    }
    let emulated = tried::names(&state.tried.emulation_of(&handle.session));
    if !emulated.is_empty() {
        words.push(format!("emulated: {}", emulated.join(", ")));
    }
    if state.tried.mocks > 0 {
        words.push(format!("mocks: {}", state.tried.mocks));
    }
    words.join(" · ")
}
