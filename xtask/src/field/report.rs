//! What came out, as a table, and whether it is good enough.

use crate::ui;

/// What must come out right, one name a line.
const MUST_PASS: &str = include_str!("must-pass.txt");

/// How one case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// As it should.
    Right,
    /// Not as it should, and the tools said so.
    Honest,
    /// Not as it should, and the tools said done.
    False,
}

/// One case.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The fixture, or the corpus.
    pub name: String,
    /// How it ended.
    pub verdict: Verdict,
    /// What a reader wants to know.
    pub note: String,
}

impl Outcome {
    /// It ended before it could be judged.
    pub fn broken(name: &str, note: String) -> Self {
        Self { name: name.to_owned(), verdict: Verdict::Honest, note }
    }

    /// One line of the table.
    pub fn line(&self) -> String {
        let verdict = match self.verdict {
            Verdict::Right => "right outcome",
            Verdict::Honest => "honest failure",
            Verdict::False => "FALSE SUCCESS",
        };
        let note = self.note.replace('\n', " / ");
        let note: String = note.chars().take(300).collect();
        format!("{verdict:<15} {:<28} {note}", self.name)
    }
}

/// All cases.
#[derive(Default)]
pub struct Report {
    outcomes: Vec<Outcome>,
}

impl Report {
    /// One more.
    pub fn push(&mut self, outcome: Outcome) {
        self.outcomes.push(outcome);
    }

    /// Print all; true when it is good enough.
    pub fn print(&self) -> bool {
        ui::head("all");
        for outcome in &self.outcomes {
            ui::say(&outcome.line());
        }
        let count =
            |verdict| self.outcomes.iter().filter(|outcome| outcome.verdict == verdict).count();
        ui::say(&format!(
            "\n{} right, {} honest failures, {} false successes",
            count(Verdict::Right),
            count(Verdict::Honest),
            count(Verdict::False)
        ));
        let bad = self.outcomes.iter().filter(|outcome| match outcome.verdict {
            Verdict::Right => false,
            Verdict::Honest => MUST_PASS.lines().any(|name| name == outcome.name),
            Verdict::False => true,
        });
        let bad: Vec<&str> = bad.map(|outcome| outcome.name.as_str()).collect();
        if !bad.is_empty() {
            ui::say(&format!("not good enough: {}", bad.join(", ")));
        }
        ui::say(&format!("{} passed, {} failed", self.outcomes.len() - bad.len(), bad.len()));
        bad.is_empty()
    }
}
