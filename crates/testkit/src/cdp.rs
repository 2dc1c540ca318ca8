//! A bare client of the browser's debugging port: the side that checks, and the floor of the
//! bench. Never part of the product.

use anyhow::{Context, Result, anyhow, bail};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// One command.
const COMMAND: Duration = Duration::from_secs(20);
/// Events kept for a slow listener.
const EVENTS: usize = 4_096;
/// Frames waiting to be sent.
const OUTGOING: usize = 64;

type Pending = Arc<Mutex<HashMap<u64, oneshot::Sender<Value>>>>;

/// A connection to a whole browser.
#[derive(Clone)]
pub struct Cdp {
    outgoing: mpsc::Sender<String>,
    pending: Pending,
    next: Arc<AtomicU64>,
    events: broadcast::Sender<Arc<Value>>,
    /// The debugging port.
    pub port: u16,
}

/// One attached target.
#[derive(Clone)]
pub struct Page {
    cdp: Cdp,
    session: String,
    /// The target's id.
    pub target: String,
}

impl Cdp {
    /// Connect to the browser that uses this user data folder, as soon as it listens.
    pub async fn of_profile(dir: &Path, within: Duration) -> Result<Self> {
        let file = dir.join("DevToolsActivePort");
        crate::process::until("the browser's debugging port", within, || async {
            let text = std::fs::read_to_string(&file)?;
            let mut lines = text.lines();
            let port: u16 = lines.next().context("empty port file")?.parse()?;
            let path = lines.next().context("half a port file")?;
            Ok(Some(Self::connect(port, path).await?))
        })
        .await
    }

    async fn connect(port: u16, path: &str) -> Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let url = format!("ws://127.0.0.1:{port}{path}");
        let (socket, _) =
            tokio_tungstenite::client_async_with_config(url, stream, Some(config)).await?;
        let (outgoing, queue) = mpsc::channel(OUTGOING);
        let pending = Pending::default();
        let (events, _) = broadcast::channel(EVENTS);
        tokio::spawn(run(socket, queue, Arc::clone(&pending), events.clone()));
        Ok(Self { outgoing, pending, next: Arc::new(AtomicU64::new(1)), events, port })
    }

    /// A command to the browser itself.
    pub async fn send(&self, method: &str, params: Value) -> Result<Value> {
        self.send_to(None, method, params).await
    }

    async fn send_to(&self, session: Option<&str>, method: &str, params: Value) -> Result<Value> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let (send, receive) = oneshot::channel();
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).insert(id, send);
        self.outgoing.send(message.to_string()).await.context("the browser is gone")?;
        let answer = tokio::time::timeout(COMMAND, receive)
            .await
            .map_err(|_| anyhow!("{method} was not answered in {COMMAND:?}"))?
            .context("the browser is gone")?;
        if let Some(error) = answer.get("error") {
            bail!("{method}: {error}");
        }
        Ok(answer.get("result").cloned().unwrap_or(Value::Null))
    }

    /// Events from now on, of all sessions.
    pub fn events(&self) -> broadcast::Receiver<Arc<Value>> {
        self.events.subscribe()
    }

    /// Every target that the browser knows, as `Target.TargetInfo`.
    pub async fn targets(&self) -> Result<Vec<Value>> {
        let targets = self.send("Target.getTargets", json!({"filter": [{}]})).await?;
        Ok(targets["targetInfos"].as_array().cloned().unwrap_or_default())
    }

    /// Attach to the first target of that type whose address holds these words.
    pub async fn attach(&self, kind: &str, address: &str, within: Duration) -> Result<Page> {
        let what = format!("a {kind} at …{address}…");
        let target = crate::process::until(&what, within, || async {
            let targets = self.targets().await?;
            Ok(targets.into_iter().find(|target| {
                target["type"] == kind
                    && target["url"].as_str().is_some_and(|url| url.contains(address))
            }))
        })
        .await?;
        self.attach_to(target["targetId"].as_str().context("a target has an id")?).await
    }

    /// Attach to a target by its id.
    pub async fn attach_to(&self, target: &str) -> Result<Page> {
        let params = json!({"targetId": target, "flatten": true});
        let attached = self.send("Target.attachToTarget", params).await?;
        let session = attached["sessionId"].as_str().context("no session")?.to_owned();
        Ok(Page { cdp: self.clone(), session, target: target.to_owned() })
    }

    /// A new page, in front, as a person would open one.
    pub async fn open(&self, url: &str) -> Result<Page> {
        let target = self.send("Target.createTarget", json!({"url": url})).await?;
        self.attach_to(target["targetId"].as_str().context("no target")?).await
    }

    /// Close a target; for a service worker this ends it.
    pub async fn close(&self, target: &str) -> Result<()> {
        self.send("Target.closeTarget", json!({"targetId": target})).await?;
        Ok(())
    }
}

