//! What carries messages to a browser and back: a debugging pipe or a WebSocket. Reads no message.

use futures_util::{SinkExt, StreamExt};
use pillion_wire::limits::cdp::{CONNECT, MESSAGE_BYTES, QUEUE};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// That is no address of a browser.
    #[error(
        "`{0}` is not an address of a browser: http://HOST:PORT, or ws:// or wss:// with a path"
    )]
    Address(String),
    /// Nobody answers there.
    #[error("nobody answers at {host}")]
    Unreachable {
        /// Host and port, without path and query.
        host: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Somebody answers, but is no browser, or does not let us in.
    #[error("{host} does not let a debugger in: {why}")]
    Refused {
        /// Host and port, without path and query.
        host: String,
        /// Why.
        why: String,
    },
    /// It took too long.
    #[error("{host} did not answer within {} s", .within.as_secs())]
    Late {
        /// Host and port, without path and query.
        host: String,
        /// The time that it had.
        within: Duration,
    },
}

/// Both ways of a connection, as texts.
pub struct Transport {
    pub(crate) outgoing: mpsc::Sender<String>,
    pub(crate) incoming: mpsc::Receiver<String>,
}

impl Transport {
    /// Over a browser's debugging pipe: JSON, each message ended by a zero byte. The browser ends when
    /// the pipe closes, and that is when both this and its link are dropped.
    pub fn over_pipe(
        write: impl AsyncWrite + Send + Unpin + 'static,
        read: impl AsyncRead + Send + Unpin + 'static,
    ) -> Self {
        let (transport, to_write, heard) = Self::queues();
        tokio::spawn(write_pipe(write, to_write));
        tokio::spawn(read_pipe(read, heard));
        transport
    }

    /// Over a WebSocket: `ws://` or `wss://`, path and query as they stand. `within` is how long the
    /// other side may take to let us in: a person may have to say so.
    ///
    /// # Errors
    /// When nobody answers there, or not as a browser does.
    pub async fn over_socket(url: &url::Url, within: Duration) -> Result<Self, ConnectError> {
        let host = host_of(url);
        let reached = tokio::time::timeout(CONNECT, open_stream(url)).await;
        let stream =
            reached.map_err(|_| ConnectError::Late { host: host.clone(), within: CONNECT })??;
        let config = WebSocketConfig::default()
            .max_message_size(Some(MESSAGE_BYTES))
            .max_frame_size(Some(MESSAGE_BYTES));
        let shaking =
            tokio_tungstenite::client_async_with_config(url.as_str(), stream, Some(config));
        let (socket, _) = tokio::time::timeout(within, shaking)
            .await
            .map_err(|_| ConnectError::Late { host: host.clone(), within })?
            .map_err(|error| ConnectError::Refused { host, why: words(&error) })?;
        let (transport, to_write, heard) = Self::queues();
        tokio::spawn(carry(socket, to_write, heard));
        Ok(transport)
    }

    fn queues() -> (Self, mpsc::Receiver<String>, mpsc::Sender<String>) {
        let (outgoing, to_write) = mpsc::channel(QUEUE);
        let (heard, incoming) = mpsc::channel(QUEUE);
        (Self { outgoing, incoming }, to_write, heard)
    }
}

/// Host and port: what may be shown, since path and query may hold a key.
pub(crate) fn host_of(url: &url::Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// A connection to an address.
pub(crate) async fn open_stream(url: &url::Url) -> Result<TcpStream, ConnectError> {
    let host = host_of(url);
    let to = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let port = url.port_or_known_default().unwrap_or(80);
    let failed = |source| ConnectError::Unreachable { host: host.clone(), source };
    let stream = TcpStream::connect((to, port)).await.map_err(failed)?;
    stream.set_nodelay(true).map_err(failed)?;
    Ok(stream)
}

/// A failed handshake in words, without the address that was asked for.
fn words(error: &tungstenite::Error) -> String {
    match error {
        tungstenite::Error::Http(response) => format!("HTTP {}", response.status()),
        other => other.to_string(),
    }
}

async fn write_pipe(
    mut write: impl AsyncWrite + Send + Unpin,
    mut to_write: mpsc::Receiver<String>,
) {
    while let Some(text) = to_write.recv().await {
        let mut bytes = text.into_bytes();
        bytes.push(0);
        if write.write_all(&bytes).await.is_err() || write.flush().await.is_err() {
            return;
        }
    }
}

async fn read_pipe(read: impl AsyncRead + Send + Unpin, heard: mpsc::Sender<String>) {
    let mut lines = BufReader::new(read);
    loop {
        let mut message = Vec::new();
        match lines.read_until(0, &mut message).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if message.last() == Some(&0) {
            message.pop();
        }
        let Ok(text) = String::from_utf8(message) else { continue };
        if heard.send(text).await.is_err() {
            return;
        }
    }
}

async fn carry(
    socket: WebSocketStream<TcpStream>,
    mut to_write: mpsc::Receiver<String>,
    heard: mpsc::Sender<String>,
) {
    let (mut sink, mut stream) = socket.split();
    let writing = async {
        while let Some(text) = to_write.recv().await {
            if sink.send(Message::text(text)).await.is_err() {
                return;
            }
        }
        // The other side may be gone already.
        sink.close().await.ok();
    };
    let reading = async {
        while let Some(Ok(message)) = stream.next().await {
            let Message::Text(text) = message else { continue };
            if heard.send(text.to_string()).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = writing => {}
        () = reading => {}
    }
}
