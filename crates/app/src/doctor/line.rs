//! The command line of `pillion doctor`.

use super::Settings;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  pillion doctor                       look at every hop
  pillion doctor --probe               and make a round trip on a page of its own
  pillion doctor --bundle report.json  for a bug report, without anything of yours in it

Exit status: 0 nothing is wrong, 1 something is.";

/// What there is.
pub fn command() -> Command {
    Command::new("doctor")
        .about("What works, what does not, and the one thing that mends it")
        .long_about(
            "Goes the whole way from your MCP clients to a page: settings, thin process, daemon, port, helper, \
             policies, extension. Each hop has a deadline, so it always ends. Changes nothing; starts the daemon as \
             any command does.",
        )
        .after_help(EXAMPLES)
        .arg(
            Arg::new("probe")
                .long("probe")
                .action(ArgAction::SetTrue)
                .help("Open a page of its own in the browser, read it, close it"),
        )
        .arg(
            Arg::new("bundle")
                .long("bundle")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write a report for others; never over a file"),
        )
}

/// What was typed.
pub fn settings(matches: &ArgMatches) -> Settings {
    Settings {
        probe: matches.get_flag("probe"),
        bundle: matches.get_one::<PathBuf>("bundle").cloned(),
    }
}
