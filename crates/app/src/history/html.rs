//! The report: one file that needs nothing else, runs nothing, and loads nothing. Everything in it that an
//! agent or a page could influence is escaped, and the policy in its head forbids the rest.

use super::moment::{Clock, length};
use super::table::short;
use super::timeline::{self, class};
use super::{Entry, Outcome};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pillion_core::record::Picture;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

const STYLE: &str = include_str!("style.css");
/// Kinds of pictures that are shown.
const PICTURES: [&str; 3] = ["image/png", "image/jpeg", "image/webp"];

/// What goes into a report.
pub(super) struct Page<'a> {
    /// Oldest first.
    pub(super) entries: &'a [Entry],
    pub(super) lives: bool,
    pub(super) now_ms: u64,
    pub(super) clock: Clock,
    /// What was asked for, where that is not everything.
    pub(super) about: Vec<String>,
}

impl Page<'_> {
    /// The whole file. `picture` gives an entry's.
    pub(super) fn render(&self, picture: impl Fn(&Entry) -> Option<Picture>) -> String {
        let hash = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
             style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>What agents did, {}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
            self.clock.date(self.now_ms)
        );
        let sessions = self.sessions();
        self.head(&sessions, &mut out);
        for session in &sessions {
            self.session(session, &picture, &mut out);
        }
        if sessions.is_empty() {
            out.push_str("<p class=\"empty\">Nothing in the journal.</p>\n");
        }
        write!(
            out,
            "<footer>From Pillion's journal, {}. What was typed is told as its length, of addresses the \
             names of their queries. Nothing in this file loads or runs anything.</footer>\n</body>\n</html>\n",
            self.clock.stamp(self.now_ms)
        )
        .ok();
        out
    }

    /// Entries by session, the one that began last first.
    fn sessions(&self) -> Vec<Vec<Entry>> {
        let mut sessions: Vec<Vec<Entry>> = Vec::new();
        for entry in self.entries {
            let known = sessions.iter_mut().find(|session| {
                session.first().is_some_and(|first| first.session == entry.session)
            });
            match known {
                Some(session) => session.push(entry.clone()),
                None => sessions.push(vec![entry.clone()]),
            }
        }
        sessions.reverse();
        sessions
    }

    fn head(&self, sessions: &[Vec<Entry>], out: &mut String) {
        let first = self.entries.first().map_or(self.now_ms, |entry| entry.at_ms);
        let last = self.entries.last().map_or(self.now_ms, |entry| entry.at_ms);
        let (first, last) = (self.clock.date(first), self.clock.date(last));
        let mut period = if first == last { first } else { format!("{first} to {last}") };
        for about in &self.about {
            period.push_str(" · ");
            period.push_str(about);
        }
        let failed = self.entries.iter().filter(|entry| self.is_bad(entry)).count();
        let sites: BTreeSet<_> =
            self.entries.iter().filter_map(|entry| entry.site.as_deref()).collect();
        let sites = sites.into_iter().filter(|site| !site.is_empty()).count();
        write!(
            out,
            "<header>\n<h1>What agents did</h1>\n<p>{}</p>\n</header>\n<ul class=\"figures\">\
             <li><b>{}</b><span>calls</span></li><li><b>{}</b><span>{}</span></li>\
             <li><b>{}</b><span>{}</span></li><li{}><b>{failed}</b><span>failed</span></li></ul>\n",
            escape(&period),
            self.entries.len(),
            sessions.len(),
            plural(sessions.len(), "session"),
            sites,
            plural(sites, "site"),
            if failed > 0 { " class=\"bad\"" } else { "" },
        )
        .ok();
        if sessions.len() > 1 {
            out.push_str("<nav>");
            for session in sessions {
                if let Some(first) = session.first() {
                    let (id, client) = (escape(&first.session), escape(&first.client));
                    write!(out, "<a href=\"#s-{id}\">{client} · {id}</a>").ok();
                }
            }
            out.push_str("</nav>\n");
        }
    }

    fn is_bad(&self, entry: &Entry) -> bool {
        matches!(Outcome::of(entry, self.lives), Outcome::Failed(_) | Outcome::Unknown)
    }

    fn session(
        &self,
        entries: &[Entry],
        picture: &impl Fn(&Entry) -> Option<Picture>,
        out: &mut String,
    ) {
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return };
        let end = last.at_ms + u64::from(last.took_ms.unwrap_or(0));
        let profiles: BTreeSet<_> =
            entries.iter().filter_map(|entry| entry.profile.as_deref()).collect();
        let bad = entries.iter().filter(|entry| self.is_bad(entry)).count();
        let mut facts = vec![
            self.clock.date(first.at_ms),
            length(Duration::from_millis(end.saturating_sub(first.at_ms))),
            format!("{} {}", entries.len(), plural(entries.len(), "call")),
        ];
        if bad > 0 {
            facts.push(format!("{bad} failed"));
        }
        if !profiles.is_empty() {
            facts.push(format!("in {}", profiles.into_iter().collect::<Vec<_>>().join(", ")));
        }
        write!(
            out,
            "<section id=\"s-{0}\">\n<h2>{1}<small>session {0}</small></h2>\n<p>{2}</p>\n{3}\
             <div class=\"ends\"><span>{4}</span><span>tall: acts, low: looks</span><span>{5}</span></div>\n<ol>\n",
            escape(&first.session),
            escape(&first.client),
            escape(&facts.join(" · ")),
            timeline::svg(entries, self.clock, self.lives),
            self.clock.time(first.at_ms),
            self.clock.time(end),
        )
        .ok();
        let mut before = String::new();
        for entry in entries {
            let place = place(entry);
            // Where it was said last, it is still.
            let news = (place != before).then_some(place.as_str());
            self.entry(entry, news, picture, out);
            before = place;
        }
        out.push_str("</ol>\n</section>\n");
    }

    fn entry(
        &self,
        entry: &Entry,
        place: Option<&str>,
        picture: &impl Fn(&Entry) -> Option<Picture>,
        out: &mut String,
    ) {
        let outcome = Outcome::of(entry, self.lives);
        let kind = class(outcome);
        let chip = match outcome {
            Outcome::Done => String::new(),
            other => format!("<span class=\"chip {kind}\">{}</span>", escape(other.words())),
        };
        let took =
            entry.took_ms.map_or_else(String::new, |ms| length(Duration::from_millis(ms.into())));
        write!(
            out,
            "<li id=\"e{}\" class=\"{kind}\"><time>{}</time><div class=\"what\"><b>{}</b><code>{}</code></div>\
             <div class=\"how\">{chip}{took}</div>",
            entry.id,
            self.clock.time(entry.at_ms),
            escape(short(&entry.tool)),
            escape(&entry.about),
        )
        .ok();
        if let Some(place) = place.filter(|place| !place.is_empty()) {
            write!(out, "<div class=\"where\">{}</div>", escape(place)).ok();
        }
        if let Some(words) = entry.words.as_deref().filter(|words| !words.is_empty()) {
            write!(out, "<pre>{}</pre>", escape(words)).ok();
        }
        let shown = entry.has_picture.then(|| picture(entry)).flatten();
        if let Some(shot) = shown.filter(|shot| PICTURES.contains(&shot.mime.as_str())) {
            write!(
                out,
                "<details><summary><img alt=\"what the agent saw\" src=\"data:{};base64,{}\"></summary></details>",
                shot.mime,
                STANDARD.encode(&shot.bytes)
            )
            .ok();
        }
        out.push_str("</li>\n");
    }
}

