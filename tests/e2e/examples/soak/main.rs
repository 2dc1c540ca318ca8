//! Agents over real browsers and simulated profiles, while processes are killed and connections are
//! lost at random. Every act carries a mark that is recorded where it arrives. Run by
//! `cargo xtask soak`, which builds what this drives.

#![expect(clippy::print_stdout, reason = "the report is printed")]

mod agent;
mod chaos;
mod judge;
mod plan;
mod report;
mod stage;

use agent::Agent;
use anyhow::{Context, Result};
use plan::Plan;
use stage::Stage;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("the soak could not go on: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool> {
    let plan = Plan::read(std::env::args().skip(1))?;
    tokio::runtime::Runtime::new()?.block_on(soak(&plan))
}

/// Whether everything held.
async fn soak(plan: &Plan) -> Result<bool> {
    let stage = Arc::new(Stage::set(plan).await?);
    let end = Instant::now() + Duration::from_secs(plan.seconds);
    let agents: Vec<_> = (0..plan.agents)
        .map(|nth| {
            let agent = Agent::new(&stage, plan.seed, nth);
            tokio::spawn(agent.work(end))
        })
        .collect();
    let losses = chaos::until(&stage, plan.seed, end).await?;
    let mut told = Vec::new();
    for agent in agents {
        told.extend(agent.await?.context("an agent gave up")?);
    }
    let verdict = judge::judge(&told, &stage.arrivals());
    let report = report::write(plan, &told, &losses, stage.fleet.lost(), &verdict);
    println!("{report}");
    if let Some(path) = &plan.report {
        std::fs::write(path, format!("{report}\n"))?;
    }
    Ok(verdict.holds())
}
