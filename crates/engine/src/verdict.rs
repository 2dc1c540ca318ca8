//! What an act may say of itself: that it was done only when its input arrived, and where.

use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use crate::receipt::After;
use pillion_wire::code::{Code, Done};
use pillion_wire::id::DocumentId;
use pillion_wire::page::InputSeen;

impl After {
    /// The page is still there, and neither got the input nor shows any sign of it.
    pub(crate) fn missed_input(&self) -> bool {
        !self.left && self.quiet && self.input.as_ref().is_some_and(|seen| seen.arrived == 0)
    }
}

impl Handle {
    /// Puts the first line and the receipt together. `CLICK_MISSED` and `INPUT_BLOCKED` are told
    /// when input was expected in a page that is still there.
    pub(crate) fn judge(
        &self,
        head: &str,
        what: &str,
        after: &After,
        document: &DocumentId,
    ) -> Outcome<String> {
        if after.missed_input() {
            return Err(self.blocked("press on", what));
        }
        if let (false, Some(seen)) = (after.left, &after.input)
            && let (true, false, Some(landed)) = (seen.arrived > 0, seen.on_target, &seen.landed)
        {
            let landed = self.words(landed, document);
            return Err(Failure::new(
                Code::ClickMissed,
                format!(
                    "the press landed on {landed}, which moved in. That was clicked, {what} was not.\n{}",
                    after.lines.trim_end()
                ),
            ));
        }
        Ok(receipt_of(head, after))
    }

    /// The same for a pointer that only comes there: nothing was pressed wherever it landed.
    pub(crate) fn judge_hover(
        &self,
        head: &str,
        what: &str,
        after: &After,
        document: &DocumentId,
    ) -> Outcome<String> {
        if after.missed_input() {
            return Err(self.blocked("pointer's coming to", what).done(Done::No));
        }
        match &after.input {
            Some(InputSeen { on_target: false, landed: Some(landed), .. }) if !after.left => {
                let landed = self.words(landed, document);
                Err(Failure::new(
                    Code::ClickMissed,
                    format!(
                        "the pointer came to {landed}, which lies there now; {what} was not reached. Nothing was clicked.\n{}",
                        after.lines.trim_end()
                    ),
                )
                .done(Done::No))
            }
            _ => Ok(receipt_of(head, after)),
        }
    }

    fn blocked(&self, input: &str, what: &str) -> Failure {
        Failure::new(
            Code::InputBlocked,
            format!(
                "the page never got the {input} {what}; a prompt of Chrome's own (permission, print, passkey) is probably open, or the user interfered. Next: browser_screenshot {{\"tab\":{}}}.",
                self.tab.number
            ),
        )
    }
}

/// The first line, what was seen, and that nothing was.
pub(crate) fn receipt_of(head: &str, after: &After) -> String {
    let tail = if after.effect { "" } else { "no visible effect\n" };
    format!("{head}\n{}{tail}", after.lines).trim_end().to_owned()
}
