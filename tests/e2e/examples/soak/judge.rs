//! Whether what agents were told is what happened. Pure.

use std::collections::HashMap;

/// One act as its agent saw it.
pub struct Told {
    /// Which kind.
    pub act: &'static str,
    /// Unique.
    pub mark: String,
    /// Where it was meant.
    pub place: Place,
    /// What was told of it.
    pub outcome: Outcome,
}

/// A page.
#[derive(Clone)]
pub enum Place {
    /// That one.
    Known(String),
    /// The one that the act with this mark opened.
    OpenedBy(String),
    /// A new one.
    Anywhere,
}

/// What an agent was told.
#[derive(Debug)]
pub enum Outcome {
    /// Done.
    Done,
    /// A failure.
    Failed {
        /// Its code.
        code: String,
        /// Whether it says that nothing was done.
        not_done: bool,
    },
    /// Nothing: its own client was killed meanwhile.
    ClientKilled,
}

impl Outcome {
    /// The same failure, of which is known that nothing was done.
    pub fn not_done(self) -> Self {
        match self {
            Self::Failed { code, .. } => Self::Failed { code, not_done: true },
            other => other,
        }
    }
}

/// One act that arrived.
pub struct Arrived {
    /// Its mark.
    pub mark: String,
    /// The page.
    pub place: String,
}

/// What did not hold, each with the mark.
#[derive(Default)]
pub struct Verdict {
    /// Acts that arrived at all.
    pub arrived: usize,
    /// More than once.
    pub twice: Vec<String>,
    /// On another page or in another profile.
    pub astray: Vec<String>,
    /// Told done and never arrived.
    pub lost: Vec<String>,
    /// Told not done and arrived.
    pub denied: Vec<String>,
    /// Arrived and belong to no act.
    pub unknown: Vec<String>,
}

impl Verdict {
    /// Whether nothing is wrong.
    pub fn holds(&self) -> bool {
        let all = [&self.twice, &self.astray, &self.lost, &self.denied, &self.unknown];
        all.iter().all(|marks| marks.is_empty())
    }
}

/// Compares.
pub fn judge(told: &[Told], arrivals: &[Arrived]) -> Verdict {
    let mut places: HashMap<&str, Vec<&str>> = HashMap::new();
    for Arrived { mark, place } in arrivals {
        places.entry(mark).or_default().push(place);
    }
    let mut verdict = Verdict { arrived: places.len(), ..Verdict::default() };
    for Told { mark, place, outcome, .. } in told {
        let at = places.remove(mark.as_str()).unwrap_or_default();
        if at.len() > 1 {
            verdict.twice.push(mark.clone());
        }
        let wanted = match place {
            Place::Known(place) => Some(place.as_str()),
            Place::OpenedBy(opening) => {
                arrivals.iter().find(|arrived| arrived.mark == *opening).map(|a| a.place.as_str())
            }
            Place::Anywhere => None,
        };
        let meant = !matches!(place, Place::Anywhere);
        if let Some(other) = at.iter().find(|place| meant && Some(**place) != wanted) {
            verdict
                .astray
                .push(format!("{mark} on {other}, not {}", wanted.unwrap_or("any known")));
        }
        match outcome {
            Outcome::Done if at.is_empty() => verdict.lost.push(mark.clone()),
            Outcome::Failed { not_done: true, .. } if !at.is_empty() => {
                verdict.denied.push(mark.clone());
            }
            _ => {}
        }
    }
    verdict.unknown.extend(places.into_keys().map(str::to_owned));
    verdict
}
