//! Request heads of the loopback listener: parsed strictly, answered with one of four things.
//!
//! Pure. Anything that is not exactly what our extension's browser sends is forbidden; a reason is
//! never given, because a page may be asking.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// Most header lines of a head.
const HEADERS: usize = 64;

/// What to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// 204: our extension asks whether anybody is here.
    Probe,
    /// 204: a navigation that goes nowhere.
    Dismiss,
    /// 101, with this `Sec-WebSocket-Accept`, for the extension of this origin.
    Link { accept: String, origin: String },
    /// 403 without a body.
    Forbidden,
}

/// What a head is compared with.
pub(crate) struct Facts<'a, F: Fn(&str) -> bool> {
    pub(crate) port: u16,
    pub(crate) dismiss_path: &'a str,
    pub(crate) is_allowed_origin: F,
}

/// Where a request head leads. `head` ends with the empty line.
pub(crate) fn route<F: Fn(&str) -> bool>(head: &[u8], facts: &Facts<'_, F>) -> Route {
    checked(head, facts).unwrap_or(Route::Forbidden)
}

fn checked<F: Fn(&str) -> bool>(head: &[u8], facts: &Facts<'_, F>) -> Option<Route> {
    let head = Head::parse(head)?;
    if head.one("host")? != format!("127.0.0.1:{}", facts.port) {
        return None;
    }
    if head.path == facts.dismiss_path {
        return Some(Route::Dismiss);
    }
    match head.path {
        "/probe" if head.is_from_our_extension(facts) => Some(Route::Probe),
        "/link" => {
            let origin = head.one("origin").filter(|origin| (facts.is_allowed_origin)(origin))?;
            let accept = head.upgrade()?;
            Some(Route::Link { accept, origin: origin.to_owned() })
        }
        _ => None,
    }
}

struct Head<'a> {
    path: &'a str,
    headers: Vec<(&'a str, &'a str)>,
}

impl<'a> Head<'a> {
    fn parse(head: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(head).ok()?.strip_suffix("\r\n\r\n")?;
        if !text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n')) {
            return None;
        }
        let mut lines = text.split("\r\n");
        let path = lines.next()?.strip_prefix("GET ")?.strip_suffix(" HTTP/1.1")?;
        let headers = lines.map(header).collect::<Option<Vec<_>>>()?;
        let is_plain = path.starts_with('/') && path.bytes().all(|byte| byte.is_ascii_graphic());
        (is_plain && headers.len() <= HEADERS).then_some(Self { path, headers })
    }

    /// The value of a header that is there exactly once.
    fn one(&self, name: &str) -> Option<&'a str> {
        let mut found = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// A worker's `fetch` carries no `Origin` where the extension may read the host, but then says
    /// that no site is behind it, which no page's request can say. (Measured, Chromium 156.)
    fn is_from_our_extension<F: Fn(&str) -> bool>(&self, facts: &Facts<'_, F>) -> bool {
        if self.has("origin") {
            return self.one("origin").is_some_and(&facts.is_allowed_origin);
        }
        self.one("sec-fetch-site") == Some("none") && self.one("sec-fetch-mode") == Some("cors")
    }

    /// The `Sec-WebSocket-Accept` of a request that is an upgrade.
    fn upgrade(&self) -> Option<String> {
        let asks = |name, token: &str| {
            self.one(name).is_some_and(|value| {
                value.split(',').any(|part| part.trim().eq_ignore_ascii_case(token))
            })
        };
        let is_upgrade = asks("upgrade", "websocket")
            && asks("connection", "upgrade")
            && self.one("sec-websocket-version") == Some("13")
            && !self.has("content-length")
            && !self.has("transfer-encoding");
        let key = self.one("sec-websocket-key")?;
        let is_key = STANDARD.decode(key).is_ok_and(|nonce| nonce.len() == 16);
        (is_upgrade && is_key).then(|| derive_accept_key(key.as_bytes()))
    }
}

fn header(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let is_token = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte));
    // A bare CR or LF would let one line pose as two.
    let is_line = !value.bytes().any(|byte| matches!(byte, b'\r' | b'\n'));
    (is_token && is_line).then(|| (name, value.trim_matches([' ', '\t'])))
}

