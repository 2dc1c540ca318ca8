//! The verb `evaluate`: runs a script in a page's own world as the DevTools console does. The context is
//! filled in here; none can be named from outside.

use super::page::{self, Aim};
use super::place;
use super::script::{looks_like_function, looks_like_object};
use super::tabs::session_of;
use crate::fault::{Outcome, element_gone, fault};
use crate::link::CdpLink;
use crate::{table, urls};
use pillion_engine::LinkError;
use pillion_wire::code::Code;
use pillion_wire::id::{ChromeTab, DocumentId, FrameId, LocalId};
use pillion_wire::limits::cdp::{EVALUATE_DEPTH, EVALUATE_GRACE, EVALUATE_STRING_CHARS};
use pillion_wire::verb::Evaluated;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What is asked for.
pub(super) struct Wish {
    pub(super) tab: ChromeTab,
    pub(super) expression: String,
    pub(super) document: Option<DocumentId>,
    pub(super) element: Option<LocalId>,
    pub(super) timeout_ms: u32,
}

const GROUP: &str = "pillion-evaluate";

/// Where it runs.
struct Run<'a> {
    link: &'a CdpLink,
    wish: &'a Wish,
    session: String,
    /// The top frame's default one when absent.
    context: Option<i64>,
    element: Option<String>,
}

/// Runs the script.
pub(super) async fn run(link: &CdpLink, wish: Wish) -> Outcome<Evaluated> {
    let tab = wish.tab;
    link.refuse_while_dialog(tab)?;
    link.attach(tab).await?;
    let url = || link.with(tab, |tab| tab.url.clone());
    let before = url()?;
    let session = session_of(link, tab)?;
    // Objects of earlier answers are kept for questions about them, until the next script.
    let release = ("Runtime.releaseObjectGroup", json!({"objectGroup": GROUP}));
    link.post(&session, [release]).await?;
    let run = placed(link, &wish, session).await?;
    let time = Duration::from_millis(u64::from(wish.timeout_ms));
    let began = Instant::now();
    let done = match tokio::time::timeout(time + EVALUATE_GRACE, run.all()).await {
        Ok(Ok(done)) => Some(done),
        // How a script that its own time ended is told.
        Ok(Err(LinkError::Refused(refused)))
            if refused.message == "Internal error" && began.elapsed() >= time =>
        {
            None
        }
        Ok(Err(error)) => return Err(error),
        Err(_) => None,
    };
    if urls::origin_of(&before) != urls::origin_of(&url()?) {
        let words = "the page went to another site while the script ran; its result was dropped";
        return Err(fault(Code::Policy, words));
    }
    match done {
        Some(done) => answer(link, tab, done),
        None => {
            // Promises that never settle have nothing to stop.
            link.post(&run.session, [("Runtime.terminateExecution", json!({}))]).await?;
            Ok(timed_out())
        }
    }
}

async fn placed<'a>(link: &'a CdpLink, wish: &'a Wish, session: String) -> Outcome<Run<'a>> {
    let tab = wish.tab;
    let top = link.with(tab, |tab| tab.top().map(|top| DocumentId(top.loader.clone())))?;
    let is_top = wish.document.is_none() || wish.document == top;
    let mut run = Run { link, wish, session, context: None, element: None };
    if is_top && wish.element.is_none() {
        return Ok(run);
    }
    let document = wish.document.clone().or(top).ok_or_else(crate::fault::document_gone)?;
    let aim: Aim = page::aim(link, tab, &document)?;
    run.session.clone_from(&aim.frame.session);
    if aim.frame.number != FrameId(0) {
        run.context = Some(place::main_world(link, tab, &aim).await?);
    }
    if let Some(element) = wish.element {
        let ours = place::in_ours(link, tab, &aim, element, GROUP).await?;
        let pages = place::in_pages(link, tab, &run.session, &ours, GROUP).await?;
        run.element = Some(pages.ok_or_else(element_gone)?);
    }
    Ok(run)
}

