//! The command line: what there is, its help, and which module does it.

mod examples;

use crate::exit::Exit;
use crate::tool_command::Format;
use crate::{
    allow_extension, block_on, completions, daemon, doctor, history, launch, mcp, pair, pairing,
    pdf_text, run, secret, sessions, setup, skill, status, stdio, tool_command, update, watch,
};
use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use pillion_engine::tools::{self, grammar};
use pillion_os::browsers;
use pillion_os::home::Home;
use pillion_wire::local::BrowserWish;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

const ABOUT: &str = "Lets AI agents ride along in the browser you already have open.";

const LONG: &str = "Lets AI agents ride along in the browser you already have open: your profile, \
your logins, several agents at the same time. Nothing leaves this machine.\n\n\
To begin:\n  \
pillion setup             put it into your MCP clients and browsers\n  \
pillion doctor            what works, what does not, and what mends it\n  \
pillion launch            a browser of its own with the extension in it\n\n\
Every tool is a command, too: `pillion navigate example.com`, `pillion snapshot`, \
`pillion click button \"Save draft\"`. Without a command, Pillion says where things stand.";

/// Heading of what every command takes.
const EVERYWHERE: &str = "Everywhere";

const EXITS: &str = "Exit status: 0 done, 1 it did not work, 2 wrong command line, 3 no daemon or \
browser, 4 waiting for you, 5 outcome unknown.";

/// Parses and does.
pub fn run() -> anyhow::Result<Exit> {
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version are answers, not failures. A closed terminal reads neither.
            error.print().ok();
            return Ok(if error.use_stderr() { Exit::Usage } else { Exit::Ok });
        }
    };
    let home = || Home::open(matches.get_one::<PathBuf>("home").map(PathBuf::as_path));
    let format = if matches.get_flag("json") { Format::Json } else { Format::Text };
    match matches.subcommand() {
        None => block_on(status::run(home()?, format))?,
        Some(("status", _)) => block_on(status::run(home()?, format))?,
        Some(("mcp", matches)) => block_on(mcp::run(home()?, mcp_settings(matches)?))?,
        Some(("pdf-text", _)) => pdf_text::run(),
        Some(("stdio", _)) => block_on(stdio::run(home()?))?,
        Some(("sessions", matches)) => match matches.subcommand() {
            Some(("kill", matches)) => {
                let id = matches.get_one::<String>("id").context("an id is required")?;
                block_on(sessions::kill(home()?, id, format))?
            }
            _ => block_on(sessions::list(home()?, format))?,
        },
        Some(("history", matches)) => history::run(&home()?, &history_settings(matches), format),
        Some(("daemon", matches)) => daemon_command(matches, home()?, format),
        Some(("pair", _)) => block_on(pair::run(home()?, format))?,
        Some(("pairing", matches)) => match matches.subcommand() {
            Some(("reset", matches)) => {
                block_on(pairing::reset(home()?, matches.get_flag("yes"), format))?
            }
            _ => block_on(pairing::status(home()?, format))?,
        },
        Some(("allow-extension", matches)) => {
            let id = matches.get_one::<String>("id").context("clap requires it")?;
            block_on(allow_extension::run(home()?, id, format))?
        }
        Some(("secret", matches)) => secret::run(&home()?, matches, format),
        Some(("launch", matches)) => block_on(launch::run(home()?, launch_settings(matches)))?,
        Some(("setup", matches)) => setup::run(&home()?, &setup::line::settings(matches), format),
        Some(("skill", matches)) => skill::run(matches, format),
        Some(("doctor", doctor)) => {
            let named = matches.get_one::<PathBuf>("home").map(PathBuf::as_path);
            block_on(doctor::run(named, doctor::line::settings(doctor), format))?
        }
        Some(("run", file)) => {
            let session = matches.get_one::<String>("session").map(String::as_str);
            block_on(run::run(home()?, file, session, format))?
        }
        Some(("watch", _)) => block_on(watch::run(home()?, format))?,
        Some(("update", _)) => block_on(update::run(home()?, format))?,
        Some(("completions", matches)) => completions::print(matches, command()),
        Some(("man", matches)) => completions::man(matches, command()),
        Some((name, tool_matches)) => {
            let tool = tools::find(name).context("every other command is a tool")?;
            let session = matches.get_one::<String>("session").map(String::as_str);
            block_on(tool_command::run(tool, tool_matches, home()?, session, format))?
        }
    }
}

