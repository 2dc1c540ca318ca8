//! The loopback listener: one exclusive port, heads with limits, links for those that may.
//!
//! Sockets without a whole head sit in a large ring, peers in a handshake in a small one; in both
//! the oldest gives way. A place in the small one is taken only after Host and Origin passed.

use crate::allow;
use crate::http::{self, Facts, Route};
use crate::links::{self, From};
use crate::slots::{Slot, Slots};
use crate::state::Daemon;
use crate::websocket::WebSocket;
use pillion_wire::limits::{HANDSHAKE_TIME, HANDSHAKES_PENDING, HEAD_BYTES, HEADS_PENDING};
use pillion_wire::link::LinkKind;
use std::io;
use std::net::{Ipv4Addr, TcpListener as StdListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// Pause when the system has no more sockets to give.
const BREATHER: Duration = Duration::from_millis(50);

/// A bound listener.
pub(crate) struct Loopback {
    pub(crate) port: u16,
    listener: TcpListener,
}

/// The first free of those ports. What another program holds is skipped, never freed.
///
/// The standard library's `SO_REUSEADDR` on Unix only passes over connections that are closing:
/// two sockets never listen on one address and port without `SO_REUSEPORT` on both.
pub(crate) fn bind(ports: &[u16]) -> Option<Loopback> {
    ports.iter().find_map(|port| match bind_one(*port) {
        Ok(loopback) => Some(loopback),
        Err(error) => {
            tracing::warn!(port, %error, "port is not free");
            None
        }
    })
}

fn bind_one(port: u16) -> io::Result<Loopback> {
    let listener = StdListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    Ok(Loopback { port, listener: TcpListener::from_std(listener)? })
}

/// Take connections until the daemon ends.
pub(crate) async fn serve(daemon: Arc<Daemon>, loopback: Loopback) {
    let heads = Slots::new(HEADS_PENDING);
    let handshakes = Slots::new(HANDSHAKES_PENDING);
    loop {
        let accepted = tokio::select! {
            () = daemon.shutdown.cancelled() => return,
            accepted = loopback.listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, _)) => {
                let peer = peer(
                    Arc::clone(&daemon),
                    socket,
                    loopback.port,
                    heads.enter(),
                    handshakes.clone(),
                );
                daemon.tasks.spawn("loopback peer", peer);
            }
            Err(error) => {
                tracing::warn!(%error, "no connection could be taken");
                sleep(BREATHER).await;
            }
        }
    }
}

async fn peer(
    daemon: Arc<Daemon>,
    mut socket: TcpStream,
    port: u16,
    slot: Slot,
    handshakes: Slots,
) {
    let head = tokio::select! {
        () = slot.evicted.cancelled() => return,
        () = daemon.shutdown.cancelled() => return,
        head = timeout(HANDSHAKE_TIME, read_head(&mut socket)) => head,
    };
    let Ok(Some((head, rest))) = head else { return };
    let route = http::route(
        &head,
        &Facts {
            port,
            dismiss_path: &daemon.dismiss_path,
            is_allowed_origin: |origin: &str| daemon.allow.has_origin(origin),
        },
    );
    let answer = http::answer(&route);
    if socket.write_all(answer.as_bytes()).await.is_err() {
        return;
    }
    drop(slot);
    if let Route::Link { origin, .. } = route {
        // Frames are small and urgent.
        socket.set_nodelay(true).ok();
        let carrier = WebSocket::new(socket, rest).await;
        let extension = allow::id_of(&origin).unwrap_or_default().to_owned();
        let from = From { link: LinkKind::Ws, extension };
        links::serve(&daemon, carrier, from, handshakes.enter()).await;
    } else {
        // The peer may have closed first.
        socket.shutdown().await.ok();
    }
}

/// The head up to its empty line, and what came behind it; `None` when there is none of that size.
async fn read_head(socket: &mut TcpStream) -> Option<(Vec<u8>, Vec<u8>)> {
    const END: &[u8] = b"\r\n\r\n";
    let mut bytes = Vec::with_capacity(1024);
    loop {
        let from = bytes.len().saturating_sub(END.len() - 1);
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        if let Some(at) = bytes[from..].windows(END.len()).position(|window| window == END) {
            let rest = bytes.split_off(from + at + END.len());
            return Some((bytes, rest));
        }
        if bytes.len() > HEAD_BYTES {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_taken_port_is_skipped_and_ours_cannot_be_taken() {
        let other = StdListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let taken = other.local_addr().unwrap().port();
        assert!(bind(&[taken]).is_none());
        let ours = bind(&[taken, 0]).unwrap();
        assert_ne!(ours.port, taken);
        assert!(StdListener::bind((Ipv4Addr::LOCALHOST, ours.port)).is_err());
        assert!(StdListener::bind((Ipv4Addr::UNSPECIFIED, ours.port)).is_err());
    }
}
