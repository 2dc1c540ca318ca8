//! `pillion` alone: where things stand and what to do next.

use crate::exit::Exit;
use crate::tool_command::Format;
use crate::{daemon, session, ui};
use pillion_client::Client;
use pillion_os::home::Home;
use pillion_os::installs;
use pillion_os::native_manifest;
use pillion_wire::local::Admin;
use serde_json::{Value, json};

/// Starts the daemon if need be, asks it, and prints.
pub async fn run(home: Home, format: Format) -> anyhow::Result<Exit> {
    let client = Client::connect(session::of_command(home.clone(), None)).await?;
    let mut report = daemon::report(&home, client.admin(Admin::Status).await?);
    let helper: Vec<&str> = installs::found()
        .iter()
        .filter(|install| {
            install.known.user_data_dir().is_some_and(|dir| native_manifest::path_in(&dir).exists())
        })
        .map(|install| install.known.title)
        .collect();
    if let Some(fields) = report.as_object_mut() {
        fields.insert("helper".into(), json!(helper));
        let next = next(fields.get("connected"), !helper.is_empty());
        fields.insert("next".into(), json!(next));
    }
    match format {
        Format::Json => ui::say(&report.to_string()),
        Format::Text => print(&report),
    }
    Ok(Exit::Ok)
}

fn print(report: &Value) {
    for line in lines(report) {
        ui::say(&line);
    }
    let helper: Vec<_> = list(report, "helper").filter_map(Value::as_str).collect();
    let helper = match helper.as_slice() {
        [] => "not registered with any browser".to_owned(),
        names => format!("registered with {}", names.join(", ")),
    };
    ui::say(&format!("helper    {helper}"));
    ui::say("");
    for line in list(report, "next").filter_map(Value::as_str) {
        ui::say(line);
    }
}

/// What to do, by how far things are.
fn next(connected: Option<&Value>, helper: bool) -> Vec<&'static str> {
    let connected = connected.and_then(Value::as_u64).unwrap_or(0) > 0;
    match (connected, helper) {
        (true, _) => vec![
            "Agents can use your browser. Put Pillion into your MCP clients: pillion setup",
            "Or try it here: pillion navigate example.com --snapshot",
        ],
        (false, true) => vec![
            "No browser is connected. Open one with the Pillion extension and click its icon.",
            "What is in the way: pillion doctor. Or start one of its own: pillion launch",
        ],
        (false, false) => vec![
            "Next, one of these:",
            "  pillion launch           start a browser of its own with the extension in it",
            "  pillion setup            put it into your MCP clients and your own browser",
            "  pillion pair             or pair with a browser by typing a code, without a helper",
        ],
    }
}

fn list<'a>(report: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    report.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// The daemon's state, for a reader.
pub fn lines(report: &Value) -> Vec<String> {
    let number = |name: &str| report.get(name).and_then(Value::as_u64).unwrap_or(0);
    let text = |name: &str| report.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut lines = vec![
        format!("Pillion   {}", text("version")),
        format!(
            "daemon    running: pid {}, {}, up {}",
            number("pid"),
            match number("port") {
                0 => "no port".to_owned(),
                port => format!("port {port}"),
            },
            duration(number("uptime_s"))
        ),
        format!("home      {}", text("home")),
    ];
    if !text("note").is_empty() {
        lines.push(format!("note      {}", text("note")));
    }
    if let Some(note) = report.pointer("/journal/note").and_then(Value::as_str) {
        lines.push(format!("journal   {note}"));
    }
    // A profile that is not there now has nothing to wait for.
    let here = |profile: &&Value| profile.get("connected").and_then(Value::as_bool) != Some(false);
    let profiles: Vec<String> = list(report, "profiles").filter(here).map(profile).collect();
    lines.push(match (profiles.as_slice(), number("connected")) {
        ([], 0) => "browsers  none connected".to_owned(),
        ([], count) => format!("browsers  {count} connected"),
        (names, _) => format!("browsers  {}", names.join(", ")),
    });
    let sessions = list(report, "sessions").count();
    lines.push(format!("agents    {sessions} sessions, {} connections", number("clients")));
    lines
}

fn profile(profile: &Value) -> String {
    let named = ["slug", "label", "id"].iter().find_map(|name| profile.get(name)?.as_str());
    let name = named.or(profile.as_str()).unwrap_or("?");
    match profile.get("consent").and_then(Value::as_bool) {
        Some(false) => format!("{name} (waits for your click in its Pillion popup)"),
        _ => name.to_owned(),
    }
}

fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_without_consent_says_whose_turn_it_is() {
        let report = json!({
            "version": "0.1.0", "pid": 7, "port": 47613, "uptime_s": 75, "home": "/h",
            "profiles": [{"slug": "work", "consent": false}], "sessions": [], "clients": 1,
        });
        assert_eq!(
            lines(&report).join("\n"),
            "Pillion   0.1.0\n\
             daemon    running: pid 7, port 47613, up 1 min\n\
             home      /h\n\
             browsers  work (waits for your click in its Pillion popup)\n\
             agents    0 sessions, 1 connections"
        );
    }

    #[test]
    fn the_next_step_depends_on_what_is_there() {
        assert!(next(Some(&json!(1)), false)[0].contains("Agents can use"));
        assert!(next(Some(&json!(0)), true)[0].contains("No browser is connected"));
        assert!(next(None, false)[1].contains("pillion launch"));
    }
}
