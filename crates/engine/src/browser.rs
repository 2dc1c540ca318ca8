//! A browser as the engine knows it: one narrow trait. The links implement it; tests fake it.

use async_trait::async_trait;
use pillion_wire::link::{Asker, VerbError};
use pillion_wire::verb::Verb;
use serde_json::Value;
use std::time::Duration;

/// Why a verb gave no value.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LinkError {
    /// The browser's side refused or failed, and says why.
    #[error("{}", .0.message)]
    Refused(VerbError),
    /// The connection ended before the answer. `sent`: the verb had been handed to the browser, so
    /// it may have had its effect.
    #[error("the connection to the browser was lost")]
    Lost {
        /// Whether the verb may have been done.
        sent: bool,
    },
    /// No answer in time. The verb was cancelled; it may have had its effect.
    #[error("the browser did not answer in time")]
    Timeout,
}

/// One connected profile. Dropping the future of a call cancels it in the browser.
#[async_trait]
pub trait Browser: Send + Sync {
    /// Do one verb and give its reply (see the types at each [`Verb`]).
    /// `asker` is the agent that it is for; nobody for what the daemon does by itself.
    async fn call(
        &self,
        verb: Verb,
        asker: Option<Asker>,
        deadline: Duration,
    ) -> Result<Value, LinkError>;

    /// Whether the connection stands.
    fn is_connected(&self) -> bool;
}
