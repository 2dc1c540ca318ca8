//! Fixtures about scripts.

use super::ride::{Ride, fenced};
use anyhow::Result;
use serde_json::json;

pub async fn strict_csp(ride: &mut Ride) -> Result<()> {
    ride.fill(&[("label=Name", "Ada")]).await?;
    ride.click("button \"Go\"").await?;
    let script = "document.title = 'evaluated'; 6 * 7";
    let answer = ride.call("browser_evaluate", json!({"expression": script})).await?;
    ride.expect(answer.text.contains("42"), "evaluate did not answer 42");
    let shot = ride.call("browser_screenshot", json!({})).await?;
    ride.expect(!shot.images.is_empty(), "no picture");
    Ok(())
}

pub async fn evaluate_in_frame(ride: &mut Ride) -> Result<()> {
    ride.call("browser_wait", json!({"target": "text=Far box"})).await?;
    let snapshot = ride.snapshot().await?;
    for (name, host) in [("Inner box", "127.0.0.1"), ("Far box", "localhost")] {
        let target = match snapshot.reference(&format!("\"{name}\"")) {
            Ok(reference) => reference,
            Err(_) => format!("text={name}"),
        };
        let script = "(el) => { el.dataset.seen = 'yes'; return location.href; }";
        let arguments = json!({"expression": script, "target": target});
        let answer = ride.call("browser_evaluate", arguments).await?;
        ride.expect(answer.text.contains(host), "evaluate ran in another frame");
        ride.hover(&target).await?;
    }
    Ok(())
}

pub async fn odd_values(ride: &mut Ride) -> Result<()> {
    for letter in 'a'..='j' {
        let arguments = json!({"expression": format!("vals.{letter}")});
        // The rejected promise is told as a failure, which is right.
        let answer = match letter {
            'h' => ride.refused("browser_evaluate", arguments).await?,
            _ => ride.call("browser_evaluate", arguments).await?,
        };
        let inside = fenced(&answer);
        let whole = inside.is_empty() || letter == 'j';
        let words = if whole { answer.text.clone() } else { inside };
        let line: String = words.split_whitespace().collect::<Vec<_>>().join(" ");
        // The 5 MB are all of one letter; without it the sentence about the cut is left.
        let line = if letter == 'j' { line.replace("xx", "") } else { line };
        let line: String = line.chars().take(500).collect();
        let field = format!("css=input[name={letter}]");
        ride.fill(&[(field.as_str(), line.as_str())]).await?;
    }
    Ok(())
}
