//! What stands behind the MCP server: the daemon, through the client.

use pillion_client::{Call as ClientCall, Client, Options, Repeat};
use pillion_engine::tools::{self, Effect};
use pillion_mcp::{Backend, Call, Introduction};
use pillion_wire::limits;
use pillion_wire::local::Reply;
use std::sync::Arc;

/// Forwards calls; connects in the background once the client has introduced itself.
pub struct Daemon {
    client: Arc<Client>,
    /// `--agent`: goes before the name that the client gives itself.
    agent: Option<String>,
}

impl Daemon {
    /// Not connected yet.
    pub fn new(options: Options, agent: Option<String>) -> Self {
        Self { client: Arc::new(Client::new(options)), agent }
    }
}

/// Whether a lost call may be sent again.
pub fn repeat_of(tool: &str) -> Repeat {
    match tools::find(tool).map(|tool| tool.effect) {
        Some(Effect::Read | Effect::Watch) => Repeat::Safe,
        _ => Repeat::Never,
    }
}

impl Backend for Daemon {
    fn introduce(&self, introduction: Introduction) {
        let name = self.agent.clone().or(introduction.name).filter(|name| !name.is_empty());
        let roots = introduction.roots;
        self.client.update(|options| {
            options.client = name.unwrap_or_else(|| "agent".to_owned());
            options.roots = roots;
        });
        let client = self.client.clone();
        tokio::spawn(async move {
            // The first call tries again and tells its caller why it failed.
            client.warm().await.ok();
        });
    }

    async fn call(&self, call: Call) -> Reply {
        let call = ClientCall {
            repeat: repeat_of(&call.tool),
            tool: call.tool,
            args: call.args,
            deadline: limits::CALL,
            progress: Some(call.progress),
        };
        self.client.call(call).await
    }
}
