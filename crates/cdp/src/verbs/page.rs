//! The verb `page`: calls the page agent in some or all documents of a tab. The agent is in a document
//! from its start; where it is missing (a document from before the debugger came) it is put there.

use super::place;
use crate::agent;
use crate::book::Frame;
use crate::events::number_of;
use crate::fault::Outcome;
use crate::link::CdpLink;
use crate::urls;
use pillion_engine::LinkError;
use pillion_wire::code::Code;
use pillion_wire::id::{ChromeTab, DocumentId, FrameId};
use pillion_wire::limits::{PAGE_CALL, SLOW_FRAME};
use pillion_wire::page::{PageCall, PageError};
use pillion_wire::verb::FrameReply;
use serde_json::{Value, json};
use std::time::Duration;

/// The document that a call is for.
pub(super) struct Aim {
    pub(super) id: String,
    pub(super) frame: Frame,
    parent: FrameId,
}

/// Calls the agent; one reply a frame that was reached.
pub(crate) async fn page(
    link: &CdpLink,
    tab: ChromeTab,
    documents: Option<&[DocumentId]>,
    call: PageCall,
) -> Outcome<Vec<FrameReply>> {
    link.refuse_while_dialog(tab)?;
    link.attach(tab).await?;
    if matches!(call, PageCall::Patch { .. }) {
        link.with(tab, |tab| tab.attachment.patched = true)?;
    }
    let (aims, gone) = aims(link, tab, documents)?;
    let waits = waits(&call);
    let what = serde_json::to_value(&call).map_err(|error| super::internal(error.to_string()))?;
    let mut guard = Abort { link, tab, frames: vec![] };
    if !waits.is_zero() {
        guard.frames = aims.iter().map(|aim| aim.frame.loader.clone()).collect();
    }
    let calls = aims.iter().map(|aim| reply(link, tab, aim, &what, waits));
    let replies = link.or_dialog(tab, futures_util::future::join_all(calls)).await?;
    guard.frames.clear();
    let replies: Result<Vec<_>, _> = replies.into_iter().collect();
    let mut replies = replies?;
    replies.extend(gone);
    Ok(replies)
}

type Aims = (Vec<Aim>, Vec<FrameReply>);

fn aims(link: &CdpLink, tab: ChromeTab, documents: Option<&[DocumentId]>) -> Outcome<Aims> {
    link.with(tab, |tab| {
        let aim = |(id, frame): (&String, &Frame)| Aim {
            id: id.clone(),
            frame: frame.clone(),
            parent: number_of(tab, frame.parent.as_ref()),
        };
        let Some(documents) = documents else {
            let mut all: Vec<Aim> = tab.attachment.frames.iter().map(aim).collect();
            all.retain(|aim| !aim.frame.loader.is_empty());
            all.sort_by_key(|aim| aim.frame.number);
            return (all, vec![]);
        };
        let mut found = Vec::new();
        let mut gone = Vec::new();
        for document in documents {
            match tab.frame_of(document) {
                Some(known) => found.push(aim(known)),
                None => gone.push(FrameReply {
                    frame: FrameId(-1),
                    parent: FrameId(-1),
                    document: document.clone(),
                    value: None,
                    error: Some(error(Code::RefGone, "the document is gone")),
                }),
            }
        }
        (found, gone)
    })
}

/// The document of that name, for a verb that is about one of its elements.
pub(super) fn aim(link: &CdpLink, tab: ChromeTab, document: &DocumentId) -> Outcome<Aim> {
    let (mut found, _) = aims(link, tab, Some(std::slice::from_ref(document)))?;
    found.pop().ok_or_else(crate::fault::document_gone)
}

