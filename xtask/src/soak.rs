//! `cargo xtask soak`: builds what the soak drives, and runs it. The soak itself is an example of the
//! end-to-end tests' crate, because this program must build while the product does not.

use crate::shell::{self, cargo};
use crate::{build, prepare};
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

/// How long and how hard.
#[derive(Debug, Clone, Args)]
pub struct Plan {
    /// Length of the work.
    #[arg(long, default_value_t = Plan::default().seconds)]
    pub seconds: u64,
    /// MCP clients.
    #[arg(long, default_value_t = Plan::default().agents)]
    pub agents: usize,
    /// Real browsers; with the simulated profiles at most 32.
    #[arg(long, default_value_t = Plan::default().browsers)]
    pub browsers: usize,
    /// Simulated profiles.
    #[arg(long, default_value_t = Plan::default().simulated)]
    pub simulated: usize,
    /// For what is killed when, and for what agents do.
    #[arg(long, default_value_t = Plan::default().seed)]
    pub seed: u64,
    /// Keep the report in this file.
    #[arg(long)]
    pub report: Option<PathBuf>,
}

impl Default for Plan {
    fn default() -> Self {
        Self { seconds: 60, agents: 10, browsers: 3, simulated: 29, seed: 1, report: None }
    }
}

/// The chore. False when something did not hold.
pub fn run(plan: &Plan) -> Result<bool> {
    prepare::browser()?;
    let binary = build::run_all(false)?;
    let Plan { seconds, agents, browsers, simulated, seed, report } = plan;
    let numbers = [*seconds, *agents as u64, *browsers as u64, *simulated as u64, *seed];
    let mut soak = cargo(&["run", "--quiet", "-p", "pillion-e2e", "--example", "soak", "--"]);
    soak.args(numbers.map(|number| number.to_string())).env("PILLION_BIN", binary);
    if let Some(report) = report {
        soak.arg(std::path::absolute(report)?);
    }
    shell::succeeds(&mut soak)
}
