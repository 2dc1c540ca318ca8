//! Fixtures about form fields.

use super::ride::Ride;
use anyhow::{Context, Result};
use serde_json::json;
use std::time::{Duration, Instant};

pub async fn select_by_label(ride: &mut Ride) -> Result<()> {
    ride.fill(&[("label=Country", "United States")]).await?;
    ride.fill(&[("label=Language", "Français")]).await?;
    Ok(())
}

pub async fn combobox_role(ride: &mut Ride) -> Result<()> {
    ride.fill(&[("label=Search", "weather oslo"), ("label=Compose", "line one\nline two")]).await?;
    Ok(())
}

pub async fn select_empty(ride: &mut Ride) -> Result<()> {
    ride.fill(&[("label=Filter", "Any status"), ("label=Owner", "0")]).await?;
    Ok(())
}

pub async fn option_click(ride: &mut Ride) -> Result<()> {
    ride.click("option \"Pickup\"").await?;
    ride.click("option \"Hard\"").await?;
    ride.refused("browser_click", json!({"target": "option \"Disabled one\""})).await?;
    Ok(())
}

pub async fn editable_in_button(ride: &mut Ride) -> Result<()> {
    ride.fill(&[("textbox \"Note title\"", "Hello, World!")]).await?;
    Ok(())
}

pub async fn hidden_checkbox(ride: &mut Ride) -> Result<()> {
    let snapshot = ride.snapshot().await?;
    let terms = snapshot.reference("checkbox \"I accept")?;
    ride.fill(&[
        ("checkbox \"Newsletter\"", "true"),
        ("checkbox \"Dark mode\"", "true"),
        ("label=Express", "true"),
        (&terms, "true"),
    ])
    .await?;
    Ok(())
}

pub async fn astral_text(ride: &mut Ride) -> Result<()> {
    let text = ride.page.evaluate("window.__text").await?;
    let text = text.as_str().context("the fixture has a text")?;
    let line = text.lines().next().unwrap_or("");
    ride.call("browser_type", json!({"target": "label=Area", "text": text})).await?;
    ride.fill(&[("textbox \"Edit\"", text), ("label=Line", line)]).await?;
    Ok(())
}

pub async fn upload(ride: &mut Ride) -> Result<()> {
    let dir = std::env::temp_dir();
    let (a, b) = (dir.join("a.txt"), dir.join("b ü.txt"));
    std::fs::write(&a, "one")?;
    std::fs::write(&b, "two")?;
    let files = json!([a, b]);
    let field = json!([{"target": "text=Add attachments", "value": files}]);
    ride.call("browser_fill", json!({"fields": field})).await?;
    Ok(())
}

pub async fn upload_by_button(ride: &mut Ride) -> Result<()> {
    let file = std::env::temp_dir().join("report.txt");
    std::fs::write(&file, "hello upload")?;
    let field = json!([{"target": "button \"Import file\"", "value": file}]);
    ride.call("browser_fill", json!({"fields": field})).await?;
    ride.click("button \"Ping\"").await?;
    Ok(())
}

pub async fn controlled(ride: &mut Ride) -> Result<()> {
    ride.fill(&[
        ("label=Name", "Grace"),
        ("label=Amount", "1234567"),
        ("label=PIN digit 1", "1"),
        ("label=PIN digit 2", "2"),
        ("label=PIN digit 3", "3"),
        ("label=PIN digit 4", "4"),
    ])
    .await?;
    ride.click("button \"Send\"").await?;
    Ok(())
}

pub async fn large(ride: &mut Ride) -> Result<()> {
    let mut text: String = (0..5_000).map(|row| format!("row {row} lorem\n")).collect();
    text.truncate(60_000);
    let begun = Instant::now();
    ride.fill(&[("label=Body", &text)]).await?;
    ride.expect(begun.elapsed() < Duration::from_secs(10), "it took over 10 s");
    Ok(())
}

pub async fn dates(ride: &mut Ride) -> Result<()> {
    let impossible = json!({"fields": [{"target": "label=Date", "value": "2026-02-30"}]});
    ride.refused("browser_fill", impossible).await?;
    ride.fill(&[
        ("label=Date", "2027-02-28"),
        ("label=Time", "23:59"),
        ("label=Month", "2026-12"),
        ("label=Week", "2026-W53"),
        ("label=Local", "2026-03-01T08:30"),
        ("label=Colour", "#12ab34"),
        ("label=Range", "35"),
        ("label=Number", "-2.5"),
    ])
    .await?;
    Ok(())
}