impl Page {
    /// A command to this target.
    pub async fn send(&self, method: &str, params: Value) -> Result<Value> {
        self.cdp.send_to(Some(&self.session), method, params).await
    }

    /// Events of this target from now on: method and parameters.
    pub fn events(&self) -> PageEvents {
        PageEvents { events: self.cdp.events(), session: self.session.clone() }
    }

    /// The value of an expression in the page's own world, promises awaited.
    pub async fn evaluate(&self, expression: &str) -> Result<Value> {
        self.evaluate_in(None, expression).await
    }

    /// The value of an expression in a world of the page.
    pub async fn evaluate_in(&self, context: Option<i64>, expression: &str) -> Result<Value> {
        let mut params =
            json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        if let Some(context) = context {
            params["contextId"] = context.into();
        }
        let result = self.send("Runtime.evaluate", params).await?;
        if let Some(exception) = result.get("exceptionDetails") {
            bail!("{expression}: {exception}");
        }
        Ok(result["result"].get("value").cloned().unwrap_or(Value::Null))
    }

    /// Wait until an expression is truthy.
    pub async fn until(&self, expression: &str, within: Duration) -> Result<Value> {
        crate::process::until(expression, within, || async {
            let value = self.evaluate(expression).await?;
            let truthy = !(value.is_null() || value == false || value == 0 || value == "");
            Ok(truthy.then_some(value))
        })
        .await
    }

    /// Let go of the target; it lives on.
    pub async fn detach(self) -> Result<()> {
        let params = json!({"sessionId": self.session});
        self.cdp.send("Target.detachFromTarget", params).await?;
        Ok(())
    }
}

/// Events of one target.
pub struct PageEvents {
    events: broadcast::Receiver<Arc<Value>>,
    session: String,
}

impl PageEvents {
    /// The parameters of the next event of that name.
    pub async fn next(&mut self, method: &str, within: Duration) -> Result<Value> {
        let wait = async {
            loop {
                match self.events.recv().await {
                    Ok(event)
                        if event["method"] == method && event["sessionId"] == self.session =>
                    {
                        return Ok(event["params"].clone());
                    }
                    Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => bail!("the browser is gone"),
                }
            }
        };
        tokio::time::timeout(within, wait).await.with_context(|| format!("no {method}"))?
    }
}

async fn run(
    socket: WebSocketStream<TcpStream>,
    mut queue: mpsc::Receiver<String>,
    pending: Pending,
    events: broadcast::Sender<Arc<Value>>,
) {
    let (mut sink, mut stream) = socket.split();
    loop {
        tokio::select! {
            outgoing = queue.recv() => {
                let Some(text) = outgoing else { break };
                if sink.send(Message::text(text)).await.is_err() {
                    break;
                }
            }
            incoming = stream.next() => {
                let Some(Ok(message)) = incoming else { break };
                let Message::Text(text) = message else { continue };
                let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
                deliver(value, &pending, &events);
            }
        }
    }
    pending.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

fn deliver(value: Value, pending: &Pending, events: &broadcast::Sender<Arc<Value>>) {
    let Some(id) = value.get("id").and_then(Value::as_u64) else {
        // Without a listener an event is of no use to anybody.
        events.send(Arc::new(value)).ok();
        return;
    };
    let waiting = pending.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    if let Some(waiting) = waiting {
        waiting.send(value).ok();
    }
}
