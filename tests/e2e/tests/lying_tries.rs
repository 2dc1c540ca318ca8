//! The verbs of patches, stores, overrides and mocks, asked for by a daemon with wrong intentions.

use crate::lying_daemon::{done, open, refused};
use anyhow::{Result, ensure};
use pillion_e2e::{Liar, Rig, fixtures};
use pillion_testkit::Server;
use pillion_wire::code::Code;
use pillion_wire::id::{ChromeTab, DocumentId, LocalId};
use pillion_wire::page::PageCall;
use pillion_wire::trying::{Emulation, MockRule, Patch, Store, StoreOp};
use pillion_wire::verb::Verb;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(10);

fn rule(url: &str) -> MockRule {
    MockRule {
        number: 1,
        url: url.to_owned(),
        method: None,
        block: false,
        status: 200,
        body: "lied".into(),
        headers: vec![],
        delay_ms: 0,
    }
}

fn storage(what: StoreOp, values: bool) -> PageCall {
    let value = (what == StoreOp::Set).then(|| "lied".to_owned());
    PageCall::Storage { store: Store::Local, what, key: "word".into(), value, values, limit: 10 }
}

fn page(tab: ChromeTab, document: &DocumentId, call: PageCall) -> Verb {
    Verb::Page { tab, documents: Some(vec![document.clone()]), call }
}

async fn document(liar: &mut Liar, tab: ChromeTab) -> Result<DocumentId> {
    let hello = Verb::Page { tab, documents: None, call: PageCall::Hello {} };
    let told = done(liar, hello).await?;
    Ok(serde_json::from_value(told[0]["document"].clone())?)
}

fn patch() -> PageCall {
    let patch = Patch { text: Some("lied".into()), ..Patch::default() };
    PageCall::Patch { number: 1, id: LocalId(1), patch }
}

/// Every verb of this kind, with what would do most.
fn all(tab: ChromeTab, document: &DocumentId) -> Vec<Verb> {
    let wish = Emulation { user_agent: Some("lied".into()), ..Emulation::default() };
    vec![
        page(tab, document, patch()),
        Verb::Page { tab, documents: None, call: patch() },
        page(tab, document, storage(StoreOp::List, true)),
        page(tab, document, storage(StoreOp::Get, false)),
        page(tab, document, storage(StoreOp::Set, false)),
        page(tab, document, storage(StoreOp::Delete, false)),
        Verb::Cookies { tab, values: true },
        Verb::Mock { tab, rules: vec![rule("*")] },
        Verb::Emulate { tab, wish },
    ]
}

pub async fn what_agents_try_is_out_of_a_lying_daemons_reach(rig: &mut Rig) -> Result<()> {
    let read = Server::start(&[("/", &fixtures())]).await?;
    let asked = Server::start(&[("/", &fixtures())]).await?;
    rig.rule(&[
        (read.url("").as_str(), "read"),
        (asked.url("").as_str(), "ask"),
        ("*.localhost", "never"),
    ])
    .await?;
    let mine = rig.browser.cdp.open(&rig.server.url("/small.html?person")).await?;
    let mut liar = rig.lying().await?;

    for (server, code) in [(&read, Code::ReadOnlySite), (&asked, Code::ApprovalPending)] {
        let tab = open(&mut liar, server.url("/small.html?liar")).await?;
        let own = rig.browser.cdp.attach("page", &server.url("/small.html?liar"), SOON).await?;
        own.until("document.readyState === 'complete'", SOON).await?;
        own.evaluate("localStorage.word = 'planted', document.cookie = 'jar=planted'").await?;
        let document = document(&mut liar, tab).await?;
        for verb in all(tab, &document) {
            // How it looks and is reached is no matter of asking; what it does is.
            if code == Code::ApprovalPending && matches!(verb, Verb::Emulate { .. }) {
                continue;
            }
            refused(&mut liar, verb, &[code, Code::ApprovalDenied]).await?;
        }
        // Names are told, and no value with them.
        for verb in [
            page(tab, &document, storage(StoreOp::List, false)),
            Verb::Cookies { tab, values: false },
        ] {
            let told = done(&mut liar, verb).await?;
            ensure!(!told.to_string().contains("planted"), "{told}");
        }
        let now = own
            .evaluate("document.body.textContent + localStorage.word + navigator.userAgent")
            .await?;
        ensure!(now.as_str().is_some_and(|now| !now.contains("lied")), "{now}");
    }

    // On a free site: only its own requests, only lists that are none too large, only tabs that are its own.
    let tab = open(&mut liar, rig.server.url("/small.html?free")).await?;
    let own = rig.browser.cdp.attach("page", "small.html?free", SOON).await?;
    own.until("document.readyState === 'complete'", SOON).await?;
    done(&mut liar, Verb::Mock { tab, rules: vec![rule("*")] }).await?;
    own.until(
        "fetch('/echo/x').then((answer) => answer.text()).then((text) => text === 'lied')",
        SOON,
    )
    .await?;
    let elsewhere = format!(
        "fetch('{}', {{mode: 'cors'}}).then((answer) => answer.text(), () => 'none')",
        read.url("/echo/x")
    );
    ensure!(own.evaluate(&elsewhere).await? != "lied", "a request to another site was answered");
    let wrong = [
        vec![MockRule { status: 101, ..rule("*") }],
        vec![MockRule { delay_ms: 3_000_000, ..rule("*") }],
        vec![MockRule { body: "x".repeat(3_000_000), ..rule("*") }],
        (0..60).map(|number| MockRule { number, ..rule("*") }).collect(),
    ];
    for rules in wrong {
        refused(&mut liar, Verb::Mock { tab, rules }, &[Code::InvalidArgument]).await?;
    }
    done(&mut liar, Verb::Mock { tab, rules: vec![] }).await?;
    neighbours(&mut liar, tab).await?;
    ensure!(mine.evaluate("document.title").await? == "Small page");
    drop(liar);
    rig.browser.process.resume();
    rig.connected(Duration::from_secs(20)).await?;
    rig.rule(&[]).await
}

/// Tabs that are not shared are as if they were not there.
async fn neighbours(liar: &mut Liar, tab: ChromeTab) -> Result<()> {
    let own = done(liar, Verb::Tabs {}).await?;
    let own: Vec<i64> = own["tabs"]
        .as_array()
        .map_or_else(Vec::new, |tabs| tabs.iter().filter_map(|tab| tab["tab"].as_i64()).collect());
    for id in tab.0 - 20..tab.0 {
        if own.contains(&i64::from(id)) {
            continue;
        }
        let other = ChromeTab(id);
        for verb in [
            Verb::Cookies { tab: other, values: false },
            Verb::Mocks { tab: other },
            Verb::Downloads { tab: other },
            Verb::Emulate { tab: other, wish: Emulation::default() },
        ] {
            refused(liar, verb, &[Code::TabNotShared]).await?;
        }
    }
    Ok(())
}
