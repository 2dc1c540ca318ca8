//! What the server answers: who it is, its tools, and calls, which go to the backend. Keeps no
//! state but the client's introduction.

use crate::{Backend, Call, Introduction, Offer, ToolInfo, reply};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// A client that offers roots has this long to say them.
const ROOTS: Duration = Duration::from_secs(2);
/// A call that goes on says so at least this often.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Progress lines that wait.
const PROGRESS_LINES: usize = 16;

/// Answers one client.
pub(crate) struct Server<B> {
    offer: Offer,
    listed: Vec<Tool>,
    backend: Arc<B>,
    /// Set once, by whichever comes first: the handshake's end or the first call.
    introduced: watch::Sender<bool>,
}

impl<B: Backend> Server<B> {
    pub(crate) fn new(offer: Offer, backend: Arc<B>) -> Self {
        let listed = offer.tools.iter().filter(|tool| tool.listed).map(listed).collect();
        Self { offer, listed, backend, introduced: watch::Sender::new(false) }
    }

    fn unknown(&self, name: &str) -> CallToolResult {
        let names: Vec<&str> =
            self.offer.tools.iter().filter(|tool| tool.listed).map(|tool| tool.name).collect();
        let names = names.join(", ");
        let shown: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
        reply::invalid(&match (self.offer.instead)(name) {
            _ if self.offer.fenced => format!(
                "no tool {shown:?} here: this server was started with --tools {names}. Nothing was done."
            ),
            Some(call) => format!("no tool {shown:?}. Nothing was done. Call {call}."),
            None => format!("no tool {shown:?}. Nothing was done. The tools: {names}."),
        })
    }

    async fn introduce(&self, peer: &Peer<RoleServer>) {
        let info = peer.peer_info();
        let roots = match &info {
            Some(info) if info.capabilities.roots.is_some() => roots(peer).await,
            _ => Vec::new(),
        };
        let name = info.map(|info| info.client_info.name.clone());
        self.backend.introduce(Introduction { name, roots });
        self.introduced.send_replace(true);
    }

    /// A call must not overtake the introduction: files may be allowed by its roots.
    async fn wait_for_introduction(&self, context: &RequestContext<RoleServer>) {
        let mut introduced = self.introduced.subscribe();
        if *introduced.borrow_and_update() {
            return;
        }
        if context.peer.peer_info().is_some() {
            // A client that never says `initialized` is served all the same.
            tokio::time::timeout(ROOTS, introduced.wait_for(|done| *done)).await.ok();
        }
        if !self.introduced.send_replace(true) {
            let name = context.client_info().map(|client| client.name);
            self.backend.introduce(Introduction { name, roots: Vec::new() });
        }
    }

    async fn forward(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        self.wait_for_introduction(context).await;
        let (progress, mut said) = mpsc::channel(PROGRESS_LINES);
        let args = Value::Object(request.arguments.unwrap_or_default());
        let call = self.backend.call(Call { tool: request.name.into_owned(), args, progress });
        tokio::pin!(call);
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        heartbeat.reset();
        let mut count = 0.0;
        loop {
            let message = tokio::select! {
                reply = &mut call => return reply::to_result(reply),
                // Returning drops the call, which cancels it in the browser. The answer itself
                // is not sent: its request is forgotten by then.
                () = context.ct.cancelled() => return reply::invalid("cancelled"),
                Some(message) = said.recv() => message,
                _ = heartbeat.tick() => "still working".to_owned(),
            };
            heartbeat.reset();
            count += 1.0;
            if let Some(token) = context.meta.get_progress_token() {
                let note = ProgressNotificationParam::new(token, count).with_message(message);
                // A client that left is noticed by the reader.
                context.peer.notify_progress(note).await.ok();
            }
        }
    }
}

/// Folders that the client opens to servers. One that does not answer has none.
#[expect(deprecated, reason = "clients of the versions with a handshake still offer roots")]
async fn roots(peer: &Peer<RoleServer>) -> Vec<String> {
    match tokio::time::timeout(ROOTS, peer.list_roots()).await {
        Ok(Ok(result)) => result.roots.into_iter().map(|root| root.uri).collect(),
        _ => Vec::new(),
    }
}

/// Annotations only where they differ from MCP's defaults: each costs every session tokens.
fn listed(info: &ToolInfo) -> Tool {
    let mut tool = Tool::new(info.name, info.description, Arc::new(info.schema.clone()));
    let mut hints = ToolAnnotations::new();
    if info.read_only {
        hints = hints.read_only(true);
    } else {
        if !info.destructive {
            hints = hints.destructive(false);
        }
        if info.idempotent {
            hints = hints.idempotent(true);
        }
    }
    if hints != ToolAnnotations::new() {
        tool.annotations = Some(hints);
    }
    tool
}

impl<B: Backend> ServerHandler for Server<B> {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("pillion", self.offer.version);
        info.instructions = Some(self.offer.instructions.clone());
        info
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.introduce(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.introduce(&context.peer).await;
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.listed.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let known = self.offer.tools.iter().any(|tool| tool.name == request.name);
        let result =
            if known { self.forward(request, &context).await } else { self.unknown(&request.name) };
        Ok(result.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    fn info(read_only: bool, destructive: bool, idempotent: bool) -> ToolInfo {
        ToolInfo {
            name: "browser_x",
            description: "d",
            schema: Map::new(),
            read_only,
            destructive,
            idempotent,
            listed: true,
        }
    }

    #[test]
    fn annotations_stand_only_where_they_differ_from_the_defaults() {
        let hints = |tool| serde_json::to_value(listed(&tool)).unwrap().get("annotations").cloned();
        assert_eq!(hints(info(false, true, false)), None);
        assert_eq!(hints(info(true, false, true)), Some(json!({"readOnlyHint": true})));
        assert_eq!(
            hints(info(false, false, true)),
            Some(json!({"destructiveHint": false, "idempotentHint": true}))
        );
    }

    #[test]
    fn a_tool_is_name_words_and_schema() {
        let tool = serde_json::to_value(listed(&info(false, true, false))).unwrap();
        let keys: Vec<_> = tool.as_object().unwrap().keys().cloned().collect();
        assert_eq!(keys, ["description", "inputSchema", "name"]);
    }
}
