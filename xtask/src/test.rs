//! Every layer of tests, cheapest first, and one line at the end.

use crate::shell::{self, cargo, command, root, tee};
use crate::{build, prepare, soak, tidy, ui};
use anyhow::{Context, Result, bail};
use std::process::Command;

/// How many checks held.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Held.
    pub passed: usize,
    /// Did not.
    pub failed: usize,
}

impl Tally {
    /// One check.
    pub fn of(held: bool) -> Self {
        Self { passed: usize::from(held), failed: usize::from(!held) }
    }

    /// Add another's.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

type Layer = (&'static str, fn() -> Result<Tally>);

const LAYERS: [Layer; 7] = [
    ("format", format),
    ("lint", lint),
    ("tidy", tidy::run),
    ("unit", unit),
    ("web", web),
    ("e2e", end_to_end),
    ("soak", a_minute_of_soak),
];

/// The chore. False when a check failed.
pub fn run(only: &[String]) -> Result<bool> {
    if let Some(word) = only.iter().find(|word| LAYERS.iter().all(|(name, _)| name != word)) {
        let names: Vec<&str> = LAYERS.iter().map(|(name, _)| *name).collect();
        bail!("no layer `{word}`; there are {}", names.join(", "));
    }
    prepare::node_packages()?;
    let mut total = Tally::default();
    let mut broken = Vec::new();
    for (name, layer) in LAYERS {
        if !only.is_empty() && !only.iter().any(|word| word == name) {
            continue;
        }
        ui::head(name);
        let tally = layer().unwrap_or_else(|error| {
            ui::say(&format!("{name}: {error:#}"));
            Tally::of(false)
        });
        if tally.failed > 0 {
            broken.push(name);
        }
        total.add(tally);
    }
    if !broken.is_empty() {
        ui::say(&format!("\nfailed layers: {}", broken.join(", ")));
    }
    ui::say(&format!("\n{} passed, {} failed", total.passed, total.failed));
    Ok(total.failed == 0)
}

fn format() -> Result<Tally> {
    Ok(Tally::of(shell::succeeds(&mut cargo(&["fmt", "--all", "--check"]))?))
}

fn lint() -> Result<Tally> {
    let args = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
    Ok(Tally::of(shell::succeeds(&mut cargo(&args))?))
}

fn unit() -> Result<Tally> {
    // The binary embeds the built page agent and extension.
    shell::run(&mut command("node", &["web/build.mjs"]))?;
    let mut tests = cargo(&["test", "--workspace", "--exclude", "pillion-e2e", "--no-fail-fast"]);
    rust_tests(&mut tests)
}

fn web() -> Result<Tally> {
    prepare::browser()?;
    let mut tally = Tally::of(shell::succeeds(&mut command("npm", &["run", "--silent", "check"]))?);
    let report = shell::target().join("vitest.json");
    std::fs::create_dir_all(shell::target())?;
    let output = format!("--outputFile.json={}", report.display());
    let args = ["vitest", "run", "--root", "web", "--reporter=default", "--reporter=json", &output];
    let ended_well = shell::succeeds(&mut command("npx", &args))?;
    let text = std::fs::read_to_string(&report).context("vitest left no report")?;
    let report: serde_json::Value = serde_json::from_str(&text)?;
    let count = |key: &str| report[key].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let failed = count("numFailedTests").max(usize::from(!ended_well));
    tally.add(Tally { passed: count("numPassedTests"), failed });
    Ok(tally)
}

fn end_to_end() -> Result<Tally> {
    prepare::browser()?;
    prepare::python()?;
    let binary = build::run_all(false)?;
    let mut tests = cargo(&["test", "-p", "pillion-e2e", "--test", "e2e"]);
    rust_tests(tests.env("PILLION_BIN", binary))
}

fn a_minute_of_soak() -> Result<Tally> {
    Ok(Tally::of(soak::run(&soak::Plan::default())?))
}

/// Run cargo's tests and add up its result lines.
fn rust_tests(command: &mut Command) -> Result<Tally> {
    let (ended_well, lines) = tee(command.current_dir(root()))?;
    let mut tally = Tally::default();
    for line in lines.iter().filter_map(|line| line.strip_prefix("test result: ")) {
        let before = |word: &str| {
            let count = line.split([';', '.']).find_map(|part| part.trim().strip_suffix(word));
            count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
        };
        tally.add(Tally { passed: before("passed"), failed: before("failed") });
    }
    // A test that does not compile or that aborts has no result line.
    tally.failed = tally.failed.max(usize::from(!ended_well));
    Ok(tally)
}
