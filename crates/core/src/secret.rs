//! Names of secrets, the sites that they are bound to, and how a call refers to one. Pure; holds no
//! value.

use pillion_wire::limits::SECRET_NAME_CHARS;
use std::fmt;
use url::{Host, Url};

/// How a reference begins.
const OPEN: &str = "{{secret:";
/// How it ends.
const CLOSE: &str = "}}";

/// Why a text is not a site that a secret may be bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadOrigin {
    /// It is no address.
    NoAddress,
    /// Neither https nor this machine.
    Open,
    /// There is more than scheme, host and port.
    More,
}

impl fmt::Display for BadOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoAddress => "it is no address; name a site as https://shop.example",
            Self::Open => "a secret goes to https sites and this machine's own only",
            Self::More => "name the site alone, without login, path, query or fragment",
        })
    }
}

/// What a text says of secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference<'a> {
    /// Nothing.
    None,
    /// The whole text names one.
    Whole(&'a str),
    /// One is named within other text, or by something that is no name.
    Astray,
}

/// Whether secrets may be called so: 1 to 64 of `a-z`, `0-9`, `_`, `-`.
pub fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    (1..=SECRET_NAME_CHARS).contains(&text.len()) && text.chars().all(fits)
}

/// The one spelling of a site: scheme, host and port, the port only where it is not the usual one.
///
/// # Errors
/// [`BadOrigin`], which reads as a sentence.
pub fn origin(text: &str) -> Result<String, BadOrigin> {
    let url = Url::parse(text.trim()).map_err(|_| BadOrigin::NoAddress)?;
    let host = url.host().ok_or(BadOrigin::NoAddress)?;
    match url.scheme() {
        "https" => {}
        "http" if is_this_machine(&host) => {}
        _ => return Err(BadOrigin::Open),
    }
    let is_bare = url.username().is_empty()
        && url.password().is_none()
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none();
    if is_bare { Ok(url.origin().ascii_serialization()) } else { Err(BadOrigin::More) }
}

fn is_this_machine(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// The site of an address as [`origin`] writes it; nothing for an address without one.
pub fn origin_of(url: &str) -> Option<String> {
    let origin = Url::parse(url).ok()?.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}

/// What a text says of secrets. Blanks around a reference are forgiven, nothing else is.
pub fn reference(text: &str) -> Reference<'_> {
    if !text.contains(OPEN) {
        return Reference::None;
    }
    let name = text.trim().strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE));
    match name {
        Some(name) if is_name(name) => Reference::Whole(name),
        _ => Reference::Astray,
    }
}

/// How a secret is named in a text.
pub fn named(name: &str) -> String {
    format!("{OPEN}{name}{CLOSE}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_site_has_one_spelling() {
        for (given, kept) in [
            ("https://shop.example", "https://shop.example"),
            (" HTTPS://Shop.Example:443/ ", "https://shop.example"),
            ("https://shop.example:8443", "https://shop.example:8443"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("http://a.localhost", "http://a.localhost"),
            ("http://127.0.0.1:80", "http://127.0.0.1"),
            ("http://[::1]:8080/", "http://[::1]:8080"),
            ("https://b\u{fc}cher.example", "https://xn--bcher-kva.example"),
        ] {
            assert_eq!(origin(given).as_deref(), Ok(kept), "{given}");
        }
    }

    #[test]
    fn what_is_more_or_less_than_a_site_is_refused() {
        for (given, why) in [
            ("shop.example", BadOrigin::NoAddress),
            ("", BadOrigin::NoAddress),
            ("data:text/html,x", BadOrigin::NoAddress),
            ("http://shop.example", BadOrigin::Open),
            ("http://localhost.evil.example", BadOrigin::Open),
            ("http://128.0.0.1", BadOrigin::Open),
            ("ftp://shop.example", BadOrigin::Open),
            ("https://shop.example/login", BadOrigin::More),
            ("https://shop.example/?a", BadOrigin::More),
            ("https://shop.example/#a", BadOrigin::More),
            ("https://ada@shop.example", BadOrigin::More),
        ] {
            assert_eq!(origin(given), Err(why), "{given}");
        }
        assert_eq!(origin("https://*.shop.example").as_deref(), Ok("https://*.shop.example"));
    }

    #[test]
    fn a_reference_is_the_whole_text() {
        assert_eq!(reference("plain {{ text }}"), Reference::None);
        assert_eq!(reference("{{secret:work-2_x}}"), Reference::Whole("work-2_x"));
        assert_eq!(reference(" {{secret:a}}\n"), Reference::Whole("a"));
        for astray in [
            "x{{secret:a}}",
            "{{secret:a}}{{secret:b}}",
            "{{secret:}}",
            "{{secret:A}}",
            "{{secret:a",
            "{{secret: a}}",
        ] {
            assert_eq!(reference(astray), Reference::Astray, "{astray}");
        }
        assert!(!is_name(&"a".repeat(65)));
    }

    proptest! {
        #[test]
        fn every_name_comes_back_from_its_reference(name in "[a-z0-9_-]{1,64}") {
            let text = named(&name);
            prop_assert_eq!(reference(&text), Reference::Whole(&name));
        }

        #[test]
        fn a_site_that_was_taken_is_taken_again(text in "https://[a-z]{1,9}\\.[a-z]{2,5}(:[0-9]{2,4})?/?") {
            if let Ok(kept) = origin(&text) {
                prop_assert_eq!(origin(&kept), Ok(kept.clone()));
                let page = [kept.as_str(), "/a?b#c"].concat();
                prop_assert_eq!(origin_of(&page), Some(kept));
            }
        }
    }
}
