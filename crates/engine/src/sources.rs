//! Places in built files as places in their sources: asks a page for the maps that its own origin
//! serves. Bounded in number, size and time; a map that cannot be had changes nothing.

use crate::frames;
use crate::handle::Handle;
use pillion_core::source_map::SourceMap;
use pillion_wire::id::DocumentId;
use pillion_wire::limits::{SOURCE_MAP_BYTES, SOURCE_MAP_TIME, SOURCE_MAPS};
use pillion_wire::looking::{CallFrame, SourceMapReply};
use pillion_wire::page::{DocumentInfo, PageCall};
use std::collections::HashMap;
use url::Url;

/// A file whose map is wanted, and the map's address where it is known.
pub(crate) type Wanted = (String, Option<String>);

/// The sources of these places, as far as they can be had. Others are left out.
pub(crate) async fn map(
    handle: &Handle,
    places: Vec<CallFrame>,
    wanted: Vec<Wanted>,
) -> HashMap<Key, CallFrame> {
    let mut found = HashMap::new();
    let work = async {
        let Ok(replies) = handle.page_all(PageCall::Hello {}).await else { return };
        let documents: Vec<frames::Doc<DocumentInfo>> = frames::docs(replies);
        for (url, map) in wanted.into_iter().take(SOURCE_MAPS) {
            let Some(document) = documents.iter().find(|doc| same_origin(&doc.value.url, &url))
            else {
                continue;
            };
            let Some(text) = ask(handle, &document.document, &url, map).await else { continue };
            let here: Vec<_> = places.iter().filter(|at| at.url == url).cloned().collect();
            // Large maps take a while: not on a thread that others wait for.
            let mapped = tokio::task::spawn_blocking(move || resolve(&text, here)).await;
            found.extend(mapped.unwrap_or_default());
        }
    };
    tokio::time::timeout(handle.time(SOURCE_MAP_TIME), work).await.ok();
    found
}

/// A place as a key: address, line, column.
pub(crate) type Key = (String, u32, u32);

/// The key of a place.
pub(crate) fn key(at: &CallFrame) -> Key {
    (at.url.clone(), at.line, at.column)
}

async fn ask(
    handle: &Handle,
    document: &DocumentId,
    url: &str,
    map: Option<String>,
) -> Option<String> {
    let call = PageCall::SourceMap { url: url.to_owned(), map };
    let reply: SourceMapReply = handle.page_within(document, call, SOURCE_MAP_TIME).await.ok()?;
    let mut state = handle.tab.state();
    reply.asked.iter().for_each(|url| state.logs.asked_ourselves(url));
    reply.map.filter(|map| map.len() <= SOURCE_MAP_BYTES)
}

fn resolve(text: &str, places: Vec<CallFrame>) -> Vec<(Key, CallFrame)> {
    let Some(map) = SourceMap::read(text) else { return vec![] };
    places.iter().filter_map(|at| Some((key(at), map.place(at)?))).collect()
}

fn same_origin(one: &str, other: &str) -> bool {
    let origin = |url: &str| Url::parse(url).ok().map(|url| url.origin()).filter(|o| o.is_tuple());
    origin(one).is_some_and(|one| Some(one) == origin(other))
}
