//! Each verb, and what may be done at all. The rules about schemes are the extension's; there is no
//! person's rule to look at here.

mod batch;
mod bodies;
mod console;
mod console_text;
mod cookies;
mod emulate;
mod evaluate;
mod inspect;
mod mock;
mod page;
mod picture;
mod place;
mod screenshot;
mod script;
mod style_rules;
pub(crate) mod tabs;
mod upload;

pub(crate) use bodies::{keep_body, may_read};
pub(crate) use emulate::{emulate, steps_in_child};
pub(crate) use mock::{arm, mock, paused};
pub(crate) use page::page;

use crate::fault::{Outcome, fault, internal};
use crate::link::{CdpLink, tab_gone};
use crate::{input, urls};
use pillion_wire::code::Code;
use pillion_wire::id::ChromeTab;
use pillion_wire::page::PageCall;
use pillion_wire::verb::{Planned, Verb};
use serde::Serialize;
use serde_json::Value;

/// Why a verb may not be done.
pub(crate) fn refusal(link: &CdpLink, verb: &Verb) -> Outcome<()> {
    match verb {
        Verb::Tabs {}
        | Verb::Hold { .. }
        | Verb::Activity { .. }
        | Verb::Knock { .. }
        | Verb::SecretOrigins { .. } => Ok(()),
        Verb::Open { url, .. } => may_open(url),
        Verb::Navigate { tab, url } => known(link, *tab).and_then(|_| may_open(url)),
        Verb::Close { tab }
        | Verb::Focus { tab }
        | Verb::Detach { tab }
        | Verb::Release { tab }
        | Verb::Dialog { tab, .. }
        | Verb::History { tab, .. }
        | Verb::Downloads { tab } => known(link, *tab).map(|_| ()),
        Verb::Page { call: PageCall::Look { .. } | PageCall::LookEnd {}, .. }
        | Verb::Ask { .. }
        | Verb::AskEnd { .. } => Err(needs_extension("asking the user")),
        Verb::FillSecret { .. } => Err(needs_extension("filling in a secret")),
        Verb::Trace { .. } => Err(needs_extension("a trace")),
        Verb::Page { call: PageCall::Audit { .. }, .. } => Err(needs_extension("an audit")),
        Verb::Page { tab, .. }
        | Verb::Cdp { tab, .. }
        | Verb::Press { tab, .. }
        | Verb::Keys { tab, .. }
        | Verb::Plan { tab, .. }
        | Verb::Attach { tab }
        | Verb::Evaluate { tab, .. }
        | Verb::Screenshot { tab, .. }
        | Verb::Upload { tab, .. }
        | Verb::CatchChooser { tab, .. }
        | Verb::Adopt { tab, .. }
        | Verb::Console { tab }
        | Verb::Capture { tab, .. }
        | Verb::Inspect { tab, .. }
        | Verb::Emulate { tab, .. }
        | Verb::Mock { tab, .. }
        | Verb::Mocks { tab }
        | Verb::Cookies { tab, .. } => {
            let url = known(link, *tab)?;
            if urls::may_touch(&url) {
                return Ok(());
            }
            Err(fault(Code::ProtectedPage, "Pillion keeps off pages of that kind"))
        }
    }
}

/// The address of a tab that agents may know of.
fn known(link: &CdpLink, tab: ChromeTab) -> Outcome<String> {
    let listed = link.with(tab, |tab| tab.is_listed().then(|| tab.url.clone()))?;
    listed.ok_or_else(tab_gone)
}

fn may_open(url: &str) -> Outcome<()> {
    if urls::may_open(url) {
        return Ok(());
    }
    Err(fault(Code::UrlNotAllowed, "agents may open http and https pages only"))
}

fn needs_extension(what: &str) -> pillion_engine::LinkError {
    let words = format!(
        "{what} needs the Pillion extension, and this browser has none: it is driven over plain CDP. \
         Nothing was done"
    );
    fault(Code::Policy, words)
}

/// Does a verb that was not refused. Chrome does not tell of titles that scripts change: after what
/// may have changed one, it is asked.
pub(crate) async fn run(link: &CdpLink, verb: Verb) -> Outcome<Value> {
    let tab = match &verb {
        Verb::Evaluate { tab, .. } => Some(*tab),
        Verb::Page { tab, call, .. } => may_show_title(call).then_some(*tab),
        _ => None,
    };
    let done = run_plain(link, verb).await;
    if let Some(tab) = tab {
        tabs::look_at_title(link, tab).await;
    }
    done
}

