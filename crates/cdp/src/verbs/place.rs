//! Where a script runs: the worlds of a document, and its elements as objects there. Our own isolated
//! world is asked for by its name; the page's own is told by the Runtime domain, which is on for that
//! moment only.

use super::page::Aim;
use crate::agent;
use crate::fault::{Outcome, document_gone, element_gone, internal};
use crate::link::CdpLink;
use pillion_wire::id::{ChromeTab, LocalId};
use pillion_wire::limits::cdp::COMMAND;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Our isolated world of a document, made if need be.
pub(super) async fn ours(link: &CdpLink, tab: ChromeTab, aim: &Aim) -> Outcome<i64> {
    let known = link.with(tab, |tab| {
        let frame = tab.attachment.frames.get(&aim.id);
        let same = frame.filter(|frame| frame.loader == aim.frame.loader);
        same.map(|frame| frame.ours)
    })?;
    if let Some(context) = known.ok_or_else(document_gone)? {
        return Ok(context);
    }
    let params = json!({"frameId": aim.id, "worldName": agent::WORLD});
    let made = link.command(tab, &aim.frame.session, "Page.createIsolatedWorld", params).await?;
    let context = made["executionContextId"].as_i64().ok_or_else(document_gone)?;
    // It is of the document that is there now: not of one that went meanwhile.
    let kept = link.with(tab, |tab| {
        let frame = tab.attachment.frames.get_mut(&aim.id)?;
        (frame.loader == aim.frame.loader).then(|| frame.ours = Some(context))
    })?;
    kept.map(|()| context).ok_or_else(document_gone)
}

/// Calls a function in our world of a document and gives its value.
pub(super) async fn in_world(
    link: &CdpLink,
    tab: ChromeTab,
    aim: &Aim,
    function: &str,
    arguments: Value,
    limit: Duration,
) -> Outcome<Value> {
    let context = ours(link, tab, aim).await?;
    let params = json!({
        "functionDeclaration": function, "executionContextId": context, "arguments": arguments,
        "awaitPromise": true, "returnByValue": true, "silent": true,
    });
    let call = "Runtime.callFunctionOn";
    let mut answer = link.command_within(tab, &aim.frame.session, call, params, limit).await?;
    if answer["exceptionDetails"].is_object() {
        return Err(internal("the page agent failed"));
    }
    Ok(answer["result"]["value"].take())
}

/// Puts the agent into a document.
pub(super) async fn inject(link: &CdpLink, tab: ChromeTab, aim: &Aim) -> Outcome<()> {
    if agent::SOURCE.is_empty() {
        return Err(internal(
            "this build of Pillion has no page agent in it: run `cargo xtask build` and try again",
        ));
    }
    let context = ours(link, tab, aim).await?;
    let params = json!({"expression": agent::SOURCE, "contextId": context, "silent": true});
    link.command(tab, &aim.frame.session, "Runtime.evaluate", params).await?;
    Ok(())
}

/// An element as an object of our world.
pub(super) async fn in_ours(
    link: &CdpLink,
    tab: ChromeTab,
    aim: &Aim,
    element: LocalId,
    group: &str,
) -> Outcome<String> {
    let context = ours(link, tab, aim).await?;
    let params = json!({
        "expression": format!("globalThis.__pillion?.element({element})"),
        "contextId": context, "objectGroup": group,
    });
    let found = link.command(tab, &aim.frame.session, "Runtime.evaluate", params).await?;
    object_of(&found["result"]).ok_or_else(element_gone)
}

/// The same node as an object of the page's own world.
pub(super) async fn in_pages(
    link: &CdpLink,
    tab: ChromeTab,
    session: &str,
    object: &str,
    group: &str,
) -> Outcome<Option<String>> {
    let described =
        link.command(tab, session, "DOM.describeNode", json!({"objectId": object})).await?;
    let node = &described["node"]["backendNodeId"];
    let params = json!({"backendNodeId": node, "objectGroup": group});
    let resolved = link.command(tab, session, "DOM.resolveNode", params).await?;
    Ok(object_of(&resolved["object"]))
}

pub(super) fn object_of(value: &Value) -> Option<String> {
    value["objectId"].as_str().map(str::to_owned)
}

/// The page's own world of a document.
pub(super) async fn main_world(link: &CdpLink, tab: ChromeTab, aim: &Aim) -> Outcome<i64> {
    let (known, turn) = link.with(tab, |tab| {
        let frame = tab.attachment.frames.get(&aim.id);
        let same = frame.filter(|frame| frame.loader == aim.frame.loader);
        (same.and_then(|frame| frame.main), Arc::clone(&tab.attachment.turn))
    })?;
    if let Some(context) = known {
        return Ok(context);
    }
    let _turn = turn.lock().await;
    let session = &aim.frame.session;
    let contexts = contexts(link, tab, session).await?;
    let is_wanted = |context: &&Value| {
        context["auxData"]["isDefault"] == true
            && context["auxData"]["frameId"].as_str() == Some(&aim.id)
    };
    let found = contexts.iter().find(is_wanted).and_then(|context| context["id"].as_i64());
    let context = found.ok_or_else(document_gone)?;
    let kept = link.with(tab, |tab| {
        let frame = tab.attachment.frames.get_mut(&aim.id)?;
        (frame.loader == aim.frame.loader).then(|| frame.main = Some(context))
    })?;
    kept.map(|()| context).ok_or_else(document_gone)
}

/// Every context of a session. Whoever calls it has the tab's turn.
pub(super) async fn contexts(link: &CdpLink, tab: ChromeTab, session: &str) -> Outcome<Vec<Value>> {
    const CREATED: &[&str] = &["Runtime.executionContextCreated"];
    const MOST: usize = 4_096;
    let wanted = link.with(tab, |tab| tab.attachment.runtime)?;
    let listening = link.collect(tab, session, CREATED, MOST)?;
    if wanted {
        // Enabled anew, so that every context is told again.
        link.command(tab, session, "Runtime.disable", json!({})).await?;
    }
    link.command_within(tab, session, "Runtime.enable", json!({}), COMMAND).await?;
    let told = listening.heard();
    if !wanted {
        link.post(session, [("Runtime.disable", json!({}))]).await?;
    }
    Ok(told.into_iter().map(|(_, mut params)| params["context"].take()).collect())
}
