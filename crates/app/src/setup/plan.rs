//! What setting up means, file by file: made by reading, carried out step by step. One step that fails stops no
//! other one.

use super::{Part, Way, folders};
use crate::skill;
use pillion_clients::{Edit, Entry, Folders};
use pillion_os::home::Home;
use pillion_os::installs::on_search_path;
use pillion_os::settings_file;
use pillion_os::{exe, native_manifest};
use std::path::{Path, PathBuf};

/// One file.
#[derive(Debug)]
pub struct Step {
    /// Which group it is shown in.
    pub group: Group,
    /// Whose it is.
    pub title: String,
    /// The file.
    pub path: PathBuf,
    /// What is to be done.
    pub act: Act,
    /// What became of it, once it was carried out.
    pub outcome: Option<Result<Option<PathBuf>, String>>,
}

/// Groups, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Settings of a client.
    Client,
    /// The skill for agents.
    Skill,
    /// The helper and its manifests.
    Helper,
}

/// What is done to a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Act {
    /// Nothing: it is as it should be.
    Same,
    /// A settings file gets this text.
    Write {
        /// What it was.
        old: Option<String>,
        /// What it becomes.
        new: String,
        /// Whether an entry of ours comes or goes.
        way: Way,
    },
    /// The running program is copied there.
    CopyProgram(Home),
    /// The manifest for the browser with that folder, naming that program.
    Manifest(PathBuf, PathBuf),
    /// It is removed.
    Remove,
    /// It is left alone, and why.
    Refuse(String),
}

impl Step {
    fn new(group: Group, title: &str, path: PathBuf, act: Act) -> Self {
        Self { group, title: title.to_owned(), path, act, outcome: None }
    }

    /// Does it.
    pub fn carry_out(&mut self) {
        let text = |error: &dyn std::error::Error| error.to_string();
        self.outcome = Some(match &self.act {
            Act::Same => Ok(None),
            Act::Refuse(why) => Err(why.clone()),
            Act::Write { old, new, .. } => settings_file::replace(&self.path, old.as_deref(), new)
                .map_err(|error| text(&error)),
            Act::CopyProgram(home) => {
                exe::install_host(home).map(|_| None).map_err(|error| text(&error))
            }
            Act::Manifest(folder, program) => {
                native_manifest::write(folder, program).map(|_| None).map_err(|error| text(&error))
            }
            Act::Remove => std::fs::remove_file(&self.path)
                .map(|()| {
                    // A folder that we made and that is empty now.
                    if self.group == Group::Skill
                        && let Some(folder) = self.path.parent()
                    {
                        std::fs::remove_dir(folder).ok();
                    }
                    None
                })
                .map_err(|error| text(&error)),
        });
    }

    /// Whether it could not be done, or will not be.
    pub fn failed(&self) -> bool {
        match &self.outcome {
            Some(outcome) => outcome.is_err(),
            None => matches!(self.act, Act::Refuse(_)),
        }
    }
}

/// Every step for those parts.
pub fn make(home: &Home, folders: &Folders, parts: &[Part], way: Way) -> anyhow::Result<Vec<Step>> {
    let entry = entry(home)?;
    let mut steps: Vec<Step> = Vec::new();
    for part in parts {
        let Part::Client(id) = part else { continue };
        let Some(client) = pillion_clients::named(id) else { continue };
        let path = folders::file_of(client, folders);
        let act = settings(&path, way, |text| match way {
            Way::Install => {
                let there = pillion_clients::read(client.format, text)?;
                let entry = entry.clone().in_place_of(there, |command| resolve(command).is_some());
                pillion_clients::add(client.format, text, &entry)
            }
            Way::Uninstall => pillion_clients::remove(client.format, text),
        });
        steps.push(Step::new(Group::Client, client.title, path, act));
        if let Some(place) = client.skills {
            let path = place.of(folders).join(pillion_clients::NAME).join("SKILL.md");
            if !steps.iter().any(|step| step.path == path) {
                let act = skill_file(&path, way);
                steps.push(Step::new(Group::Skill, client.title, path, act));
            }
        }
    }
    let folders: Vec<(&String, &PathBuf)> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Browser(title, folder) => Some((title, folder)),
            Part::Client(_) => None,
        })
        .collect();
    let program = exe::host_path(home);
    if !folders.is_empty() {
        steps.push(Step::new(
            Group::Helper,
            "helper",
            program.clone(),
            helper(home, &program, way),
        ));
    }
    for (title, folder) in folders {
        let path = native_manifest::path_in(folder);
        let act = manifest(folder, &path, &program, way);
        steps.push(Step::new(Group::Helper, title, path, act));
    }
    steps.sort_by_key(|step| step.group as u8);
    Ok(steps)
}

