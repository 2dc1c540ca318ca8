//! What happened in a session's tabs while none of its calls was at work there: told once, with the next
//! answer. What an act itself brings about is its receipt's.

use crate::Engine;
use crate::receipt::download_words;
use crate::tab::Tab;
use pillion_core::page_text::{quote, url_words_whole};
use pillion_wire::code::Code;
use pillion_wire::id::{SessionId, TabNumber};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most lines of one answer.
const LINES: usize = 5;

/// What one session was told of its tabs.
#[derive(Default)]
pub(crate) struct Meanwhile {
    /// Up to where each tab that it holds was told.
    marks: BTreeMap<TabNumber, Mark>,
    /// How many of its calls work in a tab now.
    busy: BTreeMap<TabNumber, u32>,
    /// Found by steps of a call that goes on.
    lines: Vec<String>,
}

/// An event of a tab, and the address there was then.
#[derive(Clone)]
struct Mark {
    seq: u64,
    url: String,
}

impl Mark {
    fn now(tab: &Tab) -> Self {
        let state = tab.state();
        Self { seq: state.seq, url: state.url().to_owned() }
    }
}

/// A call's stay in its tab: ends when it is dropped.
pub(crate) struct Stay {
    engine: Arc<Engine>,
    session: SessionId,
    tab: Arc<Tab>,
    since: u64,
}

impl Drop for Stay {
    fn drop(&mut self) {
        let mut state = self.engine.state();
        let Some(session) = state.sessions.get_mut(&self.session) else { return };
        let busy = &mut session.meanwhile.busy;
        match busy.get_mut(&self.tab.number) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                busy.remove(&self.tab.number);
            }
        }
    }
}

impl Engine {
    /// A call of the session begins to work in a tab.
    pub(crate) fn stay(self: &Arc<Self>, session: &SessionId, tab: &Arc<Tab>) -> Stay {
        let since = tab.state().seq;
        if let Some(session) = self.state().sessions.get_mut(session) {
            *session.meanwhile.busy.entry(tab.number).or_default() += 1;
        }
        Stay { engine: self.clone(), session: session.clone(), tab: tab.clone(), since }
    }

    /// The call is over: what happened in its tab before it came is kept for the answer.
    pub(crate) fn stayed(&self, stay: Stay, code: Option<Code>) {
        let Stay { session, tab, since, .. } = &stay;
        let mark = {
            let state = self.state();
            let known = state.sessions.get(session);
            known.and_then(|session| session.meanwhile.marks.get(&tab.number)).cloned()
        };
        let lines = mark.map(|mark| self.happened(tab, &mark, *since, code)).unwrap_or_default();
        let now = Mark::now(tab);
        let is_gone = tab.state().gone.is_some();
        let mut state = self.state();
        let Some(entry) = state.sessions.get_mut(session) else { return };
        entry.meanwhile.lines.extend(lines);
        if is_gone {
            entry.meanwhile.marks.remove(&tab.number);
        } else if let Some(mark) = entry.meanwhile.marks.get_mut(&tab.number) {
            *mark = now;
        }
    }

    /// `meanwhile:` and at most five lines, or nothing. From now on it is told.
    pub(crate) fn meanwhile(&self, session: &SessionId, code: Option<Code>) -> Option<String> {
        let (held, watched) = {
            let state = self.state();
            let told = &state.sessions.get(session)?.meanwhile;
            let watched: Vec<_> = told
                .marks
                .iter()
                .filter(|(number, _)| !told.busy.contains_key(number))
                .filter_map(|(number, mark)| Some((state.tabs.get(number)?.clone(), mark.clone())))
                .collect();
            (state.held(session), watched)
        };
        let mut found = Vec::new();
        let mut lost = Vec::new();
        for (tab, mark) in &watched {
            let gone = tab.state().gone;
            if let Some((_, how)) = gone {
                lost.push(tab.number);
                // The failure says so already.
                if !matches!(
                    code,
                    Some(Code::TabNotFound | Code::StoppedByUser | Code::TabNotShared)
                ) {
                    found.push(format!("tab {}: {}", tab.number, how.words()));
                }
            } else if held.iter().any(|own| own.number == tab.number) {
                found.extend(self.happened(tab, mark, u64::MAX, code));
            } else {
                lost.push(tab.number);
            }
        }
        let marks: Vec<_> = held.iter().map(|tab| (tab.number, Mark::now(tab))).collect();
        let mut state = self.state();
        let told = &mut state.sessions.get_mut(session)?.meanwhile;
        told.marks.retain(|number, _| !lost.contains(number));
        for (number, mark) in marks {
            if !told.busy.contains_key(&number) {
                told.marks.insert(number, mark);
            }
        }
        let mut lines = std::mem::take(&mut told.lines);
        lines.extend(found);
        written(&lines)
    }

    /// Lines about one tab, from after the mark up to an event.
    fn happened(&self, tab: &Tab, from: &Mark, to: u64, code: Option<Code>) -> Vec<String> {
        let number = tab.number;
        let mut lines = Vec::new();
        let opened: Vec<TabNumber> = {
            let state = tab.state();
            let is_new = |seq: u64| seq > from.seq && seq <= to;
            let page = |url: &str| url.split('#').next().unwrap_or_default().to_owned();
            let moved = is_new(state.nav.same_document_seq) && page(state.url()) != page(&from.url);
            if is_new(state.nav.committed_seq) || moved {
                let (url, title) = (url_words_whole(state.url()), quote(state.title()));
                lines.push(format!("tab {number}: navigated to {url} {title}"));
            }
            let is_told = code == Some(Code::DialogOpen);
            if let Some(dialog) = state.dialog.as_ref().filter(|one| is_new(one.seq) && !is_told) {
                lines.push(format!("tab {number}: {} is open", dialog.words()));
            }
            if state.crashed && is_new(state.crashed_seq) && code != Some(Code::TabWedged) {
                lines.push(format!("tab {number}: its page crashed"));
            }
            let downloads = state.downloads.iter().filter(|(seq, _)| is_new(*seq));
            lines.extend(
                downloads.map(|(_, one)| format!("tab {number}: download {}", download_words(one))),
            );
            let opened = state.opened.iter().filter(|(seq, _)| is_new(*seq));
            opened.map(|(_, opened)| *opened).collect()
        };
        for other in opened {
            let title = self.state().tabs.get(&other).cloned();
            let title = title.map(|tab| tab.state().title().to_owned()).unwrap_or_default();
            lines.push(format!("tab {number}: opened tab {other} {}", quote(&title)));
        }
        lines
    }
}

fn written(lines: &[String]) -> Option<String> {
    if lines.is_empty() {
        return None;
    }
    let mut out = String::from("meanwhile:");
    let shown = if lines.len() > LINES { LINES - 1 } else { lines.len() };
    for line in &lines[..shown] {
        out.push_str("\n  ");
        out.push_str(line);
    }
    if shown < lines.len() {
        out.push_str(&format!("\n  +{} more: browser_tabs {{}}", lines.len() - shown));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_lines_at_most() {
        let lines: Vec<_> = (1..=7).map(|n| format!("tab {n}: closed")).collect();
        assert_eq!(written(&[]), None);
        assert_eq!(written(&lines[..5]).unwrap().lines().count(), 6);
        let seven = written(&lines).unwrap();
        assert!(seven.lines().count() == 6 && seven.ends_with("+3 more: browser_tabs {}"));
    }
}
