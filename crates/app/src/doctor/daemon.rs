//! Thin process → daemon → port: reached as a command reaches it, and started when it does not run.

use super::finding::{Fault, Finding, Hop};
use crate::{daemon, session};
use pillion_client::{Client, ClientError};
use pillion_os::home::Home;
use pillion_os::version;
use pillion_wire::local::Admin;
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A start with all its tries takes less.
const REACH: Duration = Duration::from_secs(12);
/// One question and its answer.
const ASK: Duration = Duration::from_secs(3);
/// The listener is on this machine.
const PORT: Duration = Duration::from_secs(2);

/// A daemon that answers, and what it said of itself.
pub struct Reached {
    /// The way to it.
    pub client: Client,
    /// Its status.
    pub status: Value,
}

/// Gets there. The findings are there either way.
pub async fn check(home: &Home) -> (Vec<Finding>, Option<Reached>) {
    let was_running = pillion_client::running(home).is_some();
    let begun = Instant::now();
    let connected =
        timeout(REACH, Client::connect(session::of_command(home.clone(), Some("doctor")))).await;
    let client = match connected {
        Ok(Ok(client)) => client,
        Ok(Err(error)) => return (vec![unreached(home, &error)], None),
        Err(_) => return (vec![unreached(home, &ClientError::Silent { pid: None })], None),
    };
    let reached = begun.elapsed();
    let status = match timeout(ASK, client.admin(Admin::Status)).await {
        Ok(Ok(status)) => daemon::report(home, status),
        Ok(Err(error)) => return (vec![unreached(home, &error)], None),
        Err(_) => return (vec![unreached(home, &ClientError::Silent { pid: None })], None),
    };
    let text = |name: &str| status[name].as_str().unwrap_or_default().to_owned();
    let word = if was_running { "runs" } else { "did not run and was started" };
    let what = format!("{word}: pid {}, version {}", status["pid"], text("version"));
    let mut findings = vec![if text("version") == version::version() {
        Finding::good(Hop::Daemon, what).took(reached)
    } else {
        Finding::odd(
            Hop::Daemon,
            Fault::DaemonVersion,
            format!("{what}; this program is {}. They work together", version::version()),
            "pillion daemon restart",
        )
        .took(reached)
    }];
    if let Some(note) = status.pointer("/journal/note").and_then(Value::as_str) {
        findings.push(Finding::note(Hop::Daemon, note));
    }
    findings.push(port(&status).await);
    (findings, Some(Reached { client, status }))
}

fn unreached(home: &Home, error: &ClientError) -> Finding {
    match error {
        ClientError::Silent { .. } | ClientError::Lost => Finding::bad(
            Hop::Daemon,
            Fault::DaemonSilent,
            match pillion_client::running(home) {
                Some(record) => format!("runs (pid {}) and does not answer", record.pid),
                None => "does not answer".to_owned(),
            },
            "pillion daemon restart",
        ),
        ClientError::Refused { message, .. } => Finding::bad(
            Hop::Daemon,
            Fault::DaemonVersion,
            message.clone(),
            "pillion daemon restart",
        ),
        error => {
            Finding::bad(Hop::Daemon, Fault::DaemonFails, error.to_string(), "pillion daemon logs")
        }
    }
}

/// Whether extensions find the daemon.
async fn port(status: &Value) -> Finding {
    let Some(port) = status["port"].as_u64().and_then(|port| u16::try_from(port).ok()) else {
        let what = "all of Pillion's ports are taken by other programs; only browsers with the helper get through";
        return Finding::bad(
            Hop::Port,
            Fault::PortsTaken,
            what,
            "end what `ss -ltnp` shows on ports 47613 to 47615, then pillion daemon restart",
        );
    };
    let begun = Instant::now();
    match timeout(PORT, knock(port)).await {
        Ok(Ok(true)) => Finding::good(Hop::Port, format!("127.0.0.1:{port} answers as Pillion"))
            .took(begun.elapsed()),
        Ok(Ok(false)) => dead(port, "is answered by another program"),
        Ok(Err(error)) => dead(port, &format!("cannot be reached: {error}")),
        Err(_) => dead(port, "does not answer"),
    }
}

fn dead(port: u16, what: &str) -> Finding {
    Finding::bad(
        Hop::Port,
        Fault::PortDead,
        format!("127.0.0.1:{port} {what}"),
        "pillion daemon restart",
    )
}

/// A head of nobody's is forbidden by our listener, without a word.
async fn knock(port: u16) -> std::io::Result<bool> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let head = format!("GET /probe HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let mut answer = Vec::new();
    (&mut stream).take(256).read_to_end(&mut answer).await?;
    Ok(answer.starts_with(b"HTTP/1.1 403"))
}
