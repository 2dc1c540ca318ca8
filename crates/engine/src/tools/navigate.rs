//! `browser_navigate`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::LinkError;
use crate::clock::now_ms;
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use crate::presence::{Waited, told};
use crate::receipt::Before;
use crate::tab::{Nav, TabState};
use crate::tools::snapshot;
use pillion_core::page_text::{quote, url_words_whole};
use pillion_wire::code::Code;
use pillion_wire::limits;
use pillion_wire::verb::{Holder, Phase, TabInfo, Verb};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_navigate",
    doc: "Open a page; without tab in a background tab of your own.",
    details: "",
    effect: Effect::Navigate,
    params: &[
        Param {
            name: "url",
            kind: Kind::Text,
            doc: "address, or back, forward, reload",
            required: true,
            rare: false,
        },
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param {
            name: "snapshot",
            kind: Kind::Boolean,
            doc: "add the outline",
            required: false,
            rare: false,
        },
        Param {
            name: "query",
            kind: Kind::Text,
            doc: "or what matches",
            required: false,
            rare: false,
        },
        Param { name: "profile", kind: Kind::Text, doc: "", required: false, rare: true },
        Param {
            name: "wait",
            kind: Kind::OneOf(&["ready", "load", "none"]),
            doc: "",
            required: false,
            rare: true,
        },
    ],
    positional: &["url"],
    idempotent: false,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, _: Option<Arc<Handle>>) -> Outcome<Answer> {
    let given = cx.args.text("url").unwrap_or_default();
    let delta = match given.trim() {
        "back" => Some(-1),
        "forward" => Some(1),
        "reload" => Some(0),
        _ => None,
    };
    let phase = if cx.args.text("wait").as_deref() == Some("load") {
        Phase::Complete
    } else {
        Phase::Ready
    };
    let mut waited = None;
    let (handle, since, new) = match (delta, cx.args.has("tab")) {
        (None, false) => {
            let url = address(&given)?;
            let (handle, since) = open(&cx, url).await?;
            (handle, since, true)
        }
        _ => {
            let handle = cx.handle(false).await?;
            let tab = handle.tab.clone();
            let _alone = tab.queue.write().await;
            waited = handle.user_quiet().await?;
            let since = match start(&handle, &given, delta).await {
                Err(failure) if failure.lost && handle.acted.load(Ordering::Relaxed) => {
                    return Err(cx.engine.unknown_outcome(&cx, &handle).await);
                }
                other => other?,
            };
            (handle, since, false)
        }
    };
    let before = Before::since(&handle, since);
    if cx.args.text("wait").as_deref() == Some("none") {
        return Ok(format!("tab {} is on its way to {}", handle.tab.number, quote(&given)).into());
    }
    let arrived = match handle.or_gone(handle.navigated(since, phase)).await {
        Err(failure) if failure.lost => return Err(cx.engine.unknown_outcome(&cx, &handle).await),
        other => other?,
    };
    let trip = Trip { since, new, arrived };
    let head = match arrival(&handle, trip).map(|head| told(&head, waited)) {
        Err(failure)
            if new && matches!(failure.code, Code::NavigationFailed | Code::SiteBlocked) =>
        {
            return Err(unopened(&handle, failure).await);
        }
        other => other?,
    };
    finish(&cx, &handle, &before, trip, head, waited).await
}

/// A new tab that shows nothing but an error is not kept: nobody asked for it.
async fn unopened(handle: &Handle, failure: Failure) -> Failure {
    let closed = handle.verb::<Value>(Verb::Close { tab: handle.chrome() }, limits::VERB).await;
    if closed.is_err() {
        return failure;
    }
    if failure.code == Code::SiteBlocked {
        return Failure {
            text: format!("{} The new tab was closed again.", failure.text),
            ..failure
        };
    }
    let what = what_failed(&handle.tab.state().nav);
    Failure::new(
        failure.code,
        format!("{what}. The new tab was closed again. Next: another address."),
    )
}

/// `net::ERR_NAME_NOT_RESOLVED for https://a.example/`.
fn what_failed(nav: &Nav) -> String {
    format!("{} for {}", failed_reason(nav), url_words_whole(&nav.url))
}

fn failed_reason(nav: &Nav) -> &str {
    nav.error.as_deref().unwrap_or("net::ERR_FAILED")
}

