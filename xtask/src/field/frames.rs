//! Fixtures about frames and shadow roots.

use super::ride::{Ride, references};
use anyhow::{Result, ensure};
use serde_json::json;

pub async fn nested(ride: &mut Ride) -> Result<()> {
    ride.call("browser_wait", json!({"target": "button \"Send 4\""})).await?;
    for level in 1..=4 {
        let (label, code) = (format!("label=Code {level}"), format!("c{level}"));
        ride.fill(&[(label.as_str(), code.as_str())]).await?;
        ride.click(&format!("button \"Send {level}\"")).await?;
    }
    Ok(())
}

pub async fn closed_shadow(ride: &mut Ride) -> Result<()> {
    let snapshot = ride.snapshot().await?;
    let fields = references(&snapshot, "textbox \"Mail\"")?;
    let buttons = references(&snapshot, "button \"Subscribe\"")?;
    ensure!(fields.len() == 3 && buttons.len() == 3, "not three boxes in:\n{}", snapshot.text);
    for (index, (field, button)) in fields.iter().zip(&buttons).enumerate() {
        let mail = format!("box{}@x", index + 1);
        ride.fill(&[(field.as_str(), mail.as_str())]).await?;
        ride.click(button).await?;
    }
    Ok(())
}

pub async fn pointer_div(ride: &mut Ride) -> Result<()> {
    ride.call("browser_wait", json!({"target": "text=Bank transfer"})).await?;
    let snapshot = ride.snapshot().await?;
    let bank = snapshot.reference("\"Bank transfer\"")?;
    ride.click(&bank).await?;
    ride.click("button \"Pay\"").await?;
    Ok(())
}

pub async fn offset(ride: &mut Ride) -> Result<()> {
    ride.call("browser_wait", json!({"target": "button \"44\""})).await?;
    ride.click("button \"44\"").await?;
    ride.click("button \"11\"").await?;
    Ok(())
}
