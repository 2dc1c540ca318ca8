//! Addresses: for answers without credentials, for records without anything that may be one.

use super::GONE;
use super::shape::{self, Name};

/// An address as an answer shows it: no password of its own, no secret in path, query or fragment.
/// Everything else stays as it is, also in addresses that are no whole ones.
pub fn address(url: &str) -> String {
    let (rest, fragment) = split(url, '#');
    let (place, query) = split(rest, '?');
    let mut out = path(&without_login(place));
    if let Some(query) = query {
        out.push('?');
        out.push_str(&pairs(query));
    }
    if let Some(fragment) = fragment {
        out.push('#');
        let (place, query) = split(fragment, '?');
        out.push_str(&if place.contains('=') { pairs(place) } else { path(&without_login(place)) });
        if let Some(query) = query {
            out.push('?');
            out.push_str(&pairs(query));
        }
    }
    out
}

/// Where a page is, for a record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageOf {
    /// `https://a.example`; a scheme with a colon where there is no host.
    pub origin: String,
    /// `/orders/…?page&q`: long or random segments as `…`, names of the query only.
    pub path: String,
}

impl PageOf {
    /// Both, as one address.
    pub fn words(&self) -> String {
        format!("{}{}", self.origin, self.path)
    }
}

/// Origin and path of an address, for a record.
pub fn page_of(url: &str) -> PageOf {
    let Ok(parsed) = url::Url::parse(url) else {
        return PageOf { origin: String::new(), path: plain_path(url) };
    };
    if !parsed.has_host() {
        let words = if parsed.scheme() == "about" { parsed.path() } else { GONE };
        return PageOf { origin: format!("{}:", parsed.scheme()), path: words.to_owned() };
    }
    let origin = match parsed.port() {
        Some(port) => {
            format!("{}://{}:{port}", parsed.scheme(), parsed.host_str().unwrap_or_default())
        }
        None => format!("{}://{}", parsed.scheme(), parsed.host_str().unwrap_or_default()),
    };
    let mut rest = parsed.path().to_owned();
    for (mark, part) in [('?', parsed.query()), ('#', parsed.fragment())] {
        if let Some(part) = part {
            rest.push(mark);
            rest.push_str(part);
        }
    }
    PageOf { origin, path: plain_path(&rest) }
}

/// A path with query and fragment, for a record.
pub(super) fn plain_path(text: &str) -> String {
    let (rest, fragment) = split(text, '#');
    let (place, query) = split(rest, '?');
    let mut out = segments(place);
    if let Some(query) = query {
        out.push('?');
        out.push_str(&names(query));
    }
    if let Some(fragment) = fragment.filter(|fragment| !fragment.is_empty()) {
        out.push('#');
        let (place, query) = split(fragment, '?');
        out.push_str(&if place.contains('=') { names(place) } else { segments(place) });
        if let Some(query) = query {
            out.push('?');
            out.push_str(&names(query));
        }
    }
    out
}

fn segments(path: &str) -> String {
    let shown = path.split('/').map(|segment| {
        let words = shape::decoded(segment);
        let is_plain = words.chars().all(|c| c.is_alphanumeric() || "-_.~,:!$()*'".contains(c));
        if !is_plain || shape::is_random(&words) || shape::is_random(segment) {
            GONE
        } else {
            segment
        }
    });
    shown.collect::<Vec<_>>().join("/")
}

/// `page&q`: a name that looks like a value is none.
fn names(query: &str) -> String {
    let shown = query.split(['&', ';']).filter(|pair| !pair.is_empty()).map(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        let words = shape::decoded(name);
        let is_name = words.len() <= 24
            && words.chars().all(|c| c.is_ascii_alphanumeric() || "-_.[]".contains(c))
            && !shape::is_random(&words)
            && !shape::is_code(&words);
        if is_name { name } else { GONE }
    });
    shown.collect::<Vec<_>>().join("&")
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

/// `https://user:pass@host/` without what stands before the `@`; of addresses inside of it, too.
fn without_login(place: &str) -> String {
    let mut out = String::with_capacity(place.len());
    let mut left = place;
    while let Some((before, rest)) = left.split_once("//") {
        let (host, path) = rest.find('/').map_or((rest, ""), |end| rest.split_at(end));
        out.push_str(before);
        out.push_str("//");
        match host.rsplit_once('@') {
            Some((_, host)) if before.is_empty() || before.ends_with(':') => {
                out.push_str(GONE);
                out.push('@');
                out.push_str(host);
            }
            _ => out.push_str(host),
        }
        left = path;
    }
    out.push_str(left);
    out
}

fn path(path: &str) -> String {
    let shown = path.split('/').map(|segment| {
        let is_secret =
            shape::is_credential(segment) || shape::is_credential(&shape::decoded(segment));
        if is_secret { GONE } else { segment }
    });
    shown.collect::<Vec<_>>().join("/")
}

fn pairs(query: &str) -> String {
    let mut out = String::with_capacity(query.len());
    for piece in query.split_inclusive(['&', ';']) {
        let (pair, mark) = match piece.strip_suffix(['&', ';']) {
            Some(pair) => (pair, &piece[pair.len()..]),
            None => (piece, ""),
        };
        match pair.split_once('=') {
            Some((name, value)) if is_secret_value(name, value) => {
                out.push_str(name);
                out.push('=');
                out.push_str(GONE);
            }
            None if shape::is_credential(&shape::decoded(pair)) => out.push_str(GONE),
            _ => out.push_str(&without_login(pair)),
        }
        out.push_str(mark);
    }
    out
}

/// Whether the value of a query's pair is a secret. Values may hold addresses of their own.
fn is_secret_value(name: &str, value: &str) -> bool {
    let words = shape::decoded(value);
    let named = match shape::name(&shape::decoded(name)) {
        Name::Header | Name::Secret => !matches!(words.as_str(), "" | "0" | "1" | "true" | "false"),
        Name::Open => shape::is_code(&words) || (words.len() >= 8 && shape::is_mixed(&words)),
        Name::Plain => false,
    };
    named || words.len() >= 8 && super::text::has_credential(&words)
}
