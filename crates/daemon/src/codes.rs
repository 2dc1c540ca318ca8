//! The one pairing code that may wait, and how codes ended. Pure: the time is an argument.

use pillion_link::PairingCode;
use pillion_wire::id::ProfileId;
use pillion_wire::limits::{PAIR_OUTCOMES, PAIR_TRIES};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Writing the list of profiles takes far less, and is told when it is done.
const USED: Duration = Duration::from_secs(1);

/// How a code ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// That profile knew it.
    Paired { profile: ProfileId, label: String },
    /// Its time was over.
    Expired,
    /// It was guessed at too often.
    Spent,
    /// Another one was made, or whoever asked for it went away.
    Replaced,
    /// A profile knew it and could not be remembered, for this reason.
    Failed(String),
}

/// Codes by number. At most one waits.
#[derive(Default)]
pub(crate) struct Codes {
    last: u32,
    waiting: Option<Waiting>,
    /// Used, and not yet told how it went.
    used: Vec<u32>,
    ended: VecDeque<(u32, Outcome)>,
}

struct Waiting {
    number: u32,
    code: PairingCode,
    until: Instant,
    /// Tries that began.
    begun: u32,
    /// Tries that were wrong.
    wrong: u32,
}

/// One try of a code.
pub(crate) struct Try {
    pub(crate) number: u32,
    pub(crate) code: PairingCode,
}

impl Codes {
    /// That code waits from now on; one that waited is good no more.
    pub(crate) fn make(&mut self, code: PairingCode, life: Duration, now: Instant) -> u32 {
        self.expire(now);
        self.end(Outcome::Replaced);
        self.last += 1;
        let number = self.last;
        self.waiting = Some(Waiting { number, code, until: now + life, begun: 0, wrong: 0 });
        number
    }

    /// The code that waits and how long it is good, when that is at least `least` and it can still
    /// be tried.
    pub(crate) fn current(
        &mut self,
        least: Duration,
        now: Instant,
    ) -> Option<(PairingCode, Duration)> {
        self.expire(now);
        let waiting = self.waiting.as_ref()?;
        let is_good = now + least <= waiting.until && waiting.begun < PAIR_TRIES;
        is_good.then(|| (waiting.code.clone(), waiting.until.saturating_duration_since(now)))
    }

    /// Try the code that waits. Counted when it begins, so that tries at the same moment are no
    /// more than tries in turn. Each is to be settled by [`Codes::wrong`] or [`Codes::right`].
    pub(crate) fn begin_try(&mut self, now: Instant) -> Option<Try> {
        self.expire(now);
        let waiting = self.waiting.as_mut().filter(|waiting| waiting.begun < PAIR_TRIES)?;
        waiting.begun += 1;
        Some(Try { number: waiting.number, code: waiting.code.clone() })
    }

    /// That try was wrong.
    pub(crate) fn wrong(&mut self, number: u32) {
        let Some(waiting) = self.waiting.as_mut().filter(|one| one.number == number) else {
            return;
        };
        waiting.wrong += 1;
        if waiting.wrong >= PAIR_TRIES {
            self.end(Outcome::Spent);
        }
    }

    /// That try was right. Says whether the code was still there to be used; it is not again. To
    /// be followed by [`Codes::used`].
    pub(crate) fn right(&mut self, number: u32) -> bool {
        let used = self.waiting.take_if(|waiting| waiting.number == number).is_some();
        if used {
            self.used.push(number);
        }
        used
    }

    /// How it went with a code that was used.
    pub(crate) fn used(&mut self, number: u32, outcome: Outcome) {
        self.used.retain(|used| *used != number);
        self.remember(number, outcome);
    }

    /// Nobody waits for that code any more.
    pub(crate) fn withdraw(&mut self, number: u32) {
        if self.waiting.as_ref().is_some_and(|waiting| waiting.number == number) {
            self.end(Outcome::Replaced);
        }
    }

    /// How that code ended, or when to look again at the latest.
    pub(crate) fn outcome(&mut self, number: u32, now: Instant) -> Result<Outcome, Instant> {
        self.expire(now);
        match &self.waiting {
            Some(waiting) if waiting.number == number => Err(waiting.until),
            _ if self.used.contains(&number) => Err(now + USED),
            _ => {
                let ended = self.ended.iter().find(|(known, _)| *known == number);
                Ok(ended.map_or(Outcome::Expired, |(_, outcome)| outcome.clone()))
            }
        }
    }

