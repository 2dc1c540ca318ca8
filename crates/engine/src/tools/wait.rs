//! `browser_wait`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::failure::{Failure, Outcome};
use crate::frames::{Doc, docs};
use crate::handle::Handle;
use crate::resolve::step_words;
use pillion_core::page_text::{quote, url_words};
use pillion_core::target::{Part, Target, parse};
use pillion_wire::code::Code;
use pillion_wire::id::DocumentId;
use pillion_wire::id::LocalId;
use pillion_wire::limits;
use pillion_wire::page::{Matches, PageCall, Step};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_wait",
    doc: "Wait for one thing. Acts already wait until the page is quiet.",
    details: "",
    effect: Effect::Watch,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param {
            name: "target",
            kind: Kind::Text,
            doc: "until visible",
            required: false,
            rare: false,
        },
        Param {
            name: "gone",
            kind: Kind::Boolean,
            doc: "until target is gone",
            required: false,
            rare: false,
        },
        Param {
            name: "url",
            kind: Kind::Text,
            doc: "part, or glob with *",
            required: false,
            rare: false,
        },
        Param {
            name: "idle",
            kind: Kind::Boolean,
            doc: "no requests",
            required: false,
            rare: false,
        },
        Param { name: "ms", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param {
            name: "timeout_ms",
            kind: Kind::Integer,
            doc: "at most 50000",
            required: false,
            rare: false,
        },
    ],
    positional: &["target"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

/// One wait in the page lasts at most this long: then the frames are asked afresh, since new ones
/// may have come.
const SLICE: Duration = Duration::from_millis(1_000);

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let longest = limits::WAIT_MAX.saturating_sub(limits::WAIT_ANSWER);
    let most = cx.args.millis("timeout_ms", limits::WAIT_MAX)?;
    let most = most.unwrap_or(limits::WAIT_DEFAULT).min(longest);
    let pause = cx.args.millis("ms", limits::WAIT_MAX)?;
    let started = Instant::now();
    let target = cx.args.text("target");
    let url = cx
        .args
        .text("url")
        .or_else(|| target.as_deref().and_then(|t| t.strip_prefix("url=")).map(str::to_owned));
    if let Some(glob) = url {
        return for_url(&handle, &glob, most)
            .await
            .map(|text| ended(&handle, &text, started).into());
    }
    if let Some(target) = target {
        let text = for_target(&cx, &handle, &target, cx.args.flag("gone"), most).await?;
        return Ok(ended(&handle, &text, started).into());
    }
    if let Some(pause) = pause {
        let pause = pause.min(longest);
        handle.pause(cx.time(pause)).await?;
        return Ok(format!("waited {} ms", pause.as_millis()).into());
    }
    if cx.args.flag("idle") {
        return for_idle(&handle, most).await.map(|text| ended(&handle, &text, started).into());
    }
    Err(Failure::invalid("browser_wait needs target, url, ms or idle."))
}

fn ended(handle: &Handle, text: &str, started: Instant) -> String {
    format!("{text}{} after {:.1} s", super::tab_note(handle), started.elapsed().as_secs_f32())
}

pub(crate) async fn for_url(handle: &Handle, glob: &str, most: Duration) -> Outcome<String> {
    let wanted = glob.to_owned();
    let found =
        handle.tab.until(move |state| fits(&wanted, state.url()).then(|| state.url().to_owned()));
    match tokio::time::timeout(handle.time(most), handle.or_dialog(found)).await {
        Ok(url) => Ok(format!("the address is {}", url_words(&url?, None))),
        Err(_) => {
            let now = url_words(handle.tab.state().url(), None);
            Err(timeout(
                handle,
                &format!("the address did not become {}; it is {now}.", quote(glob)),
                most,
            ))
        }
    }
}

