//! `browser_baseline`: a part of a page that is remembered, and compared later.

use super::{Answer, Cx, Effect, Kind, ToolDef, may};
use crate::clock::now_ms;
use crate::failure::{Failure, Outcome};
use crate::frames::{self, Whole};
use crate::handle::Handle;
use crate::random;
use crate::tried::Baseline;
use pillion_core::lines::{Line, changes};
use pillion_core::outline::{Style, print};
use pillion_core::page_text::{fence, quote};
use pillion_core::refs::RefTable;
use pillion_wire::code::Code;
use pillion_wire::limits;
use std::sync::Arc;

/// Largest outline that is remembered, characters.
const OUTLINE: usize = 200_000;
/// Longest name, characters.
const NAME: usize = 60;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_baseline",
    doc: "Remember how a part of a page is (set), and see later what became different (compare), also after reloads.",
    details: "`set` remembers the outline of `target`, or of the whole page, under `name`; `compare` tells the lines that went and came since, by words and states, whatever the refs; `list`, `forget`. Kept by the daemon for the session and tab, 20 a tab.",
    effect: Effect::Read,
    params: &[
        may("tab", Kind::Integer, ""),
        may("action", Kind::OneOf(&["set", "compare", "list", "forget"]), ""),
        may("target", Kind::Text, ""),
        may("name", Kind::Text, "default"),
    ],
    positional: &["action", "target"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let name = cx.args.text("name").unwrap_or_else(|| "default".to_owned());
    if name.chars().count() > NAME {
        return Err(Failure::invalid(format!("name takes {NAME} characters at most.")));
    }
    let known = handle.tab.state().tried.remembered(&handle.session);
    let action = cx.args.text("action");
    let compares = known.contains_key(&name);
    match action.as_deref().unwrap_or(if compares { "compare" } else { "set" }) {
        "list" => {
            let mut lines: Vec<_> = known.iter().map(|(name, one)| described(name, one)).collect();
            lines.sort();
            let tab = handle.tab.number;
            Ok(if lines.is_empty() {
                format!("no baselines of tab {tab}").into()
            } else {
                format!("baselines of tab {tab}:\n  {}", lines.join("\n  ")).into()
            })
        }
        "forget" => {
            if !handle.tab.state().tried.forget(&handle.session, &name) {
                return Err(none(&handle, &name));
            }
            Ok(format!("forgot baseline {}", quote(&name)).into())
        }
        "set" => {
            let target = cx.args.text("target");
            let outline = outline(&handle, target.as_deref()).await?;
            let baseline = Baseline { target, outline, at_ms: now_ms() };
            let lines = baseline.outline.lines().count();
            let words = described(&name, &baseline);
            handle.tab.state().tried.remember(&handle.session, &name, baseline);
            Ok(format!("baseline {words}, {lines} lines{}", super::tab_note(&handle)).into())
        }
        _ => {
            let before = known.get(&name).cloned().ok_or_else(|| none(&handle, &name))?;
            let target = cx.args.text("target").or(before.target.clone());
            let now = outline(&handle, target.as_deref()).await?;
            Ok(compared(&handle, &name, &before, &now).into())
        }
    }
}

fn none(handle: &Handle, name: &str) -> Failure {
    Failure::new(
        Code::InvalidArgument,
        format!(
            "no baseline {} of tab {} is known (a restart of the daemon forgets them). Next: browser_baseline {{\"tab\":{1},\"action\":\"set\"}}.",
            quote(name),
            handle.tab.number
        ),
    )
}

fn described(name: &str, baseline: &Baseline) -> String {
    let of = baseline.target.as_deref().map_or_else(|| "the page".to_owned(), quote);
    format!("{} of {of}, {} s ago", quote(name), (now_ms().saturating_sub(baseline.at_ms)) / 1_000)
}

/// The part's lines without refs: those belong to one document, the words to any.
async fn outline(handle: &Arc<Handle>, target: Option<&str>) -> Outcome<String> {
    let call = |root| frames::snapshot_call(root, OUTLINE);
    let whole: Whole = match target {
        None => frames::whole(handle, call(None)).await?,
        Some(target) => {
            let located = handle.resolve_element(target).await?;
            frames::part(handle, &located, call(Some(located.id))).await?
        }
    };
    let url = whole.info.url.clone();
    let style = Style { page_url: Some(&url), budget: OUTLINE, indent: 0, folds: false };
    // A table of its own: nobody is shown these refs.
    let printed = print(&whole.trees, &mut RefTable::above(0), &style);
    Ok(without_refs(&printed.text))
}

fn without_refs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(" [e") {
        let digits = rest[at + 3..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + 3 + digits;
        if digits > 0 && rest[end..].starts_with(']') {
            out.push_str(&rest[..at]);
            rest = &rest[end + 1..];
        } else {
            out.push_str(&rest[..at + 3]);
            rest = &rest[at + 3..];
        }
    }
    out.push_str(rest);
    out
}

fn compared(handle: &Handle, name: &str, before: &Baseline, now: &str) -> String {
    let found = changes(&before.outline, now);
    let words = described(name, before);
    if found.is_empty() {
        return format!("no difference to baseline {words}{}", super::tab_note(handle));
    }
    let gone = found.iter().filter(|line| matches!(line, Line::Gone(_))).count();
    let head = format!(
        "different from baseline {words}: {gone} gone, {} new{}",
        found.len() - gone,
        super::tab_note(handle)
    );
    let budget = handle.budget(limits::SNAPSHOT_CHARS);
    let (mut body, mut room, mut told) = (String::new(), budget, 0);
    for line in &found {
        let text = match line {
            Line::Gone(text) => format!("- {}\n", text.trim_start()),
            Line::New(text) => format!("+ {}\n", text.trim_start()),
        };
        let length = text.chars().count();
        if length > room {
            break;
        }
        (room, told) = (room - length, told + 1);
        body.push_str(&text);
    }
    let left = found.len() - told;
    let more = if left > 0 {
        format!("\n… {left} more lines: compare a smaller part with target")
    } else {
        String::new()
    };
    format!("{head}\n{}{more}", fence(&random::word(5), body.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_are_left_out_and_words_like_them_stay() {
        let text = "button \"Save\" [e12] disabled\n\"a [ex] b\" link [e3]";
        assert_eq!(without_refs(text), "button \"Save\" disabled\n\"a [ex] b\" link");
    }
}
