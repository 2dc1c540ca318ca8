//! The registry: every tool as data. MCP's list, the CLI and `docs/TOOLS.md` are printed from here.

use crate::Engine;
use crate::failure::{Failure, Outcome};
use crate::files::Files;
use crate::handle::Handle;
use futures_util::future::BoxFuture;
use pillion_core::arguments;
use pillion_wire::id::SessionId;
use pillion_wire::limits;
use pillion_wire::local::Image;
use serde_json::{Map, Value};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

pub(crate) mod ask;
mod audit;
mod baseline;
mod batch;
mod boxes;
mod bridge;
mod cdp;
mod click;
mod document;
mod emulate;
mod evaluate;
pub(crate) mod extract;
mod files;
mod fill;
pub mod grammar;
mod handle_dialog;
mod inspect_element;
mod kept;
mod logs;
mod mock;
pub mod more;
mod navigate;
mod overview;
mod page_tools;
mod patch;
pub mod peers;
mod perf;
mod screenshot;
mod scroll;
mod secret;
mod snapshot;
mod storage;
mod tabs;
mod text;
mod typing;
mod upload;
mod wait;

/// What a tool does to the page; leases, queues and retries follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Looks only: shares the tab, is retried once over a lost connection.
    Read,
    /// Looks over time: as `Read`, but holds up nobody else in the tab.
    Watch,
    /// Acts in a page: needs the lease, runs alone in its tab, is never sent twice.
    Act,
    /// Opens pages.
    Navigate,
    /// Manages tabs and dialogs: passes a stuck tab's queue.
    Manage,
    /// Makes calls of other tools; does nothing by itself.
    Compose,
}

/// One tool.
pub struct ToolDef {
    /// `browser_click`.
    pub name: &'static str,
    /// What agents read in `tools/list`.
    pub doc: &'static str,
    /// More for the reader of the documentation.
    pub details: &'static str,
    /// See [`Effect`].
    pub effect: Effect,
    /// Parameters, in the order of the list.
    pub params: &'static [Param],
    /// Parameters that a command line fills from its plain words; the last one takes the rest.
    pub positional: &'static [&'static str],
    /// Whether a second identical call changes nothing more (MCP's idempotent hint).
    pub idempotent: bool,
    /// Whether it may destroy something of the user's (MCP's destructive hint).
    pub destructive: bool,
    /// Does it. The handle is there for tools that work in one tab.
    pub(crate) run: Run,
}

/// A tool's work.
pub(crate) type Run = fn(Cx, Option<Arc<Handle>>) -> BoxFuture<'static, Outcome<Answer>>;

/// One call, as a tool sees it.
#[derive(Clone)]
pub(crate) struct Cx {
    pub(crate) engine: Arc<Engine>,
    pub(crate) session: SessionId,
    pub(crate) args: Args,
    pub(crate) deadline: Instant,
    pub(crate) cancel: CancellationToken,
    pub(crate) progress: tokio::sync::mpsc::Sender<String>,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) record: Arc<crate::Record>,
    pub(crate) budget_percent: u32,
    /// Characters that there are for the answer, where it is part of another one.
    pub(crate) room: Option<usize>,
    pub(crate) def: &'static ToolDef,
}

/// What a tool gives.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) images: Vec<Image>,
    pub(crate) data: Option<Value>,
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// Arguments whose names and kinds were checked.
#[derive(Debug, Clone)]
pub(crate) struct Args(Map<String, Value>);

