//! How requests look: one line in a list, or everything that is known of one.

use crate::console_log;
use crate::net_log::Row;
use crate::page_text::{quote, url_words_whole};

/// `r17 GET 200 xhr 1.2kB 120ms URL`.
pub fn line(row: &Row, page: &str, now: f64) -> String {
    let mut out = format!("r{} {} {}", row.number, word(&row.method, 12), outcome(row));
    for part in [word(&row.kind, 16), facts(row, now)] {
        if !part.is_empty() {
            out.push(' ');
            out.push_str(&part);
        }
    }
    format!("{out} {}", address(&row.url, page))
}

/// `r17 GET 500 URL`.
pub fn short(row: &Row, page: &str) -> String {
    let method = word(&row.method, 12);
    format!("r{} {method} {} {}", row.number, outcome(row), address(&row.url, page))
}

/// Size, time, and what is special.
fn facts(row: &Row, now: f64) -> String {
    let mut parts = Vec::new();
    if let Some(size) = row.size {
        parts.push(size_words(size));
    }
    match row.ended {
        Some(ended) => parts.push(format!("{}ms", (ended - row.begun).round().max(0.0))),
        None if row.open => parts.push(format!("open {}", seconds(now - row.begun))),
        None => parts.push(format!("waiting {}", seconds(now - row.begun))),
    }
    if row.cached {
        parts.push("cache".to_owned());
    }
    if row.by_worker {
        parts.push("service-worker".to_owned());
    }
    parts.join(" ")
}

fn seconds(ms: f64) -> String {
    format!("{:.1}s", (ms / 1_000.0).max(0.0))
}

/// The status, or why there is none.
pub fn outcome(row: &Row) -> String {
    match (&row.error, row.status) {
        (Some(error), _) => word(error, 60),
        (None, Some(status)) => status.to_string(),
        (None, None) => "…".to_owned(),
    }
}

/// Everything but the body: a line each.
pub fn details(row: &Row, page: &str, now: f64) -> String {
    let mut out =
        format!("r{} {} {}\n", row.number, word(&row.method, 12), url_words_whole(&row.url));
    out.push_str(&outcome(row));
    if let Some(mime) = &row.mime {
        out.push_str(&format!(" {}", word(mime, 80)));
    }
    out.push_str(&format!(" {} {}", facts(row, now), word(&row.kind, 16)));
    if let Some(caller) = row.caller.as_ref().filter(|caller| !caller.url.is_empty()) {
        out.push_str(&format!(" from {}", console_log::place(caller)));
        if !caller.function.is_empty() {
            out.push_str(&format!(" {}", quote(&caller.function)));
        }
    } else if let Some(initiator) = &row.initiator {
        let own = address(initiator, page);
        out.push_str(&format!(" from {}", if own == "/" { "this page".to_owned() } else { own }));
    }
    if row.redirected {
        out.push_str(" (redirected: the next hop is the next row)");
    }
    out.push('\n');
    for (name, headers) in [("request", &row.request_headers), ("response", &row.response_headers)]
    {
        if headers.is_empty() {
            continue;
        }
        let told: Vec<_> = headers
            .iter()
            .filter(|[name, _]| !(is_noise(name) || row.mime.is_some() && is_told(name)))
            .map(|[name, value]| header(name, value))
            .collect();
        out.push_str(&format!("{name} headers: {}\n", told.join(" ")));
    }
    out
}

/// Kind and size of an answer are in its first line.
fn is_told(name: &str) -> bool {
    matches!(name, "content-type" | "content-length")
}

/// What every request of the browser has. A HAR file has it, too.
fn is_noise(name: &str) -> bool {
    name.starts_with("sec-")
        || matches!(
            name,
            "user-agent" | "accept-encoding" | "connection" | "upgrade-insecure-requests"
        )
}

fn header(name: &str, value: &str) -> String {
    let name = word(name, 60);
    if value == "[redacted]" {
        return format!("{name}={value}");
    }
    let value = crate::redact::answer(value);
    // A value without spaces and quotes is its own end.
    let plain = !value.is_empty()
        && value.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '<' | '>'));
    if plain && value.len() <= 120 {
        format!("{name}={value}")
    } else {
        format!("{name}={}", quote(&value))
    }
}

/// An address with its query, which is what the call is about; of the page's own origin the path only.
pub fn address(url: &str, page: &str) -> String {
    let origin =
        |url: &str| url::Url::parse(url).ok().map(|url| url.origin()).filter(url::Origin::is_tuple);
    let whole = url_words_whole(url);
    match (origin(url), origin(page)) {
        (Some(one), Some(other)) if one == other => {
            whole.strip_prefix(&one.ascii_serialization()).unwrap_or(&whole).to_owned()
        }
        _ => whole,
    }
}

/// `1.2kB`, without a space: one word of a line.
pub fn size_words(bytes: f64) -> String {
    match bytes {
        b if b < 1_000.0 => format!("{b:.0}B"),
        b if b < 1_000_000.0 => format!("{:.1}kB", b / 1_000.0),
        b => format!("{:.1}MB", b / 1_000_000.0),
    }
}

/// A word that a page may have chosen: nothing in it can end it.
fn word(text: &str, most: usize) -> String {
    text.chars()
        .filter(|c| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '`'))
        .take(most)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net_log::NetLog;
    use expect_test::expect;
    use pillion_wire::looking::{NetStep, Step};

    fn row(step: NetStep) -> Row {
        let mut log = NetLog::default();
        log.step(NetStep {
            id: "1".into(),
            method: "GET".into(),
            kind: "xmlhttprequest".into(),
            ..step
        });
        log.row(1).unwrap().clone()
    }

    #[test]
    fn a_request_is_one_line() {
        let page = "https://a.example/";
        let told = [
            row(NetStep {
                url: "https://a.example/api?page=1&token=abcdefgh12345".into(),
                status: Some(200),
                size: Some(1_234.0),
                step: Step::Ended,
                ..NetStep::default()
            }),
            row(NetStep {
                url: "https://b.example/x\" y".into(),
                error: Some("net::ERR_FAILED".into()),
                step: Step::Ended,
                ..NetStep::default()
            }),
            row(NetStep {
                url: "https://a.example/events".into(),
                status: Some(200),
                step: Step::Open,
                ..NetStep::default()
            }),
        ];
        let lines: Vec<_> = told.iter().map(|row| line(row, page, 2_500.0)).collect();
        expect![[r#"
            r1 GET 200 xhr 1.2kB 0ms /api?page=1&token=…
            r1 GET net::ERR_FAILED xhr 0ms https://b.example/x%22%20y
            r1 GET 200 stream open 2.5s /events"#]]
        .assert_eq(&lines.join("\n"));
    }

    #[test]
    fn one_request_in_full() {
        let told = row(NetStep {
            url: "https://a.example/api".into(),
            status: Some(500),
            mime: Some("text/html".into()),
            step: Step::Ended,
            initiator: Some("https://a.example".into()),
            request_headers: vec![
                ["authorization".into(), "[redacted]".into()],
                ["accept".into(), "*/*".into()],
            ],
            response_headers: vec![["server".into(), "a \"b\"\nc".into()]],
            ..NetStep::default()
        });
        expect![[r#"
            r1 GET https://a.example/api
            500 text/html 0ms xhr from this page
            request headers: authorization=[redacted] accept=*/*
            response headers: server="a \"b\" c"
        "#]]
        .assert_eq(&details(&told, "https://a.example/x", 0.0));
    }
}
