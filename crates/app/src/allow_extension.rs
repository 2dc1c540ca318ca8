//! `pillion allow-extension`: asks the user in a paired profile, and waits for their click.

use crate::exit::Exit;
use crate::tool_command::Format;
use crate::{session, ui};
use clap::{Arg, Command};
use pillion_client::Client;
use pillion_os::home::Home;
use pillion_wire::local::Admin;
use serde_json::{Value, json};
use std::time::Duration;

/// Between two looks at how the question stands.
const LOOK: Duration = Duration::from_millis(500);

pub fn command() -> Command {
    Command::new("allow-extension")
        .about("Let another build of the extension connect")
        .long_about(
            "Lets an extension with another id connect: a build of your own, or one that was loaded \
             without the pinned key. Takes effect after a click in a paired profile's Pillion popup; at \
             once while no profile is paired. Ctrl-C stops waiting.",
        )
        .arg(
            Arg::new("id")
                .value_name("ID")
                .required(true)
                .help("32 letters from a to p, as chrome://extensions shows it"),
        )
}

pub async fn run(home: Home, id: &str, format: Format) -> anyhow::Result<Exit> {
    let client = Client::connect(session::of_command(home, None)).await?;
    let mut told = false;
    loop {
        let answer = client.admin(Admin::AllowExtension { id: id.to_owned() }).await?;
        if answer["state"] != "asked" {
            ui::clear_progress();
            return Ok(tell(id, &answer, format));
        }
        if !told && matches!(format, Format::Text) {
            let profile = answer["profile"].as_str().unwrap_or_default();
            ui::note(&format!(
                "Click the Pillion icon in profile \"{profile}\" and say yes or no. Waiting."
            ));
        }
        told = true;
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            _ = tokio::signal::ctrl_c() => return Ok(Exit::Interrupted),
        }
    }
}

fn tell(id: &str, answer: &Value, format: Format) -> Exit {
    let is_allowed = answer["state"] == "allowed";
    let words = match answer["state"].as_str().unwrap_or_default() {
        "allowed" => format!("Extension {id} may connect from now on."),
        "denied" => "The user said no. Nothing was changed.".to_owned(),
        _ => "Nobody answered in time. Nothing was changed.".to_owned(),
    };
    match format {
        Format::Json => {
            ui::say(&json!({"allowed": is_allowed, "state": answer["state"]}).to_string())
        }
        Format::Text if is_allowed => ui::say(&words),
        Format::Text => ui::error(&words),
    }
    if is_allowed { Exit::Ok } else { Exit::Failed }
}
