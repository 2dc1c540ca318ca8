//! Answers in a server's place, given here: a request that is held waits for nobody but this link. Only
//! requests to sites that the tab shows are held at all. What goes wrong lets the request go its way.

use crate::book::{Mocks, Tab};
use crate::connection::CommandError;
use crate::fault::{Outcome, fault};
use crate::link::CdpLink;
use crate::urls;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pillion_wire::code::Code;
use pillion_wire::id::ChromeTab;
use pillion_wire::limits::cdp::{COMMAND, MOCK_CHARS, MOCK_DELAY_MS, MOCKS_MOST};
use pillion_wire::trying::{MockHits, MockRule, MockState};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// The verb `mock`: the whole list.
pub(crate) async fn mock(
    link: &CdpLink,
    tab: ChromeTab,
    rules: Vec<MockRule>,
) -> Outcome<MockState> {
    if let Some(why) = list_refusal(&rules) {
        return Err(fault(Code::InvalidArgument, why));
    }
    link.attach(tab).await?;
    link.with(tab, |tab| {
        let mut hits = tab.attachment.mocks.take().unwrap_or_default().hits;
        hits.retain(|number, _| rules.iter().any(|rule| rule.number == *number));
        tab.attachment.mocks = (!rules.is_empty()).then_some(Mocks { rules, hits, hosts: vec![] });
    })?;
    arm(link, tab).await?;
    state(link, tab)
}

/// The verb `mocks`.
pub(super) fn state(link: &CdpLink, tab: ChromeTab) -> Outcome<MockState> {
    link.with(tab, |tab| {
        let Some(mocks) = &tab.attachment.mocks else {
            let why = "there are no mocks here".to_owned();
            return MockState { why, ..MockState::default() };
        };
        let active = !mocks.hosts.is_empty();
        let hits = |rule: &MockRule| mocks.hits.get(&rule.number).copied().unwrap_or(0);
        let why = if active { "" } else { "the tab shows no site whose requests may be answered" };
        MockState {
            active,
            why: why.to_owned(),
            rules: mocks
                .rules
                .iter()
                .map(|rule| MockHits { rule: rule.clone(), hits: hits(rule) })
                .collect(),
            hosts: mocks.hosts.clone(),
        }
    })
}

/// Tells Chrome whose requests are to be held: the sites that the tab shows now.
pub(crate) async fn arm(link: &CdpLink, tab: ChromeTab) -> Outcome<()> {
    let (sessions, (method, params)) = link.with(tab, |tab| {
        let frames = tab.attachment.frames.values().map(|frame| urls::host_of(&frame.url));
        let hosts: BTreeSet<String> = frames.filter(|host| !host.is_empty()).collect();
        if let Some(mocks) = &mut tab.attachment.mocks {
            mocks.hosts = hosts.into_iter().collect();
        }
        (tab.sessions(), step(tab).unwrap_or(("Fetch.disable", json!({}))))
    })?;
    for (at, session) in sessions.iter().enumerate() {
        let sent = link.connection.send(Some(session), method, params.clone(), COMMAND).await;
        match sent {
            // A frame may be gone by now; the tab itself must answer.
            Err(CommandError::Refused(_) | CommandError::Late) if at > 0 => {}
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
    }
    Ok(())
}

/// What holds a session's requests, while there is something to answer.
pub(super) fn step(tab: &Tab) -> Option<(&'static str, Value)> {
    let hosts = &tab.attachment.mocks.as_ref()?.hosts;
    let patterns: Vec<Value> = hosts
        .iter()
        .flat_map(|host| ["http", "https"].map(|scheme| format!("{scheme}://{host}/*")))
        .map(|pattern| json!({"urlPattern": pattern, "requestStage": "Request"}))
        .collect();
    (!patterns.is_empty()).then(|| ("Fetch.enable", json!({"patterns": patterns})))
}

/// Chrome holds a request.
pub(crate) async fn paused(link: &CdpLink, tab: ChromeTab, session: &str, params: &Value) {
    let url = params["request"]["url"].as_str().unwrap_or_default();
    let method = params["request"]["method"].as_str().unwrap_or("GET");
    let request = &params["requestId"];
    let found = link.with(tab, |tab| {
        let mocks = tab.attachment.mocks.as_mut()?;
        let rule = fitting(&mocks.rules, method, url)
            .filter(|_| mocks.hosts.contains(&urls::host_of(url)))?
            .clone();
        *mocks.hits.entry(rule.number).or_default() += 1;
        Some(rule)
    });
    let Ok(Some(rule)) = found else { return let_go(link, session, request).await };
    tokio::time::sleep(Duration::from_millis(u64::from(rule.delay_ms))).await;
    // Taken back meanwhile, perhaps.
    let still = link.with(tab, |tab| {
        let mocks = tab.attachment.mocks.as_ref();
        mocks.is_some_and(|mocks| mocks.rules.iter().any(|one| one.number == rule.number))
    });
    if !still.unwrap_or(false) || give(link, session, request, &rule).await.is_err() {
        // The page that asked is gone, or the answer was none: then the server's own will do.
        let_go(link, session, request).await;
    }
}

/// To the server. Chrome may have let it go by itself.
async fn let_go(link: &CdpLink, session: &str, request: &Value) {
    let params = json!({"requestId": request});
    link.connection.send(Some(session), "Fetch.continueRequest", params, COMMAND).await.ok();
}

async fn give(
    link: &CdpLink,
    session: &str,
    request: &Value,
    rule: &MockRule,
) -> Result<Value, CommandError> {
    let (method, params) = if rule.block {
        ("Fetch.failRequest", json!({"requestId": request, "errorReason": "BlockedByClient"}))
    } else {
        let headers: Vec<Value> = rule
            .headers
            .iter()
            .map(|[name, value]| json!({"name": name, "value": value}))
            .collect();
        let answer = json!({"requestId": request, "responseCode": rule.status,
            "responseHeaders": headers, "body": STANDARD.encode(&rule.body)});
        ("Fetch.fulfillRequest", answer)
    };
    link.connection.send(Some(session), method, params, COMMAND).await
}

/// The first rule that fits.
fn fitting<'a>(rules: &'a [MockRule], method: &str, url: &str) -> Option<&'a MockRule> {
    let address = url.split('#').next().unwrap_or(url);
    rules.iter().find(|rule| {
        let any = rule.method.as_deref().is_none_or(|one| one.eq_ignore_ascii_case(method));
        any && fits(&rule.url, address)
    })
}