impl Args {
    /// Checks every value's kind.
    pub(crate) fn check(def: &ToolDef, args: Map<String, Value>) -> Outcome<Self> {
        for param in def.params {
            let Some(value) = args.get(param.name) else { continue };
            let (fits, wanted) = match &param.kind {
                Kind::Text => {
                    (!value.is_object() && arguments::text(value).is_some(), "a text".to_owned())
                }
                Kind::Json => (arguments::text(value).is_some(), "JSON".to_owned()),
                Kind::Integer => (arguments::integer(value).is_some(), "a whole number".to_owned()),
                Kind::Boolean => (arguments::boolean(value).is_some(), "true or false".to_owned()),
                Kind::OneOf(words) => (
                    value.as_str().is_some_and(|word| words.contains(&word)),
                    format!("one of {}", words.join(", ")),
                ),
                Kind::Texts => (value.is_array(), "a list of texts".to_owned()),
                Kind::Objects(_) => (value.is_array(), "a list".to_owned()),
            };
            if !fits {
                return Err(Failure::invalid(format!(
                    "{} takes {wanted}. Nothing was done.",
                    param.name
                )));
            }
        }
        Ok(Self(args))
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.0.get(name).and_then(arguments::text).filter(|text| !text.is_empty())
    }

    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        self.0.get(name).and_then(arguments::integer)
    }

    /// A number in its range; out of it the call is refused.
    pub(crate) fn within(&self, name: &str, range: RangeInclusive<i64>) -> Outcome<Option<i64>> {
        match self.integer(name) {
            Some(number) if !range.contains(&number) => Err(Failure::invalid(format!(
                "{name} is {} to {}, not {number}. Nothing was done.",
                range.start(),
                range.end()
            ))),
            other => Ok(other),
        }
    }

    /// A time in milliseconds, from one to the most there is.
    pub(crate) fn millis(&self, name: &str, most: Duration) -> Outcome<Option<Duration>> {
        let most = i64::try_from(most.as_millis()).unwrap_or(i64::MAX);
        let found = self.within(name, 1..=most)?;
        Ok(found.and_then(|ms| u64::try_from(ms).ok()).map(Duration::from_millis))
    }

    /// `max_chars`, or the ceiling of the answer.
    pub(crate) fn characters(&self, ceiling: usize) -> Outcome<usize> {
        let most = limits::MOST_CHARS;
        let found = self.within("max_chars", 1..=most as i64)?;
        let least = limits::LEAST_CHARS;
        Ok(found
            .and_then(|given| usize::try_from(given).ok())
            .map_or(ceiling, |given| given.max(least)))
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(arguments::boolean).unwrap_or(false)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter()
    }

    pub(crate) fn list(&self, name: &str) -> &[Value] {
        self.0.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

/// One parameter.
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What kind of value.
    pub kind: Kind,
    /// What agents read; may be empty.
    pub doc: &'static str,
    /// Must be given.
    pub required: bool,
    /// Accepted everywhere, listed only with `--tools all`.
    pub rare: bool,
}

/// Kind of a parameter. One type each: no unions.
pub enum Kind {
    /// Text.
    Text,
    /// Text that may be JSON, which is taken as it stands, too.
    Json,
    /// A whole number.
    Integer,
    /// true or false.
    Boolean,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// A list of objects with these parameters.
    Objects(&'static [Param]),
}

/// A parameter that may be left out and is listed.
pub(crate) const fn may(name: &'static str, kind: Kind, doc: &'static str) -> Param {
    Param { name, kind, doc, required: false, rare: false }
}

impl ToolDef {
    /// Whether it is in `tools/list` by itself.
    pub fn is_listed(&self) -> bool {
        !UNLISTED.contains(&self.name)
    }