/// `tab 7 · https://a.example/cart`.
fn place(entry: &Entry) -> String {
    let tab = entry.tab.map(|tab| format!("tab {tab}"));
    let page = entry.page.as_deref().unwrap_or_default();
    let site = entry.site.as_deref().filter(|site| !site.is_empty());
    let site = site.map(|site| format!("{site}{page}"));
    tab.into_iter().chain(site).collect::<Vec<_>>().join(" · ")
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

/// Text as HTML shows it, inside elements and quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::entry;
    use super::*;

    fn page(entries: &[Entry]) -> String {
        let page = Page {
            entries,
            lives: false,
            now_ms: 1_796_047_499_000,
            clock: Clock::utc(),
            about: vec![],
        };
        page.render(|_| Some(Picture { mime: "image/png".into(), bytes: vec![1, 2, 3] }))
    }

    #[test]
    fn nothing_in_a_report_runs_or_loads() {
        let mut hostile = entry(1, 1_796_047_439_000);
        let words = "</pre><script>x</script><img src=https://a.example onerror=x>\"'";
        for field in
            [&mut hostile.session, &mut hostile.client, &mut hostile.tool, &mut hostile.about]
        {
            words.clone_into(field);
        }
        for field in
            [&mut hostile.profile, &mut hostile.site, &mut hostile.page, &mut hostile.words]
        {
            *field = Some(words.to_owned());
        }
        hostile.outcome = Some(words.to_owned());
        let html = page(&[hostile]);
        assert!(!html.contains("<script") && !html.contains("<img src=https"), "{html}");
        assert!(!html.contains("onerror=x>\"'"));
        assert!(html.contains("default-src 'none'"));
        assert!(!html.contains(" style="), "the policy forbids it");
    }

    #[test]
    fn a_report_has_a_part_a_session_and_a_row_a_call() {
        let mut second = entry(2, 1_796_047_449_000);
        second.session = "s2".into();
        second.outcome = Some("TIMEOUT".into());
        second.has_picture = true;
        let html = page(&[entry(1, 1_796_047_439_000), second]);
        assert_eq!(html.matches("<section").count(), 2);
        assert_eq!(html.matches("<svg").count(), 2);
        assert!(html.contains("<span class=\"chip failed\">TIMEOUT</span>"));
        assert!(html.contains("data:image/png;base64,AQID"));
        assert!(page(&[]).contains("Nothing in the journal."));
    }
}
