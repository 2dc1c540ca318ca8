//! `browser_mock`: answers in a server's place.

use super::{Answer, Cx, Effect, Kind, ToolDef, may};
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use pillion_core::page_text::quote;
use pillion_wire::limits;
use pillion_wire::trying::{MockHits, MockRule, MockState};
use pillion_wire::verb::Verb;
use serde_json::Value;
use std::sync::Arc;

/// Longest delay of an answer.
const DELAY_MS: i64 = 30_000;
/// Longest body, characters.
const BODY_CHARS: usize = 1_000_000;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_mock",
    doc: "Answer requests of a tab in the server's place: url, method, block or status, body, headers, delay_ms. Without parameters: the list with hits; remove.",
    details: "`url`: a part of the address, or a glob of `*` over all of it. The first rule that fits answers, in the order in which they were made. `status` is 200 without `block`; the content type is JSON when the body is, else plain text, unless `headers` (`Name: value`) say otherwise. Only requests to sites that the tab itself shows (its page, its frames) can be answered; what goes elsewhere is left alone, and the answer says so. `remove`: `m1`, or `all`. Works without the daemon and over page loads; ends with the session, when the tab is let go, and when the user stops it: no request is left waiting. Attaches the debugger.",
    effect: Effect::Act,
    params: &[
        may("tab", Kind::Integer, ""),
        may("url", Kind::Text, "part of it, or glob"),
        may("method", Kind::Text, ""),
        may("block", Kind::Boolean, "the request fails"),
        may("status", Kind::Integer, ""),
        may("body", Kind::Json, ""),
        may("headers", Kind::Texts, "Name: value"),
        may("delay_ms", Kind::Integer, ""),
        may("remove", Kind::Text, "m1, or all"),
    ],
    positional: &["url"],
    idempotent: false,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let made = ["method", "block", "status", "body", "headers", "delay_ms"];
    let Some(url) = cx.args.text("url") else {
        if made.iter().any(|name| cx.args.has(name)) {
            return Err(Failure::invalid("a mock needs url. Nothing was done."));
        }
        return match cx.args.text("remove") {
            Some(which) => remove(&handle, &which).await,
            None => Ok(list(&handle, &now(&handle).await?).into()),
        };
    };
    if cx.args.has("remove") {
        return Err(Failure::invalid(
            "one at a time: url makes a mock, remove ends one. Nothing was done.",
        ));
    }
    let mut rule = read(&cx, url)?;
    let there = now(&handle).await?;
    let mut rules: Vec<MockRule> = there.rules.into_iter().map(|known| known.rule).collect();
    rule.number = {
        let mut state = handle.tab.state();
        state.tried.by(&handle.session);
        let most = rules.iter().map(|rule| rule.number).max().unwrap_or(0);
        state.tried.last_mock = state.tried.last_mock.max(most) + 1;
        state.tried.last_mock
    };
    rules.push(rule.clone());
    let state = set(&handle, rules).await?;
    let mut out = format!("mock m{}: {}{}", rule.number, words(&rule), super::tab_note(&handle));
    out.push_str(&format!("\n{}", activity(&state)));
    if let Some(host) = host_of(&rule.url)
        && !state.hosts.iter().any(|known| known == host)
    {
        out.push_str(&format!(
            "\nm{} is inactive: the tab shows no page of {}, and requests to other sites are left alone",
            rule.number,
            quote(host)
        ));
    }
    Ok(out.into())
}

fn read(cx: &Cx, url: String) -> Outcome<MockRule> {
    let block = cx.args.flag("block");
    let answers = ["status", "body", "headers"].iter().any(|name| cx.args.has(name));
    if block && answers {
        return Err(Failure::invalid(
            "block lets the request fail: it has no status, body or headers. Nothing was done.",
        ));
    }
    let status = cx.args.integer("status").unwrap_or(200);
    if !(200..=599).contains(&status) {
        return Err(Failure::invalid("status takes 200 to 599. Nothing was done."));
    }
    let delay = cx.args.integer("delay_ms").unwrap_or(0);
    if !(0..=DELAY_MS).contains(&delay) {
        return Err(Failure::invalid(format!("delay_ms takes 0 to {DELAY_MS}. Nothing was done.")));
    }
    let body = cx.args.text("body").unwrap_or_default();
    if body.chars().count() > BODY_CHARS {
        return Err(Failure::invalid("body takes a million characters at most. Nothing was done."));
    }
    let method = cx.args.text("method").map(|method| method.trim().to_ascii_uppercase());
    if method.as_ref().is_some_and(|method| !method.chars().all(|c| c.is_ascii_alphabetic())) {
        return Err(Failure::invalid("method takes GET, POST and the like. Nothing was done."));
    }
    let mut headers = Vec::new();
    for given in cx.args.list("headers") {
        let pair = given.as_str().and_then(|text| text.split_once(':'));
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        };
        let Some((name, value)) =
            pair.filter(|(name, value)| is_name(name.trim()) && !value.contains(['\r', '\n']))
        else {
            return Err(Failure::invalid("headers are texts as Name: value. Nothing was done."));
        };
        headers.push([name.trim().to_owned(), value.trim().to_owned()]);
    }
    if !block && !headers.iter().any(|[name, _]| name.eq_ignore_ascii_case("content-type")) {
        let is_json = serde_json::from_str::<Value>(&body)
            .is_ok_and(|value| value.is_object() || value.is_array());
        let kind = if is_json { "application/json" } else { "text/plain; charset=utf-8" };
        headers.push(["content-type".to_owned(), kind.to_owned()]);
    }
    let delay_ms = u32::try_from(delay).unwrap_or(0);
    let status = u32::try_from(status).unwrap_or(200);
    Ok(MockRule { number: 0, url, method, block, status, body, headers, delay_ms })
}