/// The bytes that answer a route. A link's are followed by WebSocket frames, all others by the end.
pub(crate) fn answer(route: &Route) -> String {
    match route {
        Route::Probe | Route::Dismiss => {
            "HTTP/1.1 204 No Content\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
                .to_owned()
        }
        Route::Link { accept, .. } => format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Accept: {accept}\r\n\r\n"
        ),
        Route::Forbidden => {
            "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: &str = "Origin: chrome-extension://ours";
    const UPGRADE: &str = "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";

    fn ask(head: &str) -> Route {
        let facts = Facts {
            port: 7,
            dismiss_path: "/secret",
            is_allowed_origin: |origin: &str| origin == "chrome-extension://ours",
        };
        route(head.as_bytes(), &facts)
    }

    fn get(path: &str, lines: &[&str]) -> Route {
        let lines: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
        ask(&format!("GET {path} HTTP/1.1\r\n{lines}\r\n"))
    }

    #[test]
    fn our_extension_gets_its_link() {
        let link = get("/link", &["Host: 127.0.0.1:7", ORIGIN, UPGRADE]);
        let origin = ORIGIN.strip_prefix("Origin: ").unwrap().to_owned();
        assert_eq!(link, Route::Link { accept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".into(), origin });
        assert_eq!(get("/probe", &["Host: 127.0.0.1:7", ORIGIN]), Route::Probe);
        let fetch = ["Host: 127.0.0.1:7", "Sec-Fetch-Site: none", "Sec-Fetch-Mode: cors"];
        assert_eq!(get("/probe", &fetch), Route::Probe);
        assert_eq!(get("/secret", &["Host: 127.0.0.1:7"]), Route::Dismiss);
    }

    #[test]
    fn everything_else_is_forbidden() {
        let host = "Host: 127.0.0.1:7";
        for lines in [
            &["Host: localhost:7", ORIGIN, UPGRADE][..],
            &["Host: 127.0.0.1", ORIGIN, UPGRADE],
            &["Host: 127.0.0.1:8", ORIGIN, UPGRADE],
            &[ORIGIN, UPGRADE],
            &[host, host, ORIGIN, UPGRADE],
            &[host, UPGRADE],
            &[host, "Origin: null", UPGRADE],
            &[host, ORIGIN, ORIGIN, UPGRADE],
            &[host, ORIGIN],
            &[host, ORIGIN, UPGRADE, "Content-Length: 2"],
            &[host, ORIGIN, UPGRADE, "no colon"],
            &[host, ORIGIN, UPGRADE, " folded: line"],
            &[host, ORIGIN, UPGRADE, "X: \nOrigin: chrome-extension://ours"],
            &[host, ORIGIN, UPGRADE, "X: é"],
        ] {
            assert_eq!(get("/link", lines), Route::Forbidden, "{lines:?}");
        }
        let page = [host, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"];
        for lines in [&page[..], &[host], &[host, "Origin: null", "Sec-Fetch-Site: none"]] {
            assert_eq!(get("/probe", lines), Route::Forbidden, "{lines:?}");
        }
        for path in ["/", "/link/", "/link?", "/../link", "/LINK", "*", "http://127.0.0.1:7/link"] {
            assert_eq!(get(path, &[host, ORIGIN, UPGRADE]), Route::Forbidden, "{path}");
        }
        for head in
            ["", "\r\n\r\n", "GET\r\n\r\n", "POST /probe HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\r\n"]
        {
            assert_eq!(ask(head), Route::Forbidden);
        }
    }

    #[test]
    fn versions_and_keys_are_checked() {
        let with = |from: &str, to: &str| {
            get("/link", &["Host: 127.0.0.1:7", ORIGIN, &UPGRADE.replace(from, to)])
        };
        assert_eq!(with("13", "8"), Route::Forbidden);
        assert_eq!(with("dGhlIHNhbXBsZSBub25jZQ==", "YWJj"), Route::Forbidden);
        assert_eq!(with("dGhlIHNhbXBsZSBub25jZQ==", ""), Route::Forbidden);
        assert_eq!(with("websocket", "h2c"), Route::Forbidden);
    }

    proptest::proptest! {
        #[test]
        fn no_head_makes_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            let facts = Facts { port: 7, dismiss_path: "/secret", is_allowed_origin: |_: &str| true };
            proptest::prop_assert_eq!(route(&bytes, &facts), Route::Forbidden);
        }

        #[test]
        fn a_changed_head_makes_no_link_without_the_origin(at in 0usize..120, to in proptest::num::u8::ANY) {
            let facts = Facts {
                port: 7,
                dismiss_path: "/secret",
                is_allowed_origin: |origin: &str| origin == "chrome-extension://ours",
            };
            let mut head = format!(
                "GET /link HTTP/1.1\r\nHost: 127.0.0.1:7\r\nOrigin: chrome-extension://0urs\r\n{UPGRADE}\r\n\r\n"
            )
            .into_bytes();
            let origin = head.windows(4).position(|window| window == b"0urs").unwrap();
            if at != origin {
                head[at] = to;
            }
            proptest::prop_assert_eq!(route(&head, &facts), Route::Forbidden);
        }
    }
}
