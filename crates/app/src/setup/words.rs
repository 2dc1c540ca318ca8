//! What `pillion setup` says. Aligned, short, the next step last.

use super::folders::short;
use super::plan::{Act, Group, Step};
use super::{Part, Settings, Way, extension};
use crate::style::{self, Tone};
use crate::ui;
use pillion_os::installs::Sandboxed;
use serde_json::{Value, json};

/// The command that does everything without asking.
pub fn command(way: Way) -> &'static str {
    match way {
        Way::Install => "pillion setup --all",
        Way::Uninstall => "pillion setup --all --uninstall",
    }
}

fn title(part: &Part) -> &str {
    match part {
        Part::Client(id) => pillion_clients::named(id).map_or(id, |client| client.title),
        Part::Browser(title, _) => title,
    }
}

/// A numbered list of what can be chosen.
pub fn say_parts(parts: &[Part], way: Way) {
    ui::say(match way {
        Way::Install => "Found on this machine:",
        Way::Uninstall => "Pillion can be taken out of:",
    });
    for (index, part) in parts.iter().enumerate() {
        let kind = match part {
            Part::Client(_) => "MCP client",
            Part::Browser(..) => "browser",
        };
        ui::say(&format!(
            "{:>4}  {:<24} {}",
            index + 1,
            title(part),
            style::paint(Tone::Dim, kind)
        ));
    }
}

/// Nothing to do anything with.
pub fn nothing_found(sandboxed: &[Sandboxed]) {
    ui::note("No MCP client and no Chromium browser was found for this user.");
    say_sandboxed(sandboxed);
    let ids: Vec<_> = pillion_clients::ALL.iter().map(|client| client.id).collect();
    ui::note(&format!("Name one to set it up anyway: pillion setup NAME ({})", ids.join(", ")));
}

/// What was done, or would be.
pub fn say_steps(steps: &[Step], dry_run: bool) {
    let width = steps.iter().map(|step| step.title.chars().count()).max().unwrap_or(0);
    let paths: Vec<String> = steps.iter().map(|step| short(&step.path)).collect();
    let path_width = paths.iter().map(|path| path.chars().count()).max().unwrap_or(0).min(72);
    let mut group = None;
    for (step, path) in steps.iter().zip(&paths) {
        if group != Some(step.group) {
            if group.is_some() {
                ui::say("");
            }
            group = Some(step.group);
            let heading = match step.group {
                Group::Client => "MCP clients",
                Group::Skill => "What agents should know",
                Group::Helper => "Browsers: the helper by which the extension finds Pillion",
            };
            ui::say(&style::paint(Tone::Bold, heading));
        }
        let (tone, word) = word(step, dry_run);
        let word = style::paint(tone, &word);
        ui::say(&format!("  {:<width$}  {path:<path_width$}  {word}", step.title));
        if let Some(Ok(Some(backup))) = &step.outcome {
            let name = backup.file_name().unwrap_or_default().to_string_lossy();
            let line = format!("  {:<width$}  what was there: {name}", "");
            ui::say(&style::paint(Tone::Dim, &line));
        }
    }
}

fn word(step: &Step, dry_run: bool) -> (Tone, String) {
    match (&step.act, &step.outcome) {
        (Act::Refuse(why), _) => (Tone::Bad, format!("left alone: {why}")),
        (_, Some(Err(why))) => (Tone::Bad, format!("failed: {why}")),
        (Act::Same, _) => (Tone::Dim, "unchanged".to_owned()),
        (Act::Remove, _) => (Tone::Good, verb(dry_run, "remove", "removed")),
        (Act::Write { way: Way::Uninstall, .. }, _) => {
            (Tone::Good, verb(dry_run, "take our entry out", "our entry taken out"))
        }
        (Act::Write { old: Some(_), .. }, _) => (Tone::Good, verb(dry_run, "change", "changed")),
        _ => (Tone::Good, verb(dry_run, "write", "written")),
    }
}

fn verb(dry_run: bool, would: &str, did: &str) -> String {
    if dry_run { format!("would {would}") } else { did.to_owned() }
}

/// Browsers that cannot start a helper.
pub fn say_sandboxed(sandboxed: &[Sandboxed]) {
    for browser in sandboxed {
        ui::say("");
        ui::say(&format!(
            "{} is a {}: it starts no helpers. Pair it with a code: pillion pair",
            browser.title,
            browser.sandbox.name()
        ));
    }
}

/// What to do now.
pub fn say_next(parts: &[Part], steps: &[Step], settings: &Settings) {
    ui::say("");
    if settings.dry_run {
        ui::say("Nothing was written. Without --dry-run it is done.");
        return;
    }
    if settings.way == Way::Uninstall {
        ui::say(
            "Pillion's own folder and the extension in your browsers are left; remove them there.",
        );
        return;
    }
    let browsers: Vec<&str> =
        parts.iter().filter(|part| matches!(part, Part::Browser(..))).map(title).collect();
    if !browsers.is_empty() {
        extension::steps(&browsers.join(", ")).iter().for_each(|line| ui::say(line));
        ui::say("");
    }
    for part in parts {
        let Part::Client(id) = part else { continue };
        let Some(client) = pillion_clients::named(id) else { continue };
        let failed = |step: &Step| {
            step.group == Group::Client && step.title == client.title && step.failed()
        };
        if steps.iter().any(failed) {
            continue;
        }
        ui::say(&format!("{} sees it {}.", client.title, client.notice));
    }
    if cfg!(windows) {
        ui::say(&format!(
            "Windows also needs the registry: set the default value of \
             HKCU\\Software\\Google\\Chrome\\NativeMessagingHosts\\{} to the manifest.",
            pillion_wire::NATIVE_HOST
        ));
    }
    if steps.iter().any(Step::failed) {
        ui::say("What was left alone can be mended by hand; then run the command again.");
    }
    if parts.iter().any(|part| matches!(part, Part::Client(_))) {
        ui::say("Tools that only look need not be asked for: pillion skill --permissions CLIENT");
    }
    ui::say("Test it: pillion doctor --probe");
}

/// The same for programs.
pub fn as_json(steps: &[Step], sandboxed: &[Sandboxed], settings: &Settings) -> Value {
    let steps: Vec<Value> = steps
        .iter()
        .map(|step| {
            let (_, word) = word(step, settings.dry_run);
            let backup = step.outcome.as_ref().and_then(|outcome| outcome.as_ref().ok()?.clone());
            json!({
                "for": step.title, "path": step.path, "outcome": word, "ok": !step.failed(),
                "changed": !settings.dry_run && !step.failed() && step.act != Act::Same, "backup": backup,
            })
        })
        .collect();
    let sandboxed: Vec<Value> = sandboxed
        .iter()
        .map(|browser| json!({"browser": browser.title, "sandbox": browser.sandbox.name(), "next": "pillion pair"}))
        .collect();
    json!({ "steps": steps, "sandboxed": sandboxed, "dryRun": settings.dry_run })
}