/// A glob over the whole address; without a star, a part of it. No regular expression: none can hang.
fn fits(glob: &str, url: &str) -> bool {
    let mut parts: Vec<&str> = glob.split('*').collect();
    if parts.len() < 2 {
        return url.contains(glob);
    }
    let last = parts.pop().unwrap_or_default();
    let Some(mut rest) = url.strip_prefix(parts.remove(0)) else { return false };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

/// Why the list is not taken.
fn list_refusal(rules: &[MockRule]) -> Option<String> {
    if rules.len() > MOCKS_MOST {
        return Some(format!("at most {MOCKS_MOST} mocks a tab"));
    }
    let is_rule = |rule: &MockRule| {
        !rule.url.is_empty() && (200..=599).contains(&rule.status) && rule.delay_ms <= MOCK_DELAY_MS
    };
    if !rules.iter().all(is_rule) {
        return Some("that is no mock".to_owned());
    }
    let size: usize = rules.iter().map(|rule| rule.body.len()).sum();
    (size > MOCK_CHARS).then(|| "the bodies are too large together".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_means_the_whole_address_and_a_word_a_part_of_it() {
        assert!(fits("/api/", "http://a.example/api/x"));
        assert!(fits("*/api/*.json", "http://a.example/api/x.json"));
        assert!(!fits("*/api/*.json", "http://a.example/api/x.json?y"));
        assert!(!fits("http://b*", "http://a.example/b"));
        assert!(fits("*", "anything"));
        assert!(!fits("ab*ba", "aba"));
    }

    #[test]
    fn the_first_that_fits_answers() {
        let rule = |number, url: &str, method: Option<&str>| MockRule {
            number,
            url: url.into(),
            method: method.map(str::to_owned),
            block: false,
            status: 200,
            body: String::new(),
            headers: vec![],
            delay_ms: 0,
        };
        let rules = [rule(1, "/x", Some("post")), rule(2, "/x", None)];
        let number =
            |method| fitting(&rules, method, "http://a.example/x#y").map(|rule| rule.number);
        assert_eq!((number("POST"), number("GET")), (Some(1), Some(2)));
        let mut bad = rule(3, "/x", None);
        bad.status = 99;
        assert!(list_refusal(&[bad]).is_some() && list_refusal(&rules).is_none());
    }
}
