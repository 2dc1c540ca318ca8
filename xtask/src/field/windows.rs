//! Fixtures about several windows, background tabs and very large pages.

use super::ride::Ride;
use anyhow::{Context, Result};
use pillion_testkit::Answer;
use serde_json::json;
use std::time::{Duration, Instant};

/// A snapshot's promised ceiling and its frame.
const PROMISED_CHARS: usize = 7_000;

pub async fn new_windows(ride: &mut Ride) -> Result<()> {
    for opener in ["link \"Help page\"", "button \"Blank window\"", "button \"Blob report\""] {
        let answer = ride.click(opener).await?;
        press_done(ride, new_tab(&answer)?).await?;
    }
    let first = ride.click("button \"Named window\"").await?;
    let tab = new_tab(&first)?;
    // The second press only sends the same window elsewhere.
    ride.click_only("button \"Named window\"").await?;
    ride.call("browser_wait", json!({"tab": tab, "target": "heading \"named2\""})).await?;
    press_done(ride, tab).await
}

pub async fn huge_page(ride: &mut Ride) -> Result<()> {
    let begun = Instant::now();
    let whole = ride.snapshot().await?;
    ride.expect(begun.elapsed() < Duration::from_secs(10), "a snapshot took over 10 s");
    ride.expect(whole.text.len() < PROMISED_CHARS, "a snapshot is longer than promised");
    let found = ride.call("browser_snapshot", json!({"query": "Row 7777"})).await?;
    ride.expect(found.text.len() < PROMISED_CHARS, "an answer is longer than promised");
    let line =
        found.text.lines().find(|line| line.contains("Row 7777") && line.contains("Approve"));
    line.context("the query does not show the row's button")?;
    ride.click("row \"Row 7777\" >> button \"Approve\"").await?;
    ride.call("browser_screenshot", json!({})).await?;
    Ok(())
}

pub async fn background(ride: &mut Ride) -> Result<()> {
    let front = ride.cdp.open("about:blank?front").await?;
    ride.click("button \"Start\"").await?;
    ride.fill(&[("label=Name", "bg")]).await?;
    ride.click("button \"Finish\"").await?;
    let shot = ride.call("browser_screenshot", json!({})).await?;
    ride.expect(!shot.images.is_empty(), "no picture");
    let state = front.evaluate("document.visibilityState").await?;
    ride.expect(state == "visible", "the front tab is not in front any more");
    ride.cdp.close(&front.target).await?;
    Ok(())
}

async fn press_done(ride: &mut Ride, tab: u32) -> Result<()> {
    ride.call("browser_wait", json!({"tab": tab, "target": "button \"Done\""})).await?;
    ride.call("browser_click", json!({"tab": tab, "target": "button \"Done\""})).await?;
    Ok(())
}

fn new_tab(answer: &Answer) -> Result<u32> {
    let rest = answer.text.split("new tab: ").nth(1);
    let digits = rest.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    digits
        .and_then(|digits| digits.parse().ok())
        .with_context(|| format!("no new tab in:\n{}", answer.text))
}
