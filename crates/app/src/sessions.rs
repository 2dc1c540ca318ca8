//! `pillion sessions`: who uses the browser now, and the way to end one of them.

use crate::exit::Exit;
use crate::tool_command::Format;
use crate::{daemon, ui};
use pillion_client::{Client, ClientError};
use pillion_os::home::Home;
use pillion_wire::local::Admin;
use serde_json::{Value, json};

/// Lists them.
pub async fn list(home: Home, format: Format) -> anyhow::Result<Exit> {
    let sessions = match Client::connect(daemon::only_running(home)).await {
        Ok(client) => {
            let own = client.session().await?;
            others(client.admin(Admin::Sessions).await?, &own)
        }
        Err(ClientError::NotRunning) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    match format {
        Format::Json => ui::say(&json!({ "sessions": sessions }).to_string()),
        Format::Text if sessions.is_empty() => ui::say("no sessions"),
        Format::Text => sessions.iter().map(line).for_each(|line| ui::say(&line)),
    }
    Ok(Exit::Ok)
}

/// Ends one.
pub async fn kill(home: Home, id: &str, format: Format) -> anyhow::Result<Exit> {
    let client = match Client::connect(daemon::only_running(home)).await {
        Ok(client) => client,
        Err(ClientError::NotRunning) => {
            ui::error("no daemon is running, so there is no session to end");
            return Ok(Exit::Failed);
        }
        Err(error) => return Err(error.into()),
    };
    match client.admin(Admin::KillSession { id: id.to_owned() }).await {
        Ok(_) => {}
        Err(ClientError::Daemon(error)) => {
            ui::error(&format!("{error}; `pillion sessions` lists them"));
            return Ok(Exit::Failed);
        }
        Err(error) => return Err(error.into()),
    }
    match format {
        Format::Json => ui::say(&json!({ "ended": id }).to_string()),
        Format::Text => ui::say(&format!("session {id} ended; its tabs are free")),
    }
    Ok(Exit::Ok)
}

/// Without the session of this very command, unless it is the terminal's and holds tabs.
pub fn others(answer: Value, own: &str) -> Vec<Value> {
    let Value::Object(mut answer) = answer else { return Vec::new() };
    let Some(Value::Array(sessions)) = answer.remove("sessions") else { return Vec::new() };
    let holds = |session: &Value| session["tabs"].as_array().is_some_and(|tabs| !tabs.is_empty());
    sessions.into_iter().filter(|session| session["id"] != own || holds(session)).collect()
}

fn line(session: &Value) -> String {
    let text = |name: &str| session.get(name).and_then(Value::as_str).unwrap_or_default();
    // A client names itself: nothing of it may move the cursor.
    let client: String = text("client").chars().filter(|letter| !letter.is_control()).collect();
    let tabs: Vec<String> =
        session["tabs"].as_array().into_iter().flatten().map(ToString::to_string).collect();
    let tabs = match tabs.as_slice() {
        [] => "no tabs".to_owned(),
        tabs => format!("tabs {}", tabs.join(", ")),
    };
    let calls = session.get("calls").and_then(Value::as_u64).unwrap_or(0);
    let gone = if session["connected"] == false { ", not connected" } else { "" };
    format!("{:<5} {client} ({}): {tabs}, {calls} calls{gone}", text("id"), text("role"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_one_line_and_the_asker_is_left_out() {
        let sessions = others(
            json!({"sessions": [
                {"id": "s1", "client": "a\u{1b}b", "role": "mcp", "calls": 4, "tabs": [7, 9],
                 "connected": false},
                {"id": "s2", "client": "terminal", "role": "cli", "calls": 0, "tabs": [],
                 "connected": true},
            ]}),
            "s2",
        );
        let lines: Vec<_> = sessions.iter().map(line).collect();
        assert_eq!(lines, ["s1    ab (mcp): tabs 7, 9, 4 calls, not connected"]);
    }
}
