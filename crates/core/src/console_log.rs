//! The console messages of one tab as they were read: numbered once, bounded, printed.

use crate::page_text::url_words;
use pillion_wire::limits::{CONSOLE_BYTES, CONSOLE_ROWS};
use pillion_wire::looking::{CallFrame, ConsoleEntry};
use std::collections::VecDeque;

/// One message with its number.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// `c12`: unique in the tab, never reused.
    pub number: u32,
    /// It was there at the last reading; else it is an earlier page's.
    pub here: bool,
    /// What.
    pub entry: ConsoleEntry,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct ConsoleLog {
    messages: VecDeque<Message>,
    last: u32,
    bytes: usize,
    /// Messages that gave way.
    pub forgotten: u32,
}

impl ConsoleLog {
    /// What a page's console says now, oldest first. Messages that were read before keep their numbers.
    pub fn take(&mut self, entries: Vec<ConsoleEntry>) {
        for message in &mut self.messages {
            message.here = false;
        }
        let mut from = 0;
        for entry in entries {
            let known =
                self.messages.iter().skip(from).position(|message| same(&message.entry, &entry));
            if let Some(ahead) = known {
                let message = &mut self.messages[from + ahead];
                message.here = true;
                message.entry.times = message.entry.times.max(entry.times);
                from += ahead + 1;
            } else {
                self.last += 1;
                self.bytes += cost(&entry);
                self.messages.push_back(Message { number: self.last, here: true, entry });
            }
        }
        while self.messages.len() > CONSOLE_ROWS
            || (self.bytes > CONSOLE_BYTES && self.messages.len() > 1)
        {
            let Some(message) = self.messages.pop_front() else { break };
            self.bytes = self.bytes.saturating_sub(cost(&message.entry));
            self.forgotten += 1;
        }
    }

    /// Oldest first.
    pub fn messages(&self) -> impl DoubleEndedIterator<Item = &Message> {
        self.messages.iter()
    }

    /// Forgets everything but the numbers.
    pub fn clear(&mut self) {
        *self = Self { last: self.last, ..Self::default() };
    }

    /// Bytes that the messages take, about.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

fn same(one: &ConsoleEntry, other: &ConsoleEntry) -> bool {
    one.at == other.at && one.level == other.level && one.text == other.text
}

fn cost(entry: &ConsoleEntry) -> usize {
    let stack: usize =
        entry.stack.iter().map(|frame| frame.url.len() + frame.function.len() + 64).sum();
    entry.text.len() + stack + 120
}

/// Most lines of a stack.
const STACK_LINES: usize = 5;

/// One message as lines for inside a fence: `c3 error Uncaught … (orders.ts:41) ×2`, then its stack.
pub fn lines(message: &Message) -> String {
    let entry = &message.entry;
    let indent = "  ".repeat(entry.depth.min(8) as usize);
    let first = entry.stack.first().map_or_else(String::new, |at| format!(" ({})", place(at)));
    let times = if entry.times > 1 { format!(" ×{}", entry.times) } else { String::new() };
    let text = entry.text.trim_end().replace('\n', &format!("\n{indent}    "));
    let source = match entry.source.as_str() {
        "console" | "exception" | "" => String::new(),
        other => format!(" [{other}]"),
    };
    let mut out =
        format!("c{} {indent}{}{source} {text}{first}{times}\n", message.number, entry.level);
    if entry.level == "error" && entry.stack.len() > 1 {
        for at in entry.stack.iter().take(STACK_LINES) {
            let name = if at.function.is_empty() { "(anonymous)" } else { &at.function };
            out.push_str(&format!("{indent}    at {name} ({})\n", place(at)));
        }
        if entry.stack.len() > STACK_LINES {
            out.push_str(&format!("{indent}    … {} more\n", entry.stack.len() - STACK_LINES));
        }
    }
    out
}

/// `orders.ts:41`: the file's name and the line.
pub fn place(at: &CallFrame) -> String {
    let name = file_name(&at.url);
    if at.line == 0 { name } else { format!("{name}:{}", at.line) }
}

/// The last part of an address's path that says something; the host where there is none.
pub fn file_name(url: &str) -> String {
    let whole = url_words(url.split(['?', '#']).next().unwrap_or(url), None);
    let rest = whole.split_once("://").map_or(whole.as_str(), |(_, rest)| rest);
    let name = rest.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
    if name.is_empty() { "(inline)".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn entry(at: f64, level: &str, text: &str) -> ConsoleEntry {
        let stack = vec![CallFrame {
            function: "load".into(),
            url: "https://a.example/src/orders.ts?v=1".into(),
            line: 41,
            column: 3,
        }];
        ConsoleEntry {
            at,
            level: level.into(),
            text: text.into(),
            times: 1,
            stack,
            ..ConsoleEntry::default()
        }
    }

    #[test]
    fn messages_keep_their_numbers_and_new_ones_get_the_next() {
        let mut log = ConsoleLog::default();
        log.take(vec![entry(1.0, "log", "a"), entry(2.0, "log", "b")]);
        log.take(vec![entry(2.0, "log", "b"), entry(3.0, "error", "c")]);
        let told: Vec<_> = log.messages().map(|m| (m.number, m.here)).collect();
        assert_eq!(told, [(1, false), (2, true), (3, true)]);
    }

    #[test]
    fn a_flood_is_bounded() {
        let mut log = ConsoleLog::default();
        for round in 0..20 {
            let many =
                (0..1_000).map(|n| entry(f64::from(round * 1_000 + n), "log", &"x".repeat(900)));
            log.take(many.collect());
            assert!(log.bytes() <= CONSOLE_BYTES && log.messages().count() <= CONSOLE_ROWS);
        }
        assert!(log.forgotten > 0);
        log.clear();
        assert_eq!(log.bytes(), 0);
    }

    #[test]
    fn a_message_is_a_line_and_an_error_has_its_stack() {
        let mut deep = entry(1.0, "error", "Uncaught TypeError: x\nis null");
        deep.stack.push(CallFrame {
            line: 7,
            url: "https://a.example/".into(),
            ..CallFrame::default()
        });
        deep.times = 3;
        let shown = [
            lines(&Message { number: 1, here: true, entry: entry(1.0, "log", "hi") }),
            lines(&Message { number: 2, here: true, entry: deep }),
        ];
        expect![[r#"
            c1 log hi (orders.ts:41)
            c2 error Uncaught TypeError: x
                is null (orders.ts:41) ×3
                at load (orders.ts:41)
                at (anonymous) (a.example:7)
        "#]]
        .assert_eq(&shown.concat());
    }
}
