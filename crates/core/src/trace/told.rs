//! How a trace's report looks.

use super::{Load, Place, Report, Request, Shifts, Task, Worst};
use crate::net_line::size_words as size;
use crate::page_text::{quote, url_words};

/// Entries of each list.
const LISTED: usize = 5;
/// A request that takes longer is slow.
const SLOW_MS: f64 = 200.0;
/// From where on Web Vitals count as good, and as poor.
const LCP: [f64; 2] = [2_500.0, 4_000.0];
const FCP: [f64; 2] = [1_800.0, 3_000.0];
const TTFB: [f64; 2] = [800.0, 1_800.0];
const INP: [f64; 2] = [200.0, 500.0];
const CLS: [f64; 2] = [0.1, 0.25];

/// What the words need to know beside the report.
pub struct Words<'a> {
    /// Address of the page.
    pub page: &'a str,
    /// An element by its number.
    pub element: &'a dyn Fn(u32) -> Option<String>,
}

/// The report, a line a fact, the most important first.
pub fn told(report: &Report, words: &Words) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(load) = &report.load {
        loaded(load, words, &mut out);
    }
    shifted(&report.shifts, report.load.is_some(), words, &mut out);
    interacted(report, &mut out);
    busy(report, words, &mut out);
    forced(report, words, &mut out);
    asked(report, words, &mut out);
    out
}

fn loaded(load: &Load, words: &Words, out: &mut Vec<String>) {
    match &load.lcp {
        Some(lcp) => {
            let address = if lcp.url.is_empty() {
                String::new()
            } else {
                format!(" {}", url_words(&lcp.url, Some(words.page)))
            };
            out.push(format!(
                "LCP {}{}: {}{address}",
                ms(lcp.at),
                judged(lcp.at, LCP),
                quote(&lcp.element)
            ));
            let [delay, loading, render] = lcp.parts.map(ms);
            let ttfb = load.ttfb.map_or_else(|| "not seen".to_owned(), ms);
            out.push(if lcp.url.is_empty() {
                format!("  of it: TTFB {ttfb} · render delay {render}")
            } else {
                format!(
                    "  of it: TTFB {ttfb} · load delay {delay} · load {loading} · render delay {render}"
                )
            });
        }
        None => out.push("LCP: none seen".to_owned()),
    }
    let marks = [
        ("FCP", load.fcp, Some(FCP)),
        ("TTFB", load.ttfb, Some(TTFB)),
        ("DOMContentLoaded", load.dom, None),
        ("load", load.load, None),
    ];
    let told: Vec<String> = marks
        .into_iter()
        .filter_map(|(name, at, limits)| {
            let at = at?;
            let judged = limits.map_or_else(String::new, |limits| judged(at, limits));
            Some(format!("{name} {}{judged}", ms(at)))
        })
        .collect();
    if !told.is_empty() {
        out.push(told.join(" · "));
    }
}

fn shifted(shifts: &Shifts, loaded: bool, words: &Words, out: &mut Vec<String>) {
    let Some((by, at)) = shifts.largest else {
        if loaded {
            out.push("CLS 0 (good)".to_owned());
        }
        return;
    };
    let count = plural(shifts.count, "shift");
    let moved: Vec<String> = shifts
        .moved
        .iter()
        .filter_map(|node| (words.element)(*node))
        .map(|one| quote(&one))
        .collect();
    let moved = if moved.is_empty() { "elements that are gone".to_owned() } else { some(&moved) };
    out.push(format!(
        "CLS {:.3}{}: {count}; the largest {by:.3} at {} moved {moved}",
        shifts.score,
        judged(shifts.score, CLS),
        ms(at)
    ));
}

fn interacted(report: &Report, out: &mut Vec<String>) {
    let Some(Worst { kind, ms: took, parts }) = &report.worst else { return };
    let [input, handlers, paint] = parts.map(ms);
    out.push(format!(
        "INP {}{} of {}: {}: input delay {input} · handlers {handlers} · presentation {paint}",
        ms(*took),
        judged(*took, INP),
        plural(report.interactions, "interaction"),
        quote(kind)
    ));
}