fn command() -> Command {
    let tools = tools::ALL.iter().map(|tool| grammar::command(tool));
    let command = Command::new("pillion")
        .bin_name("pillion")
        .version(pillion_os::version::version())
        .about(ABOUT)
        .long_about(LONG)
        .after_help(EXITS)
        .propagate_version(false)
        .disable_help_subcommand(true)
        .max_term_width(100)
        .arg(
            Arg::new("home")
                .long("home")
                .global(true)
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help_heading(EVERYWHERE)
                .help("Pillion's folder [default: PILLION_HOME, or ~/.pillion]"),
        )
        .arg(switch("json", "Answer with one JSON object").global(true).help_heading(EVERYWHERE))
        .arg(
            Arg::new("session")
                .long("session")
                .global(true)
                .value_name("NAME")
                .help_heading(EVERYWHERE)
                .help("Whose tabs a tool uses [default: PILLION_SESSION, or one per terminal]"),
        )
        .subcommand(Command::new("status").about("Where things stand and what to do next"))
        .subcommand(mcp_command())
        .subcommand(
            Command::new("stdio")
                .about("The far end of `pillion mcp --via`: carry lines for a client elsewhere"),
        )
        .subcommand(Command::new("pdf-text").hide(true).about("Words of a PDF, for the daemon"))
        .subcommand(sessions_command())
        .subcommand(history_command())
        .subcommand(daemon_commands())
        .subcommand(launch_command())
        .subcommand(setup::line::command())
        .subcommand(skill::command())
        .subcommand(doctor::line::command())
        .subcommand(run::command())
        .subcommand(watch::command())
        .subcommand(update::command())
        .subcommands(completions::commands())
        .subcommand(pair_command())
        .subcommand(pairing_commands())
        .subcommand(allow_extension::command())
        .subcommand(secret::command())
        .subcommands(tools);
    examples::with_examples(command)
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

fn sessions_command() -> Command {
    Command::new("sessions").about("Which agents use the browser now").subcommand(
        Command::new("kill")
            .about("End a session: its tabs become free, and its client is told")
            .arg(Arg::new("id").value_name("ID").required(true).help("As the list shows it")),
    )
}

fn history_command() -> Command {
    Command::new("history")
        .about("What agents did in your browser")
        .long_about(
            "What agents did in your browser, from the journal: kept for 30 days on this machine, \
             without what was typed. --session takes a session's or an agent's name.",
        )
        .arg(
            Arg::new("site")
                .long("site")
                .value_name("HOST")
                .help("Only there and in its subdomains"),
        )
        .arg(
            Arg::new("since")
                .long("since")
                .value_name("TIME")
                .value_parser(history::since)
                .help("Only the last 30m, 2h, 3d"),
        )
        .arg(
            Arg::new("limit")
                .long("limit")
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..))
                .help("The newest N calls [default: 50, in a report 2000]"),
        )
        .arg(
            Arg::new("html")
                .long("html")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write a report with time lines and pictures; never over a file"),
        )
}

fn history_settings(matches: &ArgMatches) -> history::Settings {
    history::Settings {
        session: matches.get_one::<String>("session").cloned(),
        site: matches.get_one::<String>("site").cloned(),
        since: matches.get_one::<Duration>("since").copied(),
        limit: matches.get_one::<u32>("limit").copied(),
        html: matches.get_one::<PathBuf>("html").cloned(),
    }
}

fn mcp_command() -> Command {
    Command::new("mcp")
        .about("Serve one MCP client on stdin and stdout")
        .arg(
            Arg::new("agent")
                .long("agent")
                .value_name("NAME")
                .help("The agent's name as you see it in the browser [default: the client's own]"),
        )
        .arg(
            Arg::new("tools").long("tools").value_name("all|NAME,…").help(
                "`all` lists every parameter; names are a fence: only these tools can be called",
            ),
        )
        .arg(switch(
            "single-tool",
            "Offer one tool, `browser`, that takes a command line: costs the agent fewest tokens",
        ))
        .arg(
            Arg::new("budget")
                .long("budget")
                .value_name("SIZE")
                .value_parser(["quick", "normal", "deep"])
                .default_value("normal")
                .help("How long answers may be: half, usual, four times"),
        )
        .arg(via_flag())
        .args(browser_flags())
}

