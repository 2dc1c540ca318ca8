//! An upgraded socket as text frames. Small limits until the peer is proven, the link's after.

use crate::links::Carrier;
use futures_util::{SinkExt, StreamExt, future};
use pillion_link::{Wire, WireError};
use pillion_wire::limits::{FRAME_BYTES, HANDSHAKE_FRAME_BYTES};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

/// Read ahead at most this much of a peer that is not proven.
const SMALL_BUFFER: usize = 4 * 1024;
/// Read ahead of a link.
const BUFFER: usize = 32 * 1024;

/// A WebSocket whose peer is not proven yet.
pub(crate) struct WebSocket(WebSocketStream<TcpStream>);

impl WebSocket {
    /// Over a socket whose upgrade was answered; `rest` is what came behind the request's head.
    pub(crate) async fn new(socket: TcpStream, rest: Vec<u8>) -> Self {
        let config = config(HANDSHAKE_FRAME_BYTES, SMALL_BUFFER);
        Self(WebSocketStream::from_partially_read(socket, rest, Role::Server, Some(config)).await)
    }
}

fn config(largest: usize, buffer: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(buffer)
        .max_message_size(Some(largest))
        .max_frame_size(Some(largest))
}

impl Carrier for WebSocket {
    async fn receive(&mut self) -> Result<String, WireError> {
        loop {
            match self.0.next().await {
                None => return Err(WireError::Closed),
                Some(message) => {
                    if let Some(frame) = text(message) {
                        return frame;
                    }
                }
            }
        }
    }

    async fn send(&mut self, frame: String) -> Result<(), WireError> {
        self.0.send(Message::Text(frame.into())).await.map_err(|_| WireError::Closed)
    }

    /// Built anew, as limits cannot be raised on one that runs. What was read ahead is dropped with
    /// the old one: there is nothing, because the peer waits for F6.
    async fn into_wire(self) -> Wire {
        let config = config(FRAME_BYTES, BUFFER);
        let socket = self.0.into_inner();
        let socket = WebSocketStream::from_raw_socket(socket, Role::Server, Some(config)).await;
        let (sender, receiver) = socket.split();
        let sender = sender
            .with(|frame: String| future::ready(Ok::<_, Error>(Message::Text(frame.into()))))
            .sink_map_err(|_| WireError::Closed);
        Wire::new(receiver.filter_map(|message| future::ready(text(message))), sender)
    }

    async fn close(mut self) {
        // The peer may be gone already.
        self.0.close(None).await.ok();
    }
}

/// A message as a frame; `None` for pings, which are answered below this.
fn text(message: Result<Message, Error>) -> Option<Result<String, WireError>> {
    match message {
        Ok(Message::Text(frame)) => Some(Ok(frame.as_str().to_owned())),
        Ok(Message::Ping(_) | Message::Pong(_)) => None,
        Ok(Message::Binary(_) | Message::Frame(_)) => Some(Err(WireError::NotText)),
        Ok(Message::Close(_)) => Some(Err(WireError::Closed)),
        Err(Error::Capacity(_)) => Some(Err(WireError::TooLarge)),
        Err(_) => Some(Err(WireError::Closed)),
    }
}
