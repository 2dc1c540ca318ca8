//! What stands behind the MCP server: the daemon, through the client.

use crate::mcp;
use pillion_client::{Call as ClientCall, Called, Client, Options, Repeat};
use pillion_engine::tools::{self, Effect};
use pillion_mcp::{Backend, Call, Introduction};
use pillion_wire::limits;
use pillion_wire::local::Reply;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// After a lost call: how long the look at the page may take, the browser's return included.
const LOOK: Duration = Duration::from_secs(8);
/// And how much of the page it shows.
const LOOK_CHARS: u32 = 1_500;

/// Forwards calls; connects in the background once the client has introduced itself.
pub struct Daemon {
    client: Arc<Client>,
    /// `--agent`: goes before the name that the client gives itself.
    agent: Option<String>,
    /// Something keeps the connection already.
    kept: AtomicBool,
}

impl Daemon {
    /// Not connected yet.
    pub fn new(options: Options, agent: Option<String>) -> Self {
        Self { client: Arc::new(Client::new(options)), agent, kept: AtomicBool::new(false) }
    }
}

/// Whether a lost call may be sent again.
pub fn repeat_of(tool: &str, args: &Value) -> Repeat {
    if let Some((tool, args)) = tools::more::behind(tool, args) {
        return repeat_of(tool.name, &args);
    }
    match tools::find(tool) {
        Some(tool) if matches!(tool.effect, Effect::Read | Effect::Watch) => Repeat::Safe,
        Some(tool) if tool.name == "browser_tabs" && lists(args) => Repeat::Safe,
        _ => Repeat::Never,
    }
}

/// `browser_tabs` without an action only looks.
fn lists(args: &Value) -> bool {
    args.get("action").is_none_or(|action| action.is_null() || action == "list")
}

/// The call that shows what became of a lost one.
fn look_after(tool: &str, args: &Value) -> ClientCall {
    if let Some((tool, args)) = tools::more::behind(tool, args) {
        return look_after(tool.name, &args);
    }
    let opens = tools::find(tool).is_some_and(|tool| tool.effect == Effect::Navigate);
    let (tool, args) = match args.get("tab") {
        Some(tab) => ("browser_snapshot", json!({"tab": tab, "max_chars": LOOK_CHARS})),
        None if opens => ("browser_tabs", json!({})),
        None => ("browser_snapshot", json!({"max_chars": LOOK_CHARS})),
    };
    ClientCall { tool: tool.to_owned(), args, repeat: Repeat::Safe, deadline: LOOK, progress: None }
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
        if !self.kept.swap(true, Ordering::Relaxed) {
            // A call tries again and tells its caller why it failed.
            tokio::spawn(async move { client.keep().await });
        }
    }

    async fn call(&self, mut call: Call) -> Reply {
        if call.tool == mcp::SINGLE {
            tools::more::NAME.clone_into(&mut call.tool);
        }
        let look = look_after(&call.tool, &call.args);
        let call = ClientCall {
            repeat: repeat_of(&call.tool, &call.args),
            tool: call.tool,
            args: call.args,
            deadline: limits::CALL,
            progress: Some(call.progress),
        };
        match self.client.call(call).await {
            Called::Answered(reply) => reply,
            Called::Lost(mut reply) => {
                let seen = self.client.call(look).await.into_reply();
                if seen.ok {
                    reply.text.push_str(" Now:\n");
                    reply.text.push_str(&seen.text);
                }
                reply
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_looking_is_repeated() {
        let repeat = |tool: &str, args: Value| repeat_of(tool, &args);
        assert_eq!(repeat("browser_snapshot", json!({})), Repeat::Safe);
        assert_eq!(repeat("browser_tabs", json!({"profile": "work"})), Repeat::Safe);
        assert_eq!(repeat("browser_tabs", json!({"action": "close", "tab": 7})), Repeat::Never);
        assert_eq!(repeat("browser_click", json!({})), Repeat::Never);
        assert_eq!(repeat("no_such_tool", json!({})), Repeat::Never);
        let line = |command: &str| repeat("browser_more", json!({"command": command}));
        assert_eq!(line("snapshot --query words"), Repeat::Safe);
        assert_eq!((line("click e5"), line("help")), (Repeat::Never, Repeat::Never));
        assert_eq!(repeat("browser_batch", json!({"steps": []})), Repeat::Never);
    }

    #[test]
    fn after_a_lost_call_its_own_tab_is_looked_at() {
        let look = look_after("browser_click", &json!({"tab": 7, "target": "e1"}));
        assert_eq!((look.tool.as_str(), &look.args["tab"]), ("browser_snapshot", &json!(7)));
        assert_eq!(look_after("browser_navigate", &json!({"url": "x"})).tool, "browser_tabs");
    }
}