/// What clients start: this very program, with the home that it uses where that is not the usual one.
pub fn entry(home: &Home) -> anyhow::Result<Entry> {
    let command = std::env::current_exe()?.display().to_string();
    let mut args = vec!["mcp".to_owned()];
    let usual = std::env::home_dir().map(|home| home.join(".pillion"));
    if usual.as_deref() != Some(home.root()) {
        args.extend(["--home".to_owned(), home.root().display().to_string()]);
    }
    Ok(Entry { command, args })
}

/// The file behind a command.
pub fn resolve(command: &str) -> Option<PathBuf> {
    let path = Path::new(command);
    if path.components().count() > 1 {
        return path.is_file().then(|| path.to_owned());
    }
    on_search_path(command).into_iter().next()
}

fn settings(
    path: &Path,
    way: Way,
    edit: impl FnOnce(&str) -> Result<Edit, pillion_clients::Refusal>,
) -> Act {
    let old = match settings_file::read(path) {
        Ok(old) => old,
        Err(error) => return Act::Refuse(error.to_string()),
    };
    match edit(old.as_deref().unwrap_or_default()) {
        Ok(Edit::Same) => Act::Same,
        Ok(Edit::New(new)) => Act::Write { old, new, way },
        Err(refusal) => Act::Refuse(refusal.to_string()),
    }
}

fn skill_file(path: &Path, way: Way) -> Act {
    let old = match settings_file::read(path) {
        Ok(old) => old,
        Err(error) => return Act::Refuse(error.to_string()),
    };
    let ours = old.as_deref().is_none_or(skill::is_ours);
    match (way, old) {
        (_, Some(_)) if !ours => Act::Refuse("a skill of that name that is not ours".to_owned()),
        (Way::Install, Some(old)) if old == skill::file() => Act::Same,
        (Way::Install, old) => Act::Write { old, new: skill::file(), way },
        (Way::Uninstall, Some(_)) => Act::Remove,
        (Way::Uninstall, None) => Act::Same,
    }
}

fn helper(home: &Home, program: &Path, way: Way) -> Act {
    match way {
        Way::Install if is_this_program(program) => Act::Same,
        Way::Install => Act::CopyProgram(home.clone()),
        Way::Uninstall if program.exists() => Act::Remove,
        Way::Uninstall => Act::Same,
    }
}

/// Whether that file is a copy of the running program.
pub fn is_this_program(path: &Path) -> bool {
    let Ok(running) = std::env::current_exe() else { return false };
    let lengths = (std::fs::metadata(path), std::fs::metadata(&running));
    match lengths {
        (Ok(copy), Ok(original)) if copy.len() == original.len() => {
            matches!((std::fs::read(path), std::fs::read(&running)), (Ok(one), Ok(other)) if one == other)
        }
        _ => false,
    }
}

fn manifest(folder: &Path, path: &Path, program: &Path, way: Way) -> Act {
    let there = std::fs::read_to_string(path).ok();
    match way {
        Way::Install if there.as_deref() == Some(&native_manifest::content(program)) => Act::Same,
        Way::Install => Act::Manifest(folder.to_owned(), program.to_owned()),
        Way::Uninstall if path.exists() => Act::Remove,
        Way::Uninstall => Act::Same,
    }
}

/// Whether that browser has a manifest of ours.
pub fn has_manifest(part: &Part) -> bool {
    matches!(part, Part::Browser(_, folder) if native_manifest::path_in(folder).exists())
}