/// One navigation: the event number before it, whether its tab is new, and whether it got as far as
/// was waited for.
#[derive(Clone, Copy)]
struct Trip {
    since: u64,
    new: bool,
    arrived: bool,
}

/// The address with its scheme: https, or http for this machine.
fn address(given: &str) -> Outcome<String> {
    let text = given.trim();
    let refused = |why: &str| {
        Failure::new(
            Code::UrlNotAllowed,
            format!(
                "{why}: {}. Agents may open http and https pages only. Nothing was opened.",
                quote(text)
            ),
        )
    };
    if text == "about:blank" {
        return Ok(text.to_owned());
    }
    let lower = text.to_ascii_lowercase();
    let full = if lower.starts_with("http://") || lower.starts_with("https://") {
        text.to_owned()
    } else {
        let host = lower.split(['/', '?', '#']).next().unwrap_or_default();
        let name = host
            .rsplit_once(':')
            .map_or(host, |(name, port)| if is_port(port) { name } else { host });
        if name.contains(':') && !name.starts_with('[') {
            return Err(refused("that scheme is not allowed"));
        }
        let local = name == "localhost"
            || name.ends_with(".localhost")
            || name.starts_with("127.")
            || name == "[::1]";
        format!("{}://{text}", if local { "http" } else { "https" })
    };
    let parsed = url::Url::parse(&full).map_err(|_| refused("that is no address"))?;
    if parsed.host_str().is_none_or(str::is_empty) {
        return Err(refused("that is no address"));
    }
    Ok(parsed.to_string())
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// A new background tab, the session's own from birth.
async fn open(cx: &Cx, url: String) -> Outcome<(Arc<Handle>, u64)> {
    let name = cx.args.text("profile");
    let (profile, browser) = cx.profile(name.as_deref()).await?;
    let holder: Holder = cx.engine.state().holder(&cx.session);
    let asker = cx.engine.state().asker(&cx.session);
    let open = Verb::Open { url, holder };
    let opened = browser.call(open, Some(asker), cx.time(limits::VERB)).await;
    let value = match opened {
        Err(LinkError::Lost { sent: true }) => {
            return Err(Failure::new(
                Code::OutcomeUnknown,
                "the connection to the browser was lost after the tab was asked for. It may be open. \
                 Do not repeat it before you have looked. Next: browser_tabs {}.",
            ));
        }
        other => other?,
    };
    let info: TabInfo = crate::handle::parse(value)?;
    let number = {
        let mut state = cx.engine.state();
        let tab = state.tab_for(&profile, info.tab);
        if let Some(entry) = state.profiles.get_mut(&profile) {
            entry.news += 1;
        }
        state.leases.own(tab.number, &cx.session, now_ms());
        if let Some(session) = state.sessions.get_mut(&cx.session) {
            session.last_profile = Some(profile.clone());
        }
        tab.update(|state| {
            if state.info.is_none() {
                state.info = Some(info);
            }
        });
        tab.number
    };
    cx.engine.sync_holds(&profile);
    cx.engine.save();
    let handle = cx.handle_of(number, false).await?;
    // The tab was born on its way: whatever happened to it belongs to this call.
    Ok((handle, 0))
}

/// Sends a tab somewhere. Gives the event number before.
pub(super) async fn start(handle: &Arc<Handle>, given: &str, delta: Option<i32>) -> Outcome<u64> {
    // Only an attached tab tells of a leave-page dialog; only a page that was used has one.
    let (touched, wedged) = {
        let state = handle.tab.state();
        (state.touched, state.wedged)
    };
    if touched && !wedged {
        // A page that cannot be attached to can still be left.
        handle.attach().await.or_else(|failure| {
            let fatal = failure.lost || failure.code == Code::DialogOpen;
            if fatal { Err(failure) } else { Ok(()) }
        })?;
    }
    handle.refuse_dialog()?;
    let since = handle.tab.state().seq;
    let tab = handle.chrome();
    let verb = match delta {
        Some(delta) => Verb::History { tab, delta },
        None => Verb::Navigate { tab, url: address(given)? },
    };
    handle.acting();
    match handle.or_dialog(handle.verb::<Value>(verb, limits::VERB)).await {
        Ok(done) => {
            done?;
        }
        Err(failure) if failure.code == Code::DialogOpen => {}
        Err(failure) => return Err(failure),
    }
    Ok(since)
}

/// The first lines: tab, status, title, address; or why it did not get there.
fn arrival(handle: &Handle, trip: Trip) -> Outcome<String> {
    let Trip { since, new, arrived } = trip;
    let tab = handle.tab.number;
    let mark = if new { " (new)" } else { "" };
    let state = handle.tab.state();
    if state.dialog.is_some() {
        drop(state);
        return Err(handle
            .refuse_dialog()
            .err()
            .unwrap_or_else(|| Failure::new(Code::DialogOpen, "a dialog is open.")));
    }
    let here =
        |state: &TabState| format!("{} {}", quote(state.title()), url_words_whole(state.url()));
    let nav = &state.nav;
    if nav.seq > since && nav.phase == Some(Phase::Failed) {
        if state.downloads.iter().any(|(seq, _)| *seq > since) {
            return Ok(format!("tab {tab}{mark}: the address is a download"));
        }
        if failed_reason(nav) == "net::ERR_ABORTED" {
            return Ok(format!(
                "tab {tab}{mark}: no page came back (an empty answer or a download); it shows {}",
                here(&state)
            ));
        }
        if failed_reason(nav) == Code::SiteBlocked.as_str() {
            return Err(Failure::new(
                Code::SiteBlocked,
                format!(
                    "{} leads to a site that a rule of the user's keeps agents off. Tab {tab} was emptied. Next: tell the user, or go elsewhere.",
                    url_words_whole(&nav.url)
                ),
            ));
        }
        return Err(Failure::new(
            Code::NavigationFailed,
            format!(
                "{}. Tab {tab} shows Chrome's error page. Next: another address, or back.",
                what_failed(nav)
            ),
        ));
    }
    let status = nav.status.map_or_else(String::new, |status| format!(" {status}"));
    if !arrived && nav.committed_seq <= since {
        if state.wedged {
            return Err(Failure::new(
                Code::TabWedged,
                format!(
                    "the page of tab {tab} does not let itself be left; a script in it runs for ever. \
                     Next: browser_tabs {{\"action\":\"close\",\"tab\":{tab}}}, then browser_navigate without tab."
                ),
            ));
        }
        return Err(Failure::new(
            Code::Timeout,
            format!(
                "{} did not answer in {} s. Tab {tab}{mark} is still on {}. Next: browser_wait {{\"tab\":{tab},\"url\":…}}, or another address.",
                url_words_whole(if nav.url.is_empty() { state.url() } else { &nav.url }),
                limits::NAVIGATION.as_secs(),
                quote(state.title())
            ),
        ));
    }
    if !arrived {
        return Ok(format!(
            "tab {tab}{mark}{status} {} (still loading after {} s)",
            here(&state),
            limits::NAVIGATION.as_secs()
        ));
    }
    if nav.committed_seq <= since && nav.same_document_seq > since {
        return Ok(format!("tab {tab} {} (same document)", here(&state)));
    }
    Ok(format!("tab {tab}{mark}{status} {}", here(&state)))
}

async fn finish(
    cx: &Cx,
    handle: &Arc<Handle>,
    before: &Before,
    trip: Trip,
    head: String,
    waited: Option<Waited>,
) -> Outcome<Answer> {
    handle.settle(before.seq, &[]).await;
    // The title often comes after the document: say the one that it has now.
    let mut out = arrival(handle, trip).map_or(head, |head| told(&head, waited));
    let lines = handle.console_line(before) + &handle.failed_line();
    if !lines.is_empty() {
        out.push('\n');
        out.push_str(lines.trim_end());
    }
    let query = cx.args.text("query");
    if cx.args.flag("snapshot") || query.is_some() {
        let look = snapshot::Look {
            query,
            budget: handle.budget(limits::SNAPSHOT_CHARS),
            ..snapshot::Look::default()
        };
        let text = snapshot::outline(handle, &look).await?;
        // The header says again what the first line said.
        let body = text.split_once('\n').map_or(text.as_str(), |(_, body)| body);
        out.push('\n');
        out.push_str(body);
    }
    out.push_str(&crate::listing::close_reminder(&cx.engine, &cx.session));
    Ok(out.into())
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn schemes_are_added_and_refused() {
        assert_eq!(address("example.com/a?b").unwrap(), "https://example.com/a?b");
        assert_eq!(address("localhost:5173/x").unwrap(), "http://localhost:5173/x");
        assert_eq!(address("127.0.0.1").unwrap(), "http://127.0.0.1/");
        for bad in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "chrome://settings",
            "data:text/html,x",
            "view-source:http://a",
            "",
        ] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}
