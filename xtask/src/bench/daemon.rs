//! The daemon under simulated load: many sessions, profiles and tabs, without a browser. The load
//! itself is an example of the daemon's crate, because this program must build while that does not.

use crate::shell::{self, cargo};
use crate::ui;
use anyhow::Result;

/// How much to put on the daemon.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Plan {
    /// Agents that call at once.
    #[arg(long, default_value_t = 100)]
    sessions: usize,
    /// Simulated profiles, at most 32.
    #[arg(long, default_value_t = 32)]
    profiles: usize,
    /// Tabs over all profiles.
    #[arg(long, default_value_t = 1_000)]
    tabs: usize,
    /// Length of each measurement.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
}

/// What the figures are to be.
const TARGETS: &str = "targets: ≥ 20,000 calls/s through the daemon on 2 cores, none lost, fair; own share ≤ 0.5 ms \
                       median, ≤ 2 ms p99 with 32 sessions; ≤ 15 MB idle with one profile";

/// The chore.
pub fn run(plan: Plan) -> Result<()> {
    ui::say(&machine());
    let numbers = [plan.sessions, plan.profiles, plan.tabs].map(|number| number.to_string());
    let seconds = plan.seconds.to_string();
    let mut args =
        vec!["run", "--quiet", "--release", "-p", "pillion-daemon", "--example", "load", "--"];
    args.extend(numbers.iter().map(String::as_str));
    args.push(&seconds);
    shell::run(&mut cargo(&args))?;
    ui::say(TARGETS);
    ui::say(
        "The load shares the cores with the daemon: \"daemon alone\" is what two cores would carry if \
         the load ran elsewhere.",
    );
    Ok(())
}

/// Processor, cores and system, as far as they are told.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let load = read("/proc/loadavg");
    format!(
        "{cores} cores, {}, Linux {}, load before {}",
        model.map_or("processor unknown", |(_, model)| model),
        read("/proc/sys/kernel/osrelease").trim(),
        load.split(' ').next().unwrap_or("unknown"),
    )
}
