//! The list of tabs as agents read it.

use crate::Engine;
use crate::clock::now_ms;
use crate::tab::Tab;
use pillion_core::leases::Access;
use pillion_core::page_text::{quote, url_words};
use pillion_wire::id::{ProfileId, SessionId};

/// Own tabs from which on answers remind to close some.
const MANY: usize = 6;

/// Profiles (when several), then one line a tab, then how many others there are; of one profile when
/// `only` names it.
pub(crate) fn tabs(engine: &Engine, session: &SessionId, only: Option<&ProfileId>) -> String {
    let state = engine.state();
    let mine = || state.connected().filter(|(_, profile)| profile.is_for(session));
    let several = mine().count() > 1;
    let mut out = String::new();
    let (mut others, mut unshared) = (0, 0);
    for (id, profile) in mine().filter(|(id, _)| only.is_none_or(|only| only == *id)) {
        let admitted = profile.consent && profile.admitted.contains(session);
        if several {
            let waits = if admitted { "" } else { " (the user has not allowed it yet)" };
            out.push_str(&format!("profile {} {}{waits}\n", profile.slug, quote(&profile.label)));
        }
        if !admitted {
            continue;
        }
        unshared += profile.unshared;
        for tab in state.tabs.values().filter(|tab| tab.profile == *id) {
            match line(tab, &state, session) {
                Line::Shown(text) => {
                    out.push_str(&text);
                    out.push('\n');
                }
                Line::Other => others += 1,
                Line::None => {}
            }
        }
    }
    if out.is_empty() {
        out.push_str("no tabs of yours and none shared. Next: browser_navigate {\"url\":…}\n");
    }
    for (count, what) in [(others, "of other agents"), (unshared, "not shared")] {
        if count > 0 {
            let tabs = if count == 1 { "tab" } else { "tabs" };
            out.push_str(&format!("+{count} {tabs} {what}\n"));
        }
    }
    drop(state);
    out.push_str(close_reminder(engine, session).trim_start());
    out.trim_end().to_owned()
}

enum Line {
    Shown(String),
    /// Another agent's own tab.
    Other,
    None,
}

fn line(tab: &Tab, state: &crate::state::State, session: &SessionId) -> Line {
    let access = state.leases.access(tab.number, session, now_ms());
    let tab_state = tab.state();
    let Some(info) = tab_state.info.as_ref().filter(|_| tab_state.gone.is_none()) else {
        return Line::None;
    };
    let mut marks = Vec::new();
    match &access {
        Access::Mine(_) => marks.push("own".to_owned()),
        Access::Free if info.shared => marks.push("shared, free".to_owned()),
        Access::Free => marks.push("free".to_owned()),
        Access::Locked { session: holder, .. } if state.left_behind(session, holder) => {
            marks.push("left by you: claim it".to_owned());
        }
        Access::Locked { .. } if !info.shared => return Line::Other,
        Access::Locked { session, .. } => {
            marks.push(format!("shared, used by {}", quote(&state.holder(session).label)));
        }
    }
    if info.focused {
        marks.push("user, focused".to_owned());
    }
    if info.discarded {
        marks.push("discarded".to_owned());
    }
    if let Some(dialog) = &tab_state.dialog {
        marks.push(format!("{} open", dialog.kind));
    }
    let place = url_words(&info.url, None);
    let place = place.strip_prefix("https://").unwrap_or(&place);
    Line::Shown(format!(
        "{} [{}] {} {}",
        tab.number,
        marks.join(", "),
        quote(&info.title),
        place.trim_end_matches('/')
    ))
}

/// From many own tabs on: a line that reminds to close some.
pub(crate) fn close_reminder(engine: &Engine, session: &SessionId) -> String {
    let held = engine.state().held(session).len();
    if held < MANY {
        return String::new();
    }
    format!(
        "\nyou hold {held} tabs: close those that you are done with, browser_tabs {{\"action\":\"close\",\"tab\":N}}"
    )
}
