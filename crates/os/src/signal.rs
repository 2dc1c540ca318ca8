//! The signals that ask a process to end. Never ends it itself.

use std::io;

/// Resolves when the system or the user asks this process to end: SIGTERM or Ctrl-C.
///
/// # Errors
/// When the signals cannot be heard.
#[cfg(unix)]
pub async fn told_to_end() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

/// Resolves when the system or the user asks this process to end: Ctrl-C.
///
/// # Errors
/// When it cannot be heard.
#[cfg(windows)]
pub async fn told_to_end() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
