//! `browser_evaluate`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::failure::{Failure, Outcome};
use crate::frames;
use crate::handle::Handle;
use crate::random;
use crate::receipt::{About, Before};
use crate::settle::Settled;
use pillion_core::page_text::{fence, quote};
use pillion_core::value::remote;
use pillion_wire::code::Code;
use pillion_wire::limits;
use pillion_wire::verb::{Evaluated, Verb};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_evaluate",
    doc: "Run JavaScript as in the DevTools console.",
    details: "",
    effect: Effect::Act,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param {
            name: "expression",
            kind: Kind::Text,
            doc: "await and statements allowed",
            required: true,
            rare: false,
        },
        Param {
            name: "target",
            kind: Kind::Text,
            doc: "element for $0, or iframe to run in",
            required: false,
            rare: false,
        },
        Param { name: "timeout_ms", kind: Kind::Integer, doc: "", required: false, rare: true },
    ],
    positional: &["expression"],
    idempotent: false,
    destructive: true,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let expression = cx.args.text("expression").unwrap_or_default();
    let timeout = cx.args.millis("timeout_ms", limits::EVALUATE_MAX)?;
    let timeout = timeout.unwrap_or(limits::EVALUATE_DEFAULT);
    handle.attach().await?;
    let (document, element) = match cx.args.text("target") {
        Some(target) => {
            let located = handle.resolve_element(&target).await?;
            match frames::own_frame(&handle, &located).await? {
                Some(inner) => (Some(inner), None),
                None => (Some(located.document), Some(located.id)),
            }
        }
        None => (None, None),
    };
    handle.refuse_dialog()?;
    handle.acting();
    let verb = Verb::Evaluate {
        tab: handle.chrome(),
        expression,
        document,
        element,
        timeout_ms: timeout.as_millis() as u32,
    };
    let since = handle.tab.state().seq;
    let before = Before::since(&handle, since);
    let done =
        handle.or_dialog(handle.verb::<Evaluated>(verb, timeout + Duration::from_secs(2))).await;
    let done = match done.and_then(|done| done) {
        // The script goes on when the dialog is answered; what it gives is lost.
        Err(failure) if failure.code == Code::DialogOpen => {
            handle.dialog_told().await;
            let after = handle.tell(&before, &Settled::Dialog, About::default()).await;
            return Ok(format!("the script waits{}\n{}", super::tab_note(&handle), after.lines)
                .trim_end()
                .to_owned()
                .into());
        }
        other => other?,
    };
    if done.timed_out {
        return Err(Failure::new(
            Code::Timeout,
            format!(
                "the script was still running after {} ms; it may have had its effect.",
                timeout.as_millis()
            ),
        ));
    }
    if let Some(exception) = done.exception.filter(|exception| !exception.is_null()) {
        return Err(script_error(&exception));
    }
    let text = done.object.as_ref().map_or_else(|| "undefined".to_owned(), remote);
    Ok(answer(&handle, &text, done.cut_from).into())
}

fn answer(handle: &Handle, text: &str, cut_from: Option<u32>) -> String {
    let budget = handle.budget(limits::EVALUATE_CHARS);
    let all = cut_from.map_or_else(|| text.chars().count(), |all| all as usize);
    let part: String = text.chars().take(budget).collect();
    let head = format!("result{}", super::tab_note(handle));
    let mut out = format!("{head}\n{}", fence(&random::word(5), &part));
    if all > budget {
        out.push_str(&format!(
            "\ncut at {budget} of {all} characters. Rest: evaluate a part of it, .slice({budget})"
        ));
    }
    out
}

/// What was thrown, with the place.
fn script_error(exception: &Value) -> Failure {
    let thrown = &exception["exception"];
    let words = match thrown["description"].as_str() {
        Some(description) if thrown["subtype"] == "error" => description.to_owned(),
        _ if thrown["deepSerializedValue"].is_object() => remote(thrown),
        Some(description) => description.to_owned(),
        None if thrown.is_object() => remote(thrown),
        None => exception["text"].as_str().unwrap_or("it threw").to_owned(),
    };
    let first = words.lines().next().unwrap_or_default();
    let place = match (
        exception["url"].as_str().filter(|url| !url.is_empty()),
        exception["lineNumber"].as_u64(),
    ) {
        (Some(url), Some(line)) => {
            format!(" at {}:{}", pillion_core::page_text::url_words(url, None), line + 1)
        }
        (None, Some(line)) => format!(" at line {}", line + 1),
        _ => String::new(),
    };
    Failure::new(Code::ScriptError, format!("{}{place}.", quote(first)))
}
