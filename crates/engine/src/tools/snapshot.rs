//! `browser_snapshot`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::failure::{Failure, Outcome};
use crate::frames::{self, Whole};
use crate::handle::{Handle, Located};
use crate::random;
use pillion_core::diff;
use pillion_core::outline::{Style, after, print};
use pillion_core::page_text::{fence, quote, url_words_whole};
use pillion_core::refs::Key;
use pillion_wire::id::{LocalId, Ref};
use pillion_wire::limits;
use pillion_wire::page::PageCall;
use std::sync::Arc;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_snapshot",
    doc: "Outline of the page with refs to act on. Long lists are folded: use query or from.",
    details: "",
    effect: Effect::Read,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param {
            name: "target",
            kind: Kind::Text,
            doc: "only this part",
            required: false,
            rare: false,
        },
        Param {
            name: "query",
            kind: Kind::Text,
            doc: "words: matching elements with their whole row or card",
            required: false,
            rare: false,
        },
        Param {
            name: "from",
            kind: Kind::Text,
            doc: "cursor printed by a cut answer",
            required: false,
            rare: false,
        },
        Param {
            name: "diff",
            kind: Kind::Boolean,
            doc: "only changes since you last looked",
            required: false,
            rare: false,
        },
        Param { name: "max_chars", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param { name: "depth", kind: Kind::Integer, doc: "", required: false, rare: true },
        Param {
            name: "boxes",
            kind: Kind::Boolean,
            doc: "where refs are",
            required: false,
            rare: true,
        },
    ],
    positional: &["target"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

/// How much more than the budget the page is asked for, so that the rest can be counted.
const LOOK_AHEAD: usize = 4;
/// What follows a place is looked for so much further: the walk begins at the top.
const FURTHER: usize = 8;

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let look = Look::read(&cx, &handle)?;
    if cx.args.flag("diff") {
        return changed(&handle, &look).await.map(Answer::from);
    }
    let text = outline(&handle, &look).await?;
    if !cx.args.flag("boxes") {
        return Ok(text.into());
    }
    Ok(with_boxes(&handle, text).await?.into())
}

/// Adds where the refs of an outline are, as far as they are in view.
async fn with_boxes(handle: &Arc<Handle>, text: String) -> Outcome<String> {
    let labels = super::boxes::of(handle).await?;
    let shown = labels.iter().filter(|label| text.contains(&format!("[{}]", label.text)));
    let boxes: Vec<_> = shown
        .map(|label| {
            let [x, y, width, height] =
                [label.rect.x, label.rect.y, label.rect.width, label.rect.height].map(f64::round);
            format!("{} {x},{y} {width}×{height}", label.text)
        })
        .collect();
    if boxes.is_empty() {
        return Ok(format!("{text}\nboxes: none of these is in view"));
    }
    Ok(format!("{text}\nboxes in view, CSS px: {}", boxes.join(" · ")))
}

/// What to look at.
#[derive(Default)]
pub(super) struct Look {
    pub(super) target: Option<String>,
    pub(super) query: Option<String>,
    pub(super) from: Option<String>,
    pub(super) budget: usize,
    pub(super) depth: Option<u32>,
}

impl Look {
    fn read(cx: &Cx, handle: &Handle) -> Outcome<Self> {
        let budget = cx.args.characters(handle.budget(limits::SNAPSHOT_CHARS))?;
        let depth = cx.args.within("depth", 0..=1_000)?.and_then(|depth| u32::try_from(depth).ok());
        Ok(Self {
            target: cx.args.text("target"),
            query: cx.args.text("query"),
            from: cx.args.text("from"),
            budget,
            depth,
        })
    }
}

/// `e6+10`: item 10 of the list e6; `e310`: what follows e310.
fn cursor(text: &str) -> Outcome<(u32, Option<u32>)> {
    let bad = || {
        Failure::invalid(format!(
            "from is a cursor of a cut answer (e310 or e6+10), not {}.",
            quote(text)
        ))
    };
    let (number, item) = match text.split_once('+') {
        Some((number, item)) => (number, Some(item.trim().parse::<u32>().map_err(|_| bad())?)),
        None => (text, None),
    };
    let number = number
        .trim()
        .trim_start_matches('@')
        .strip_prefix('e')
        .and_then(|digits| digits.parse().ok());
    Ok((number.ok_or_else(bad)?, item))
}

/// The outline in its fence, with what is cut said after it.
pub(super) async fn outline(handle: &Arc<Handle>, look: &Look) -> Outcome<String> {
    let query: Vec<String> =
        look.query.as_deref().unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    let mut whole = seen(handle, look, &query, false).await?;
    let is_partial = whole.matches == Some(0) && query.len() > 1;
    if is_partial {
        whole = seen(handle, look, &query, true).await?;
    }
    Ok(written(handle, &whole, look, is_partial))
}

/// What there is to see. `any`: one word of the query is enough.
async fn seen(handle: &Arc<Handle>, look: &Look, query: &[String], any: bool) -> Outcome<Whole> {
    let max_chars = (look.budget * LOOK_AHEAD) as u32;
    let call = |root, item| PageCall::Snapshot {
        root,
        query: query.to_vec(),
        any,
        item,
        after: None,
        max_chars,
        depth: look.depth,
    };
    match (&look.target, &look.from) {
        (_, Some(from)) => match cursor(from)? {
            (number, None) => what_follows(handle, number, look.budget).await,
            (number, item) => {
                let located = handle.by_ref(number).await?;
                part(handle, &located, call(Some(located.id), item)).await
            }
        },
        (Some(target), None) => {
            let located = handle.resolve_element(target).await?;
            part(handle, &located, call(Some(located.id), None)).await
        }
        (None, None) => frames::whole(handle, call(None, None)).await,
    }
}