fn may_show_title(call: &PageCall) -> bool {
    matches!(
        call,
        PageCall::Hello {}
            | PageCall::Snapshot { .. }
            | PageCall::Text { .. }
            | PageCall::Settle { .. }
            | PageCall::Changes { .. }
            | PageCall::Wait { .. }
    )
}

async fn run_plain(link: &CdpLink, verb: Verb) -> Outcome<Value> {
    match verb {
        Verb::Tabs {} => value(tabs::list(link).await?),
        Verb::Open { url, holder } => value(tabs::open(link, url, holder).await?),
        Verb::Navigate { tab, url } => tabs::navigate(link, tab, &url).await.map(nothing),
        Verb::History { tab, delta } => tabs::history(link, tab, delta).await.map(nothing),
        Verb::Close { tab } => tabs::close(link, tab).await.map(nothing),
        Verb::Focus { tab } => tabs::focus(link, tab).await.map(nothing),
        Verb::Hold { tabs } => tabs::hold(link, tabs).map(nothing),
        Verb::Release { tab } => tabs::release(link, tab).await.map(nothing),
        Verb::Detach { tab } => tabs::detach(link, tab).await.map(nothing),
        Verb::Page { tab, documents, call } => {
            value(page::page(link, tab, documents.as_deref(), call).await?)
        }
        Verb::Cdp { tab, commands } => value(batch::run(link, tab, commands).await?),
        Verb::Press { tab, how, modifiers, at, .. } => {
            value(batch::run(link, tab, input::pointing(&how, at, modifiers)?).await?)
        }
        Verb::Keys { tab, commands, .. } => {
            if commands.iter().any(|command| !input::is_key(command)) {
                return Err(fault(Code::Policy, "keys and text only"));
            }
            value(batch::run(link, tab, commands).await?)
        }
        Verb::Plan { .. } => value(Planned { asks: false }),
        Verb::Attach { tab } => value(link.attach(tab).await?),
        Verb::Evaluate { tab, expression, document, element, timeout_ms } => {
            let wish = evaluate::Wish { tab, expression, document, element, timeout_ms };
            value(evaluate::run(link, wish).await?)
        }
        Verb::Screenshot { tab, clip, format, quality, max_side, full_page, scale, labels } => {
            let wish =
                screenshot::Wish { tab, clip, format, quality, max_side, full_page, scale, labels };
            value(screenshot::take(link, wish).await?)
        }
        Verb::Dialog { tab, accept, text } => {
            batch::dialog(link, tab, accept, text).await.map(nothing)
        }
        Verb::CatchChooser { tab, on } => upload::catch(link, tab, on).await.map(nothing),
        Verb::Adopt { tab, document, node } => {
            value(upload::adopt(link, tab, &document, node).await?)
        }
        Verb::Upload { tab, document, element, files } => {
            upload::give(link, tab, &document, element, files).await.map(nothing)
        }
        Verb::Console { tab } => value(console::read(link, tab).await?),
        Verb::Capture { tab, on } => bodies::capture(link, tab, on).await.map(nothing),
        Verb::Inspect { tab, document, element, rules, listeners } => {
            let wish = inspect::Wish { tab, document, element, rules, listeners };
            value(inspect::run(link, wish).await?)
        }
        Verb::Emulate { tab, wish } => value(emulate::emulate(link, tab, wish).await?),
        Verb::Mock { tab, rules } => value(mock::mock(link, tab, rules).await?),
        Verb::Mocks { tab } => value(mock::state(link, tab)?),
        Verb::Cookies { tab, values } => value(cookies::read(link, tab, values).await?),
        Verb::Downloads { tab } => value(tabs::downloads(link, tab)?),
        // Nobody is there to be shown what agents do, or to be asked.
        Verb::Activity { .. }
        | Verb::SecretOrigins { .. }
        | Verb::Knock { .. }
        | Verb::FillSecret { .. }
        | Verb::Trace { .. }
        | Verb::Ask { .. }
        | Verb::AskEnd { .. } => Ok(Value::Null),
    }
}

fn nothing((): ()) -> Value {
    Value::Null
}

fn value(reply: impl Serialize) -> Outcome<Value> {
    serde_json::to_value(reply).map_err(|error| internal(error.to_string()))
}
