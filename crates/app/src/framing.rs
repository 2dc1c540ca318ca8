//! Native messaging's frames: four bytes of length, then JSON. The length is what the peer claims,
//! so memory grows only with what really arrives.

use pillion_wire::limits::NATIVE_CHUNK_BYTES;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// Read at once.
const CHUNK: usize = 64 * 1024;

/// Why there is no frame.
#[derive(Debug)]
pub enum FrameError {
    /// The peer closed its end, or broke off inside a frame.
    Ended,
    /// More than is taken.
    TooLarge,
}

/// The next frame's bytes.
pub async fn read<R: AsyncRead + Unpin>(input: &mut R, cap: usize) -> Result<Vec<u8>, FrameError> {
    let length = input.read_u32_le().await.map_err(|_| FrameError::Ended)?;
    let length = usize::try_from(length).map_err(|_| FrameError::TooLarge)?;
    if length > cap {
        return Err(FrameError::TooLarge);
    }
    let mut bytes = Vec::with_capacity(length.min(CHUNK));
    let limit = u64::try_from(length).map_err(|_| FrameError::TooLarge)?;
    let read = input.take(limit).read_to_end(&mut bytes).await;
    match read {
        Ok(count) if count == length => Ok(bytes),
        _ => Err(FrameError::Ended),
    }
}

/// Writes one message.
pub async fn write<W: AsyncWrite + Unpin>(output: &mut W, message: &Value) -> std::io::Result<()> {
    let body = message.to_string().into_bytes();
    let length = u32::try_from(body.len()).map_err(std::io::Error::other)?;
    let mut frame = Vec::with_capacity(4 + body.len());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(&body);
    output.write_all(&frame).await?;
    output.flush().await
}

/// The messages that carry a frame to the extension: one, or parts when it is too large for one.
pub fn relay(frame: &str, of: u32) -> Vec<Value> {
    // JSON quotes the frame a second time: a character may then take six bytes.
    let whole = json!({"t": "relay", "frame": frame});
    if frame.len() <= NATIVE_CHUNK_BYTES / 6 || whole.to_string().len() <= NATIVE_CHUNK_BYTES {
        return vec![whole];
    }
    let pieces = pieces(frame, NATIVE_CHUNK_BYTES / 8);
    let last = pieces.len() - 1;
    let part = |(index, text): (usize, &str)| {
        let part =
            json!({"t": "part", "of": of, "index": index, "last": index == last, "text": text});
        json!({"t": "relay", "frame": part.to_string()})
    };
    pieces.into_iter().enumerate().map(part).collect()
}

/// Cuts between characters, at most `size` bytes each.
fn pieces(text: &str, size: usize) -> Vec<&str> {
    let mut rest = text;
    let mut pieces = Vec::new();
    while rest.len() > size {
        let (piece, after) = rest.split_at(boundary(rest, size));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// The last place at or before `at` that is between two characters.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, &json!({"t": "x"})).await.unwrap();
        assert_eq!(bytes[..4], 9u32.to_le_bytes());
        assert_eq!(read(&mut bytes.as_slice(), 100).await.unwrap(), br#"{"t":"x"}"#);
    }

    #[tokio::test]
    async fn a_claimed_length_is_not_believed() {
        let claims = [0xff, 0xff, 0xff, 0xff, b'{', b'}'];
        assert!(matches!(read(&mut claims.as_slice(), 4096).await, Err(FrameError::TooLarge)));
        let cut = [100, 0, 0, 0, b'{'];
        assert!(matches!(read(&mut cut.as_slice(), 4096).await, Err(FrameError::Ended)));
    }

    #[test]
    fn a_large_frame_goes_in_parts_that_fit_and_come_together_again() {
        let frame = "\u{1}ä\"\\x".repeat(300_000);
        let messages = relay(&frame, 7);
        let mut whole = String::new();
        for (index, message) in messages.iter().enumerate() {
            assert!(message.to_string().len() <= NATIVE_CHUNK_BYTES, "part {index}");
            let part: Value = serde_json::from_str(message["frame"].as_str().unwrap()).unwrap();
            assert_eq!(part["index"], index);
            assert_eq!(part["last"], index == messages.len() - 1);
            whole.push_str(part["text"].as_str().unwrap());
        }
        assert!(whole == frame);
        assert_eq!(relay("{}", 1).len(), 1);
    }
}
