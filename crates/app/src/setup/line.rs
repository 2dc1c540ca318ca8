//! The command line of `pillion setup`.

use super::{Settings, Way};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  pillion setup                      ask which of what is found
  pillion setup --all                everything that is found
  pillion setup claude-code codex    only these clients
  pillion setup --native             only the helper, in every browser
  pillion setup --all --uninstall    take it all out again";

/// What there is.
pub fn command() -> Command {
    let ids: Vec<_> = pillion_clients::ALL.iter().map(|client| client.id).collect();
    Command::new("setup")
        .about("Put Pillion into your MCP clients and browsers")
        .long_about(format!(
            "Puts Pillion into the MCP clients and Chromium browsers that are found: an entry in each client's own \
             settings (comments, order and everything else stay, and what was there is kept beside the file), a \
             skill for agents, and the helper by which the extension finds Pillion. Names each file. A second run \
             changes nothing.\n\nClients: {}.",
            ids.join(", ")
        ))
        .after_help(EXAMPLES)
        .arg(
            Arg::new("clients")
                .value_name("CLIENT")
                .num_args(0..)
                .action(ArgAction::Append)
                .help("Only these clients, found or not"),
        )
        .arg(switch("all", "Everything that is found, without asking"))
        .arg(switch("native", "Only the helper, no client").conflicts_with("clients"))
        .arg(
            Arg::new("browser")
                .long("browser")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Only this browser or channel: chrome, chrome-beta, edge, brave, chromium, …"),
        )
        .arg(
            Arg::new("user-data-dir")
                .long("user-data-dir")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Only for the browser with this profile folder"),
        )
        .arg(switch("dry-run", "Only say what would be done"))
        .arg(switch("uninstall", "Take it out again"))
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// What was typed.
pub fn settings(matches: &ArgMatches) -> Settings {
    let list =
        |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    Settings {
        way: if matches.get_flag("uninstall") { Way::Uninstall } else { Way::Install },
        dry_run: matches.get_flag("dry-run"),
        native: matches.get_flag("native"),
        all: matches.get_flag("all"),
        clients: list("clients"),
        browsers: list("browser"),
        user_data_dir: matches.get_one::<PathBuf>("user-data-dir").cloned(),
    }
}
