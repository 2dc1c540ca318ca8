//! `pillion setup --native`: tells browsers which program is our helper. Says each file it writes
//! or removes; writes only where a browser is.

use crate::exit::Exit;
use crate::ui;
use anyhow::bail;
use pillion_os::browsers::{self, BrowserKind};
use pillion_os::home::Home;
use pillion_os::{exe, native_manifest};
use std::path::{Path, PathBuf};

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Write.
    Install,
    /// Say what would be written.
    PlanInstall,
    /// Remove.
    Uninstall,
    /// Say what would be removed.
    PlanUninstall,
}

/// What the command line says.
#[derive(Debug, Clone)]
pub struct Settings {
    /// See [`Mode`].
    pub mode: Mode,
    /// Only this folder.
    pub user_data_dir: Option<PathBuf>,
    /// Only this browser.
    pub browser: Option<String>,
}

/// Does it.
pub fn run(home: &Home, settings: &Settings) -> anyhow::Result<Exit> {
    let places = places(settings)?;
    match settings.mode {
        Mode::Install => install(home, &places)?,
        Mode::PlanInstall => {
            ui::say(&format!("would write {}", exe::host_path(home).display()));
            for place in &places {
                ui::say(&format!("would write {}", native_manifest::path_in(place).display()));
            }
        }
        Mode::Uninstall => uninstall(home, &places)?,
        Mode::PlanUninstall => {
            let manifests = places.iter().map(|place| native_manifest::path_in(place));
            for path in manifests.chain([exe::host_path(home)]).filter(|path| path.exists()) {
                ui::say(&format!("would remove {}", path.display()));
            }
        }
    }
    Ok(Exit::Ok)
}

/// Profile folders of the browsers that are meant.
fn places(settings: &Settings) -> anyhow::Result<Vec<PathBuf>> {
    if let Some(folder) = &settings.user_data_dir {
        return Ok(vec![std::path::absolute(folder)?]);
    }
    let kinds = match &settings.browser {
        Some(name) => match BrowserKind::named(name) {
            Some(kind) => vec![kind],
            None => {
                let names: Vec<_> = BrowserKind::ALL.iter().map(|kind| kind.name()).collect();
                bail!("no browser {name:?}. Known: {}", names.join(", "));
            }
        },
        None => browsers::installed().into_iter().map(|program| program.kind).collect(),
    };
    let places: Vec<_> = kinds.into_iter().filter_map(BrowserKind::user_data_dir).collect();
    if places.is_empty() {
        bail!("no browser found. Name one with --browser, or its folder with --user-data-dir");
    }
    Ok(places)
}

fn install(home: &Home, places: &[PathBuf]) -> anyhow::Result<()> {
    let program = exe::install_host(home)?;
    ui::say(&format!("wrote {}", program.display()));
    for place in places {
        let path = native_manifest::write(place, &program)?;
        ui::say(&format!("wrote {}", path.display()));
        if cfg!(windows) {
            ui::note(&format!(
                "Windows also needs the registry: set the default value of \
                 HKCU\\Software\\Google\\Chrome\\NativeMessagingHosts\\{} to that file",
                pillion_wire::NATIVE_HOST
            ));
        }
    }
    ui::note("Now open the Pillion extension in that browser and let agents use the profile.");
    Ok(())
}

fn uninstall(home: &Home, places: &[PathBuf]) -> anyhow::Result<()> {
    for place in places {
        if let Some(path) = native_manifest::remove(place)? {
            ui::say(&format!("removed {}", path.display()));
        }
    }
    remove(&exe::host_path(home))
}

fn remove(path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        std::fs::remove_file(path)?;
        ui::say(&format!("removed {}", path.display()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_removed_again() {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::open(Some(&dir.path().join("home"))).unwrap();
        let folder = dir.path().join("profile");
        let settings = |mode| Settings { mode, user_data_dir: Some(folder.clone()), browser: None };
        let written =
            || native_manifest::path_in(&folder).exists() && exe::host_path(&home).exists();
        run(&home, &settings(Mode::PlanInstall)).unwrap();
        assert!(!written());
        run(&home, &settings(Mode::Install)).unwrap();
        assert!(written());
        run(&home, &settings(Mode::PlanUninstall)).unwrap();
        assert!(written());
        run(&home, &settings(Mode::Uninstall)).unwrap();
        assert!(!native_manifest::path_in(&folder).exists() && !exe::host_path(&home).exists());
    }

    #[test]
    fn an_unknown_browser_is_refused_with_the_known_ones() {
        let settings =
            Settings { mode: Mode::Install, user_data_dir: None, browser: Some("lynx".into()) };
        assert!(places(&settings).unwrap_err().to_string().contains("chromium"));
    }
}