/// A glob with `*`, or a part of the address.
fn fits(glob: &str, url: &str) -> bool {
    if !glob.contains('*') {
        return url.contains(glob);
    }
    let mut rest = url;
    let parts: Vec<&str> = glob.split('*').collect();
    for (nth, part) in parts.iter().enumerate() {
        let last = nth + 1 == parts.len();
        if nth == 0 {
            let Some(after) = rest.strip_prefix(part) else { return false };
            rest = after;
        } else if last {
            return rest.ends_with(part);
        } else {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
    }
    true
}

pub(crate) async fn for_target(
    cx: &Cx,
    handle: &Arc<Handle>,
    target: &str,
    gone: bool,
    most: Duration,
) -> Outcome<String> {
    let until = Instant::now() + handle.time(most);
    let parsed = parse(target)
        .map_err(|problem| Failure::invalid(format!("{problem}: target {}.", quote(target))))?;
    let (scope, step) = match parsed {
        Target::Ref(number) => return for_ref(handle, number, gone, until, most).await,
        Target::Path(mut parts) => match parts.pop() {
            Some(Part::Step(step)) => (parts, step),
            Some(Part::Ref(number)) => return for_ref(handle, number, gone, until, most).await,
            None => return Err(Failure::invalid("the target is empty.")),
        },
        Target::Point(..) | Target::Shot(..) => {
            return Err(Failure::invalid("a point cannot be waited for."));
        }
    };
    let words = step_words(&step);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            let verb = if gone { "is still there" } else { "did not appear" };
            return Err(timeout(handle, &format!("{words} {verb}."), most));
        }
        if let Some(text) = look(handle, &scope, &step, gone, left.min(SLICE)).await? {
            return Ok(text);
        }
        // Nobody may listen to progress: the wait goes on all the same.
        cx.progress.try_send(format!("waiting for {words}")).ok();
    }
}

/// One slice of waiting, in every frame at once. A page that is just going away answers nothing:
/// the next slice asks its successor.
async fn look(
    handle: &Arc<Handle>,
    scope: &[Part],
    step: &Step,
    gone: bool,
    slice: Duration,
) -> Outcome<Option<String>> {
    let within = match outer(handle, scope, gone).await? {
        Outer::Everywhere => None,
        Outer::In(document, id) => Some((document, id)),
        Outer::NotThere if gone => return Ok(Some(format!("{} is gone", step_words(step)))),
        Outer::NotThere => {
            // What holds it is not there yet: look again with the page's next change.
            let seq = handle.tab.state().seq;
            let stirred = handle.tab.until(move |state| (state.seq > seq).then_some(()));
            tokio::time::timeout(slice.min(Duration::from_millis(150)), stirred).await.ok();
            return Ok(None);
        }
    };
    let timeout_ms = slice.as_millis() as u32;
    let call = |within| PageCall::Wait { step: step.clone(), within, gone, timeout_ms };
    let most = slice + Duration::from_secs(2);
    let found: Vec<Doc<Matches>> = match within {
        Some((document, id)) => {
            let value: Matches = handle.page_within(&document, call(Some(id)), most).await?;
            vec![Doc {
                frame: pillion_wire::id::FrameId(0),
                parent: pillion_wire::id::FrameId(-1),
                document,
                value,
            }]
        }
        None if gone => docs(handle.page_all_within(call(None), most).await?),
        None => first_frame(handle, call(None), most).await?,
    };
    if gone {
        let all = !found.is_empty()
            && found.iter().all(|doc| doc.value.total == 0 && !doc.value.timed_out);
        return Ok(all.then(|| format!("{} is gone", step_words(step))));
    }
    let hit = found.iter().find(|doc| !doc.value.timed_out && !doc.value.candidates.is_empty());
    Ok(hit.map(|doc| format!("{} is there", handle.words(&doc.value.candidates[0], &doc.document))))
}