fn busy(report: &Report, words: &Words, out: &mut Vec<String>) {
    if report.tasks.is_empty() {
        out.push("long tasks: none".to_owned());
        return;
    }
    out.push(format!(
        "long tasks: {}, {} beyond 50 ms each",
        report.tasks.len(),
        ms(report.blocked)
    ));
    for Task { at, ms: took, script, layout } in report.tasks.iter().take(LISTED) {
        let what = script.as_ref().map_or_else(
            || "no script of the page".to_owned(),
            |(place, ran)| format!("{} ({})", place_words(place, words), ms(*ran)),
        );
        let layout = if *layout >= 5.0 {
            format!(" · style and layout {}", ms(*layout))
        } else {
            String::new()
        };
        out.push(format!("  {} at {}: {what}{layout}", ms(*took), ms(*at)));
    }
    more(report.tasks.len(), out);
}

fn forced(report: &Report, words: &Words, out: &mut Vec<String>) {
    if report.forced.is_empty() {
        return;
    }
    let count: u32 = report.forced.iter().map(|forced| forced.count).sum();
    let took: f64 = report.forced.iter().map(|forced| forced.ms).sum();
    out.push(format!("forced style and layout: {count} times, {}", ms(took)));
    for forced in report.forced.iter().take(LISTED) {
        let place = place_words(&forced.place, words);
        out.push(format!("  {}× {place} ({})", forced.count, ms(forced.ms)));
    }
    more(report.forced.len(), out);
}

fn asked(report: &Report, words: &Words, out: &mut Vec<String>) {
    let bytes: f64 = report.requests.iter().map(|request| request.bytes).sum();
    out.push(format!("requests: {}, {} over the wire", report.requests.len(), size(bytes)));
    let is_slow = |request: &Request| request.ms.is_some_and(|took| took >= SLOW_MS);
    let blocking: Vec<&Request> =
        report.requests.iter().filter(|request| request.blocking).collect();
    let mut slow: Vec<&Request> =
        report.requests.iter().filter(|request| !request.blocking && is_slow(request)).collect();
    slow.sort_by(|one, other| other.ms.unwrap_or(0.0).total_cmp(&one.ms.unwrap_or(0.0)));
    let failed: Vec<&Request> = report.requests.iter().filter(|request| request.failed).collect();
    for (what, list) in [("render-blocking", blocking), ("slow", slow), ("failed", failed)] {
        if list.is_empty() {
            continue;
        }
        out.push(format!("{what}: {}", list.len()));
        for request in list.iter().take(LISTED) {
            out.push(format!("  {}", request_words(request, words)));
        }
        more(list.len(), out);
    }
}

fn request_words(request: &Request, words: &Words) -> String {
    let took = request.ms.map_or_else(|| "goes on".to_owned(), ms);
    let status = request.status.map_or_else(String::new, |status| format!("{status} "));
    let cached = if request.cached { " from the cache" } else { "" };
    format!(
        "{status}{took} at {} {}{cached} {}",
        ms(request.at),
        size(request.bytes),
        url_words(&request.url, Some(words.page))
    )
}

fn place_words(Place { function, url, line }: &Place, words: &Words) -> String {
    let name = if function.is_empty() { "script".to_owned() } else { quote(function) };
    if url.is_empty() {
        return name;
    }
    let line = if *line > 0 { format!(":{line}") } else { String::new() };
    format!("{name} {}{line}", url_words(url, Some(words.page)))
}

fn more(count: usize, out: &mut Vec<String>) {
    if count > LISTED {
        out.push(format!("  +{}", count - LISTED));
    }
}

fn some(words: &[String]) -> String {
    let more = words.len().saturating_sub(LISTED);
    let told = words.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{told} +{more}") } else { told }
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn judged(value: f64, [good, poor]: [f64; 2]) -> String {
    let word = if value <= good {
        "good"
    } else if value <= poor {
        "needs improvement"
    } else {
        "poor"
    };
    format!(" ({word})")
}

fn ms(time: f64) -> String {
    if time >= 10_000.0 { format!("{:.1} s", time / 1_000.0) } else { format!("{time:.0} ms") }
}
