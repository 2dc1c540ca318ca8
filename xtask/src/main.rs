//! `cargo xtask`: build, test, try, measure and tidy. Never part of the product.

mod accname;
mod bench;
mod build;
mod field;
mod prepare;
mod shell;
mod soak;
mod test;
mod tidy;
mod try_it;
mod ui;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Pillion's chores.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Options {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Build the extension and the binary.
    Build {
        /// Optimised: target/release/pillion.
        #[arg(long)]
        release: bool,
    },
    /// Run every layer of tests; installs what is missing.
    Test {
        /// Only these layers: format, lint, tidy, unit, web, e2e, soak.
        #[arg(long)]
        only: Vec<String>,
    },
    /// Drive a real application through MCP and show the conversation.
    Try {
        /// Your own page instead of the application.
        #[arg(long)]
        url: Option<String>,
        /// In a window that you can watch.
        #[arg(long)]
        headed: bool,
    },
    /// Drive pages out of other projects' bug reports, and compare accessible names.
    Field {
        /// The folder with fixtures, corpora and lib.
        #[arg(long, default_value = "../shared/field")]
        dir: PathBuf,
        /// Print what is said.
        #[arg(long)]
        talk: bool,
        /// Only what holds one of these words: 05, accname, fuzz.
        only: Vec<String>,
    },
    /// Our tools beside a bare debugging client on the same pages, as ratios.
    #[command(args_conflicts_with_subcommands = true)]
    Bench {
        /// Something else to measure.
        #[command(subcommand)]
        of: Option<BenchOf>,
        /// Rounds.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
    },
    /// Many agents over real browsers and simulated profiles while processes are killed at random.
    Soak(soak::Plan),
    /// Check what no compiler checks: crate edges, licences, file lengths, generated files.
    Tidy,
}

/// What else can be measured.
#[derive(Subcommand)]
enum BenchOf {
    /// The daemon alone, under many simulated profiles and sessions.
    Daemon(bench::daemon::Plan),
}

fn main() -> ExitCode {
    let result = match Options::parse().chore {
        Chore::Build { release } => build::run(release).map(|()| true),
        Chore::Test { only } => test::run(&only),
        Chore::Try { url, headed } => try_it::run(url.as_deref(), headed).map(|()| true),
        Chore::Field { dir, talk, only } => field::run(&dir, talk, &only),
        Chore::Bench { of: Some(BenchOf::Daemon(plan)), .. } => {
            bench::daemon::run(plan).map(|()| true)
        }
        Chore::Bench { of: None, rounds } => bench::run(rounds).map(|()| true),
        Chore::Soak(plan) => soak::run(&plan),
        Chore::Tidy => tidy::run().map(|tally| tally.failed == 0),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            ui::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
