//! The answer of a batch: one line a step, what was read below it, all within one ceiling. Page words stay in
//! their quotes and fences: lines are joined and cut, never words inside them.

use crate::failure::{Failure, Outcome};
use crate::tools::{Answer, Effect, ToolDef, tabs};
use pillion_wire::code::{Code, Done, Retry};
use pillion_wire::local::Reply;

/// What one line of a step is reckoned with, characters.
pub(super) const LINE: usize = 120;
/// What a read may take at least, characters.
pub(super) const LEAST: usize = 400;
/// Most characters of an act's receipt in its line.
const RECEIPT: usize = 600;

/// One step that came to its end.
pub(super) struct Ended {
    number: usize,
    tool: &'static str,
    acts: bool,
    reply: Reply,
    head: String,
    body: String,
}

impl Ended {
    /// `tab`: the one that the batch is for, which need not be said again.
    pub(super) fn new(number: usize, def: &ToolDef, reply: Reply, tab: Option<i64>) -> Self {
        let reads = matches!(def.effect, Effect::Read | Effect::Watch | Effect::Compose)
            || def.name == tabs::DEF.name;
        let prefix = tab.map(|tab| format!("tab {tab} ")).unwrap_or_default();
        let text = reply.text.trim_end();
        let text = if reads { text } else { text.strip_prefix(&prefix).unwrap_or(text) };
        let (head, body) = match (reply.ok, reads) {
            (false, _) => (format!("{number} {text}"), String::new()),
            (true, true) if text.contains('\n') => (format!("{number} ok"), text.to_owned()),
            (true, true) => (format!("{number} ok {text}"), String::new()),
            (true, false) => {
                let (receipt, fence) = at_fence(text);
                (format!("{number} ok {}", one_line(receipt)), fence.to_owned())
            }
        };
        let tool = crate::tools::short(def.name);
        let acts = !matches!(def.effect, Effect::Read | Effect::Watch);
        Self { number, tool, acts, reply, head, body }
    }

    /// Characters that it takes.
    pub(super) fn length(&self) -> usize {
        self.head.chars().count() + self.body.chars().count() + 2
    }

    pub(super) fn failure(&self) -> Option<Failure> {
        let info = self.reply.failure.as_ref()?;
        let code = info.code.as_str();
        let words = self.reply.text.strip_prefix(code).and_then(|rest| rest.strip_prefix(": "));
        let mut failure = Failure::new(info.code, words.unwrap_or(&self.reply.text));
        failure.done = info.done;
        failure.retry = info.retry;
        failure.retry_after_ms = info.retry_after_ms;
        Some(failure)
    }

    /// An ask that nobody has answered yet.
    pub(super) fn waits_for_the_user(&self) -> bool {
        self.reply.ok && self.reply.text.starts_with(Code::AskPending.as_str())
    }
}

/// The lines before the first fence, and the rest.
fn at_fence(text: &str) -> (&str, &str) {
    if text.starts_with("<page ") {
        return ("", text);
    }
    match text.find("\n<page ") {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, ""),
    }
}

/// A receipt on one line. A line that ends with a colon begins a list.
fn one_line(receipt: &str) -> String {
    let mut out = String::new();
    let mut lines = receipt.lines().map(str::trim).filter(|line| !line.is_empty());
    while let Some(line) = lines.next() {
        if !out.is_empty() && out.len() + line.len() > RECEIPT {
            out.push_str(&format!("; +{} lines", lines.count() + 1));
            break;
        }
        let gap = if out.is_empty() {
            ""
        } else if out.ends_with(':') {
            " "
        } else {
            "; "
        };
        out.push_str(gap);
        out.push_str(line);
    }
    out
}

