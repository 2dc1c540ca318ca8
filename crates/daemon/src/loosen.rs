//! What the command line would loosen: done only when the user clicked for it in a paired profile. While
//! no profile is paired there is nobody to ask, and nothing that could be reached.

use crate::allow::is_id;
use crate::state::Daemon;
use pillion_wire::ask::{AskEnding, AskFor};
use serde_json::{Value, json};

/// Lets that extension connect, or says how the question for it stands.
pub(crate) async fn extension(daemon: &Daemon, id: &str) -> Value {
    if !is_id(id) {
        return json!({"error": "an extension's id is 32 letters from a to p; chrome://extensions shows it"});
    }
    if daemon.allow.has(id) {
        return json!({"state": "allowed"});
    }
    if daemon.profiles.list().iter().all(|(_, profile)| !profile.consented) {
        return allowed(daemon, id, None);
    }
    match daemon.engine.ask_person(AskFor::Extension, id).await {
        None => {
            json!({"error": "a profile is paired, and none is connected: open that browser, then again"})
        }
        Some(Err(why)) => json!({ "error": why }),
        Some(Ok((profile, state))) => match state.ended {
            None => json!({"state": "asked", "profile": profile}),
            Some(AskEnding::Done {}) => allowed(daemon, id, Some(profile)),
            Some(AskEnding::Denied {}) => json!({"state": "denied", "profile": profile}),
            Some(_) => json!({"state": "expired", "profile": profile}),
        },
    }
}

fn allowed(daemon: &Daemon, id: &str, profile: Option<String>) -> Value {
    match daemon.allow.add(id) {
        Ok(()) => {
            tracing::info!(extension = id, "another extension may connect");
            json!({"state": "allowed", "profile": profile})
        }
        Err(error) => json!({"error": format!("the list could not be written: {error}")}),
    }
}
