//! What `pillion doctor` says. The hop once, the state, the words, the time; the first thing to do last.

use super::finding::{Finding, State};
use crate::style::{self, Tone};
use crate::ui;
use pillion_os::version::version;

/// Prints them.
pub fn say(findings: &[Finding]) {
    lines(findings).iter().for_each(|line| ui::say(line));
}

fn lines(findings: &[Finding]) -> Vec<String> {
    let mut lines = vec![
        style::paint(Tone::Bold, &format!("Pillion {}, from your clients to a page", version())),
        String::new(),
    ];
    let mut hop = None;
    for finding in findings {
        let name = if hop == Some(finding.hop) { "" } else { finding.hop.name() };
        hop = Some(finding.hop);
        let (tone, sign) = match finding.state {
            State::Good => (Tone::Good, "ok"),
            State::Note => (Tone::Warn, "--"),
            State::Bad => (Tone::Bad, "!!"),
            State::Skipped => (Tone::Dim, ".."),
        };
        let time = finding.ms.map(|ms| format!(" ({ms} ms)")).unwrap_or_default();
        let time = style::paint(Tone::Dim, &time);
        lines.push(format!("{name:<13} {}  {}{time}", style::paint(tone, sign), finding.what));
        if let Some(mend) = &finding.mend {
            let code = finding.fault.map(|fault| format!("  [{fault}]")).unwrap_or_default();
            lines.push(format!("{:<18}→ {mend}{}", "", style::paint(Tone::Dim, &code)));
        }
    }
    lines.push(String::new());
    let wrong: Vec<&Finding> =
        findings.iter().filter(|finding| finding.state == State::Bad).collect();
    lines.push(match wrong.as_slice() {
        [] => "Nothing is wrong.".to_owned(),
        [one] => {
            format!("One thing is wrong. Do this: {}", one.mend.as_deref().unwrap_or_default())
        }
        [first, ..] => format!(
            "{} things are wrong. Begin with: {}",
            wrong.len(),
            first.mend.as_deref().unwrap_or_default()
        ),
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::super::finding::{Fault, Finding, Hop};
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_first_thing_to_do_stands_last() {
        let findings = [
            Finding::good(Hop::Daemon, "runs: pid 7").took(Duration::from_millis(3)),
            Finding::bad(
                Hop::Helper,
                Fault::HelperGone,
                "Chromium: gone",
                "pillion setup --native",
            ),
            Finding::note(Hop::Helper, "Brave has none"),
        ];
        let text = lines(&findings).join("\n");
        assert!(text.contains("daemon        ok  runs: pid 7 (3 ms)\n"), "{text}");
        assert!(text.contains("helper        !!  Chromium: gone\n"), "{text}");
        assert!(text.contains("→ pillion setup --native  [HELPER_GONE]\n"), "{text}");
        assert!(text.ends_with("One thing is wrong. Do this: pillion setup --native"), "{text}");
    }
}
