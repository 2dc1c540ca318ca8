//! How long and how hard.

use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// What the command line asks for.
pub struct Plan {
    /// Seconds of work.
    pub seconds: u64,
    /// MCP clients.
    pub agents: usize,
    /// Real browsers.
    pub browsers: usize,
    /// Simulated profiles.
    pub simulated: usize,
    /// For what is killed when, and for what agents do.
    pub seed: u64,
    /// Where the report is kept.
    pub report: Option<PathBuf>,
}

impl Plan {
    /// From `SECONDS AGENTS BROWSERS SIMULATED SEED [REPORT]`, as `cargo xtask soak` gives them.
    pub fn read(arguments: impl Iterator<Item = String>) -> Result<Self> {
        let arguments: Vec<String> = arguments.collect();
        let number = |nth: usize| -> Result<u64> {
            arguments
                .get(nth)
                .context("run this by `cargo xtask soak`")?
                .parse()
                .context("a number")
        };
        let plan = Self {
            seconds: number(0)?,
            agents: usize::try_from(number(1)?)?,
            browsers: usize::try_from(number(2)?)?,
            simulated: usize::try_from(number(3)?)?,
            seed: number(4)?.max(1),
            report: arguments.get(5).map(PathBuf::from),
        };
        if plan.agents == 0 || plan.browsers == 0 || plan.simulated == 0 {
            bail!("at least one agent, one browser and one simulated profile");
        }
        Ok(plan)
    }
}
