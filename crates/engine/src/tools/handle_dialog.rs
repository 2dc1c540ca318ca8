//! `browser_handle_dialog`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use crate::receipt::{About, Before};
use pillion_wire::code::Code;
use pillion_wire::limits;
use pillion_wire::verb::Verb;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_handle_dialog",
    doc: "Answer the dialog of a page.",
    details: "",
    effect: Effect::Manage,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param { name: "accept", kind: Kind::Boolean, doc: "", required: true, rare: false },
        Param { name: "prompt_text", kind: Kind::Text, doc: "", required: false, rare: false },
    ],
    positional: &[],
    idempotent: false,
    destructive: true,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, _: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = cx.handle(false).await?;
    let accept = cx.args.flag("accept");
    let text = cx.args.text("prompt_text");
    let Some(dialog) = open_dialog(&handle).await else {
        return Err(Failure::new(
            Code::NoDialog,
            format!("no dialog is open in tab {}. Nothing was done.", handle.tab.number),
        ));
    };
    let before = Before::of_dialog(&handle, dialog.seq);
    handle.acting();
    let verb = Verb::Dialog { tab: handle.chrome(), accept, text: text.clone() };
    handle.verb::<Value>(verb, limits::VERB).await?;
    let closed = handle.tab.until(|state| {
        let same = state.dialog.as_ref().is_some_and(|open| open.seq == dialog.seq);
        (!same || state.gone.is_some()).then_some(())
    });
    tokio::time::timeout(Duration::from_secs(2), closed).await.ok();
    // Chrome took the answer: an event that was lost must not keep the tab blocked.
    handle.tab.update(|state| {
        if state.dialog.as_ref().is_some_and(|open| open.seq == dialog.seq) {
            state.dialog = None;
        }
    });
    let after = handle.after(&before, About::default()).await;
    let verb = if accept { "accepted" } else { "dismissed" };
    let with = text
        .filter(|_| accept && dialog.kind == "prompt")
        // As for typed text: whether it is a secret, only the caller knows.
        .map_or_else(String::new, |text| format!(" with {} characters", text.chars().count()));
    let head = format!("{verb} {}{with}{}", dialog.words(), super::tab_note(&handle));
    Ok(format!("{head}\n{}", after.lines).trim_end().to_owned().into())
}

/// The open dialog. One that a timer is just opening is waited for, for a moment: the call says
/// that there is one.
async fn open_dialog(handle: &Handle) -> Option<crate::tab::Dialog> {
    let found = handle.tab.until(|state| state.dialog.clone());
    tokio::time::timeout(Duration::from_millis(300), found).await.ok()
}
