//! Fixtures about dialogs of the browser.

use super::ride::Ride;
use anyhow::{Result, ensure};
use serde_json::json;

/// A dialog that opens a moment after the answer is there by the second or third look.
const LOOKS: u32 = 5;

pub async fn late_confirm(ride: &mut Ride) -> Result<()> {
    ride.click("button \"Save draft\"").await?;
    answer(ride, json!({"accept": true})).await?;
    ride.click("button \"Rename\"").await?;
    answer(ride, json!({"accept": true, "prompt_text": "Report 7"})).await?;
    ride.click("button \"Next\"").await?;
    Ok(())
}

pub async fn beforeunload(ride: &mut Ride) -> Result<()> {
    ride.call("browser_type", json!({"target": "label=Note", "text": "draft"})).await?;
    let left = json!({"url": format!("{}?left=1", ride.url), "tab": ride.tab});
    ride.refused("browser_navigate", left.clone()).await?.has("dialog")?;
    answer(ride, json!({"accept": false})).await?;
    let kept = ride.snapshot().await?;
    ensure!(kept.text.contains("draft"), "the note is gone:\n{}", kept.text);
    ride.refused("browser_navigate", left).await?.has("dialog")?;
    answer(ride, json!({"accept": true})).await?;
    ride.call("browser_wait", json!({"target": "text=arrived"})).await?;
    Ok(())
}

pub async fn print(ride: &mut Ride) -> Result<()> {
    ride.click("button \"Print receipt\"").await?;
    ride.click("button \"Continue\"").await?;
    Ok(())
}

async fn answer(ride: &mut Ride, arguments: serde_json::Value) -> Result<()> {
    for _ in 1..LOOKS {
        let known = ride.hover("button").await?;
        if known.text.contains("dialog") || known.text.contains("DIALOG_OPEN") {
            break;
        }
    }
    ride.call("browser_handle_dialog", arguments).await?;
    Ok(())
}
