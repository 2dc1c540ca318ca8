//! One request in full: headers, timing, and the body where it is at hand.

use super::{Ask, network, now};
use crate::failure::{Failure, Outcome};
use crate::handle::{Handle, command};
use crate::random;
use pillion_core::net_line::{details, size_words};
use pillion_core::net_log::{Body, Row};
use pillion_core::page_text::{fence, quote};
use pillion_core::redact;
use pillion_wire::code::Code;
use pillion_wire::limits;
use pillion_wire::verb::{CdpReply, Verb};
use serde_json::{Value, json};
use std::sync::Arc;

/// Characters of a body that are told before the words that were looked for.
const BEFORE: usize = 400;

pub(super) async fn request(handle: &Arc<Handle>, ask: &Ask, id: &str) -> Outcome<String> {
    let row = find(handle, ask, id)?;
    let mut out = {
        let state = handle.tab.state();
        details(&row, state.url(), now())
    };
    if let Some(body) = sent(handle, &row).await {
        let (text, _) = part(&redact::answer(&body), ask, ask.budget / 4);
        out.push_str(&format!("request body:\n{}\n", fence(&random::word(5), &text)));
    }
    out.push_str(&body_lines(handle, &row, ask, id).await?);
    Ok(out)
}

fn find(handle: &Handle, ask: &Ask, id: &str) -> Outcome<Row> {
    let state = handle.tab.state();
    let tab = handle.tab.number;
    let next = format!("Next: browser_logs {{\"tab\":{tab},\"kind\":\"network\",\"all\":true}}.");
    if id.trim() == "last" {
        let last = network::fitting(&state, &handle.session, ask, true).next_back().cloned();
        return last
            .ok_or_else(|| Failure::invalid(format!("no request of tab {tab} fits. {next}")));
    }
    let number: u32 =
        id.trim().trim_matches(['[', ']']).trim_start_matches('r').parse().map_err(|_| {
            Failure::invalid(format!(
                "request is an id of the list, r17, or last, not {}. {next}",
                quote(id)
            ))
        })?;
    let known = state.logs.net.row(number).cloned();
    known.ok_or_else(|| {
        let first = state.logs.net.rows().next().map_or(0, |row| row.number);
        let why =
            if number > 0 && number < first { "is not kept any more" } else { "was never told" };
        Failure::invalid(format!("r{number} {why} in tab {tab}. {next}"))
    })
}

async fn body_lines(handle: &Arc<Handle>, row: &Row, ask: &Ask, id: &str) -> Outcome<String> {
    if row.redirected {
        return Ok("body: none, it was sent elsewhere\n".to_owned());
    }
    if row.kind == "websocket" {
        return Ok("body: none; messages of sockets are not kept\n".to_owned());
    }
    if row.open {
        return Ok("body: it is still coming; what comes piece by piece is not kept\n".to_owned());
    }
    if row.ended.is_none() {
        return Ok("body: no answer yet\n".to_owned());
    }
    let tab = handle.tab.number;
    let not_kept = format!(
        "body: not kept. To keep bodies: browser_logs {{\"tab\":{tab},\"capture\":true}}, then browser_navigate {{\"tab\":{tab},\"url\":\"reload\"}}.\n"
    );
    let body = match &row.body {
        Some(body) => body.clone(),
        None => match asked(handle, row).await? {
            Got::Body(body) => body,
            Got::Closed => {
                return Ok("body: not shown; only a document's own origin is read, and only of this page\n".to_owned());
            }
            Got::Nothing if handle.tab.state().logs.capture => {
                return Ok("body: Chrome has none: the page did not read it, it is too large, or it was before bodies were kept\n".to_owned());
            }
            Got::Nothing => return Ok(not_kept),
        },
    };
    if body.base64 {
        let bytes = f64::from(body.size) * 0.75;
        let mime = row.mime.as_deref().unwrap_or("an unknown type");
        return Ok(format!("body: {} of {}, not text\n", size_words(bytes), quote(mime)));
    }
    if body.text.is_empty() {
        return Ok("body: empty\n".to_owned());
    }
    let all = redact::answer(&body.text);
    let (text, cut) = part(&all, ask, ask.budget);
    let mut out = format!("body:\n{}\n", fence(&random::word(5), &text));
    if cut || (body.size as usize) > body.text.chars().count() {
        out.push_str(&format!(
            "cut: {} of {} characters. Another part: browser_logs {{\"tab\":{tab},\"request\":{},\"filter\":\"words in it\"}}\n",
            text.chars().count(),
            body.size,
            json!(id)
        ));
    }
    Ok(out)
}

/// The part of a body around the words of the filter, else its beginning. Whether anything was cut.
fn part(text: &str, ask: &Ask, budget: usize) -> (String, bool) {
    let all = text.chars().count();
    let at = ask.filter.as_ref().and_then(|words| {
        // Lower case may be longer than the original: counted in characters of the original.
        let lower = text.to_lowercase();
        lower.find(words).map(|byte| lower[..byte].chars().count())
    });
    let from = at.map_or(0, |at| at.saturating_sub(BEFORE)).min(all.saturating_sub(budget));
    let part: String = text.chars().skip(from).take(budget).collect();
    (part, all > budget)
}

enum Got {
    Body(Body),
    /// The guard does not let it be read.
    Closed,
    /// Chrome has forgotten it.
    Nothing,
}

/// Asks Chrome, where the debugger saw the request.
async fn asked(handle: &Arc<Handle>, row: &Row) -> Outcome<Got> {
    let Some(reply) = debugger(handle, row, "Network.getResponseBody").await? else {
        return Ok(Got::Nothing);
    };
    let Some(reply) = reply else { return Ok(Got::Closed) };
    let Some(text) = reply["body"].as_str() else { return Ok(Got::Nothing) };
    let size = text.chars().count() as u32;
    let text: String = text.chars().take(limits::BODY_BYTES).collect();
    Ok(Got::Body(Body { text, base64: reply["base64Encoded"] == true, size }))
}

/// What was sent, where it is known.
async fn sent(handle: &Arc<Handle>, row: &Row) -> Option<String> {
    if matches!(row.method.as_str(), "GET" | "HEAD" | "OPTIONS") {
        return None;
    }
    let reply = debugger(handle, row, "Network.getRequestPostData").await.ok()???;
    reply["postData"].as_str().map(str::to_owned)
}

/// One command about a request. Nothing when it cannot be asked or Chrome does not know; an inner nothing
/// when the guard refused.
async fn debugger(handle: &Arc<Handle>, row: &Row, method: &str) -> Outcome<Option<Option<Value>>> {
    let Some((id, session)) = row.debugger.clone() else { return Ok(None) };
    let attached = handle.tab.state().attached;
    // Attached anew, Chrome knows nothing of what was before.
    if !attached {
        return Ok(None);
    }
    let mut ask = command(method, json!({"requestId": id}));
    ask.session = session;
    let verb = Verb::Cdp { tab: handle.chrome(), commands: vec![ask] };
    match handle.verb::<CdpReply>(verb, limits::VERB).await {
        Ok(reply) => Ok(reply.results.into_iter().next().map(Some)),
        Err(failure) if failure.code == Code::Policy => Ok(Some(None)),
        Err(failure) if failure.lost => Err(failure),
        Err(_) => Ok(None),
    }
}
