//! `pillion secret`: what agents may fill in without seeing it. Needs no daemon.

use crate::exit::Exit;
use crate::history::moment::Clock;
use crate::tool_command::Format;
use crate::ui;
use anyhow::{Context as _, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use pillion_core::secret::{self, named};
use pillion_os::home::Home;
use pillion_secrets::{Entry, Place, Store};
use pillion_wire::limits::SECRET_BYTES;
use serde_json::{Value, json};
use std::io::{self, IsTerminal as _, Read as _};

/// Its place on the command line.
pub fn command() -> Command {
    Command::new("secret")
        .about("Passwords that agents may fill in and never see")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("set")
                .about("Keep a secret, bound to the sites that it may go to")
                .long_about(
                    "Keeps a secret in the system's keyring, or in an encrypted file where there is \
                     none. The value is asked for, or read from standard input with `-`; it is never \
                     an argument. An agent writes {{secret:NAME}} as a field's value. To change the \
                     sites of a secret, set it again with its value.",
                )
                .arg(name())
                .arg(
                    Arg::new("origin")
                        .long("origin")
                        .value_name("SITE")
                        .required(true)
                        .action(ArgAction::Append)
                        .value_parser(site)
                        .help("https://shop.example: exactly there; may be repeated"),
                )
                .arg(
                    Arg::new("from")
                        .value_name("-")
                        .value_parser(["-"])
                        .help("Read the value from standard input"),
                ),
        )
        .subcommand(Command::new("list").about("Names, sites and last use; never a value"))
        .subcommand(Command::new("remove").about("Forget a secret").arg(name()))
}

fn name() -> Arg {
    Arg::new("name").value_name("NAME").required(true).help("1 to 64 of a-z, 0-9, _ and -")
}

fn site(text: &str) -> Result<String, String> {
    secret::origin(text).map_err(|why| why.to_string())
}

/// Does what the command line says.
pub fn run(home: &Home, matches: &ArgMatches, format: Format) -> anyhow::Result<Exit> {
    let store = Store::open(home);
    match matches.subcommand() {
        Some(("set", matches)) => set(&store, matches, format),
        Some(("remove", matches)) => remove(&store, given_name(matches)?, format),
        _ => list(&store, format),
    }
}

fn given_name(matches: &ArgMatches) -> anyhow::Result<&str> {
    matches.get_one::<String>("name").map(String::as_str).context("a name is required")
}

fn set(store: &Store, matches: &ArgMatches, format: Format) -> anyhow::Result<Exit> {
    let name = given_name(matches)?;
    if !secret::is_name(name) {
        bail!("a secret's name is 1 to 64 of a-z, 0-9, _ and -");
    }
    let origins: Vec<String> =
        matches.get_many::<String>("origin").into_iter().flatten().cloned().collect();
    let value = if matches.contains_id("from") { from_input()? } else { from_terminal(name)? };
    let place = store.set(name, &value, &origins)?;
    match format {
        Format::Json => {
            ui::say(&json!({"name": name, "origins": origins, "in": place}).to_string())
        }
        Format::Text => {
            ui::say(&format!("Kept \"{name}\" for {} in {}.", origins.join(", "), words(place)));
            ui::note(&format!("Agents fill it in as {}.", named(name)));
        }
    }
    Ok(Exit::Ok)
}

fn words(place: Place) -> &'static str {
    match place {
        Place::Keyring => "the system's keyring",
        Place::File => "an encrypted file in Pillion's folder",
    }
}

/// One line; its end does not count.
fn from_input() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let most = u64::try_from(SECRET_BYTES)? + 3;
    io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes).context("the value on standard input is not UTF-8")?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

fn from_terminal(name: &str) -> anyhow::Result<String> {
    if !io::stdin().is_terminal() {
        bail!("there is no terminal to ask at; pipe the value in and add `-`");
    }
    let first = rpassword::prompt_password(format!("Value of \"{name}\": "))?;
    let again = rpassword::prompt_password("Again: ")?;
    if first != again {
        bail!("the two are not the same; nothing was kept");
    }
    Ok(first)
}

fn remove(store: &Store, name: &str, format: Format) -> anyhow::Result<Exit> {
    let was_there = store.remove(name)?;
    match (format, was_there) {
        (Format::Json, _) => ui::say(&json!({"name": name, "removed": was_there}).to_string()),
        (Format::Text, true) => ui::say(&format!("Removed \"{name}\".")),
        (Format::Text, false) => ui::error(&format!("there is no secret \"{name}\"")),
    }
    Ok(if was_there { Exit::Ok } else { Exit::Failed })
}

fn list(store: &Store, format: Format) -> anyhow::Result<Exit> {
    let entries = store.list()?;
    match format {
        Format::Json => {
            let entries: Vec<Value> = entries.iter().map(in_json).collect();
            ui::say(&json!({"secrets": entries}).to_string());
        }
        Format::Text if entries.is_empty() => {
            ui::say(
                "No secrets. `pillion secret set NAME --origin https://shop.example` keeps one.",
            );
        }
        Format::Text => entries.iter().for_each(|entry| ui::say(&in_words(entry))),
    }
    Ok(Exit::Ok)
}

fn in_json(entry: &Entry) -> Value {
    json!({"name": entry.name, "origins": entry.origins, "in": entry.place, "last_used": entry.used})
}

fn in_words(entry: &Entry) -> String {
    let used = match entry.used {
        Some(at) => format!("last used {}", Clock::local().stamp(at.saturating_mul(1_000))),
        None => "never used".to_owned(),
    };
    format!("{}  {}  {used}", entry.name, entry.origins.join(" "))
}
