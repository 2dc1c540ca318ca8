//! When the daemon ends: told to, signalled, or without a client for long enough.

use crate::state::Daemon;
use std::time::Duration;
use tokio::time::sleep;

/// Returns as soon as there is a reason to end.
pub(crate) async fn wait_for_the_end(daemon: &Daemon, idle: Duration) {
    tokio::select! {
        () = daemon.asked_to_end.cancelled() => tracing::info!("told to end"),
        signal = pillion_os::signal::told_to_end() => match signal {
            Ok(()) => tracing::info!("signalled to end"),
            Err(error) => {
                tracing::warn!(%error, "signals cannot be heard");
                daemon.asked_to_end.cancelled().await;
            }
        },
        () = idle_for(daemon, idle) => tracing::info!("no client for long: ends"),
    }
}

async fn idle_for(daemon: &Daemon, idle: Duration) {
    let mut clients = daemon.gate.watch();
    loop {
        // The sender lives in the daemon, so waiting on it cannot fail.
        clients.wait_for(|count| *count == 0).await.ok();
        tokio::select! {
            () = sleep(idle) => {
                // Somebody may have come at this very moment.
                if daemon.gate.close_if_at_most(0) {
                    return;
                }
            }
            _ = clients.wait_for(|count| *count > 0) => {}
        }
    }
}