    fn expire(&mut self, now: Instant) {
        if self.waiting.as_ref().is_some_and(|waiting| waiting.until <= now) {
            self.end(Outcome::Expired);
        }
    }

    fn end(&mut self, outcome: Outcome) {
        if let Some(waiting) = self.waiting.take() {
            self.remember(waiting.number, outcome);
        }
    }

    fn remember(&mut self, number: u32, outcome: Outcome) {
        if self.ended.len() >= PAIR_OUTCOMES {
            self.ended.pop_front();
        }
        self.ended.push_back((number, outcome));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIFE: Duration = Duration::from_secs(120);

    fn waiting() -> (Codes, u32, Instant) {
        let (mut codes, now) = (Codes::default(), Instant::now());
        let number = codes.make(PairingCode::generate().unwrap(), LIFE, now);
        (codes, number, now)
    }

    fn paired() -> Outcome {
        Outcome::Paired { profile: ProfileId("p".into()), label: "Work".into() }
    }

    #[test]
    fn there_is_no_code_unless_one_was_made() {
        let mut codes = Codes::default();
        assert!(codes.begin_try(Instant::now()).is_none());
        assert_eq!(codes.outcome(7, Instant::now()), Ok(Outcome::Expired));
    }

    #[test]
    fn a_code_is_used_once() {
        let (mut codes, number, now) = waiting();
        let (first, second) = (codes.begin_try(now).unwrap(), codes.begin_try(now).unwrap());
        assert!(codes.right(first.number));
        assert!(!codes.right(second.number));
        assert!(codes.begin_try(now).is_none());
        assert_eq!(codes.outcome(number, now), Err(now + USED));
        codes.used(number, paired());
        assert_eq!(codes.outcome(number, now), Ok(paired()));
    }

    #[test]
    fn the_fourth_try_never_begins_and_three_wrong_ones_end_it() {
        let (mut codes, number, now) = waiting();
        for _ in 0..PAIR_TRIES {
            assert_eq!(codes.begin_try(now).unwrap().number, number);
        }
        assert!(codes.begin_try(now).is_none());
        assert!(codes.current(Duration::ZERO, now).is_none());
        for _ in 0..PAIR_TRIES {
            codes.wrong(number);
        }
        assert_eq!(codes.outcome(number, now), Ok(Outcome::Spent));
    }

    #[test]
    fn a_code_is_over_in_time() {
        let (mut codes, number, now) = waiting();
        assert!(codes.current(LIFE, now).is_some());
        assert!(codes.current(LIFE, now + Duration::from_millis(1)).is_none());
        assert_eq!(codes.outcome(number, now), Err(now + LIFE));
        assert!(codes.begin_try(now + LIFE).is_none());
        assert_eq!(codes.outcome(number, now + LIFE), Ok(Outcome::Expired));
        assert!(!codes.right(number));
    }

    #[test]
    fn a_newer_code_replaces_it_and_late_words_of_the_old_one_change_nothing() {
        let (mut codes, old, now) = waiting();
        let new = codes.make(PairingCode::generate().unwrap(), LIFE, now);
        for _ in 0..PAIR_TRIES {
            codes.wrong(old);
        }
        codes.withdraw(old);
        assert!(!codes.right(old));
        assert_eq!(codes.outcome(old, now), Ok(Outcome::Replaced));
        assert!(codes.begin_try(now).is_some());
        codes.withdraw(new);
        assert!(codes.begin_try(now).is_none());
    }

    proptest! {
        /// Whatever happens in whatever order: no code is tried more than three times, none is
        /// used twice, and none after its time.
        #[test]
        fn no_order_of_events_gives_a_fourth_try(steps in prop::collection::vec(0u8..6, 0..60)) {
            let (mut codes, mut number, mut now) = waiting();
            let (mut tries, mut uses) = (0, 0);
            let mut until = now + LIFE;
            for step in steps {
                match step {
                    0 => {
                        number = codes.make(PairingCode::generate().unwrap(), LIFE, now);
                        (tries, uses, until) = (0, 0, now + LIFE);
                    }
                    1 | 2 => {
                        if let Some(begun) = codes.begin_try(now) {
                            prop_assert_eq!(begun.number, number);
                            prop_assert!(now < until && uses == 0);
                            tries += 1;
                        }
                    }
                    3 => codes.wrong(number),
                    4 => uses += u32::from(codes.right(number)),
                    _ => now += LIFE / 4,
                }
                prop_assert!(tries <= PAIR_TRIES && uses <= 1);
            }
        }
    }
}
