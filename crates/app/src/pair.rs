//! `pillion pair`: shows a code, waits until a profile typed it, and says how it ended.

use crate::exit::Exit;
use crate::tool_command::Format;
use crate::{session, ui};
use anyhow::Context as _;
use pillion_client::Client;
use pillion_os::home::Home;
use pillion_wire::local::Admin;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::{Instant, interval};

/// Between two looks at how much time is left.
const TICK: Duration = Duration::from_secs(1);

/// Shows, waits, says.
pub async fn run(home: Home, format: Format) -> anyhow::Result<Exit> {
    let client = Client::connect(session::of_command(home, None)).await?;
    let mut interrupted = Box::pin(tokio::signal::ctrl_c());
    // It is heard once it was asked: whoever reads the code may press at once.
    tokio::select! {
        biased;
        _ = &mut interrupted => return Ok(Exit::Interrupted),
        () = std::future::ready(()) => {}
    }
    let made = client.admin(Admin::PairCode).await?;
    let code = made["code"].as_str().context("the daemon gave no code")?;
    let number = made["number"].as_u64().and_then(|number| u32::try_from(number).ok());
    let number = number.context("the daemon gave no number")?;
    let life = Duration::from_millis(made["expiresMs"].as_u64().unwrap_or_default());
    match format {
        Format::Json => ui::say(&json!({"code": code, "expires_in_s": life.as_secs()}).to_string()),
        Format::Text => {
            ui::say(&format!("Code: {code}"));
            ui::note(
                "In your browser click the Pillion icon, choose \"Pair with a code\" and type it.",
            );
        }
    }
    let outcome = tokio::select! {
        outcome = client.admin(Admin::PairOutcome { number }) => outcome?,
        never = count_down(life, format) => match never {},
        // The connection ends with this process, and the code with the connection.
        _ = &mut interrupted => {
            ui::clear_progress();
            return Ok(Exit::Interrupted);
        }
    };
    ui::clear_progress();
    Ok(tell(&outcome, format))
}

/// Says how much time is left, to a terminal only; never ends.
async fn count_down(life: Duration, format: Format) -> Infallible {
    let until = Instant::now() + life;
    let mut ticks = interval(TICK);
    loop {
        ticks.tick().await;
        if matches!(format, Format::Text) {
            ui::progress(&left(until.saturating_duration_since(Instant::now())));
        }
    }
}

fn left(left: Duration) -> String {
    let seconds = left.as_secs_f64().ceil() as u64;
    format!("Waiting: {}:{:02} left", seconds / 60, seconds % 60)
}

fn tell(outcome: &Value, format: Format) -> Exit {
    let is_paired = outcome["outcome"] == "paired";
    match format {
        Format::Json => ui::say(&in_json(outcome).to_string()),
        Format::Text if is_paired => ui::say(&in_words(outcome)),
        Format::Text => ui::error(&in_words(outcome)),
    }
    if is_paired { Exit::Ok } else { Exit::Failed }
}

fn in_json(outcome: &Value) -> Value {
    json!({
        "paired": outcome["outcome"] == "paired",
        "outcome": outcome["outcome"],
        "profile": outcome.get("label"),
        "fingerprint": outcome.get("profile"),
        "why": outcome.get("why"),
    })
}

fn in_words(outcome: &Value) -> String {
    match outcome["outcome"].as_str().unwrap_or_default() {
        "paired" => {
            let label = outcome["label"].as_str().unwrap_or_default();
            format!("Paired with profile \"{label}\". Agents can use it now.")
        }
        "spent" => "not paired: a wrong code was typed three times. If that was not you, look at \
                    what else runs here; `pillion pair` gives a new code"
            .to_owned(),
        "failed" => {
            let why = outcome["why"].as_str().unwrap_or_default();
            format!("not paired: the code was right, but {why}")
        }
        "replaced" => {
            "not paired: a newer code was asked for, and only that one is good".to_owned()
        }
        _ => "not paired: nobody typed the code in its two minutes. `pillion pair` gives a new one"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_says_what_to_do() {
        let words = |outcome: &str| in_words(&json!({"outcome": outcome, "label": "Work"}));
        assert_eq!(words("paired"), "Paired with profile \"Work\". Agents can use it now.");
        assert!(words("expired").contains("`pillion pair`"));
        assert!(words("spent").contains("three times"));
        assert!(words("replaced").contains("newer code"));
    }

    #[test]
    fn the_time_left_is_rounded_up() {
        assert_eq!(left(Duration::from_millis(119_001)), "Waiting: 2:00 left");
        assert_eq!(left(Duration::from_secs(61)), "Waiting: 1:01 left");
        assert_eq!(left(Duration::ZERO), "Waiting: 0:00 left");
    }

    #[test]
    fn a_program_reads_whose_profile_it_was() {
        let outcome = json!({"outcome": "paired", "label": "Work", "profile": "abc"});
        assert_eq!(
            in_json(&outcome),
            json!({"paired": true, "outcome": "paired", "profile": "Work", "fingerprint": "abc",
                "why": null})
        );
        assert_eq!(in_json(&json!({"outcome": "expired"}))["paired"], false);
    }
}