/// The page from behind an element on.
async fn what_follows(handle: &Arc<Handle>, number: u32, budget: usize) -> Outcome<Whole> {
    let located = handle.by_ref(number).await?;
    let key = Key { document: located.document, id: located.id };
    let call = frames::snapshot_call(None, budget * LOOK_AHEAD * FURTHER);
    let mut whole = frames::whole(handle, call).await?;
    whole.trees = after(&whole.trees, &key).ok_or_else(|| {
        Failure::new(
            pillion_wire::code::Code::RefGone,
            "that place is not in the page any more. Next: browser_snapshot.",
        )
    })?;
    Ok(whole)
}

/// One element's part of the page, with the frames in it; an iframe's own ref means its document.
async fn part(handle: &Arc<Handle>, located: &Located, call: PageCall) -> Outcome<Whole> {
    let mut whole = frames::part(handle, located, call).await?;
    if let [only] = whole.trees.as_mut_slice()
        && only.node.role == "iframe"
        && !only.children.is_empty()
    {
        whole.trees = std::mem::take(&mut only.children);
    }
    Ok(whole)
}

fn written(handle: &Handle, whole: &Whole, look: &Look, is_partial: bool) -> String {
    let id = random::word(5);
    let mut head = header(handle, whole);
    if whole.canvas_only {
        head.push_str(" (the page draws on a canvas: use browser_screenshot and x,y targets)");
    }
    if whole.info.pdf {
        head.push_str(&format!(
            " (Chrome's viewer shows a PDF: its words come by browser_text {{\"tab\":{}}})",
            handle.tab.number
        ));
    }
    let url = whole.info.url.clone();
    let mut state = handle.tab.state();
    let style =
        Style { page_url: Some(&url), budget: look.budget, indent: 0, folds: look.query.is_none() };
    let printed = print(&whole.trees, &mut state.refs, &style);
    let mut body = String::new();
    if let (Some(count), Some(query)) = (whole.matches, &look.query) {
        let plural = if count == 1 { "match" } else { "matches" };
        let words = quote(query);
        body.push_str(&if is_partial {
            format!("0 matches, {count} in part\n")
        } else {
            format!("{count} {plural} for {words}\n")
        });
    }
    body.push_str(&printed.text);
    if body.is_empty() {
        body.push_str("(nothing to see or act on)\n");
    }
    let told = (whole.document.clone(), diff::tell(&whole.trees), state.seq);
    if look.target.is_none()
        && look.query.is_none()
        && look.from.is_none()
        && printed.cut_of.is_none()
    {
        state.told.insert(handle.session.clone(), told);
    }
    let mut out = format!("{head}\n{}", fence(&id, &body));
    if printed.cut_of.is_some() || whole.cut {
        out.push_str(&cut_line(
            handle.tab.number.0,
            look,
            printed.text.len(),
            printed.cut_of,
            printed.last_ref,
        ));
    }
    out
}

fn cut_line(tab: u32, look: &Look, shown: usize, of: Option<usize>, last: Option<Ref>) -> String {
    let of = of.map_or_else(String::new, |of| format!(" of {of}"));
    match last {
        Some(last) if look.query.is_none() => {
            format!(
                "\n… cut at {shown}{of} characters. Rest: browser_snapshot {{\"tab\":{tab},\"from\":\"e{last}\"}}"
            )
        }
        _ => format!("\n… cut at {shown}{of} characters. Use a narrower query, or more max_chars."),
    }
}

/// `tab N "TITLE" URL (viewport at Y of H px)`.
pub(super) fn header(handle: &Handle, whole: &Whole) -> String {
    let info = &whole.info;
    let mut out =
        format!("tab {} {} {}", handle.tab.number, quote(&info.title), url_words_whole(&info.url));
    if info.height > info.viewport[1] + 1.0 {
        out.push_str(&format!(
            " (viewport at {} of {} px)",
            info.scroll_y.round(),
            info.height.round()
        ));
    }
    out
}

/// What changed since this session was last told about the tab.
async fn changed(handle: &Arc<Handle>, look: &Look) -> Outcome<String> {
    let whole =
        frames::whole(handle, frames::snapshot_call(None::<LocalId>, look.budget * LOOK_AHEAD))
            .await?;
    let before = handle.tab.state().told.get(&handle.session).cloned();
    let Some((document, told, _)) = before else { return outline_of(handle, &whole, look, "") };
    if document != whole.document {
        return outline_of(handle, &whole, look, " new page");
    }
    let now = diff::tell(&whole.trees);
    let mut state = handle.tab.state();
    let url = whole.info.url.clone();
    let lines = diff::lines(&told, &whole.trees, &mut state.refs, Some(&url), look.budget);
    let seq = state.seq;
    state.told.insert(handle.session.clone(), (document, now, seq));
    drop(state);
    let head = header(handle, &whole);
    if lines.is_empty() {
        return Ok(format!("{head}, no change since your last look"));
    }
    Ok(format!("{head}, changed since your last look\n{}", fence(&random::word(5), &lines)))
}

fn outline_of(handle: &Handle, whole: &Whole, look: &Look, mark: &str) -> Outcome<String> {
    let text = written(handle, whole, look, false);
    Ok(match text.split_once('\n') {
        Some((head, rest)) if !mark.is_empty() => format!("{head}{mark}\n{rest}"),
        _ => text,
    })
}