/// Headings of `mcp --help`.
const BROWSERS: &str = "A browser without the extension";

fn browser_flags() -> Vec<Arg> {
    let flags = vec![
        switch("launch", "Start a browser of its own; it ends with the last client that wants it")
            .conflicts_with_all(["cdp", "attach"]),
        switch("headless", "With --launch: without a window").requires("launch"),
        Arg::new("cdp")
            .long("cdp")
            .value_name("URL")
            .conflicts_with("attach")
            .help("Use the browser that listens there: http://127.0.0.1:9222, ws://… or wss://…"),
        switch("attach", "Use the running browser whose user allowed remote debugging"),
        Arg::new("browser")
            .long("browser")
            .value_name("PATH|NAME")
            .conflicts_with("cdp")
            .help("With --launch or --attach: which, for example chromium, chrome, edge, brave"),
        Arg::new("user-data-dir")
            .long("user-data-dir")
            .value_name("DIR")
            .value_parser(value_parser!(PathBuf))
            .conflicts_with("cdp")
            .help("The profile's folder [default: with --launch a fresh one]"),
        Arg::new("flags")
            .value_name("FLAG")
            .last(true)
            .num_args(0..)
            .requires("launch")
            .help("With --launch: passed on to the browser"),
    ];
    flags.into_iter().map(|flag| flag.help_heading(BROWSERS)).collect()
}

fn browser_wish(matches: &ArgMatches) -> anyhow::Result<Option<BrowserWish>> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let folder =
        matches.get_one::<PathBuf>("user-data-dir").map(std::path::absolute).transpose()?;
    let user_data_dir = folder.map(|folder| folder.display().to_string());
    if let Some(url) = text("cdp") {
        return Ok(Some(BrowserWish::Cdp { url }));
    }
    if matches.get_flag("attach") {
        return Ok(Some(BrowserWish::Attach { browser: text("browser"), user_data_dir }));
    }
    if !matches.get_flag("launch") {
        let stray = text("browser").or(user_data_dir);
        anyhow::ensure!(
            stray.is_none(),
            "--browser and --user-data-dir go with --launch or --attach"
        );
        return Ok(None);
    }
    // The daemon's own environment may be another one.
    let named = text("browser").or_else(|| std::env::var(browsers::BROWSER_ENV).ok());
    Ok(Some(BrowserWish::Launch {
        headless: matches.get_flag("headless"),
        browser: named.filter(|name| !name.is_empty()),
        user_data_dir,
        flags: matches.get_many::<String>("flags").into_iter().flatten().cloned().collect(),
    }))
}

fn via_flag() -> Arg {
    Arg::new("via")
        .long("via")
        .value_name("ssh:HOST|docker:CONTAINER")
        .help("Use the browser of that machine: runs `ssh HOST pillion stdio`")
        .long_help(
            "Use the browser of that machine, or the one that the container reaches: runs `ssh \
             HOST pillion stdio` or `docker exec -i CONTAINER pillion stdio`. Needs `pillion` \
             there and an `ssh` that asks nothing. Files that the agent names are that machine's.",
        )
}

fn mcp_settings(matches: &ArgMatches) -> anyhow::Result<mcp::Settings> {
    let budget = matches.get_one::<String>("budget").map(String::as_str);
    Ok(mcp::Settings {
        browser: browser_wish(matches)?,
        agent: matches.get_one::<String>("agent").cloned(),
        tools: matches.get_one::<String>("tools").cloned(),
        via: matches.get_one::<String>("via").cloned(),
        single_tool: matches.get_flag("single-tool"),
        budget_percent: match budget {
            Some("quick") => Some(50),
            Some("deep") => Some(400),
            _ => None,
        },
    })
}

fn daemon_commands() -> Command {
    Command::new("daemon")
        .about("The process that connects agents and browsers; it starts by itself")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("run")
                .about("Run it here, in the foreground")
                .arg(switch("detached", "Leave the terminal").hide(true)),
        )
        .subcommand(Command::new("start").about("Start it in the background"))
        .subcommand(Command::new("stop").about("End it; tabs stay as they are"))
        .subcommand(Command::new("restart").about("End it and start it again"))
        .subcommand(Command::new("status").about("Its process, port, version, sessions, profiles"))
        .subcommand(
            Command::new("logs").about("Print the end of its log").arg(
                Arg::new("follow")
                    .short('f')
                    .long("follow")
                    .action(ArgAction::SetTrue)
                    .help("Go on until Ctrl-C"),
            ),
        )
}

