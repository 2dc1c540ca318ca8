//! A two-way stream of text frames, whatever carries them.
//!
//! Boxed once a connection, so that WebSocket, native relay and tests share every line above it.

use futures_util::{Sink, SinkExt, Stream, StreamExt};
use std::pin::Pin;
use tokio::sync::mpsc;

/// Why a wire ended.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The peer went away, or the carrier failed.
    #[error("the connection ended")]
    Closed,
    /// The peer sent what is no text frame.
    #[error("not a text frame")]
    NotText,
    /// A frame is larger than allowed.
    #[error("a frame is too large")]
    TooLarge,
}

/// Frames from the peer.
pub type Frames = Pin<Box<dyn Stream<Item = Result<String, WireError>> + Send>>;
/// Frames to the peer.
pub type Sender = Pin<Box<dyn Sink<String, Error = WireError> + Send>>;

/// A two-way stream of text frames.
pub struct Wire {
    pub(crate) frames: Frames,
    pub(crate) sender: Sender,
}

impl Wire {
    /// Out of the two directions.
    pub fn new(
        frames: impl Stream<Item = Result<String, WireError>> + Send + 'static,
        sender: impl Sink<String, Error = WireError> + Send + 'static,
    ) -> Self {
        Self { frames: Box::pin(frames), sender: Box::pin(sender) }
    }

    /// Over two queues: the native relay, and tests.
    pub fn over_queues(incoming: mpsc::Receiver<String>, outgoing: mpsc::Sender<String>) -> Self {
        let frames = futures_util::stream::unfold(incoming, async |mut incoming| {
            incoming.recv().await.map(|frame| (Ok(frame), incoming))
        });
        let sender = futures_util::sink::unfold(outgoing, async |outgoing, frame| {
            outgoing.send(frame).await.map_err(|_| WireError::Closed)?;
            Ok(outgoing)
        });
        Self::new(frames, sender)
    }

    /// The next frame.
    ///
    /// # Errors
    /// When there is none any more.
    pub async fn receive(&mut self) -> Result<String, WireError> {
        self.frames.next().await.unwrap_or(Err(WireError::Closed))
    }

    /// Send one frame and flush it.
    ///
    /// # Errors
    /// When the carrier failed.
    pub async fn send(&mut self, frame: String) -> Result<(), WireError> {
        self.sender.send(frame).await
    }

    /// Say goodbye where the carrier has a way to.
    pub async fn close(mut self) {
        // Nobody is left to tell when even the goodbye fails.
        self.sender.close().await.ok();
    }
}
