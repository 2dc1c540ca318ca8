//! `pillion history`: what agents did. Reads the journal itself, so it needs no daemon and starts none.

mod html;
pub(crate) mod moment;
mod table;
mod timeline;

use crate::exit::Exit;
use crate::tool_command::Format;
use crate::ui;
use anyhow::Context as _;
use moment::Clock;
use pillion_journal::{Entry, Filter, Reader};
use pillion_os::file;
use pillion_os::home::Home;
use pillion_os::lock::Lock;
use pillion_os::terminal;
use pillion_wire::code::Code;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Calls in a table.
const TABLE: u32 = 50;
/// Calls in a report.
const REPORT: u32 = 2_000;

/// What was asked for.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// A session's or agent's name.
    pub session: Option<String>,
    /// A host.
    pub site: Option<String>,
    /// How far back.
    pub since: Option<Duration>,
    /// The newest so many.
    pub limit: Option<u32>,
    /// Where the report goes.
    pub html: Option<PathBuf>,
}

/// How a call ended, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome<'a> {
    Done,
    Failed(&'a str),
    /// Its daemon died, or its connection did, while it was under way.
    Unknown,
    Running,
}

impl<'a> Outcome<'a> {
    fn of(entry: &'a Entry, daemon_lives: bool) -> Self {
        match entry.outcome.as_deref() {
            Some("ok") => Self::Done,
            Some(code) if code == Code::OutcomeUnknown.as_str() => Self::Unknown,
            Some(code) => Self::Failed(code),
            None if daemon_lives => Self::Running,
            None => Self::Unknown,
        }
    }

    fn words(self) -> &'a str {
        match self {
            Self::Done => "ok",
            Self::Failed(code) => code,
            Self::Unknown => Code::OutcomeUnknown.as_str(),
            Self::Running => "running",
        }
    }
}

/// Prints the table or JSON, or writes the report.
pub fn run(home: &Home, settings: &Settings, format: Format) -> anyhow::Result<Exit> {
    let path = home.journal();
    let reader = Reader::open(&path).with_context(|| path.display().to_string())?;
    let now = SystemTime::now();
    let since = settings.since.and_then(|since| now.checked_sub(since));
    let usual = if settings.html.is_some() { REPORT } else { TABLE };
    let filter = Filter {
        session: settings.session.clone(),
        site: settings.site.clone(),
        since_ms: since.map(unix_ms),
        limit: settings.limit.unwrap_or(usual),
    };
    let entries = match &reader {
        Some(reader) => reader.entries(&filter).with_context(|| path.display().to_string())?,
        None => Vec::new(),
    };
    let lives = is_daemon_alive(home);
    if let Some(file) = &settings.html {
        return report(file, reader.as_ref(), &entries, settings, unix_ms(now), lives, format);
    }
    match format {
        Format::Json => ui::say(&json!({ "entries": as_json(&entries, lives) }).to_string()),
        Format::Text if entries.is_empty() => ui::say("nothing in the journal"),
        Format::Text => {
            let clock = Clock::local();
            for line in table::lines(&entries, clock, lives, terminal::columns()) {
                ui::say(&line);
            }
        }
    }
    Ok(Exit::Ok)
}

fn report(
    file: &Path,
    reader: Option<&Reader>,
    entries: &[Entry],
    settings: &Settings,
    now_ms: u64,
    lives: bool,
    format: Format,
) -> anyhow::Result<Exit> {
    if file.symlink_metadata().is_ok() {
        ui::error(&format!("{} is there already; name another file", file.display()));
        return Ok(Exit::Failed);
    }
    let page = html::Page { entries, lives, now_ms, clock: Clock::local(), about: about(settings) };
    // A picture that cannot be read is left out; the call is told all the same.
    let html = page.render(|entry| reader?.picture(entry).ok().flatten());
    file::create_new(file, html.as_bytes())
        .with_context(|| format!("cannot write {}", file.display()))?;
    match format {
        Format::Json => ui::say(&json!({"file": file, "entries": entries.len()}).to_string()),
        Format::Text => ui::say(&format!("saved: {} ({} calls)", file.display(), entries.len())),
    }
    Ok(Exit::Ok)
}

/// What the report is about, for its head.
fn about(settings: &Settings) -> Vec<String> {
    let mut about = Vec::new();
    if let Some(session) = &settings.session {
        about.push(format!("session {session}"));
    }
    if let Some(site) = &settings.site {
        about.push(format!("site {site}"));
    }
    if let Some(since) = settings.since {
        about.push(format!("last {}", moment::length(since)));
    }
    about
}

fn as_json(entries: &[Entry], lives: bool) -> Vec<Value> {
    let mut all = Vec::new();
    for entry in entries {
        let mut value = serde_json::to_value(entry).unwrap_or_default();
        value["outcome"] = Outcome::of(entry, lives).words().into();
        all.push(value);
    }
    all
}

/// A daemon holds its lock for as long as it lives.
fn is_daemon_alive(home: &Home) -> bool {
    matches!(Lock::try_take(&home.daemon_lock()), Ok(None))
}

/// `30m`, `2h`, `3d`, `1w`; a bare number is minutes.
pub fn since(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "s" => 1,
        "" | "m" | "min" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        _ => return Err("write 30m, 2h or 3d".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "write 30m, 2h or 3d".to_owned())?;
    number.checked_mul(unit).map(Duration::from_secs).ok_or_else(|| "too long ago".to_owned())
}

fn unix_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        assert_eq!(since("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(since("2h"), Ok(Duration::from_secs(7_200)));
        assert_eq!(since("15"), Ok(Duration::from_secs(900)));
        for wrong in ["", "h", "2y", "-1h", "1.5h", "99999999999999999w"] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }
}