/// Only the top frame's silence is a failure of the call.
async fn reply(
    link: &CdpLink,
    tab: ChromeTab,
    aim: &Aim,
    what: &Value,
    waits: Duration,
) -> Outcome<FrameReply> {
    let is_top = aim.frame.number == FrameId(0);
    let mut reply = FrameReply {
        frame: aim.frame.number,
        parent: aim.parent,
        document: DocumentId(aim.frame.loader.clone()),
        value: None,
        error: None,
    };
    if aim.frame.is_error {
        reply.error = Some(error(Code::NavigationFailed, "the frame shows an error page"));
        return Ok(reply);
    }
    if !urls::may_touch(&aim.frame.url) {
        reply.error = Some(error(Code::ProtectedPage, "Pillion keeps off pages of that kind"));
        return Ok(reply);
    }
    let limit = waits + if is_top { PAGE_CALL } else { SLOW_FRAME };
    let outcome = tokio::time::timeout(limit, called(link, tab, aim, what, limit)).await;
    match outcome.unwrap_or(Err(LinkError::Timeout)) {
        Ok(answer) => fill(&mut reply, answer),
        Err(LinkError::Timeout) if is_top => {
            let words = format!("the page did not answer within {} ms", limit.as_millis());
            return Err(crate::fault::fault(Code::TabWedged, words));
        }
        Err(LinkError::Timeout) => {
            reply.error = Some(error(Code::Timeout, "the frame did not answer in time"));
        }
        Err(LinkError::Refused(refused)) => {
            reply.error = Some(error(refused.code, &refused.message));
        }
        Err(lost) => return Err(lost),
    }
    Ok(reply)
}

fn fill(reply: &mut FrameReply, mut answer: Value) {
    if answer["error"].is_object() {
        let told = serde_json::from_value(answer["error"].take());
        reply.error = Some(told.unwrap_or_else(|_| error(Code::Internal, "the page agent failed")));
    } else if let Some(ok) = answer.get_mut("ok") {
        reply.value = Some(ok.take());
    } else if answer["missing"] == true {
        reply.error = Some(error(Code::Internal, "the page agent did not start"));
    } else {
        // `undefined` is left out on the way.
        reply.value = Some(Value::Null);
    }
}

fn error(code: Code, message: &str) -> PageError {
    PageError { code, message: message.to_owned(), element: None, others: vec![] }
}

async fn called(
    link: &CdpLink,
    tab: ChromeTab,
    aim: &Aim,
    what: &Value,
    limit: Duration,
) -> Outcome<Value> {
    let first = once(link, tab, aim, what, limit).await?;
    if first["missing"] != true {
        return Ok(first);
    }
    place::inject(link, tab, aim).await?;
    once(link, tab, aim, what, limit).await
}

async fn once(
    link: &CdpLink,
    tab: ChromeTab,
    aim: &Aim,
    what: &Value,
    limit: Duration,
) -> Outcome<Value> {
    place::in_world(link, tab, aim, agent::CALL, json!([{"value": what}]), limit).await
}

/// How long the call itself may take by its own words.
fn waits(call: &PageCall) -> Duration {
    Duration::from_millis(match call {
        PageCall::Wait { timeout_ms, .. } => u64::from(*timeout_ms),
        PageCall::Settle { cap_ms, .. } => u64::from(*cap_ms),
        _ => 0,
    })
}

/// Nobody waits any more: what runs in the page by its own clock is stopped.
struct Abort<'a> {
    link: &'a CdpLink,
    tab: ChromeTab,
    frames: Vec<String>,
}

impl Drop for Abort<'_> {
    fn drop(&mut self) {
        let (tab, frames) = (self.tab, std::mem::take(&mut self.frames));
        if frames.is_empty() {
            return;
        }
        self.link.spawn(move |link| async move {
            for loader in frames {
                let Ok(aim) = aim(&link, tab, &DocumentId(loader)) else { continue };
                let what = json!({"op": "abort"});
                // The page may be gone already; then nothing runs.
                once(&link, tab, &aim, &what, SLOW_FRAME).await.ok();
            }
        });
    }
}
