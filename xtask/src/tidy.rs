//! What no compiler checks. Each check lists what is wrong; nothing is changed.

mod edges;
mod files;
mod licences;
mod typescript;

use crate::shell::{cargo, read};
use crate::test::Tally;
use crate::ui;
use anyhow::Result;
use serde_json::Value;

/// A check: what is wrong, one line each.
type Check = fn(&Value) -> Result<Vec<String>>;

const CHECKS: [(&str, Check); 9] = [
    ("arrows between crates point one way", edges::check),
    ("licences of crates", licences::crates),
    ("licences of npm packages", licences::packages),
    ("no file is long", files::lengths),
    ("every module says what it is for", files::openings),
    ("every dependency has its line in docs/DEPENDENCIES.md", licences::documented),
    ("every tool has an end-to-end test", files::tools),
    ("generated TypeScript is fresh", typescript::fresh),
    ("TypeScript stays inside its fences", typescript::fences),
];

/// The chore.
pub fn run() -> Result<Tally> {
    let metadata = read(&mut cargo(&["metadata", "--format-version=1", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let mut tally = Tally::default();
    for (name, check) in CHECKS {
        let wrong = check(&metadata).unwrap_or_else(|error| vec![format!("{error:#}")]);
        ui::say(&format!("{} {name}", if wrong.is_empty() { "ok  " } else { "FAIL" }));
        for line in &wrong {
            ui::say(&format!("     {line}"));
        }
        tally.add(Tally::of(wrong.is_empty()));
    }
    Ok(tally)
}
