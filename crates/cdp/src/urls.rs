//! Which addresses agents may open, and on which documents anything may be done. Pure; the same rules
//! as the extension's `url-rule.ts`.

use url::Url;

/// Whether a verb may send a tab there.
pub(crate) fn may_open(url: &str) -> bool {
    if url == "about:blank" {
        return true;
    }
    Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// Whether a committed document may be read or acted on.
pub(crate) fn may_touch(url: &str) -> bool {
    // The first, empty document of a tab has no address yet; Chrome writes it `:`.
    if matches!(url, "" | ":" | "about:blank" | "about:srcdoc") {
        return true;
    }
    let Ok(parsed) = Url::parse(url) else { return false };
    match parsed.scheme() {
        "http" | "https" => !is_store(&parsed),
        "blob" => parsed.path().starts_with("http") && may_touch(parsed.path()),
        "data" => true,
        _ => false,
    }
}

fn is_store(url: &Url) -> bool {
    match url.host_str() {
        Some("chromewebstore.google.com") => true,
        Some("chrome.google.com") => url.path().starts_with("/webstore"),
        _ => false,
    }
}

/// The origin whose data a document shows; opaque ones are told apart by their whole address.
pub(crate) fn origin_of(url: &str) -> String {
    match Url::parse(url).map(|url| url.origin()) {
        Ok(origin) if origin.is_tuple() => origin.ascii_serialization(),
        _ => url.to_owned(),
    }
}

/// Host and port, or an empty text.
pub(crate) fn host_of(url: &str) -> String {
    let Ok(parsed) = Url::parse(url) else { return String::new() };
    crate::transport::host_of(&parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_pages_are_opened_and_touched() {
        for url in ["http://a.example/", "https://a.example", "about:blank"] {
            assert!(may_open(url) && may_touch(url), "{url}");
        }
        for url in [
            "file:///etc/passwd",
            "chrome://settings",
            "javascript:1",
            "rubbish",
            "view-source:http://a.example",
        ] {
            assert!(!may_open(url) && !may_touch(url), "{url}");
        }
        assert!(may_touch("blob:https://a.example/1") && !may_touch("blob:null/1"));
        assert!(may_touch("data:text/html,x") && !may_open("data:text/html,x"));
        assert!(!may_touch("https://chromewebstore.google.com/detail/x"));
    }

    #[test]
    fn origins_and_hosts() {
        assert_eq!(origin_of("https://a.example:8443/x?y"), "https://a.example:8443");
        assert_eq!(origin_of("data:text/html,x"), "data:text/html,x");
        assert_eq!(host_of("http://a.example:80/x"), "a.example");
        assert_eq!(host_of("http://a.example:81/x"), "a.example:81");
    }
}
