//! `pillion watch`: agents, their tabs and what they do, as it happens. On a terminal a view that renews itself, else
//! one line for each thing that happened. Asks the daemon who is there and reads the journal; starts no daemon.

mod view;

use crate::exit::Exit;
use crate::tool_command::Format;
use crate::{daemon, ui};
use clap::Command;
use pillion_client::{Client, ClientError};
use pillion_journal::{Entry, Filter, Reader};
use pillion_os::home::Home;
use pillion_os::terminal;
use pillion_wire::local::Admin;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(400);
/// A daemon that does not answer is shown as one.
const ASK: Duration = Duration::from_secs(2);
/// Calls that are remembered for the view.
const CALLS: u32 = 40;

/// The command line.
pub fn command() -> Command {
    Command::new("watch")
        .about("Watch agents, their tabs and what they do, live")
        .long_about(
            "Shows which agents are there, which tabs they hold and what they do, as it happens, until Ctrl-C. Into a \
             pipe it prints one line for each thing that happened; with --json one object a line.",
        )
        .after_help("Example: pillion watch | grep shop.example")
}

/// What is the case at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moment {
    /// The daemon answers.
    running: bool,
    /// Sessions, without those of the terminal that hold nothing.
    sessions: Vec<Value>,
    /// Labels of connected profiles.
    profiles: Vec<String>,
    /// The newest calls, oldest first.
    calls: Vec<Entry>,
}

/// Watches until Ctrl-C.
pub async fn run(home: Home, format: Format) -> anyhow::Result<Exit> {
    let columns = terminal::columns().filter(|_| format == Format::Text);
    let screen = columns.map(|_| ui::Screen::take());
    let mut watcher = Watcher { home, client: None };
    let mut before: Option<Moment> = None;
    let ended = daemon::asked_to_end();
    tokio::pin!(ended);
    loop {
        let now = tokio::select! {
            now = watcher.look() => now,
            () = &mut ended => break,
        };
        if before.as_ref() != Some(&now) {
            match (terminal::columns().filter(|_| screen.is_some()), format) {
                (Some(columns), _) => ui::redraw(&view::screen(&now, columns)),
                (None, Format::Json) => view::events(before.as_ref(), &now)
                    .iter()
                    .for_each(|event| ui::say(&event.to_string())),
                (None, Format::Text) => {
                    view::events(before.as_ref(), &now)
                        .iter()
                        .for_each(|event| ui::say(&view::line(event)));
                }
            }
            before = Some(now);
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = &mut ended => break,
        }
    }
    Ok(Exit::Ok)
}

struct Watcher {
    home: Home,
    client: Option<Client>,
}

impl Watcher {
    async fn look(&mut self) -> Moment {
        let mut moment = Moment { calls: self.calls(), ..Moment::default() };
        match timeout(ASK, self.ask()).await {
            Ok(Ok((sessions, profiles))) => {
                moment.running = true;
                moment.sessions = sessions;
                moment.profiles = profiles;
            }
            // It may come back: a new connection is tried at the next look.
            _ => self.client = None,
        }
        moment
    }

    async fn ask(&mut self) -> Result<(Vec<Value>, Vec<String>), ClientError> {
        let client = match &mut self.client {
            Some(client) => client,
            empty => empty.insert(Client::connect(daemon::only_running(self.home.clone())).await?),
        };
        let own = client.session().await?;
        let sessions = client.admin(Admin::Sessions).await?;
        let status = client.admin(Admin::Status).await?;
        let profiles = status["engine"]["profiles"].as_array().into_iter().flatten();
        let here = profiles.filter(|profile| profile["connected"] == true);
        let names =
            here.filter_map(|profile| profile["slug"].as_str().map(str::to_owned)).collect();
        Ok((crate::sessions::others(sessions, &own), names))
    }

    /// A journal that cannot be read now may be readable at the next look.
    fn calls(&self) -> Vec<Entry> {
        let Ok(Some(reader)) = Reader::open(&self.home.journal()) else { return Vec::new() };
        reader.entries(&Filter { limit: CALLS, ..Filter::default() }).unwrap_or_default()
    }
}

/// A call as one object.
fn call_event(entry: &Entry) -> Value {
    let mut event = json!({"what": if entry.outcome.is_some() { "call" } else { "begins" }});
    if let (Some(fields), Ok(Value::Object(entry))) =
        (event.as_object_mut(), serde_json::to_value(entry))
    {
        fields.extend(entry.into_iter().filter(|(name, _)| name != "words"));
    }
    event
}