    /// The JSON schema of the arguments. `all`: with the rare parameters.
    pub fn schema(&self, all: bool) -> Value {
        schema_of(self.params, all)
    }
}

fn schema_of(params: &[Param], all: bool) -> Value {
    let mut properties = serde_json::Map::new();
    let mut required = Vec::new();
    for param in params.iter().filter(|param| all || !param.rare) {
        properties.insert(param.name.to_owned(), param.schema(all));
        if param.required {
            required.push(Value::from(param.name));
        }
    }
    let mut schema = serde_json::Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.into()
}

impl Param {
    fn schema(&self, all: bool) -> Value {
        let mut schema = serde_json::Map::new();
        let kind = match self.kind {
            Kind::Text | Kind::Json | Kind::OneOf(_) => "string",
            Kind::Integer => "integer",
            Kind::Boolean => "boolean",
            Kind::Texts | Kind::Objects(_) => "array",
        };
        schema.insert("type".into(), kind.into());
        match &self.kind {
            Kind::OneOf(words) => {
                schema.insert("enum".into(), words.to_vec().into());
            }
            Kind::Texts => {
                schema.insert("items".into(), serde_json::json!({"type": "string"}));
            }
            Kind::Objects(params) => {
                schema.insert("items".into(), schema_of(params, all));
            }
            Kind::Text | Kind::Json | Kind::Integer | Kind::Boolean => {}
        }
        if !self.doc.is_empty() {
            schema.insert("description".into(), self.doc.into());
        }
        schema.into()
    }
}

pub use document::document;

/// Every tool, in the order of the list.
pub const ALL: &[&ToolDef] = &[
    &tabs::DEF,
    &navigate::DEF,
    &snapshot::DEF,
    &text::DEF,
    &screenshot::DEF,
    &inspect_element::DEF,
    &click::DEF,
    &typing::DEF,
    &fill::DEF,
    &scroll::DEF,
    &wait::DEF,
    &evaluate::DEF,
    &handle_dialog::DEF,
    &ask::DEF,
    &logs::DEF,
    &files::DEF,
    &batch::DEF,
    &more::DEF,
    &patch::DEF,
    &storage::DEF,
    &emulate::DEF,
    &mock::DEF,
    &overview::DEF,
    &baseline::DEF,
    &cdp::DEF,
    &extract::DEF,
    &page_tools::DEF,
    &audit::DEF,
    &perf::DEF,
    &bridge::DEF,
];

/// Tools that are called by name, and listed only with `--tools all`.
const UNLISTED: &[&str] = &[
    "browser_patch",
    "browser_storage",
    "browser_emulate",
    "browser_mock",
    "browser_overview",
    "browser_baseline",
    "browser_cdp",
    "browser_extract",
    "browser_page_tools",
    "browser_audit",
    "browser_perf",
    "browser_bridge",
];

/// The tool of that name, with or without `browser_`, hyphens taken for underscores.
pub fn find(name: &str) -> Option<&'static ToolDef> {
    ALL.iter().copied().find(|tool| same_name(name, tool.name))
}

/// `click` of `browser_click`.
pub fn short(name: &str) -> &str {
    name.strip_prefix("browser_").unwrap_or(name)
}

/// Whether a name as people write it means the tool.
pub(crate) fn same_name(given: &str, tool: &str) -> bool {
    let given = given.replace('-', "_");
    tool == given || tool.strip_prefix("browser_") == Some(given.as_str())
}

/// MCP server instructions: what an agent needs to know before its first call.
pub const INSTRUCTIONS: &str = include_str!("tools/instructions.txt");

/// The handle of a tool that works in one tab.
fn one_tab(handle: Option<Arc<Handle>>) -> Outcome<Arc<Handle>> {
    handle.ok_or_else(|| {
        Failure::new(pillion_wire::code::Code::Internal, "the tool was called without its tab.")
    })
}

/// ` (tab 7)` when the call did not name its tab.
fn tab_note(handle: &Handle) -> String {
    let mut out = String::new();
    if handle.implied {
        out.push_str(&format!(" (tab {})", handle.tab.number));
    }
    if let Some(why) = &handle.tab.state().via_dom {
        out.push_str(&format!(" (via dom, untrusted: {})", crate::failure::plain(why)));
    }
    out
}

/// Adds the outline where the call asked for it.
async fn with_snapshot(cx: &Cx, handle: &Arc<Handle>, text: String) -> Outcome<Answer> {
    if !cx.args.flag("snapshot") || handle.tab.state().dialog.is_some() {
        return Ok(text.into());
    }
    let budget = handle.budget(pillion_wire::limits::SNAPSHOT_CHARS);
    let look = snapshot::Look { budget, ..snapshot::Look::default() };
    let outline = snapshot::outline(handle, &look).await?;
    Ok(format!("{text}\n{outline}").into())
}

#[cfg(test)]
mod tests;