async fn now(handle: &Arc<Handle>) -> Outcome<MockState> {
    let state: MockState = handle.verb(Verb::Mocks { tab: handle.chrome() }, limits::VERB).await?;
    Ok(state)
}

async fn set(handle: &Arc<Handle>, rules: Vec<MockRule>) -> Outcome<MockState> {
    handle.attach().await?;
    let count = rules.len();
    let verb = Verb::Mock { tab: handle.chrome(), rules };
    let state: MockState = handle.or_dialog(handle.verb(verb, limits::VERB)).await??;
    let mut tab = handle.tab.state();
    tab.tried.by(&handle.session);
    tab.tried.mocks = count;
    Ok(state)
}

async fn remove(handle: &Arc<Handle>, which: &str) -> Outcome<Answer> {
    let there = now(handle).await?;
    let every = which.trim().eq_ignore_ascii_case("all");
    let number = which.trim().strip_prefix('m').unwrap_or(which.trim()).parse::<u32>().ok();
    let known = there.rules.iter().any(|known| Some(known.rule.number) == number);
    if !every && !known {
        return Err(Failure::invalid(format!(
            "there is no mock {}. {} Nothing was done.",
            quote(which),
            list(handle, &there)
        )));
    }
    let (gone, rules): (Vec<MockHits>, Vec<MockHits>) =
        there.rules.into_iter().partition(|known| every || Some(known.rule.number) == number);
    let state = set(handle, rules.into_iter().map(|known| known.rule).collect()).await?;
    let words: Vec<_> =
        gone.iter().map(|known| format!("m{} ({})", known.rule.number, hits(known.hits))).collect();
    let what = if words.is_empty() { "nothing".to_owned() } else { words.join(", ") };
    Ok(format!("removed {what}. {}", list(handle, &state)).into())
}

fn list(handle: &Handle, state: &MockState) -> String {
    let tab = handle.tab.number;
    if state.rules.is_empty() {
        return format!("no mocks in tab {tab}.");
    }
    let mut out = format!("mocks in tab {tab}, the first that fits answers; {}", activity(state));
    for known in &state.rules {
        out.push_str(&format!(
            "\n  m{} {}, {}",
            known.rule.number,
            words(&known.rule),
            hits(known.hits)
        ));
    }
    out
}

fn activity(state: &MockState) -> String {
    if state.active {
        format!("active for {}", state.hosts.join(", "))
    } else {
        format!("inactive: {}", state.why)
    }
}

fn hits(count: u32) -> String {
    match count {
        0 => "no hit yet".to_owned(),
        1 => "1 hit".to_owned(),
        many => format!("{many} hits"),
    }
}

/// `GET "*/api/orders*" → 500 application/json 12 B after 200 ms`.
fn words(rule: &MockRule) -> String {
    let method = rule.method.as_deref().unwrap_or("any");
    let what = if rule.block {
        "fails".to_owned()
    } else {
        let kind = rule
            .headers
            .iter()
            .find(|[name, _]| name.eq_ignore_ascii_case("content-type"))
            .map_or("", |[_, kind]| kind.split(';').next().unwrap_or_default());
        format!("{} {kind} {}", rule.status, crate::receipt::size(rule.body.len() as f64))
    };
    let delay =
        if rule.delay_ms > 0 { format!(" after {} ms", rule.delay_ms) } else { String::new() };
    format!("{method} {} → {what}{delay}", quote(&rule.url))
}

/// The host that a glob names in full.
fn host_of(glob: &str) -> Option<&str> {
    let (_, rest) = glob.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    (!host.is_empty() && !host.contains('*')).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_known_where_the_glob_names_it() {
        assert_eq!(host_of("https://a.example:8080/x*"), Some("a.example:8080"));
        for none in ["/api", "*/api", "https://*.example/x", "*://*/x"] {
            assert_eq!(host_of(none), None, "{none}");
        }
    }
}
