//! MCP over stdin and stdout: client in, MCP out. The only crate that knows the MCP SDK.
//!
//! Never sees the engine or a socket: tools come in as data, calls go to a [`Backend`]. The list
//! of tools is answered without either.

mod reply;
mod server;
mod transport;

use pillion_wire::local::Reply;
use rmcp::ServiceExt as _;
use serde_json::{Map, Value};
use std::future::Future;
use std::sync::Arc;
use tokio::sync::mpsc;

/// One tool as `tools/list` shows it.
#[derive(Debug, Clone)]
pub struct ToolInfo {
    /// `browser_click`.
    pub name: &'static str,
    /// What agents read.
    pub description: &'static str,
    /// JSON schema of the arguments: an object.
    pub schema: Map<String, Value>,
    /// Looks only.
    pub read_only: bool,
    /// May destroy something of the user's.
    pub destructive: bool,
    /// A second identical call changes nothing more.
    pub idempotent: bool,
    /// Shown in the list; the others can be called by name.
    pub listed: bool,
}

/// What the server offers.
pub struct Offer {
    /// Tools that may be called.
    pub tools: Vec<ToolInfo>,
    /// What an agent needs to know before its first call.
    pub instructions: String,
    /// The program's version.
    pub version: &'static str,
    /// The tools are all that may be called: the user named them.
    pub fenced: bool,
    /// The call to make instead of one of a tool that is not there, for names that agents remember.
    pub instead: fn(&str) -> Option<String>,
}

/// Who is on the other side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Introduction {
    /// Its name, as it gave it.
    pub name: Option<String>,
    /// Folders that it opened to servers, as `file:` URLs.
    pub roots: Vec<String>,
}

/// One call.
pub struct Call {
    /// `browser_click`.
    pub tool: String,
    /// The arguments as they came.
    pub args: Value,
    /// Told while the call goes on.
    pub progress: mpsc::Sender<String>,
}

/// Does what the tools promise.
pub trait Backend: Send + Sync + 'static {
    /// The client introduced itself, or its roots changed. Must not block.
    fn introduce(&self, introduction: Introduction);

    /// Does a call. Dropping the future cancels it.
    fn call(&self, call: Call) -> impl Future<Output = Reply> + Send;
}

/// Why the server ended badly.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A thread for stdin or stdout could not be started.
    #[error("cannot read stdin: {0}")]
    Io(#[from] std::io::Error),
    /// The server's task died.
    #[error("the MCP server's task died: {0}")]
    Task(#[from] tokio::task::JoinError),
}

/// Serves one client on stdin and stdout until stdin closes.
pub async fn serve(offer: Offer, backend: impl Backend) -> Result<(), ServeError> {
    let transport = transport::Stdio::start()?;
    let server = server::Server::new(offer, Arc::new(backend));
    match server.serve(transport).await {
        Ok(running) => {
            running.waiting().await?;
            Ok(())
        }
        // The client left, or said nothing usable, before it initialized.
        Err(_) => Ok(()),
    }
}
