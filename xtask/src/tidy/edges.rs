//! Which crate of ours may use which. A new arrow is a change of architecture: it is added here
//! and in `docs/ARCHITECTURE.md` together.

use anyhow::{Context, Result};
use serde_json::Value;

/// Each crate and what it may use; `dev` marks what only its tests may use.
const ALLOWED: &[(&str, &[&str], &[&str])] = &[
    ("pillion-wire", &[], &[]),
    ("pillion-core", &["pillion-wire"], &[]),
    ("pillion-engine", &["pillion-wire", "pillion-core"], &["pillion-testkit"]),
    ("pillion-link", &["pillion-wire", "pillion-core", "pillion-engine"], &["pillion-testkit"]),
    ("pillion-cdp", &["pillion-wire", "pillion-core", "pillion-engine"], &[]),
    ("pillion-os", &["pillion-wire", "pillion-core"], &[]),
    ("pillion-journal", &["pillion-wire", "pillion-core", "pillion-os"], &[]),
    ("pillion-secrets", &["pillion-wire", "pillion-core", "pillion-os"], &[]),
    ("pillion-clients", &[], &[]),
    ("pillion-client", &["pillion-wire", "pillion-core", "pillion-os"], &[]),
    ("pillion-mcp", &["pillion-wire", "pillion-client"], &[]),
    (
        "pillion-daemon",
        &[
            "pillion-wire",
            "pillion-core",
            "pillion-engine",
            "pillion-link",
            "pillion-cdp",
            "pillion-os",
            "pillion-journal",
            "pillion-secrets",
        ],
        &["pillion-client", "pillion-testkit"],
    ),
    (
        "pillion",
        &[
            "pillion-wire",
            "pillion-core",
            "pillion-engine",
            "pillion-link",
            "pillion-os",
            "pillion-journal",
            "pillion-secrets",
            "pillion-client",
            "pillion-clients",
            "pillion-daemon",
            "pillion-mcp",
        ],
        &["pillion-testkit"],
    ),
    ("pillion-testkit", &["pillion-wire", "pillion-link", "pillion-os", "pillion-client"], &[]),
    ("pillion-e2e", &["pillion-wire", "pillion-testkit", "pillion-link", "pillion-os"], &[]),
    ("xtask", &["pillion-testkit"], &[]),
];

/// Arrows that are not allowed, and crates that the table does not know.
pub fn check(metadata: &Value) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().context("metadata has packages")? {
        if !package["source"].is_null() {
            continue;
        }
        let name = package["name"].as_str().unwrap_or_default();
        let Some((_, uses, dev_uses)) = ALLOWED.iter().find(|(known, ..)| *known == name) else {
            wrong.push(format!("{name} is not in the table"));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let to = dependency["name"].as_str().unwrap_or_default();
            let ours = dependency["path"].is_string();
            let dev = dependency["kind"] == "dev";
            if ours && !(uses.contains(&to) || dev && dev_uses.contains(&to)) {
                wrong.push(format!("{name} → {to}{}", if dev { " (dev)" } else { "" }));
            }
        }
    }
    Ok(wrong)
}
