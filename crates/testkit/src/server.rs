//! A page server on loopback: files of a few folders, and the ways in which a server can be slow,
//! wrong or silent. `127.0.0.1` and `localhost` reach it as two sites. Never serves outside its
//! folders.
//!
//! Any path takes `delay=MS`, `slow=MS` (its last bytes come so much later), `status=N`, `cookie=NAME=VALUE` (403 without it) and `header=Name:Value` in its query. `/echo/…` answers
//! JSON of the request, `/never` accepts and stays silent, `/redirect?to=URL` answers 302, `/around` to itself.

use anyhow::Result;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Largest request.
const REQUEST_BYTES: usize = 8 * 1024 * 1024;
/// Largest head of a request.
const HEAD_BYTES: usize = 64 * 1024;

/// A running server; ends when dropped.
pub struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: JoinHandle<()>,
}

/// One request that was answered.
#[derive(Debug, Clone)]
pub struct Seen {
    /// `GET`.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// What was sent.
    pub body: String,
    /// The cookies that came with it, as they are written.
    pub cookies: String,
}

struct Site {
    folders: Vec<(String, PathBuf)>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    /// Serve folders, each under a path; the first whose path fits answers.
    pub async fn start(folders: &[(&str, &Path)]) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let folders =
            folders.iter().map(|(at, dir)| ((*at).to_owned(), dir.to_path_buf())).collect();
        let site = Arc::new(Site { folders, seen: Arc::clone(&seen) });
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let site = Arc::clone(&site);
                // A browser that hangs up half way through an answer is no fault of the page's.
                tokio::spawn(async move { site.serve(stream).await.ok() });
            }
        });
        Ok(Self { port, seen, task })
    }

    /// An address on the first site.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same on the second site.
    pub fn other(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    /// Requests so far whose path and query hold these words.
    pub fn seen(&self, words: &str) -> Vec<Seen> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().filter(|seen| seen.target.contains(words)).cloned().collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Site {
    async fn serve(&self, mut stream: TcpStream) -> Result<()> {
        let Some(request) = read_request(&mut stream).await? else { return Ok(()) };
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        let pairs: Vec<(String, String)> = pairs(query);
        let one = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        if path == "/never" {
            std::future::pending::<()>().await;
        }
        if let Some(delay) = one("delay").and_then(|text| text.parse().ok()) {
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
        let mut reply = match path {
            "/redirect" => Reply::new(302, "text/plain", Vec::new())
                .with("Location", one("to").map_or("/", String::as_str)),
            "/around" => Reply::new(302, "text/plain", Vec::new()).with("Location", "/around"),
            _ if path.starts_with("/echo") => echo(&request),
            _ => self.file(&decode(path)),
        };
        if one("cookie").is_some_and(|cookie| !request.cookies.contains(cookie)) {
            reply = Reply::new(403, "text/plain", b"not without its cookie".to_vec());
        }
        if let Some(status) = one("status").and_then(|text| text.parse().ok()) {
            reply.status = status;
        }
        for (_, header) in pairs.iter().filter(|(key, _)| key == "header") {
            if let Some((name, value)) = header.split_once(':') {
                reply = reply.with(name.trim(), value.trim());
            }
        }
        let bytes = reply.bytes();
        let mut rest = bytes.as_slice();
        if let Some(slow) = one("slow").and_then(|text| text.parse().ok()) {
            let (first, last) = rest.split_at(rest.len() - rest.len().min(8));
            stream.write_all(first).await?;
            stream.flush().await?;
            tokio::time::sleep(Duration::from_millis(slow)).await;
            rest = last;
        }
        stream.write_all(rest).await?;
        stream.shutdown().await?;
        Ok(())
    }

    fn file(&self, path: &str) -> Reply {
        let found = self.folders.iter().find_map(|(at, dir)| {
            let rest = path.strip_prefix(at.as_str())?.trim_start_matches('/');
            let inside = !rest.split('/').any(|part| part == "..");
            let mut file = dir.join(rest);
            if file.is_dir() {
                file = file.join("index.html");
            }
            (inside && file.is_file()).then_some(file)
        });
        let Some(file) = found else {
            return Reply::new(404, "text/plain", b"not found".to_vec());
        };
        match std::fs::read(&file) {
            Ok(bytes) => Reply::new(200, mime(&file), bytes),
            Err(error) => Reply::new(500, "text/plain", error.to_string().into_bytes()),
        }
    }
}

struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Reply {
    fn new(status: u16, mime: &str, body: Vec<u8>) -> Self {
        let headers = vec![
            ("Content-Type".to_owned(), mime.to_owned()),
            ("Cache-Control".to_owned(), "no-store".to_owned()),
        ];
        Self { status, headers, body }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn bytes(self) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} .\r\nConnection: close\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let body = if self.status == 204 { Vec::new() } else { self.body };
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        let mut bytes = head.into_bytes();
        bytes.extend(body);
        bytes
    }
}

fn echo(request: &Seen) -> Reply {
    let body = json!({"method": request.method, "url": request.target, "body": request.body});
    Reply::new(200, "application/json", body.to_string().into_bytes())
        .with("Access-Control-Allow-Origin", "*")
}

async fn read_request(stream: &mut TcpStream) -> Result<Option<Seen>> {
    let mut bytes = Vec::new();
    let mut buffer = [0_u8; 16 * 1024];
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        let read = stream.read(&mut buffer).await?;
        if read == 0 || bytes.len() > HEAD_BYTES {
            return Ok(None);
        }
        bytes.extend_from_slice(&buffer[..read]);
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut first = head.lines().next().unwrap_or("").split(' ');
    let method = first.next().unwrap_or("").to_owned();
    let target = first.next().unwrap_or("/").to_owned();
    let header = |wanted: &str| {
        let mut pairs = head.lines().filter_map(|line| line.split_once(':'));
        pairs.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim())
    };
    let length: usize = header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    let mut body = bytes.split_off(head_end + 4);
    while body.len() < length.min(REQUEST_BYTES) {
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Ok(None);
        }
        body.extend_from_slice(&buffer[..read]);
    }
    let cookies = header("cookie").unwrap_or_default().to_owned();
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(Seen { method, target, body, cookies }))
}

fn pairs(query: &str) -> Vec<(String, String)> {
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (decode(key), decode(value)))
        .collect()
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match (first, hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            (byte, _) => {
                bytes.push(*byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn mime(file: &Path) -> &'static str {
    match file.extension().and_then(|end| end.to_str()).unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "pdf" => "application/pdf",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_are_decoded_and_broken_ones_stay() {
        assert_eq!(decode("a%20b%"), "a b%");
        assert_eq!(
            pairs("to=%2Fx%3Fy&delay=5"),
            [("to".to_owned(), "/x?y".to_owned()), ("delay".to_owned(), "5".to_owned())]
        );
    }
}
