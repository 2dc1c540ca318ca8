//! `pillion pairing`: who is paired, and the way to begin anew.

use crate::exit::Exit;
use crate::tool_command::Format;
use crate::{daemon, session, ui};
use anyhow::bail;
use pillion_client::Client;
use pillion_daemon::{DaemonError, Reset};
use pillion_os::home::Home;
use pillion_wire::local::Admin;
use serde_json::{Value, json};
use std::io::{self, BufRead as _, IsTerminal as _};
use std::time::{Duration, SystemTime};

/// Agents may start a daemon again in the very moment in which one ends: tried this often.
const TRIES: u32 = 10;

/// Fingerprints and what is known of each profile.
pub async fn status(home: Home, format: Format) -> anyhow::Result<Exit> {
    let client = Client::connect(session::of_command(home, None)).await?;
    let report = report(&client.admin(Admin::Pairing).await?);
    match format {
        Format::Json => ui::say(&report.to_string()),
        Format::Text => lines(&report, unix_now()).iter().for_each(|line| ui::say(line)),
    }
    Ok(Exit::Ok)
}

/// The daemon's answer in the names of the command line.
fn report(answer: &Value) -> Value {
    let profiles: Vec<Value> = answer["profiles"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|profile| {
            json!({
                "fingerprint": profile["fingerprint"],
                "label": profile["label"],
                "connected": profile["connected"],
                "consented": profile["consented"],
                "extension": profile["extension"],
                "browser": profile["browser"],
                "first_seen": profile["firstSeen"],
                "last_seen": profile["lastSeen"],
            })
        })
        .collect();
    json!({ "daemon": answer["daemon"], "profiles": profiles })
}

fn lines(report: &Value, now: u64) -> Vec<String> {
    let mut lines = vec![format!("daemon    {}", report["daemon"].as_str().unwrap_or("?"))];
    let profiles = report["profiles"].as_array().map(Vec::as_slice).unwrap_or_default();
    if profiles.is_empty() {
        lines.push(
            "profiles  none is paired; `pillion pair` or `pillion setup --native`".to_owned(),
        );
    }
    lines.extend(profiles.iter().map(|one| profile(one, now)));
    lines
}

fn profile(profile: &Value, now: u64) -> String {
    let text = |name: &str| profile[name].as_str().unwrap_or_default();
    let label = if text("label").is_empty() { "(no name yet)" } else { text("label") };
    let seen = match (profile["connected"].as_bool(), profile["last_seen"].as_u64()) {
        (Some(true), _) => "connected".to_owned(),
        (_, Some(seen)) => format!("last seen {}", ago(now.saturating_sub(seen))),
        (_, None) => "never seen".to_owned(),
    };
    let consent = match profile["consented"].as_bool() {
        Some(true) => "let in by its user",
        _ => "waits for its user's click",
    };
    format!("profile   {}  {label}: {seen}, {consent}", text("fingerprint"))
}

fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => "a moment ago".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

fn unix_now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

/// A new identity, and nobody is paired any more. A daemon that ran runs again afterwards.
pub async fn reset(home: Home, yes: bool, format: Format) -> anyhow::Result<Exit> {
    if !yes && !confirmed()? {
        ui::note("nothing was changed");
        return Ok(Exit::Failed);
    }
    let (reset, ran) = reset_alone(&home).await?;
    if ran {
        Client::connect(session::of_command(home, None)).await?;
    }
    let fingerprint = reset.key.profile_id();
    match format {
        Format::Json => ui::say(&json!({"reset": true, "daemon": fingerprint}).to_string()),
        Format::Text => {
            ui::say(&format!("new identity {fingerprint}; every profile is forgotten"));
            ui::note(
                "Browsers with the native helper pair again by themselves; others need a code: pillion pair",
            );
        }
    }
    Ok(Exit::Ok)
}

/// Ends the daemon and resets before another one starts. Whether one ran.
async fn reset_alone(home: &Home) -> anyhow::Result<(Reset, bool)> {
    let mut ran = false;
    for _ in 0..TRIES {
        ran |= daemon::end(home).await?;
        match pillion_daemon::reset(home) {
            Ok(reset) => return Ok((reset, ran)),
            Err(DaemonError::AlreadyRunning) => {}
            Err(error) => return Err(error.into()),
        }
    }
    bail!("agents start the daemon again and again; end them first (`pillion sessions`)")
}

/// Asks on a terminal. Without one there is nobody to ask.
fn confirmed() -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        bail!("this forgets every paired profile; say --yes if you mean it");
    }
    ui::note("This makes a new identity and forgets every paired profile. Go on? [y/N]");
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_profile_is_one_line() {
        let report = json!({"daemon": "DDD", "profiles": [
            {"fingerprint": "AAA", "label": "Work", "connected": true, "consented": true,
             "last_seen": 0},
            {"fingerprint": "BBB", "label": "", "connected": false, "consented": false,
             "last_seen": 900},
        ]});
        assert_eq!(
            lines(&report, 8_100).join("\n"),
            "daemon    DDD\n\
             profile   AAA  Work: connected, let in by its user\n\
             profile   BBB  (no name yet): last seen 2 h ago, waits for its user's click"
        );
        assert!(lines(&json!({"daemon": "D", "profiles": []}), 0)[1].contains("`pillion pair`"));
    }
}
