//! From what a user writes to the address of a browser's own WebSocket. Shows no path and no query: they
//! may hold a key.

use crate::transport::{ConnectError, host_of, open_stream};
use pillion_wire::limits::cdp::{CONNECT, VERSION_BYTES};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use url::Url;

/// The WebSocket of a browser: `ws://` and `wss://` as they stand, `http://` and `https://` by their
/// `/json/version`, a bare `HOST:PORT` as `http://`.
///
/// # Errors
/// When that is no address, or nobody there answers as a browser does.
pub async fn resolve(written: &str) -> Result<Url, ConnectError> {
    let url = parse(written)?;
    if matches!(url.scheme(), "https" | "wss") {
        // Never in the clear: the address may hold a key.
        let why =
            "this build has no TLS; use a tunnel to it and its http:// or ws:// address".to_owned();
        return Err(ConnectError::Refused { host: host_of(&url), why });
    }
    if matches!(url.scheme(), "ws" | "wss") {
        return Ok(url);
    }
    let host = host_of(&url);
    let asked = tokio::time::timeout(CONNECT, version(&url)).await;
    let told = asked.map_err(|_| ConnectError::Late { host: host.clone(), within: CONNECT })??;
    let refused = |why: &str| ConnectError::Refused { host: host.clone(), why: why.to_owned() };
    let text = told["webSocketDebuggerUrl"].as_str();
    let text = text.ok_or_else(|| refused("its /json/version names no browser"))?;
    let told = Url::parse(text).map_err(|_| refused("its /json/version names no address"))?;
    moved(&url, told).ok_or_else(|| refused("its /json/version names no address"))
}

fn parse(written: &str) -> Result<Url, ConnectError> {
    let wrong = || ConnectError::Address(shown(written));
    let text =
        if written.contains("://") { written.to_owned() } else { format!("http://{written}") };
    let url = Url::parse(&text).map_err(|_| wrong())?;
    let fits = matches!(url.scheme(), "http" | "https" | "ws" | "wss") && url.host_str().is_some();
    if fits { Ok(url) } else { Err(wrong()) }
}

/// The browser's path and query at the address that we reached it at: what it calls itself may be of
/// its own machine only.
fn moved(asked: &Url, mut told: Url) -> Option<Url> {
    told.set_scheme(if asked.scheme() == "https" { "wss" } else { "ws" }).ok()?;
    told.set_host(asked.host_str()).ok()?;
    told.set_port(asked.port()).ok()?;
    Some(told)
}

/// The beginning of what was written, without what may be a key.
fn shown(written: &str) -> String {
    written.split(['?', '#']).next().unwrap_or_default().chars().take(80).collect()
}

/// One request.
async fn version(url: &Url) -> Result<Value, ConnectError> {
    let host = host_of(url);
    let mut path = url.path().trim_end_matches('/').to_owned();
    if !path.ends_with("/json/version") {
        path.push_str("/json/version");
    }
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut stream = open_stream(url).await?;
    let broken = |source| ConnectError::Unreachable { host: host.clone(), source };
    let request = format!(
        "GET {path}{query} HTTP/1.1\r\nHost: {host}\r\nAccept: application/json\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.map_err(broken)?;
    let mut answer = Vec::new();
    let mut limited = stream.take(VERSION_BYTES as u64);
    // Browsers keep the connection: the answer is over when it is whole.
    while read(&answer).is_err() {
        if limited.read_buf(&mut answer).await.map_err(broken)? == 0 {
            break;
        }
    }
    read(&answer).map_err(|why| ConnectError::Refused { host: host.clone(), why })
}

fn read(answer: &[u8]) -> Result<Value, String> {
    let text = String::from_utf8_lossy(answer);
    let (head, body) = text.split_once("\r\n\r\n").ok_or("it does not speak HTTP")?;
    let status = head.split_whitespace().nth(1).unwrap_or_default();
    if status != "200" {
        return Err(format!("its /json/version answers {}", shown(status)));
    }
    // A server that answers in chunks all the same has its JSON between their lengths.
    let json = body.find('{').zip(body.rfind('}')).and_then(|(from, to)| body.get(from..=to));
    let json = json.ok_or("its /json/version is no JSON")?;
    serde_json::from_str(json).map_err(|_| "its /json/version is no JSON".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_write_is_understood_and_nothing_else() {
        for (written, read) in [
            ("127.0.0.1:9222", "http://127.0.0.1:9222/"),
            ("http://localhost:9222", "http://localhost:9222/"),
            ("ws://h:1/devtools/browser/x", "ws://h:1/devtools/browser/x"),
            ("wss://host.example/?token=k", "wss://host.example/?token=k"),
        ] {
            assert_eq!(parse(written).unwrap().as_str(), read);
        }
        for written in ["", "file:///etc/passwd", "ftp://h", "http://", "a b"] {
            assert!(parse(written).is_err(), "{written}");
        }
        let error = parse("ftp://h/?token=secret").unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }

    #[test]
    fn the_browser_is_reached_where_it_was_asked() {
        let told = || Url::parse("ws://127.0.0.1/devtools/browser/x?y").unwrap();
        let moved = |asked: &str| moved(&Url::parse(asked).unwrap(), told()).unwrap().to_string();
        assert_eq!(moved("http://10.0.0.2:9222"), "ws://10.0.0.2:9222/devtools/browser/x?y");
        assert_eq!(moved("https://h.example/"), "wss://h.example/devtools/browser/x?y");
    }

    #[test]
    fn answers_are_read_with_and_without_chunks() {
        let plain = b"HTTP/1.1 200 OK\r\nX: y\r\n\r\n{\"a\": 1}";
        assert_eq!(read(plain).unwrap()["a"], 1);
        let chunks = b"HTTP/1.1 200 OK\r\n\r\n8\r\n{\"a\": 1}\r\n0\r\n\r\n";
        assert_eq!(read(chunks).unwrap()["a"], 1);
        assert!(read(b"HTTP/1.1 401 No\r\n\r\n").unwrap_err().contains("401"));
        assert!(read(b"rubbish").is_err());
    }
}
