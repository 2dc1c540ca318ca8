//! `pillion skill`: what agents should know, served by the program that it is about, so that it is never out of
//! date. In each client's form, and with the tools that it may use without asking.

mod permissions;

use crate::exit::Exit;
use crate::setup::folders;
use crate::tool_command::Format;
use crate::ui;
use anyhow::bail;
use clap::{Arg, ArgMatches, Command};
use serde_json::json;

/// The whole skill: what it is for, then the text.
const SKILL: &str = include_str!("skill/skill.md");

/// A skill with this line is ours.
const OURS: &str = "\nname: pillion\n";

/// Forms of a rules file.
const FORMS: [&str; 3] = ["skill", "rules", "cursor"];

/// The command line.
pub fn command() -> Command {
    Command::new("skill")
        .about("What an agent should know about Pillion, for its skills or rules")
        .long_about(
            "Prints what an agent should know about Pillion, in under 1,500 tokens. `pillion setup` puts it where \
             each client looks for skills; for a project's own rules file print it there yourself.",
        )
        .after_help("Example: pillion skill --as rules >> AGENTS.md")
        .arg(
            Arg::new("as")
                .long("as")
                .value_name("FORM")
                .value_parser(FORMS)
                .default_value("skill")
                .help("skill (SKILL.md), rules (plain Markdown: AGENTS.md, .clinerules), or cursor (.mdc)"),
        )
        .arg(
            Arg::new("permissions")
                .long("permissions")
                .value_name("CLIENT")
                .conflicts_with("as")
                .help("What to put where, so that CLIENT uses the tools that only look without asking"),
        )
}

/// Prints it.
pub fn run(matches: &ArgMatches, format: Format) -> anyhow::Result<Exit> {
    let text = match matches.get_one::<String>("permissions") {
        Some(id) => {
            let Some(client) = pillion_clients::named(id) else {
                let known: Vec<_> = pillion_clients::ALL.iter().map(|client| client.id).collect();
                bail!("no client {id:?}. Known: {}", known.join(", "));
            };
            permissions::recipe(client, &folders::of_user()?)
        }
        None => match matches.get_one::<String>("as").map(String::as_str) {
            Some("rules") => body().to_owned(),
            Some("cursor") => {
                format!(
                    "---\ndescription: {}\nalwaysApply: false\n---\n\n{}",
                    description(),
                    body()
                )
            }
            _ => file(),
        },
    };
    match format {
        Format::Json => ui::say(&json!({ "text": text }).to_string()),
        Format::Text => ui::say(text.trim_end()),
    }
    Ok(Exit::Ok)
}

/// The content of `SKILL.md`.
pub fn file() -> String {
    SKILL.to_owned()
}

/// Whether that file is a skill of ours, of whichever version.
pub fn is_ours(text: &str) -> bool {
    text.starts_with("---\n") && text.contains(OURS)
}

/// The text without its head.
fn body() -> &'static str {
    SKILL.splitn(3, "---\n").nth(2).unwrap_or(SKILL).trim_start()
}

fn description() -> &'static str {
    SKILL.lines().find_map(|line| line.strip_prefix("description: ")).unwrap_or_default()
}

#[cfg(test)]
mod tests;
