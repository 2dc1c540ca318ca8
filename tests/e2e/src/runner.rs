//! Runs the tests one after the other on one rig, and prints them as the standard runner does.
//! After a failure the rig is made anew, so that one fault is reported once, and the test is run once
//! more: with a real browser on a busy machine, what fails once only is reported and is no failure.

#![expect(clippy::print_stdout, reason = "a test runner's output is its purpose")]

use crate::rig::{Over, Rig};
use anyhow::{Result, anyhow};
use std::pin::Pin;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// No test takes longer.
const TEST: Duration = Duration::from_secs(180);
/// Lines of each log in a failure's report.
const LOG_LINES: usize = 40;

/// A test under way.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// One test.
pub struct Test {
    /// `::module::what_it_says`.
    pub name: &'static str,
    /// Which link its rig is over.
    pub over: Over,
    /// What it does.
    pub run: for<'a> fn(&'a mut Rig) -> Running<'a>,
}

/// Run the tests that the command line names (all when it names none).
pub fn run(lists: &[&[Test]]) -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let chosen: Vec<&Test> = lists
        .iter()
        .flat_map(|tests| tests.iter())
        .filter(|test| words.is_empty() || words.iter().any(|word| test.name.contains(word)))
        .collect();
    if std::env::args().any(|arg| arg == "--list") {
        for test in &chosen {
            println!("{}: test", test.name.trim_start_matches(':'));
        }
        return ExitCode::SUCCESS;
    }
    match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime.block_on(run_chosen(&chosen)),
        Err(error) => {
            println!("no runtime: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run_chosen(tests: &[&Test]) -> ExitCode {
    println!("\nrunning {} tests", tests.len());
    let started = Instant::now();
    let mut failures = Vec::new();
    let mut shaky = Vec::new();
    let mut rig = None;
    for test in tests {
        let name = test.name.trim_start_matches(':');
        let begun = Instant::now();
        match run_one(test, &mut rig).await {
            Ok(()) => println!("test {name} ... ok ({:.1?})", begun.elapsed()),
            Err(error) => {
                let report = reported(name, &error, &mut rig);
                match run_one(test, &mut rig).await {
                    Ok(()) => {
                        println!("test {name} ... ok (shaky, {:.1?})", begun.elapsed());
                        shaky.push(report);
                    }
                    Err(error) => {
                        println!("test {name} ... FAILED ({:.1?})", begun.elapsed());
                        failures.push(reported(name, &error, &mut rig));
                    }
                }
            }
        }
    }
    drop(rig);
    for once in &shaky {
        println!("\nfailed once, and passed then:\n{once}");
    }
    for failure in &failures {
        println!("\n{failure}");
    }
    let passed = tests.len() - failures.len();
    println!(
        "\ntest result: {}. {passed} passed; {} failed; 0 ignored; finished in {:.1?}\n",
        if failures.is_empty() { "ok" } else { "FAILED" },
        failures.len(),
        started.elapsed()
    );
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn reported(name: &str, error: &anyhow::Error, rig: &mut Option<Rig>) -> String {
    let report = rig.take().map(|rig| rig.report(LOG_LINES)).unwrap_or_default();
    format!("---- {name} ----\n{error:#}\n{report}")
}

async fn run_one(test: &Test, rig: &mut Option<Rig>) -> Result<()> {
    if rig.as_ref().is_some_and(|rig| rig.over != test.over) {
        // Ended before the next one begins: there is one daemon at a time.
        drop(rig.take());
    }
    let rig = match rig {
        Some(rig) => {
            // A worker that is just ending is as good as a clean one.
            rig.clean().await.ok();
            rig
        }
        None => rig.insert(Rig::start(test.over).await?),
    };
    tokio::time::timeout(TEST, (test.run)(rig))
        .await
        .map_err(|_| anyhow!("not done in {TEST:?}"))?
}
