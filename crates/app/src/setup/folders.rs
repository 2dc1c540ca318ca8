//! Where this user's programs keep their settings, and which MCP clients are here. Looks, writes nothing.

use anyhow::Context as _;
use pillion_clients::{ALL, Client, Folders};
use pillion_os::installs::on_search_path;
use std::path::PathBuf;

/// The folders that the environment names.
pub fn of_user() -> anyhow::Result<Folders> {
    let home = std::env::home_dir().context("no home folder is known; set HOME")?;
    let dot_config = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    let config = match std::env::consts::OS {
        "windows" => variable("APPDATA").unwrap_or_else(|| home.join("AppData").join("Roaming")),
        "macos" => home.join("Library").join("Application Support"),
        _ => dot_config.clone(),
    };
    let moved =
        Client::VARIABLES.into_iter().filter_map(|name| Some((name, variable(name)?))).collect();
    Ok(Folders { home, config, dot_config, moved })
}

fn variable(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty())?;
    // As the specification of these variables says of relative ones.
    Some(PathBuf::from(value)).filter(|path| path.is_absolute())
}

/// The clients of which something is here: their settings, their folder or their program.
pub fn found(folders: &Folders) -> Vec<&'static Client> {
    let here = |client: &&'static Client| {
        client
            .files
            .iter()
            .any(|(file, sign)| file.of(folders).exists() || is_sign(&sign.of(folders)))
            || client.programs.iter().any(|name| !on_search_path(name).is_empty())
    };
    ALL.iter().filter(here).collect()
}

fn is_sign(path: &std::path::Path) -> bool {
    path.is_dir()
}

/// The file in which a client keeps its servers on this machine.
pub fn file_of(client: &Client, folders: &Folders) -> PathBuf {
    let there = client.files.iter().find(|(file, _)| file.of(folders).exists());
    let signed = || client.files.iter().find(|(_, sign)| is_sign(&sign.of(folders)));
    let place = there.or_else(signed).or(client.files.first());
    place.map_or_else(PathBuf::new, |(file, _)| file.of(folders))
}

/// A path as its owner writes it.
pub fn short(path: &std::path::Path) -> String {
    let home = std::env::home_dir().filter(|home| home.parent().is_some());
    match home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}
