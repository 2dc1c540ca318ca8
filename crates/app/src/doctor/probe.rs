//! Extension → page: a round trip on a page that this process serves itself, on loopback, and closes again.

use super::finding::{Fault, Finding, Hop};
use pillion_client::{Call, Client, Repeat};
use pillion_wire::code::Code;
use pillion_wire::local::Reply;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// One call; a user who has to be asked first takes longer and is told.
const CALL: Duration = Duration::from_secs(15);
/// What the page says, and what must be read from it.
const WORDS: &str = "Pillion was here and is gone in a moment";

/// Opens, reads, closes.
pub async fn check(client: &Client) -> Vec<Finding> {
    let listener = match TcpListener::bind(("127.0.0.1", 0)).await {
        Ok(listener) => listener,
        Err(error) => return vec![failed(&format!("no page could be served: {error}"))],
    };
    let address = match listener.local_addr() {
        Ok(address) => format!("http://{address}/"),
        Err(error) => return vec![failed(&format!("no page could be served: {error}"))],
    };
    tokio::select! {
        findings = trip(client, &address) => findings,
        () = serve(listener) => vec![failed("the page could not be served")],
    }
}

async fn trip(client: &Client, address: &str) -> Vec<Finding> {
    let begun = Instant::now();
    let opened = call(client, "browser_navigate", json!({"url": address})).await;
    let tab =
        opened.data.as_ref().and_then(|data| data["tab"].as_u64()).or_else(|| tab_in(&opened.text));
    let mut findings = vec![judge("opened a page of its own", &opened, begun)];
    if opened.ok {
        let begun = Instant::now();
        let args = tab.map_or_else(|| json!({}), |tab| json!({"tab": tab}));
        let read = call(client, "browser_snapshot", args).await;
        findings.push(if read.ok && !read.text.contains(WORDS) {
            failed("another page than the one that was opened was read")
        } else {
            judge("read it", &read, begun)
        });
    }
    if let Some(tab) = tab {
        let begun = Instant::now();
        let closed = call(client, "browser_tabs", json!({"action": "close", "tab": tab})).await;
        findings.push(judge("closed it", &closed, begun));
    }
    findings
}

async fn call(client: &Client, tool: &str, args: Value) -> Reply {
    let call =
        Call { tool: tool.to_owned(), args, repeat: Repeat::Never, deadline: CALL, progress: None };
    client.call(call).await.into_reply()
}

/// `tab 7 "…"`: the first line of an answer.
fn tab_in(text: &str) -> Option<u64> {
    let mut words = text.split_whitespace().skip_while(|word| *word != "tab").skip(1);
    words.next()?.trim_end_matches([':', ',']).parse().ok()
}

fn failed(what: &str) -> Finding {
    Finding::bad(Hop::Page, Fault::ProbeFailed, what, "pillion daemon logs")
}

fn judge(what: &str, reply: &Reply, begun: Instant) -> Finding {
    if reply.ok {
        return Finding::good(Hop::Page, what).took(begun.elapsed());
    }
    let words = reply.text.lines().next().unwrap_or_default().to_owned();
    let (fault, mend) = match reply.failure.as_ref().map(|failure| failure.code) {
        Some(Code::StoppedByUser) => (Fault::Stopped, "Resume in Pillion's popup"),
        Some(Code::ApprovalPending | Code::AskPending | Code::PairingPending) => {
            (Fault::WaitsForUser, "answer the question in Pillion's popup, then run this again")
        }
        _ => (Fault::ProbeFailed, "pillion daemon logs"),
    };
    Finding::bad(Hop::Page, fault, words, mend)
}

/// Answers every request with the page. Ends with the process.
async fn serve(listener: TcpListener) {
    let page = format!("<!doctype html><title>Pillion doctor</title><main><h1>{WORDS}</h1></main>");
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    while let Ok((mut stream, _)) = listener.accept().await {
        let mut head = [0u8; 2048];
        // A browser opens connections that it does not use: they must not hold up the others.
        let read = tokio::time::timeout(Duration::from_millis(500), stream.read(&mut head)).await;
        if matches!(read, Ok(Ok(count)) if count > 0) {
            stream.write_all(answer.as_bytes()).await.ok();
            stream.shutdown().await.ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tab_is_read_from_the_answer() {
        assert_eq!(tab_in("opened tab 7 \"x\" http://127.0.0.1:1/"), Some(7));
        assert_eq!(tab_in("nothing"), None);
    }
}