impl Run<'_> {
    async fn all(&self) -> Outcome<Value> {
        let Some(element) = &self.element else { return self.whole().await };
        self.on_element(element, BIND).await?;
        let done = self.whole().await;
        let unbind = json!({"functionDeclaration": UNBIND, "objectId": element});
        // Not waited for: the script may have opened a dialog, or gone elsewhere.
        self.link.post(&self.session, [("Runtime.callFunctionOn", unbind)]).await.ok();
        done
    }

    async fn whole(&self) -> Outcome<Value> {
        let expression = &self.wish.expression;
        if looks_like_function(expression) {
            let made = self.evaluate(&format!("({expression}\n)")).await?;
            if !made["exceptionDetails"].is_object() {
                if made["result"]["type"] != "function" {
                    return self.settled(made).await;
                }
                let called = self.call_function(&made["result"]["objectId"]).await?;
                return self.settled(called).await;
            }
            if made["exceptionDetails"]["exception"]["className"] != "SyntaxError" {
                return Ok(made);
            }
        }
        if looks_like_object(expression) {
            // Only parsed, not run: the arrow function is never called.
            let parsed = self.evaluate(&format!("(async () => ({expression}\n))")).await?;
            if !parsed["exceptionDetails"].is_object() {
                let made = self.evaluate(&format!("({expression}\n)")).await?;
                return self.settled(made).await;
            }
        }
        let made = self.evaluate(expression).await?;
        self.settled(made).await
    }

    async fn evaluate(&self, expression: &str) -> Outcome<Value> {
        let mut params = json!({
            "expression": expression, "objectGroup": GROUP, "replMode": true, "awaitPromise": true,
            "userGesture": true, "allowUnsafeEvalBlockedByCSP": true,
            "serializationOptions": serialization(), "timeout": self.wish.timeout_ms,
        });
        if let Some(context) = self.context {
            params["contextId"] = context.into();
        }
        self.send("Runtime.evaluate", params).await
    }

    async fn call_function(&self, function: &Value) -> Outcome<Value> {
        let given: Vec<Value> = self.element.iter().map(|id| json!({"objectId": id})).collect();
        let params = json!({
            "functionDeclaration": "function (...given) { return this(...given) }",
            "objectId": function, "objectGroup": GROUP, "arguments": given, "awaitPromise": true,
            "userGesture": true, "serializationOptions": serialization(),
        });
        self.send("Runtime.callFunctionOn", params).await
    }

    /// `replMode` does not await a promise that is the script's value.
    async fn settled(&self, done: Value) -> Outcome<Value> {
        if done["result"]["subtype"] != "promise" || done["exceptionDetails"].is_object() {
            return Ok(done);
        }
        let params = json!({"promiseObjectId": done["result"]["objectId"]});
        let settled = self.send("Runtime.awaitPromise", params).await?;
        let object = &settled["result"]["objectId"];
        if settled["exceptionDetails"].is_object() || !object.is_string() {
            return Ok(settled);
        }
        let params = json!({"functionDeclaration": "function () { return this }",
            "objectId": object, "serializationOptions": serialization()});
        self.send("Runtime.callFunctionOn", params).await
    }

    async fn on_element(&self, element: &str, function: &str) -> Outcome<Value> {
        let params = json!({"functionDeclaration": function, "objectId": element});
        self.send("Runtime.callFunctionOn", params).await
    }

    async fn send(&self, method: &str, params: Value) -> Outcome<Value> {
        let time = Duration::from_millis(u64::from(self.wish.timeout_ms)) + EVALUATE_GRACE * 2;
        self.link.command_within(self.wish.tab, &self.session, method, params, time).await
    }
}

fn serialization() -> Value {
    json!({"serialization": "deep", "maxDepth": EVALUATE_DEPTH})
}

fn timed_out() -> Evaluated {
    Evaluated { object: None, exception: None, timed_out: true, cut_from: None }
}

fn answer(link: &CdpLink, tab: ChromeTab, mut done: Value) -> Outcome<Evaluated> {
    let mut ids = Vec::new();
    table::object_ids(&done, &mut ids);
    link.with(tab, |tab| ids.iter().for_each(|id| tab.attachment.objects.add(id, ())))?;
    let mut reply = Evaluated { timed_out: false, ..timed_out() };
    let exception = done["exceptionDetails"].take();
    if exception.is_object() {
        // The script's own time ends one that runs on with this exception.
        if exception.to_string().to_lowercase().contains("execution was terminated") {
            return Ok(timed_out());
        }
        reply.exception = Some(exception);
        return Ok(reply);
    }
    let mut object = done["result"].take();
    if let Some(text) = object["value"].as_str() {
        let length = text.encode_utf16().count();
        if length > EVALUATE_STRING_CHARS {
            let cut = crate::reduce::cut(text, EVALUATE_STRING_CHARS);
            object["value"] = cut.into();
            if let Some(object) = object.as_object_mut() {
                object.remove("deepSerializedValue");
            }
            reply.cut_from = u32::try_from(length).ok();
        }
    }
    reply.object = Some(object);
    Ok(reply)
}

/// Binds `$0`, and keeps what the page itself may have called so.
const BIND: &str = r#"function () {
  const view = this.ownerDocument.defaultView;
  const old = Object.getOwnPropertyDescriptor(view, "$0");
  if (old && !old.configurable) return;
  Object.defineProperty(this, Symbol.for("$0"), { value: old, configurable: true });
  Object.defineProperty(view, "$0", { value: this, configurable: true, writable: true });
}"#;
const UNBIND: &str = r#"function () {
  const view = this.ownerDocument.defaultView;
  const old = this[Symbol.for("$0")];
  delete this[Symbol.for("$0")];
  if (!view) return;
  delete view.$0;
  if (old) Object.defineProperty(view, "$0", old);
}"#;