/// The first frame that has it: frames that do not would hold the answer up to the slice's end.
async fn first_frame(
    handle: &Arc<Handle>,
    call: PageCall,
    most: Duration,
) -> Outcome<Vec<Doc<Matches>>> {
    let infos: Vec<Doc<serde_json::Value>> = docs(handle.page_all(PageCall::Hello {}).await?);
    let waits = infos.into_iter().map(|doc| {
        let call = call.clone();
        Box::pin(async move {
            let value: Matches = handle.page_within(&doc.document, call, most).await?;
            if value.timed_out {
                return Err(Failure::new(Code::Timeout, "not there"));
            }
            Ok(Doc { frame: doc.frame, parent: doc.parent, document: doc.document, value })
        })
    });
    let waits: Vec<_> = waits.collect();
    if waits.is_empty() {
        return Ok(vec![]);
    }
    match futures_util::future::select_ok(waits).await {
        Ok((doc, _)) => Ok(vec![doc]),
        Err(failure) if matches!(failure.code, Code::Timeout | Code::RefGone | Code::TabWedged) => {
            Ok(vec![])
        }
        Err(failure) => Err(failure),
    }
}

enum Outer {
    Everywhere,
    In(DocumentId, LocalId),
    NotThere,
}

async fn outer(handle: &Arc<Handle>, scope: &[Part], _gone: bool) -> Outcome<Outer> {
    if scope.is_empty() {
        return Ok(Outer::Everywhere);
    }
    match handle.by_parts(scope).await {
        Ok(located) => Ok(Outer::In(located.document, located.id)),
        Err(failure)
            if matches!(
                failure.code,
                Code::TargetNotFound | Code::ElementHidden | Code::RefGone
            ) =>
        {
            Ok(Outer::NotThere)
        }
        Err(failure) => Err(failure),
    }
}

async fn for_ref(
    handle: &Arc<Handle>,
    number: u32,
    gone: bool,
    until: Instant,
    most: Duration,
) -> Outcome<String> {
    loop {
        match handle.by_ref(number).await {
            Ok(located) if !gone => {
                return Ok(format!(
                    "{} is there",
                    handle.words(&located.element, &located.document)
                ));
            }
            Err(failure) if gone && failure.code == Code::RefGone => {
                return Ok(format!("e{number} is gone"));
            }
            Err(failure) => return Err(failure),
            Ok(_) => {}
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(timeout(handle, &format!("e{number} is still there."), most));
        }
        let (document, _) = crate::frames::top(handle).await?;
        let cap_ms = left.min(Duration::from_millis(200)).as_millis() as u32;
        handle.page::<serde_json::Value>(&document, PageCall::Settle { frames: 6, cap_ms }).await?;
    }
}

async fn for_idle(handle: &Handle, most: Duration) -> Outcome<String> {
    handle.attach().await?;
    let since = handle.tab.state().seq.saturating_sub(1);
    let until = Instant::now() + handle.time(most);
    loop {
        let settled = handle.settle(since, &[]).await;
        match settled {
            crate::settle::Settled::Quiet => return Ok("the page is quiet".to_owned()),
            crate::settle::Settled::Dialog | crate::settle::Settled::Gone => {
                handle.refuse_dialog()?;
                return Ok("the page is gone".to_owned());
            }
            crate::settle::Settled::Loading(count) if Instant::now() >= until => {
                return Err(timeout(
                    handle,
                    &format!("the page is not quiet: {count} requests."),
                    most,
                ));
            }
            crate::settle::Settled::Loading(_) => {}
        }
    }
}

fn timeout(handle: &Handle, what: &str, most: Duration) -> Failure {
    let tab = handle.tab.number;
    Failure::new(
        Code::Timeout,
        format!(
            "{what} Waited {} s. Next: again, or browser_snapshot {{\"tab\":{tab},\"diff\":true}}.",
            most.as_millis() as f64 / 1_000.0
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn globs_and_parts() {
        assert!(
            fits("/home", "https://a.example/home?x") && !fits("/homes", "https://a.example/home")
        );
        assert!(fits("*/home*", "https://a.example/home?x") && fits("https://*/b", "https://a/b"));
        assert!(!fits("*/b", "https://a/bc"));
    }
}
