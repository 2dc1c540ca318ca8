//! The journal as lines: columns on a terminal, tabs for a program.

use super::Outcome;
use super::moment::{Clock, length};
use pillion_journal::Entry;
use std::time::Duration;

/// Widest agent and site columns.
const AGENT: usize = 18;
const SITE: usize = 28;

/// A line a call, oldest first. `columns`: of the terminal; without one, fields between tabs and times
/// in full.
pub(super) fn lines(
    entries: &[Entry],
    clock: Clock,
    lives: bool,
    columns: Option<usize>,
) -> Vec<String> {
    let rows: Vec<[String; 7]> = entries.iter().map(|entry| row(entry, clock, lives)).collect();
    match columns {
        None => rows
            .iter()
            .zip(entries)
            .map(|(row, entry)| {
                let mut fields = row.clone();
                fields[0] = clock.stamp(entry.at_ms);
                fields.map(|field| plain(&field)).join("\t")
            })
            .collect(),
        Some(columns) => aligned(&rows, entries, clock, columns),
    }
}

fn row(entry: &Entry, clock: Clock, lives: bool) -> [String; 7] {
    let tab = entry.tab.map_or_else(String::new, |tab| tab.to_string());
    let host = entry.site.as_deref().unwrap_or_default();
    let host = host.split_once("://").map_or(host, |(_, host)| host);
    let took =
        entry.took_ms.map_or_else(String::new, |ms| length(Duration::from_millis(ms.into())));
    [
        clock.time(entry.at_ms),
        format!("{} {}", entry.session, entry.client),
        tab,
        host.to_owned(),
        Outcome::of(entry, lives).words().to_owned(),
        took,
        format!("{} {}", short(&entry.tool), about(entry)).trim_end().to_owned(),
    ]
}

/// What stands in a column of its own is not said again.
fn about(entry: &Entry) -> String {
    let own = entry.tab.map(|tab| format!("tab={tab}"));
    let words = entry.about.split(' ').filter(|word| Some(*word) != own.as_deref());
    words.collect::<Vec<_>>().join(" ")
}

fn aligned(rows: &[[String; 7]], entries: &[Entry], clock: Clock, columns: usize) -> Vec<String> {
    let width = |at: usize, most: usize| {
        rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0).min(most)
    };
    let widths = [8, width(1, AGENT), width(2, 5), width(3, SITE), width(4, 20), width(5, 12)];
    let mut lines = Vec::new();
    let mut day = String::new();
    for (row, entry) in rows.iter().zip(entries) {
        let date = clock.date(entry.at_ms);
        if date != day {
            lines.push(date.clone());
            day = date;
        }
        let mut line = String::new();
        for (field, width) in row.iter().zip(widths).filter(|(_, width)| *width > 0) {
            let field = cut(&plain(field), width);
            line.push_str(&format!("{field:width$}  "));
        }
        let left = columns.saturating_sub(line.chars().count()).max(20);
        line.push_str(&cut(&plain(&row[6]), left));
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// `click` for `browser_click`.
pub(super) fn short(tool: &str) -> &str {
    tool.strip_prefix("browser_").unwrap_or(tool)
}

/// Nothing in the file may move the cursor.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn entry(id: i64, at_ms: u64) -> Entry {
        Entry {
            id,
            at_ms,
            session: "s1".into(),
            client: "tester".into(),
            profile: Some("Work".into()),
            tab: Some(7),
            site: Some("https://shop.example".into()),
            page: Some("/cart".into()),
            tool: "browser_click".into(),
            about: "tab=7 target=button \"Pay\"".into(),
            outcome: Some("ok".into()),
            took_ms: Some(84),
            chars: Some(40),
            words: Some("clicked button \"Pay\" [e5]".into()),
            has_picture: false,
        }
    }

    #[test]
    fn a_terminal_gets_columns_and_a_program_tabs() {
        let mut open = entry(2, 1_796_047_441_000);
        (open.outcome, open.took_ms, open.client) = (None, None, "a\u{1b}[2J".into());
        let all = [entry(1, 1_796_047_439_000), open];
        assert_eq!(
            lines(&all, Clock::utc(), false, Some(100)),
            [
                "30 Nov 2026",
                "14:03:59  s1 tester  7  shop.example  ok               84 ms  click target=button \"Pay\"",
                "14:04:01  s1 a [2J   7  shop.example  OUTCOME_UNKNOWN         click target=button \"Pay\"",
            ]
        );
        assert_eq!(
            lines(&all[..1], Clock::utc(), false, None),
            [
                "2026-11-30 14:03:59\ts1 tester\t7\tshop.example\tok\t84 ms\tclick target=button \"Pay\""
            ]
        );
        assert!(lines(&all, Clock::utc(), true, None)[1].contains("\trunning\t"));
        assert!(lines(&all, Clock::utc(), true, Some(60))[1].chars().count() <= 80);
    }
}
