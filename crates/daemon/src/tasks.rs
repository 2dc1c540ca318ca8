//! The one place that spawns. Every task has a name, an owner that waits for it, and a panic that
//! ends nothing but itself.

use futures_util::FutureExt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// The daemon's tasks. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Tasks(TaskTracker);

impl Tasks {
    /// Start a task. Its panic is logged by the hook and ends with it.
    pub(crate) fn spawn(
        &self,
        name: &'static str,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        let guarded = async move {
            if AssertUnwindSafe(task).catch_unwind().await.is_err() {
                tracing::error!(task = name, "task panicked");
            }
        };
        self.0.spawn(guarded.instrument(tracing::info_span!(parent: None, "task", task = name)));
    }

    /// No more tasks are expected.
    pub(crate) fn close(&self) {
        self.0.close();
    }

    /// Until all have ended, after [`Tasks::close`].
    pub(crate) async fn wait(&self) {
        self.0.wait().await;
    }
}
