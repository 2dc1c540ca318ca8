//! A report for others: what was found, counts, and the log's warnings. Nothing of the user's: no names of folders,
//! profiles, agents or sites, no addresses, no ids.

use super::finding::Finding;
use anyhow::Context as _;
use pillion_core::redact;
use pillion_os::file;
use serde_json::{Value, json};
use std::path::Path;

/// Lines of the log, the newest.
const LOG_LINES: usize = 200;
/// The most of a log that is read.
const LOG_BYTES: usize = 512 * 1024;

/// Writes it; never over a file.
pub fn write(
    path: &Path,
    findings: &[Finding],
    status: Option<&Value>,
    home: Option<&Path>,
) -> anyhow::Result<()> {
    let names = Names::of(status, home);
    let findings = serde_json::to_value(findings)?;
    let report = json!({
        "pillion": pillion_os::version::version(),
        "system": {"os": std::env::consts::OS, "arch": std::env::consts::ARCH},
        "findings": names.without(findings),
        "counts": status.map(counts),
        "log": home.map(|home| log(home, &names)).unwrap_or_default(),
    });
    file::create_new(path, format!("{report:#}\n").as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

/// What identifies the user, and what stands in its place.
struct Names(Vec<(String, &'static str)>);

impl Names {
    fn of(status: Option<&Value>, home: Option<&Path>) -> Self {
        let mut names: Vec<(String, &'static str)> = Vec::new();
        let mut add = |name: Option<String>, place| {
            names.extend(name.filter(|name| name.chars().count() > 1).map(|name| (name, place)));
        };
        add(home.map(|home| home.display().to_string()), "<home of Pillion>");
        add(std::env::home_dir().map(|home| home.display().to_string()), "~");
        add(std::env::var("USER").ok(), "<user>");
        add(std::env::var("LOGNAME").ok(), "<user>");
        let list = |name: &'static str| {
            status.and_then(|status| status[name].as_array()).into_iter().flatten()
        };
        for profile in list("profiles") {
            for key in ["slug", "label", "id"] {
                add(profile[key].as_str().map(str::to_owned), "<profile>");
            }
        }
        for session in list("sessions") {
            add(session["client"].as_str().map(str::to_owned), "<agent>");
        }
        // The longest first: a name may be part of another one.
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self(names)
    }

    fn without(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.without(item)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (name, self.without(value))).collect()
            }
            other => other,
        }
    }

    fn text(&self, text: &str) -> String {
        let text =
            self.0.iter().fold(text.to_owned(), |text, (name, place)| text.replace(name, place));
        redact::record(&without_addresses(&text))
    }
}

/// Addresses of sites say where the user was; loopback is ours.
fn without_addresses(text: &str) -> String {
    let words = text.split(' ').map(|word| match word.split_once("://") {
        Some((scheme, rest))
            if !rest.starts_with("127.0.0.1")
                && !rest.starts_with("extensions")
                && !rest.starts_with("policy") =>
        {
            format!(
                "{}://…",
                scheme.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic())
            )
        }
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Numbers of the daemon's status, by their names.
fn counts(status: &Value) -> Value {
    let size = |name: &str| status[name].as_array().map_or(0, Vec::len);
    json!({
        "profiles": size("profiles"), "sessions": size("sessions"), "clients": status["clients"],
        "connected": status["connected"], "known": status["known"], "uptime_s": status["uptime_s"],
        "proto": status["proto"], "port": status["port"], "counters": status["counters"],
    })
}

/// The newest warnings and errors: time, level and words.
fn log(home: &Path, names: &Names) -> Vec<Value> {
    let folder = home.join("log");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "log"))
        .collect();
    files.sort();
    let Some(text) = files.last().and_then(|path| std::fs::read(path).ok()) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&text[text.len().saturating_sub(LOG_BYTES)..]).into_owned();
    let lines = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let warnings = lines.filter(|line| line["level"] == "WARN" || line["level"] == "ERROR");
    let mut warnings: Vec<Value> = warnings
        .take(LOG_LINES)
        .map(|line| {
            names.without(json!({
                "at": line["timestamp"], "level": line["level"], "what": line["fields"]["message"],
                "error": line["fields"]["error"], "place": line["fields"]["place"],
            }))
        })
        .collect();
    warnings.reverse();
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::finding::{Finding, Hop};

    #[test]
    fn nothing_of_the_user_is_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("private-folder");
        std::fs::create_dir_all(home.join("log")).unwrap();
        let line = json!({"timestamp": "t", "level": "WARN", "fields": {
            "message": format!("lost https://bank.example/account?token=abc in {}", home.display())}});
        std::fs::write(home.join("log/pillion.2026-01-01.log"), line.to_string()).unwrap();
        let status = json!({"profiles": [{"slug": "work-of-someone", "label": "Work of Someone"}],
            "sessions": [{"client": "secret-agent"}], "counters": {"calls": 3}});
        let findings =
            [Finding::good(Hop::Extension, "work-of-someone is connected; secret-agent waits")];
        let path = dir.path().join("report.json");
        write(&path, &findings, Some(&status), Some(&home)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for word in
            ["private-folder", "bank.example", "token", "someone", "Someone", "secret-agent"]
        {
            assert!(!text.contains(word), "{word}: {text}");
        }
        assert!(text.contains("lost https://…") && text.contains("\"calls\": 3"), "{text}");
        assert!(write(&path, &findings, None, None).is_err(), "never over a file");
    }
}
