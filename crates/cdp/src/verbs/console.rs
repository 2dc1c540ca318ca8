//! The verb `console`: what Chrome remembers of a page's console, in all frames. The Runtime domain is on
//! for that moment only: its replay holds everything since the page loaded.

use super::console_text::{entries_of, is_same, object_words};
use super::tabs::session_of;
use crate::fault::{Outcome, fault};
use crate::link::CdpLink;
use crate::urls;
use pillion_engine::LinkError;
use pillion_wire::code::Code;
use pillion_wire::id::ChromeTab;
use pillion_wire::limits::SLOW_FRAME;
use pillion_wire::limits::cdp::{COMMAND, CONSOLE_MOST, CONSOLE_OBJECTS};
use pillion_wire::looking::{ConsoleEntry, ConsoleReply};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

const TOLD: &[&str] = &[
    "Runtime.executionContextCreated",
    "Runtime.consoleAPICalled",
    "Runtime.exceptionThrown",
    "Log.entryAdded",
];
/// Contexts that are told beside the messages.
const ROOM: usize = 4_096;

/// Reads it.
pub(super) async fn read(link: &CdpLink, tab: ChromeTab) -> Outcome<ConsoleReply> {
    link.refuse_while_dialog(tab)?;
    link.attach(tab).await?;
    let own = session_of(link, tab)?;
    let (turn, children) = link.with(tab, |tab| {
        let children = tab.attachment.children.iter();
        let may: Vec<String> = children
            .filter(|(_, child)| urls::may_touch(&child.url))
            .map(|(session, _)| session.clone())
            .collect();
        (Arc::clone(&tab.attachment.turn), may)
    })?;
    let _turn = turn.lock().await;
    let top = match tokio::time::timeout(COMMAND, read_one(link, tab, &own)).await {
        Ok(Err(LinkError::Timeout)) | Err(_) => {
            let words = "the page did not answer: a script in it runs for ever";
            return Err(fault(Code::TabWedged, words));
        }
        Ok(read) => read?,
    };
    let others = children
        .iter()
        .map(|session| tokio::time::timeout(SLOW_FRAME, read_one(link, tab, session)));
    let mut reply = ConsoleReply::default();
    let all = futures_util::future::join_all(others).await.into_iter();
    let read = std::iter::once(Some(top)).chain(all.map(|read| read.ok()?.ok()));
    for read in read {
        let Some((entries, full)) = read else {
            reply.silent += 1;
            continue;
        };
        reply.entries.extend(entries);
        reply.full |= full;
    }
    reply.entries.sort_by(|one, other| one.at.total_cmp(&other.at));
    reply.entries = together(reply.entries);
    Ok(reply)
}

fn together(entries: Vec<ConsoleEntry>) -> Vec<ConsoleEntry> {
    let mut out: Vec<ConsoleEntry> = vec![];
    for entry in entries {
        match out.last_mut() {
            Some(last) if is_same(last, &entry) => last.times += entry.times,
            _ => out.push(entry),
        }
    }
    out
}

async fn read_one(
    link: &CdpLink,
    tab: ChromeTab,
    session: &str,
) -> Outcome<(Vec<ConsoleEntry>, bool)> {
    let listening = link.collect(tab, session, TOLD, CONSOLE_MOST * 2 + ROOM)?;
    let wanted = link.with(tab, |tab| tab.attachment.runtime)?;
    if wanted {
        // What is enabled already replays nothing.
        link.command(tab, session, "Runtime.disable", json!({})).await?;
    }
    link.command(tab, session, "Log.disable", json!({})).await?;
    link.command(tab, session, "Log.enable", json!({})).await?;
    link.command(tab, session, "Runtime.enable", json!({})).await?;
    let told = of_page(listening.heard());
    drop(listening);
    let told = told.get(told.len().saturating_sub(CONSOLE_MOST)..).unwrap_or_default();
    let looked = look_into(link, tab, session, told).await;
    if !wanted {
        link.post(session, [("Runtime.disable", json!({}))]).await?;
    }
    Ok((entries_of(told, &looked), told.len() >= CONSOLE_MOST))
}

/// Only messages of the page's own worlds.
fn of_page(told: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let worlds: HashSet<i64> = told
        .iter()
        .filter(|(_, params)| params["context"]["auxData"]["isDefault"] == true)
        .filter_map(|(_, params)| params["context"]["id"].as_i64())
        .collect();
    let is_of_page = |params: &Value| {
        let context = params["executionContextId"]
            .as_i64()
            .or_else(|| params["exceptionDetails"]["executionContextId"].as_i64());
        context.is_none_or(|context| worlds.contains(&context))
    };
    told.into_iter()
        .filter(|(method, params)| {
            method != "Runtime.executionContextCreated" && is_of_page(params)
        })
        .collect()
}

/// Replayed objects come without their contents: own properties are read, getters are not run.
async fn look_into(
    link: &CdpLink,
    tab: ChromeTab,
    session: &str,
    told: &[(String, Value)],
) -> HashMap<String, String> {
    let messages = told.iter().filter(|(method, _)| method == "Runtime.consoleAPICalled");
    let objects: Vec<&Value> = messages
        .flat_map(|(_, params)| params["args"].as_array().into_iter().flatten())
        .filter(|value| is_plain(value))
        .collect();
    let newest = objects.get(objects.len().saturating_sub(CONSOLE_OBJECTS)..).unwrap_or_default();
    let asked = newest.iter().map(|object| async move {
        let id = object["objectId"].as_str()?;
        let params = json!({"objectId": id, "ownProperties": true});
        // Collected meanwhile, or its page went away: its class must do.
        let got = link.command(tab, session, "Runtime.getProperties", params).await.ok()?;
        let properties = got["result"].as_array()?;
        Some((id.to_owned(), object_words(object, properties)))
    });
    futures_util::future::join_all(asked).await.into_iter().flatten().collect()
}

fn is_plain(value: &Value) -> bool {
    value["type"] == "object"
        && value["objectId"].is_string()
        && (value["subtype"].is_null() || value["subtype"] == "array")
}
