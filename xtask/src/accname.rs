//! Accessible names, roles and descriptions of the web platform's own test pages, by the page
//! agent's code in an isolated world of a bare browser: no daemon and no extension, so that one run
//! takes seconds. Only rows count on which Chromium itself agrees with the expectation.

use crate::field::report::{Outcome, Verdict};
use crate::shell::{command, read, root, target};
use crate::ui;
use anyhow::{Context, Result};
use pillion_testkit::{BareBrowser, Page, Server};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The share of rows that must be right.
const SHARE: f64 = 0.985;
/// A page of the corpus.
const LOAD: Duration = Duration::from_secs(15);

/// The corpus marks what it expects; this numbers the marks as its list of rows does.
const NUMBER: &str = r"(() => {
  let n = 0;
  const deep = (root) => {
    for (const el of root.querySelectorAll('*')) {
      if (el.hasAttribute('data-expectedlabel') || el.hasAttribute('data-expectedrole')) {
        n += 1;
        el.setAttribute('data-oracle', `oracle${n}`);
      }
      if (el.shadowRoot) deep(el.shadowRoot);
    }
  };
  deep(document);
  return n;
})()";

/// Compare every row; one outcome for all.
pub async fn run(dir: &Path) -> Result<Outcome> {
    let rows = std::fs::read_to_string(dir.join("oracle.json"))?;
    let rows: Vec<Value> = serde_json::from_str(&rows)?;
    let mut pages: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row["agree"] == true) {
        let page = row["page"].as_str().context("a row has a page")?.to_owned();
        pages.entry(page).or_default().push(row);
    }
    let naming = bundle()?;
    let server = Server::start(&[("/", dir)]).await?;
    let browser = BareBrowser::launch().await?;
    let page = browser.cdp.open("about:blank").await?;
    page.send("Page.enable", json!({})).await?;
    let (mut right, mut total) = (0_u32, 0_u32);
    for (path, rows) in pages {
        let world = load(&page, &server.url(&format!("/{path}")), &naming).await;
        for row in rows {
            total += 1;
            let wrong = match &world {
                Ok(world) => compare(&page, *world, &row).await?,
                Err(error) => Some(format!("{error:#}")),
            };
            match wrong {
                None => right += 1,
                Some(wrong) => {
                    ui::say(&format!("{path} {} ({}): {wrong}", row["selector"], row["title"]));
                }
            }
        }
    }
    let share = f64::from(right) / f64::from(total.max(1));
    let verdict = if share >= SHARE { Verdict::Right } else { Verdict::Honest };
    let note = format!("{right} of {total} rows, {:.1} %", share * 100.0);
    Ok(Outcome { name: "accname".into(), verdict, note })
}

/// The page agent's naming code as one script.
fn bundle() -> Result<String> {
    let out = target().join("naming.js");
    let entry = root().join("xtask/app/naming.ts");
    let outfile = format!("--outfile={}", out.display());
    let entry = entry.to_string_lossy().into_owned();
    let args = ["esbuild", &entry, "--bundle", "--format=iife", "--log-level=warning", &outfile];
    read(&mut command("npx", &args))?;
    Ok(std::fs::read_to_string(out)?)
}

async fn load(page: &Page, url: &str, naming: &str) -> Result<i64> {
    let mut events = page.events();
    page.send("Page.navigate", json!({"url": url})).await?;
    events.next("Page.loadEventFired", LOAD).await?;
    page.evaluate(NUMBER).await?;
    let tree = page.send("Page.getFrameTree", json!({})).await?;
    let frame = tree["frameTree"]["frame"]["id"].clone();
    let params = json!({"frameId": frame, "worldName": "naming"});
    let world = page.send("Page.createIsolatedWorld", params).await?;
    let world = world["executionContextId"].as_i64().context("a world has an id")?;
    page.evaluate_in(Some(world), naming).await?;
    Ok(world)
}

/// What differs, if anything.
async fn compare(page: &Page, world: i64, row: &Value) -> Result<Option<String>> {
    let expression = format!("facts({})", row["selector"]);
    let facts = match page.evaluate_in(Some(world), &expression).await {
        Ok(facts) => facts,
        Err(error) => return Ok(Some(format!("{error:#}"))),
    };
    if facts.is_null() {
        return Ok(Some("not found".into()));
    }
    for (fact, expected) in
        [("name", "expectName"), ("role", "expectRole"), ("description", "expectDescription")]
    {
        let Some(wanted) = row[expected].as_str() else { continue };
        let got = squash(facts[fact].as_str().unwrap_or_default());
        if got != squash(wanted) {
            return Ok(Some(format!("{fact} \"{got}\", expected \"{}\"", squash(wanted))));
        }
    }
    Ok(None)
}

fn squash(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
