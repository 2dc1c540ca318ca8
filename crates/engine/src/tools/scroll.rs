//! `browser_scroll`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::act;
use crate::failure::{Failure, Outcome};
use crate::frames;
use crate::handle::Handle;
use crate::receipt::{About, After};
use pillion_wire::id::{DocumentId, LocalId};
use pillion_wire::page::{PageCall, ScrollHow, ScrollPlan};
use std::sync::Arc;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_scroll",
    doc: "Scroll target into view, or target or page by dy pixels.",
    details: "",
    effect: Effect::Act,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param { name: "target", kind: Kind::Text, doc: "", required: false, rare: false },
        Param { name: "dy", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param {
            name: "to",
            kind: Kind::OneOf(&["top", "bottom"]),
            doc: "",
            required: false,
            rare: false,
        },
        Param { name: "dx", kind: Kind::Integer, doc: "", required: false, rare: true },
    ],
    positional: &["target"],
    idempotent: false,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

/// Looks at the position until it holds still, at most so often.
const LOOKS: u32 = 12;
/// Looks without a move after which a box that could have moved counts as one that did not.
const UNMOVED_LOOKS: u32 = 8;

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let located = match cx.args.text("target") {
        Some(target) => Some(handle.resolve_element(&target).await?),
        None => None,
    };
    let (mut document, mut id) = match &located {
        Some(located) => (located.document.clone(), Some(located.id)),
        None => (frames::top(&handle).await?.0, None),
    };
    // An iframe's own ref means its document.
    if let Some(located) = &located
        && let Some(inner) = frames::own_frame(&handle, located).await?
    {
        (document, id) = (inner, None);
    }
    let (dx, dy) =
        (cx.args.integer("dx").unwrap_or(0) as f64, cx.args.integer("dy").unwrap_or(0) as f64);
    let how = match cx.args.text("to").as_deref() {
        Some("top") => ScrollHow::Top,
        Some("bottom") => ScrollHow::Bottom,
        _ if dx != 0.0 || dy != 0.0 => ScrollHow::By { dx, dy },
        _ if id.is_some() => ScrollHow::View,
        _ => {
            return Err(Failure::invalid(
                "browser_scroll needs dy, to or target. Nothing was scrolled.",
            ));
        }
    };
    let Turned { plan, now, after } = turn(&handle, &document, id, how).await?;
    let what = match (&located, &now.element) {
        (Some(located), _) if matches!(how, ScrollHow::View) => {
            handle.words(&located.element, &located.document)
        }
        (_, Some(element)) => handle.words(element, &document),
        _ => "the page".to_owned(),
    };
    let verb = if matches!(how, ScrollHow::View) { "scrolled into view" } else { "scrolled" };
    let mut out = format!(
        "{verb} {what}{}: at {} of {} px",
        super::tab_note(&handle),
        now.at[1].round(),
        now.max[1].round()
    );
    if now.max[0] >= 1.0 {
        out.push_str(&format!(", across {} of {} px", now.at[0].round(), now.max[0].round()));
    }
    if now.at == plan.at && matches!(how, ScrollHow::By { .. }) {
        out.push_str(", it did not move");
        if (dy > 0.0 && now.at[1] >= now.max[1] - 1.0) || (dy < 0.0 && now.at[1] <= 0.0) {
            out.push_str(": this is the end");
        }
    }
    let lines: String = after
        .lines
        .lines()
        .filter(|line| !line.starts_with("scrolled by"))
        .map(|line| format!("\n{line}"))
        .collect();
    Ok((out + &lines).into())
}

/// What scrolling came to.
pub(super) struct Turned {
    /// Where it stood.
    pub(super) plan: ScrollPlan,
    /// Where it stands.
    pub(super) now: ScrollPlan,
    pub(super) after: After,
}

/// Scrolls the box around an element, or the page, and waits until everything is at rest.
pub(super) async fn turn(
    handle: &Handle,
    document: &DocumentId,
    id: Option<LocalId>,
    how: ScrollHow,
) -> Outcome<Turned> {
    let before = handle.before(Some(document)).await?;
    handle.page::<()>(document, PageCall::Baseline {}).await?;
    let plan: ScrollPlan = handle.page(document, PageCall::Scroll { id, how }).await?;
    if let ScrollHow::By { dx, dy } = how {
        let point = frames::to_top(handle, document, plan.point).await?;
        handle.send(vec![act::hover(point, 0), act::wheel(point, dx, dy)]).await?;
    }
    handle.acting();
    let now = at_rest(handle, document, id, &plan, how).await?;
    let after = handle.after(&before, About::default()).await;
    Ok(Turned { plan, now, after })
}

/// Smooth scrolling begins a moment after the wheel was taken and goes on for a while: the position
/// counts once it holds still, and one that never moved only after some patience.
async fn at_rest(
    handle: &Handle,
    document: &DocumentId,
    id: Option<LocalId>,
    plan: &ScrollPlan,
    how: ScrollHow,
) -> Outcome<ScrollPlan> {
    let look =
        || handle.page::<ScrollPlan>(document, PageCall::Scroll { id, how: ScrollHow::Where });
    let settle = PageCall::Settle { frames: 3, cap_ms: 80 };
    let can_move = match how {
        ScrollHow::By { dx, dy } => has_room(plan, 0, dx) || has_room(plan, 1, dy),
        _ => false,
    };
    let mut last: ScrollPlan = look().await?;
    let mut still = 0;
    for _ in 0..LOOKS {
        handle.page::<serde_json::Value>(document, settle.clone()).await?;
        let now = look().await?;
        still = if now.at == last.at { still + 1 } else { 0 };
        let patience = if can_move && now.at == plan.at { UNMOVED_LOOKS } else { 1 };
        last = now;
        if still >= patience {
            break;
        }
    }
    Ok(last)
}

fn has_room(plan: &ScrollPlan, axis: usize, delta: f64) -> bool {
    (delta > 0.0 && plan.at[axis] < plan.max[axis] - 1.0) || (delta < 0.0 && plan.at[axis] > 0.0)
}