/// All steps, within the ceiling: lines in full, then what was read as far as there is room.
fn text(ended: &[Ended], ceiling: usize) -> String {
    let heads: usize = ended.iter().map(|one| one.head.chars().count() + 1).sum();
    let mut room = ceiling.saturating_sub(heads);
    let mut out = String::new();
    for one in ended {
        out.push_str(&one.head);
        out.push('\n');
        if one.body.is_empty() {
            continue;
        }
        let length = one.body.chars().count() + 1;
        if length <= room {
            out.push_str(&one.body);
            room -= length;
        } else {
            let (part, shown) = cut(&one.body, room);
            room = 0;
            out.push_str(&part);
            out.push_str(&format!(
                "… step {} is cut at {shown} of {length} characters. Rest: its call alone, {}",
                one.number, one.tool
            ));
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out
}

/// Whole lines up to so many characters, with a fence that is open closed. Gives how many were kept.
fn cut(body: &str, room: usize) -> (String, usize) {
    let mut out = String::new();
    let mut shown = 0;
    let mut fence: Option<&str> = None;
    for line in body.lines() {
        let length = line.chars().count() + 1;
        let id = line.strip_prefix("<page ").and_then(|rest| rest.strip_suffix('>'));
        if shown + length > room {
            // Only words in a fence are raw; elsewhere half a line is half a pair of quotes.
            if fence.is_some() && shown < room && id.is_none() {
                let part: String = line.chars().take(room - shown).collect();
                shown += part.chars().count();
                out.push_str(&part);
                out.push('\n');
            }
            break;
        }
        out.push_str(line);
        out.push('\n');
        shown += length;
        fence = match fence {
            Some(id) if line == format!("</page {id}>") => None,
            None => id,
            open => open,
        };
    }
    if let Some(id) = fence {
        out.push_str(&format!("</page {id}>\n"));
    }
    (out, shown)
}

/// Every step was done.
pub(super) fn done(ended: Vec<Ended>, ceiling: usize) -> Answer {
    let text = text(&ended, ceiling);
    let images = ended.into_iter().flat_map(|one| one.reply.images).collect();
    Answer { text, images, data: None }
}

/// The last step waits for the user, and the others were not begun.
pub(super) fn waiting(ended: Vec<Ended>, all: usize, ceiling: usize) -> Answer {
    let count = ended.len();
    let mut answer = done(ended, ceiling);
    answer.text.push_str(&format!(
        "\n{} Next: the call of step {count} alone, again until the user is done; then the rest.",
        begun(count, all)
    ));
    answer
}

/// A step failed: the answer is its failure, with what was done before.
pub(super) fn failed(
    failure: &Failure,
    last: &Ended,
    before: &[Ended],
    all: usize,
    ceiling: usize,
) -> Failure {
    let count = before.len();
    if failure.code == Code::StoppedByUser {
        let words = format!(
            "the user stopped you. {} Do not go on: say where you stand.",
            counted(count, all)
        );
        return with_lines(Failure { text: words, ..failure.clone() }, before, ceiling);
    }
    let mut words = format!(
        "step {} of {all}, {}: {}\n{}",
        last.number,
        last.tool,
        failure.text.trim_end(),
        counted(count, all)
    );
    if last.number < all {
        words.push_str(&format!(" {}", not_begun(last.number, all)));
    }
    with_lines(Failure { text: words, ..failure.clone() }, before, ceiling)
}

/// Something other than a failure ends the batch before its last step.
pub(super) fn ended_early(failure: Failure, done: &[Ended], all: usize, ceiling: usize) -> Failure {
    let words = format!("{}\n{}", failure.text.trim_end(), begun(done.len(), all));
    with_lines(Failure { text: words, ..failure }, done, ceiling)
}

/// All steps were begun at the same time.
pub(super) fn all_at_once(ended: Vec<Ended>, ceiling: usize) -> Outcome<Answer> {
    let failures: Vec<_> = ended.iter().filter_map(Ended::failure).collect();
    let Some(first) = failures.first().cloned() else { return Ok(done(ended, ceiling)) };
    let all = ended.len();
    let words =
        format!("{} of {all} steps failed. {}", failures.len(), counted(all - failures.len(), all));
    let maybe = failures.iter().any(|failure| failure.done == Done::Maybe);
    let mut failure = with_lines(Failure { text: words, ..first }, &ended, ceiling);
    if maybe {
        failure.done = Done::Maybe;
    }
    Err(failure)
}

/// What was done already must not be done again with the rest.
fn with_lines(mut failure: Failure, ended: &[Ended], ceiling: usize) -> Failure {
    if !ended.is_empty() {
        failure.text.push('\n');
        failure.text.push_str(&text(ended, ceiling));
    }
    if ended.iter().any(|one| one.acts && one.reply.ok) {
        if failure.done == Done::No {
            failure.done = Done::Partly;
        }
        if failure.retry == Retry::Same {
            failure.retry = Retry::After;
        }
    }
    failure
}

fn counted(count: usize, all: usize) -> String {
    format!("{count} of {all} steps {} done.", if count == 1 { "was" } else { "were" })
}

fn begun(count: usize, all: usize) -> String {
    format!("{} {}", counted(count, all), not_begun(count, all))
}

/// `Steps 4 to 6 were not begun.`
fn not_begun(last: usize, all: usize) -> String {
    if last + 1 == all {
        format!("Step {all} was not begun.")
    } else {
        format!("Steps {} to {all} were not begun.", last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_one_line_and_says_what_it_leaves_out() {
        let receipt = "clicked button \"Add\" [e12]\nchanged:\n  + status \"Added\"\n  - link \"Cart\"\nrequests: POST 201 /cart 8ms";
        assert_eq!(
            one_line(receipt),
            "clicked button \"Add\" [e12]; changed: + status \"Added\"; - link \"Cart\"; requests: POST 201 /cart 8ms"
        );
        let long: String = (0..60).map(|n| format!("+ row \"Number {n}\"\n")).collect();
        let line = one_line(&long);
        assert!(line.len() < RECEIPT + 40 && line.ends_with(" lines"), "{line}");
    }

    #[test]
    fn a_cut_closes_its_fence_and_never_opens_quotes() {
        let body = "head \"a b\"\n<page k3f9q>\none\ntwo and more\n</page k3f9q>\ntail";
        assert_eq!(cut(body, 1_000), (format!("{body}\n"), body.chars().count() + 1));
        assert_eq!(cut(body, 33).0, "head \"a b\"\n<page k3f9q>\none\ntwo a\n</page k3f9q>\n");
        assert_eq!(cut(body, 12).0, "head \"a b\"\n");
        assert_eq!(cut(body, 5).0, "");
    }
}
