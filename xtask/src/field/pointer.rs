//! Fixtures about where a press lands.

use super::ride::Ride;
use anyhow::{Context, Result};
use serde_json::json;
use std::time::{Duration, Instant};

pub async fn covering_overlay(ride: &mut Ride) -> Result<()> {
    ride.refused("browser_click", json!({"target": "button \"Save\""})).await?;
    ride.click("button \"Got it\"").await?;
    ride.click("button \"Save\"").await?;
    Ok(())
}

pub async fn sticky_header(ride: &mut Ride) -> Result<()> {
    ride.call("browser_scroll", json!({"to": "bottom"})).await?;
    ride.click("button \"Open 40\"").await?;
    ride.click("button \"Open 3\"").await?;
    Ok(())
}

pub async fn renumbered_refs(ride: &mut Ride) -> Result<()> {
    let beta = ride.snapshot().await?.reference("button \"Beta\"")?;
    ride.click("button \"Insert\"").await?;
    ride.snapshot().await?;
    let answer = ride.call("browser_click", json!({"target": beta})).await?;
    if answer.is_error {
        ride.click("button \"Beta\"").await?;
    }
    Ok(())
}

pub async fn endless_animation(ride: &mut Ride) -> Result<()> {
    for name in ["Guess", "Wheel"] {
        let begun = Instant::now();
        ride.click(&format!("button \"{name}\"")).await?;
        ride.expect(begun.elapsed() < Duration::from_secs(10), "a click took over 10 s");
    }
    Ok(())
}

pub async fn css_zoom(ride: &mut Ride) -> Result<()> {
    for key in ["7", "3", "Del"] {
        ride.click(&format!("button \"{key}\"")).await?;
    }
    let shot = ride.call("browser_screenshot", json!({})).await?;
    // 1 px of the picture stands for so many CSS px.
    let factor = shot.text.split("1 px = ").nth(1).and_then(|rest| rest.split(' ').next());
    let factor: f64 =
        factor.and_then(|text| text.parse().ok()).context("the answer tells no factor")?;
    let side = |side: &str| {
        format!(
            "(() => {{ const box = document.querySelectorAll('#k button')[8].getBoundingClientRect(); return {side}; }})()"
        )
    };
    let x = ride.number(&side("box.left + box.width / 2")).await? / factor;
    let y = ride.number(&side("box.top + box.height / 2")).await? / factor;
    ride.click(&format!("shot={x:.0},{y:.0}")).await?;
    Ok(())
}

pub async fn drag(ride: &mut Ride) -> Result<()> {
    let drag = |from: &str, to: &str| json!({"target": from, "drag_to": to});
    ride.call("browser_click", drag("text=Task B", "css=#done")).await?;
    ride.refused("browser_click", drag("text=Task A", "css=#trash")).await?;
    let to = ride.point("#sl", 210.0, 10.0).await?;
    ride.call("browser_click", drag("slider \"Level\"", &to)).await?;
    Ok(())
}

pub async fn wrapped_link(ride: &mut Ride) -> Result<()> {
    ride.click("link \"Nobel Prize\"").await?;
    ride.click("css=#k").await?;
    Ok(())
}

pub async fn hover_menu(ride: &mut Ride) -> Result<()> {
    ride.hover("text=Products").await?;
    ride.hover("text=Laptops").await?;
    ride.click("button \"Rugged\"").await?;
    ride.hover("text=Account").await?;
    ride.click("button \"Sign out\"").await?;
    Ok(())
}

pub async fn svg(ride: &mut Ride) -> Result<()> {
    let snapshot = ride.snapshot().await?;
    let close = snapshot.reference("\"Close notice\"")?;
    ride.click(&close).await?;
    ride.click("button \"Rent\"").await?;
    ride.click("link \"Details\"").await?;
    Ok(())
}

pub async fn inner_scroller(ride: &mut Ride) -> Result<()> {
    // Row 640 of 40 px each stands 25,560 px down.
    ride.call("browser_scroll", json!({"target": "css=#v", "dy": 25_560})).await?;
    let query = ride.call("browser_snapshot", json!({"query": "Person 640"})).await?;
    let line =
        query.text.lines().position(|line| line.contains("Person 640") && line.contains("Pick"));
    let pick = match line {
        Some(_) => query.reference("\"Pick\"")?,
        None => "css=.r:nth-child(1) button".to_owned(),
    };
    ride.click(&pick).await?;
    ride.click("button \"Terms\"").await?;
    ride.call("browser_scroll", json!({"target": "css=#d", "to": "bottom"})).await?;
    ride.click("button \"Agree\"").await?;
    Ok(())
}

pub async fn canvas(ride: &mut Ride) -> Result<()> {
    ride.call("browser_scroll", json!({"target": "css=#c"})).await?;
    ride.call("browser_screenshot", json!({})).await?;
    // 5 px of border stand before the canvas's own coordinates.
    let red = ride.point("#c", 325.0, 55.0).await?;
    let green = ride.point("#c", 65.0, 205.0).await?;
    let blue = ride.point("#c", 225.0, 125.0).await?;
    ride.click(&red).await?;
    ride.call("browser_click", json!({"target": green, "drag_to": blue})).await?;
    ride.call("browser_type", json!({"target": "css=#c", "text": "go"})).await?;
    Ok(())
}
