//! One session as a picture: a bar a call, long pauses folded. Pure; gives SVG without styles of its own.

use super::html::escape;
use super::moment::{Clock, length};
use super::table::short;
use super::{Entry, Outcome};
use pillion_engine::tools::{self, Effect};
use std::fmt::Write as _;
use std::time::Duration;

/// Units across.
const WIDTH: f64 = 1_000.0;
/// Units of a folded pause.
const FOLD: f64 = 44.0;
/// A shorter pause is shown as it is, milliseconds.
const PAUSE_MS: u64 = 20_000;
/// Most pauses that are folded: the longest ones.
const FOLDS: usize = 8;
/// Narrowest bar.
const BAR: f64 = 3.0;

/// A stretch without a long pause, milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stretch {
    from: u64,
    to: u64,
}

/// The SVG of a session's calls, oldest first.
pub(super) fn svg(entries: &[Entry], clock: Clock, lives: bool) -> String {
    let stretches = stretches(entries);
    let mut out = format!(
        "<svg class=\"line\" viewBox=\"0 0 {WIDTH} 58\" role=\"img\" aria-label=\"time line\">\
         <line class=\"axis\" x1=\"0\" x2=\"{WIDTH}\" y1=\"34\" y2=\"34\"/>"
    );
    for (before, after) in stretches.iter().zip(stretches.iter().skip(1)) {
        let x = place(&stretches, before.to) + FOLD / 2.0;
        let pause = length(Duration::from_millis(after.from - before.to));
        write!(
            out,
            "<rect class=\"fold\" x=\"{:.1}\" y=\"12\" width=\"{:.1}\" height=\"44\"/>\
             <text class=\"pause\" x=\"{x:.1}\" y=\"8\">{pause}</text>\
             <text class=\"dots\" x=\"{x:.1}\" y=\"38\">···</text>",
            x - FOLD / 2.0 + 5.0,
            FOLD - 10.0,
        )
        .ok();
    }
    for entry in entries {
        out.push_str(&bar(entry, &stretches, clock, lives));
    }
    out + "</svg>"
}

fn bar(entry: &Entry, stretches: &[Stretch], clock: Clock, lives: bool) -> String {
    let from = place(stretches, entry.at_ms);
    let to = place(stretches, entry.at_ms + u64::from(entry.took_ms.unwrap_or(0)));
    let width = (to - from).max(BAR).min(WIDTH - from.min(WIDTH - BAR));
    let x = from.min(WIDTH - BAR);
    let outcome = Outcome::of(entry, lives);
    let looks = is_look(&entry.tool);
    let (y, height) = if looks { (25, 18) } else { (15, 38) };
    let class = if looks && outcome == Outcome::Done { "look" } else { class(outcome) };
    format!(
        "<a href=\"#e{}\"><rect class=\"{}\" x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{height}\" rx=\"1.5\">\
         <title>{} {} {}</title></rect></a>",
        entry.id,
        class,
        clock.time(entry.at_ms),
        escape(short(&entry.tool)),
        escape(outcome.words()),
    )
}

/// The class of an outcome, in the picture and in the list.
pub(super) fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Failed(_) => "failed",
        Outcome::Unknown => "unknown",
        Outcome::Running => "running",
    }
}

/// Tools that look and do nothing are drawn lower.
fn is_look(tool: &str) -> bool {
    tools::find(tool).is_some_and(|tool| {
        matches!(tool.effect, Effect::Read | Effect::Watch | Effect::Manage | Effect::Compose)
    })
}

fn end_of(entry: &Entry) -> u64 {
    entry.at_ms + u64::from(entry.took_ms.unwrap_or(0))
}

/// Cut at the longest pauses.
fn stretches(entries: &[Entry]) -> Vec<Stretch> {
    let mut pauses = Vec::new();
    let mut busy_until = entries.first().map_or(0, end_of);
    for entry in entries.iter().skip(1) {
        if entry.at_ms > busy_until + PAUSE_MS {
            pauses.push((entry.at_ms - busy_until, entry.at_ms));
        }
        busy_until = busy_until.max(end_of(entry));
    }
    pauses.sort_unstable_by(|a, b| b.cmp(a));
    let mut cuts: Vec<u64> = pauses.iter().take(FOLDS).map(|(_, at)| *at).collect();
    cuts.sort_unstable();
    let mut stretches: Vec<Stretch> = Vec::new();
    for entry in entries {
        let begins = stretches.is_empty() || cuts.contains(&entry.at_ms);
        match stretches.last_mut() {
            Some(last) if !begins || entry.at_ms <= last.to => last.to = last.to.max(end_of(entry)),
            _ => stretches.push(Stretch { from: entry.at_ms, to: end_of(entry) }),
        }
    }
    stretches
}

/// Where a moment lies across.
#[expect(clippy::cast_precision_loss, reason = "lengths of sessions in milliseconds")]
fn place(stretches: &[Stretch], at: u64) -> f64 {
    let busy: u64 = stretches.iter().map(|stretch| stretch.to - stretch.from).sum();
    let folds = stretches.len().saturating_sub(1) as f64 * FOLD;
    let scale = (WIDTH - folds) / busy.max(1) as f64;
    let mut x = 0.0;
    for stretch in stretches {
        if at <= stretch.to {
            return x + at.saturating_sub(stretch.from) as f64 * scale;
        }
        x += (stretch.to - stretch.from) as f64 * scale + FOLD;
    }
    WIDTH
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::entry;
    use super::*;

    #[test]
    fn long_pauses_are_folded_and_every_call_has_a_bar_inside() {
        let all = [entry(1, 1_000), entry(2, 3_000), entry(3, 3_000_000), entry(4, 3_001_000)];
        assert_eq!(
            stretches(&all),
            [Stretch { from: 1_000, to: 3_084 }, Stretch { from: 3_000_000, to: 3_001_084 }]
        );
        let svg = svg(&all, Clock::utc(), false);
        assert_eq!(svg.matches("<a href=\"#e").count(), 4);
        assert!(svg.contains(">49 min 56 s<"), "{svg}");
        assert!((place(&stretches(&all), 3_001_084) - WIDTH).abs() < 0.1);
    }

    #[test]
    fn any_number_of_calls_fits() {
        assert!(stretches(&[]).is_empty());
        let one = stretches(&[entry(1, 5)]);
        assert!(place(&one, 5).abs() < 0.1);
        let many: Vec<_> = (0..200).map(|n| entry(n, n as u64 * 60_000)).collect();
        let all = stretches(&many);
        assert_eq!(all.len(), FOLDS + 1);
        for entry in &many {
            let x = place(&all, entry.at_ms);
            assert!((0.0..=WIDTH).contains(&x));
        }
    }
}
