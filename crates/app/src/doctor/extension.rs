//! Daemon → extension: which browsers are connected, of which version, and whether their user let agents in. Pure.

use super::finding::{Fault, Finding, Hop};
use crate::skew::{self, Skew};
use pillion_os::version::version;
use serde_json::Value;

/// From the daemon's status.
pub fn check(status: &Value) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(note) = status["note"].as_str().filter(|note| note.contains("extension")) {
        findings.push(Finding::bad(
            Hop::Extension,
            Fault::ExtensionVersion,
            note,
            "chrome://extensions, Reload at Pillion",
        ));
    }
    let profiles = status["profiles"].as_array().into_iter().flatten();
    let here: Vec<&Value> = profiles.filter(|profile| profile["connected"] == true).collect();
    if here.is_empty() && findings.is_empty() {
        findings.push(match status["known"].as_u64() {
            Some(known) if known > 0 => Finding::bad(
                Hop::Extension,
                Fault::ExtensionAbsent,
                format!("none of the {known} known profiles is connected; is that browser open?"),
                "open the browser and click the Pillion icon",
            ),
            _ => Finding::bad(
                Hop::Extension,
                Fault::ExtensionAbsent,
                "no browser has connected yet",
                "pillion setup   (or, for a browser of its own: pillion launch)",
            ),
        });
    }
    findings.extend(here.into_iter().map(profile));
    findings
}

fn profile(profile: &Value) -> Finding {
    let text = |name: &str| profile[name].as_str().filter(|text| !text.is_empty());
    let name = text("slug").or(text("label")).unwrap_or("?");
    let theirs = text("extension").unwrap_or("?");
    if profile["consent"] != true {
        return Finding::bad(
            Hop::Extension,
            Fault::NoConsent,
            format!("{name} is connected; its user has not let agents in"),
            "click the Pillion icon there, then \"Let agents use this profile\"",
        );
    }
    match skew::of(version(), theirs) {
        Skew::Same => {
            Finding::good(Hop::Extension, format!("{name} is connected, version {theirs}"))
        }
        Skew::Tolerated => Finding::odd(
            Hop::Extension,
            Fault::ExtensionVersion,
            format!(
                "{name} has extension {theirs}; this program is {}. They work together",
                version()
            ),
            "chrome://extensions, Reload at Pillion",
        ),
        Skew::Apart => Finding::bad(
            Hop::Extension,
            Fault::ExtensionVersion,
            format!("{name} has extension {theirs}; this program is {}: too far apart", version()),
            "chrome://extensions, Reload at Pillion",
        ),
    }
}
