//! `browser_cdp`: one raw debugger command, as far as the guard's table goes.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef, may};
use crate::clock::now_ms;
use crate::failure::{Failure, Outcome, sentence};
use crate::handle::{Handle, command};
use crate::random;
use pillion_core::leases::Claim;
use pillion_core::page_text::{PageText, fence, quote};
use pillion_core::redact;
use pillion_wire::code::Code;
use pillion_wire::limits;
use pillion_wire::verb::{CdpReply, Verb};
use serde_json::{Value, json};
use std::sync::Arc;

/// What has a tool that does it better: those mask what a person would not want to be shown, know
/// what was pressed, or take back what they did.
const ELSEWHERE: [(&str, &str); 9] = [
    ("Page.captureScreenshot", "browser_screenshot"),
    ("Page.startScreencast", "browser_screenshot"),
    ("Page.stopScreencast", "browser_screenshot"),
    ("Page.screencastFrameAck", "browser_screenshot"),
    ("Page.printToPDF", "browser_files save_pdf"),
    ("Page.captureSnapshot", "browser_files save_page"),
    ("Page.handleJavaScriptDialog", "browser_handle_dialog"),
    ("Network.getCookies", "browser_storage"),
    ("Emulation.", "browser_emulate"),
];

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_cdp",
    doc: "One raw DevTools protocol command in a tab that you opened, where no tool does it. Most commands are refused.",
    details: "Only commands and parameters of the guard's table (docs/SECURITY.md), by the rules of the site: `DOM.*` and `CSS.*` getters, `Performance.getMetrics`, `Accessibility.getPartialAXTree`, `Runtime.*` and the like. `params` is a JSON object. Pictures, PDF, dialogs, cookies and emulation have tools of their own. Attaches the debugger.",
    effect: Effect::Act,
    params: &[
        may("tab", Kind::Integer, ""),
        Param {
            name: "method",
            kind: Kind::Text,
            doc: "Performance.getMetrics",
            required: true,
            rare: false,
        },
        may("params", Kind::Json, "JSON object"),
    ],
    positional: &["method", "params"],
    idempotent: false,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let method = cx.args.text("method").unwrap_or_default();
    let params = match cx.args.text("params") {
        None => json!({}),
        Some(text) => serde_json::from_str::<Value>(&text)
            .ok()
            .filter(Value::is_object)
            .ok_or_else(|| Failure::invalid("params is a JSON object. Nothing was sent."))?,
    };
    if let Some((_, tool)) = ELSEWHERE.iter().find(|(name, _)| method.starts_with(name)) {
        return Err(Failure::new(
            Code::Policy,
            format!("{} has a tool of its own. Nothing was sent. Next: {tool}.", quote(&method)),
        ));
    }
    refuse_others(&handle)?;
    handle.attach().await?;
    handle.acting();
    let verb = Verb::Cdp { tab: handle.chrome(), commands: vec![command(&method, params)] };
    let reply: CdpReply = handle.or_dialog(handle.verb(verb, limits::VERB)).await??;
    if let Some(error) = reply.error {
        return Err(Failure::invalid(format!(
            "Chrome refused {}: {}",
            quote(&method),
            sentence(&quote(&error))
        )));
    }
    let mut result = reply.results.into_iter().next().unwrap_or(Value::Null);
    mask(&mut result);
    let head = format!("{}{}", PageText::new(&method).plain(), super::tab_note(&handle));
    if result.as_object().is_some_and(serde_json::Map::is_empty) {
        return Ok(format!("{head}: done").into());
    }
    let text = serde_json::to_string_pretty(&result).unwrap_or_default();
    let text = redact::answer(&text);
    let budget = handle.budget(limits::EVALUATE_CHARS);
    let all = text.chars().count();
    let part: String = text.chars().take(budget).collect();
    let cut = if all > budget {
        format!("\ncut at {budget} of {all} characters: ask for less, or --budget deep")
    } else {
        String::new()
    };
    Ok(format!("{head}\n{}{cut}", fence(&random::word(5), &part)).into())
}

/// A tab of the user's gets no raw commands, shared or not.
fn refuse_others(handle: &Handle) -> Outcome<()> {
    let state = handle.engine.state();
    let holder = state.leases.holder(handle.tab.number, now_ms());
    if holder.is_some_and(|(session, claim)| *session == handle.session && claim == Claim::Own) {
        return Ok(());
    }
    Err(Failure::new(
        Code::Policy,
        format!(
            "raw commands work only in a tab that you opened, and tab {} is the user's. Nothing was sent. Next: browser_navigate {{\"url\":…}} for one of your own.",
            handle.tab.number
        ),
    ))
}

/// Values of password fields as the page's source has them, wherever an element's attributes stand.
fn mask(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Object(fields) => {
            if let Some(Value::Array(attributes)) = fields.get_mut("attributes") {
                mask_attributes(attributes);
            }
            fields.values_mut().for_each(mask);
        }
        _ => {}
    }
}

fn mask_attributes(attributes: &mut [Value]) {
    let pair = |attributes: &[Value], name: &str, words: &[&str]| {
        attributes.chunks(2).any(|pair| {
            pair[0] == name
                && pair.get(1).and_then(Value::as_str).is_some_and(|value| {
                    let value = value.to_ascii_lowercase();
                    words.iter().any(|word| value.contains(word))
                })
        })
    };
    let is_secret = pair(attributes, "type", &["password"])
        || pair(attributes, "autocomplete", &["password", "one-time-code", "cc-csc"])
        || pair(attributes, "name", &["passw", "otp", "token", "secret", "csrf"]);
    if !is_secret {
        return;
    }
    for pair in attributes.chunks_mut(2) {
        if pair[0] == "value" && pair.len() == 2 {
            pair[1] = redact::GONE.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_password_fields_are_gone_at_any_depth() {
        let mut tree = json!({"root": {"children": [
            {"attributes": ["type", "password", "value", "hunter2"]},
            {"attributes": ["type", "text", "value", "ann"]},
            {"attributes": ["name", "csrf_token", "value", "abc", "odd"]},
        ]}});
        mask(&mut tree);
        let text = tree.to_string();
        assert!(
            !text.contains("hunter2") && !text.contains("abc") && text.contains("ann"),
            "{text}"
        );
    }
}
