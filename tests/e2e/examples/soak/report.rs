//! The report, as Markdown.

use crate::chaos::Losses;
use crate::judge::{Outcome, Told, Verdict};
use crate::plan::Plan;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What was done, what was lost, and what did not hold.
pub fn write(
    plan: &Plan,
    told: &[Told],
    losses: &Losses,
    connections: u32,
    verdict: &Verdict,
) -> String {
    let Plan { seconds, agents, browsers, simulated, seed, .. } = plan;
    let mut acts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut answers: BTreeMap<&str, u32> = BTreeMap::new();
    for Told { act, outcome, .. } in told {
        *acts.entry(act).or_default() += 1;
        let answer = match outcome {
            Outcome::Done => "done",
            Outcome::Failed { code, .. } => code,
            Outcome::ClientKilled => "none: its client was killed",
        };
        *answers.entry(answer).or_default() += 1;
    }
    let mut text = format!(
        "# Soak\n\n{agents} MCP clients over {browsers} real browsers and {simulated} simulated \
         profiles, {seconds} s, seed {seed}.\n\n"
    );
    let list = |counts: &BTreeMap<&str, u32>| {
        let parts: Vec<_> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        parts.join(", ")
    };
    // Writing to a text never fails.
    let mut row = |what: &str, value: String| writeln!(text, "* {what}: {value}").unwrap_or(());
    row("killed", list(losses));
    row("connections of simulated profiles lost", connections.to_string());
    row("acts", format!("{} ({})", told.len(), list(&acts)));
    row("arrived", verdict.arrived.to_string());
    row("answers", list(&answers));
    let wrong = |marks: &[String]| match marks {
        [] => "0".to_owned(),
        marks => format!("**{}**: {}", marks.len(), marks.join(", ")),
    };
    row("arrived more than once", wrong(&verdict.twice));
    row("on another page or in another profile", wrong(&verdict.astray));
    row("told done, never arrived", wrong(&verdict.lost));
    row("told not done, arrived", wrong(&verdict.denied));
    row("arrived, but nobody's", wrong(&verdict.unknown));
    text
}
