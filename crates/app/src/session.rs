//! Who a command speaks as: one session a terminal, or the one that `--session` names.

use pillion_client::{Launch, Options};
use pillion_os::home::Home;
use pillion_os::spawn;
use pillion_wire::local::Role;

/// Names the session for a script, so that each of its commands need not.
pub const SESSION_ENV: &str = "PILLION_SESSION";

/// Options that others build on: this program starts the daemon.
pub fn options(home: Home) -> Options {
    let launch = std::env::current_exe().map_or(Launch::Never, Launch::With);
    let cwd = std::env::current_dir().ok().map(|path| path.display().to_string());
    Options {
        home,
        role: Role::Cli,
        client: "terminal".into(),
        resume: None,
        cwd,
        roots: Vec::new(),
        budget_percent: None,
        tools: None,
        launch,
        serves_files: false,
        browser: None,
    }
}

/// Options of a command that calls tools.
pub fn of_command(home: Home, named: Option<&str>) -> Options {
    let named = named
        .map(str::to_owned)
        .or_else(|| std::env::var(SESSION_ENV).ok().filter(|name| !name.is_empty()));
    let resume = named.clone().unwrap_or_else(|| format!("terminal-{}", spawn::terminal_name()));
    let client = named.unwrap_or_else(|| "terminal".to_owned());
    Options { client, resume: Some(resume), ..options(home) }
}