fn daemon_command(matches: &ArgMatches, home: Home, format: Format) -> anyhow::Result<Exit> {
    match matches.subcommand() {
        Some(("run", matches)) => daemon::run(home, matches.get_flag("detached")),
        Some(("start", _)) => block_on(daemon::start(home))?,
        Some(("stop", _)) => block_on(daemon::stop(home))?,
        Some(("restart", _)) => block_on(daemon::restart(home))?,
        Some(("logs", matches)) => block_on(daemon::logs(home, matches.get_flag("follow")))?,
        _ => block_on(daemon::status(home, format))?,
    }
}

fn launch_command() -> Command {
    Command::new("launch")
        .about("Start a browser of its own with the extension in it, until Ctrl-C")
        .long_about(
            "Starts a browser with a profile of its own, the extension loaded and your consent \
             given, and stays until you press Ctrl-C or close it. Your usual browser is not \
             touched. Log in there once: the profile is kept.",
        )
        .arg(switch("headless", "Without a window"))
        .arg(
            Arg::new("user-data-dir")
                .long("user-data-dir")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("The profile's folder [default: in Pillion's folder, one a browser]"),
        )
        .arg(
            Arg::new("browser").long("browser").value_name("PATH|NAME").help(
                "Which browser: a program, or chromium, chrome-for-testing, brave, edge, chrome",
            ),
        )
        .arg(Arg::new("url").value_name("URL").help("A page to open"))
        .arg(
            Arg::new("flags")
                .value_name("FLAGS")
                .last(true)
                .num_args(0..)
                .value_parser(value_parser!(OsString))
                .help("Passed to the browser as they are"),
        )
}

fn launch_settings(matches: &ArgMatches) -> launch::Settings {
    launch::Settings {
        headless: matches.get_flag("headless"),
        user_data_dir: matches.get_one::<PathBuf>("user-data-dir").cloned(),
        browser: matches.get_one::<String>("browser").cloned(),
        url: matches.get_one::<String>("url").cloned(),
        flags: matches.get_many::<OsString>("flags").into_iter().flatten().cloned().collect(),
    }
}

fn pair_command() -> Command {
    Command::new("pair").about("Show a code with which the extension in your browser pairs").long_about(
        "Shows a code, good for two minutes and one use. In the browser click the Pillion icon, \
         choose \"Pair with a code\" and type it: that lets agents use the profile. Waits until it \
         is done; Ctrl-C withdraws the code. With --json one object a line: the code, then how it \
         ended.",
    )
}

fn pairing_commands() -> Command {
    Command::new("pairing")
        .about("Which profiles are paired, and the way to begin anew")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("status").about("Fingerprints, labels, consent, last seen"))
        .subcommand(
            Command::new("reset")
                .about("Make a new identity and forget every profile")
                .long_about(
                    "Makes a new identity and forgets every profile. Browsers with the native \
                     helper pair again by themselves and say so in their popup; others need a code \
                     (pillion pair). What you share, and what you let agents do, stays as it is.",
                )
                .arg(switch("yes", "Do not ask")),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn flags_after_two_dashes_go_to_the_browser() {
        let line =
            ["pillion", "launch", "--headless", "example.com", "--", "--remote-debugging-port=0"];
        let matches = command().try_get_matches_from(line).unwrap();
        let (_, matches) = matches.subcommand().unwrap();
        let settings = launch_settings(matches);
        assert_eq!(settings.url.as_deref(), Some("example.com"));
        assert_eq!(settings.flags, ["--remote-debugging-port=0"]);
        assert!(settings.headless);
    }

    #[test]
    fn global_flags_may_follow_a_tools_words() {
        let line = ["pillion", "click", "e5", "--session", "a", "--json"];
        let matches = command().try_get_matches_from(line).unwrap();
        assert_eq!(matches.get_one::<String>("session").map(String::as_str), Some("a"));
        assert!(matches.get_flag("json"));
    }
}
