//! The user is in an agent's tab as well: an act waits until they have been quiet for a moment, and its
//! answer says so. What was pressed or typed is never known here, only when.

use crate::clock::now_ms;
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use crate::tab::TabState;
use pillion_wire::code::{Code, Done, Retry};
use pillion_wire::limits;
use pillion_wire::verb::InputKind;
use std::time::{Duration, Instant};

/// An act that waited for the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waited {
    time: Duration,
    kind: InputKind,
}

impl Waited {
    /// `waited 1.2 s: the user was typing here`.
    pub(crate) fn line(self) -> String {
        let seconds = self.time.as_secs_f32().max(0.1);
        format!("waited {seconds:.1} s: the user was {} here", verb_of(self.kind))
    }
}

const fn verb_of(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Pointer => "clicking",
        InputKind::Keys => "typing",
    }
}

/// How long to wait yet, with what the user did; nothing when they are quiet.
fn busy(state: &TabState, now: u64) -> Option<(Duration, InputKind)> {
    let (at, kind) = state.user?;
    let left = limits::USER_QUIET.checked_sub(Duration::from_millis(now.saturating_sub(at)))?;
    (!left.is_zero()).then_some((left, kind))
}

impl Handle {
    /// Waits until the user did nothing in the tab for [`limits::USER_QUIET`]. Gives nothing when
    /// there was nothing to wait for. Fails `INPUT_BLOCKED` when they go on for
    /// [`limits::USER_BUSY`], and when the tab goes.
    pub(crate) async fn user_quiet(&self) -> Outcome<Option<Waited>> {
        let began = Instant::now();
        let mut waited = None;
        loop {
            let now = busy(&self.tab.state(), now_ms());
            let Some((left, kind)) = now else { return Ok(waited) };
            if began.elapsed() >= self.time(limits::USER_BUSY) {
                return Err(self.user_goes_on(kind));
            }
            self.or_dialog(tokio::time::sleep(left)).await?;
            waited = Some(Waited { time: began.elapsed(), kind });
        }
    }

    fn user_goes_on(&self, kind: InputKind) -> Failure {
        let mut failure = Failure::new(
            Code::InputBlocked,
            format!(
                "the user is {} in tab {} and went on for {} s. Nothing was done. Next: the same call in a while, or go on elsewhere.",
                verb_of(kind),
                self.tab.number,
                limits::USER_BUSY.as_secs()
            ),
        )
        .done(Done::No)
        .after(limits::USER_BUSY.as_millis() as u32);
        failure.retry = Retry::After;
        failure
    }
}

/// An answer with the line below its first one.
pub(crate) fn told(text: &str, waited: Option<Waited>) -> String {
    let Some(waited) = waited else { return text.to_owned() };
    match text.split_once('\n') {
        Some((head, rest)) => format!("{head}\n{}\n{rest}", waited.line()),
        None => format!("{text}\n{}", waited.line()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_stands_below_the_first_one() {
        let waited = Some(Waited { time: Duration::from_millis(1_234), kind: InputKind::Keys });
        let line = "waited 1.2 s: the user was typing here";
        assert_eq!(told("clicked button", waited), format!("clicked button\n{line}"));
        assert_eq!(told("clicked\nfocus: x\ny", waited), format!("clicked\n{line}\nfocus: x\ny"));
        assert_eq!(told("clicked\nfocus: x", None), "clicked\nfocus: x");
    }
}
