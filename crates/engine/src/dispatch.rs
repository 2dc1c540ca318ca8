//! One call from its arrival to its answer: fence, rate, arguments, tab, lease, queue, deadline.
//! Tools declare what they are; everything that follows from it is enforced here, once.

use crate::clock::now_ms;
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use crate::presence::told;
use crate::tools::{self, Answer, Args, Cx, Effect, ToolDef};
use crate::{Engine, ToolCall, secrets};
use pillion_core::arguments;
use pillion_core::page_text::{quote, url_words_whole};
use pillion_core::redact;
use pillion_wire::code::{Code, Done, Retry};
use pillion_wire::id::SessionId;
use pillion_wire::limits;
use pillion_wire::local::Reply;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

impl Engine {
    /// A call, or one of those that a call is made of. `room`: how many characters its answer should have at
    /// most. Its words are not yet [clean](Engine::clean).
    pub(crate) async fn one_call(
        self: &Arc<Self>,
        session: &SessionId,
        call: ToolCall,
        room: Option<usize>,
    ) -> Reply {
        let started = now_ms();
        let record = Arc::clone(&call.record);
        let name = tools::find(&call.tool).map_or("a call of no tool", |def| def.name);
        let mut reply = self.dispatch(session, call, room).await;
        let code = reply.failure.as_ref().map(|failure| failure.code);
        if let Some(stay) = record.leave() {
            self.stayed(stay, code);
        }
        self.keep_promises(session);
        reply.ms = (now_ms() - started) as u32;
        if let Some(code) = code {
            let mut state = self.state();
            state.count(code.as_str());
            if let Some(entry) = state.sessions.get_mut(session) {
                entry.happened.failed(name, code);
            }
        }
        reply
    }

    async fn dispatch(
        self: &Arc<Self>,
        session: &SessionId,
        call: ToolCall,
        room: Option<usize>,
    ) -> Reply {
        let deadline = call.deadline.min(limits::CALL);
        let cancel = call.cancel.clone();
        let work = self.admit_and_run(session, call, Instant::now() + deadline, room);
        let outcome = tokio::select! {
            outcome = tokio::time::timeout(deadline, work) => outcome.unwrap_or_else(|_| Err(Failure::new(
                Code::Timeout,
                format!("the call took longer than {} s. It may have had its effect. Next: browser_snapshot.", deadline.as_secs()),
            ))),
            () = cancel.cancelled() => Err(Failure::new(Code::Timeout, "the call was cancelled.").done(Done::Maybe)),
        };
        match outcome {
            Ok(answer) => Reply {
                ok: true,
                text: answer.text,
                failure: None,
                images: answer.images,
                data: answer.data,
                ms: 0,
            },
            Err(failure) => failure.into_reply(),
        }
    }

    /// Whatever a tool forgot: no secret that was used and no credential leaves here.
    pub(crate) fn clean(&self, reply: &mut Reply) {
        self.scrub_reply(reply);
        if let Cow::Owned(text) = redact::answer(&reply.text) {
            reply.text = text;
        }
    }

    /// The tool's work, once the session may have it.
    pub(crate) async fn admit_and_run(
        self: &Arc<Self>,
        session: &SessionId,
        call: ToolCall,
        deadline: Instant,
        room: Option<usize>,
    ) -> Outcome<Answer> {
        let def = tools::find(&call.tool).ok_or_else(|| no_such_tool(&call.tool))?;
        let budget_percent = self.fence(session, def)?;
        // What it is made of is charged one by one.
        if def.effect != Effect::Compose {
            self.charge(session)?;
        }
        let args = read_args(def, &call.args)?;
        secrets::refuse_astray(def, &args)?;
        let cx = Cx {
            engine: self.clone(),
            session: session.clone(),
            args,
            deadline,
            cancel: call.cancel,
            progress: call.progress,
            files: call.files,
            record: call.record,
            budget_percent,
            room,
            def,
        };
        match def.effect {
            Effect::Manage | Effect::Navigate | Effect::Compose => (def.run)(cx, None).await,
            Effect::Read | Effect::Watch | Effect::Act => self.on_tab_of(cx).await,
        }
    }

    /// Whether the session may call that tool. Gives the percent of every ceiling.
    pub(crate) fn fence(&self, session: &SessionId, def: &ToolDef) -> Outcome<u32> {
        let state = self.state();
        let entry = state.sessions.get(session).ok_or_else(session_ended)?;
        if entry
            .tools
            .as_ref()
            .is_some_and(|fence| !fence.iter().any(|name| tools::same_name(name, def.name)))
        {
            return Err(Failure::new(
                Code::Policy,
                format!(
                    "{} is not among the tools that this client was started with. Nothing was done.",
                    def.name
                ),
            ));
        }
        Ok(entry.budget_percent)
    }

    /// One call of those that the session has in a minute.
    fn charge(&self, session: &SessionId) -> Outcome<()> {
        let mut state = self.state();
        let entry = state.sessions.get_mut(session).ok_or_else(session_ended)?;
        entry.calls += 1;
        if let Err(wait) = entry.bucket.take(now_ms()) {
            return Err(Failure::new(
                Code::RateLimited,
                format!(
                    "{} calls a minute. Nothing was done. Again in {} s, or use browser_batch with fewer looks.",
                    limits::CALLS_A_MINUTE,
                    wait.div_ceil(1_000)
                ),
            )
            .after(wait));
        }
        Ok(())
    }

    /// A tool that works in one tab. A connection that is lost before anything was sent costs the
    /// caller nothing; after that the outcome is told as unknown.
    async fn on_tab_of(self: &Arc<Self>, cx: Cx) -> Outcome<Answer> {
        let mut retried = false;
        loop {
            let handle = cx.handle(cx.def.effect != Effect::Act).await?;
            let acted = handle.clone();
            let outcome = with_lost(&acted, queued(&cx, handle).await);
            match outcome {
                Err(failure)
                    if failure.lost && !retried && !acted.acted.load(Ordering::Relaxed) =>
                {
                    retried = true;
                    let mut state = self.state();
                    state.count("retries");
                    state.note(
                        &cx.session,
                        &format!("{} was made again: the connection was lost", cx.def.name),
                    );
                    drop(state);
                    tracing::info!(
                        tool = cx.def.name,
                        "the connection was lost; the call is made again"
                    );
                }
                Err(failure) if failure.lost && acted.acted.load(Ordering::Relaxed) => {
                    return Err(self.unknown_outcome(&cx, &acted).await);
                }
                Err(failure) if failure.code == Code::TabNotShared => {
                    return Err(cx.why_not_shared(&acted.tab, failure).await);
                }
                other => return other,
            }
        }
    }

    /// The connection was lost after the act was sent: says so, with a fresh look.
    pub(crate) async fn unknown_outcome(self: &Arc<Self>, cx: &Cx, handle: &Handle) -> Failure {
        let lost = Instant::now();
        let mut text =
            "the connection to the browser was lost after the act was sent. It may have worked. \
                        Do not repeat it before you have looked."
                .to_owned();
        match cx.handle_of(handle.tab.number, true).await {
            Ok(again) => {
                let (title, url) = {
                    let state = again.tab.state();
                    (quote(state.title()), url_words_whole(state.url()))
                };
                text.push_str(&format!(
                    " Tab {} now (back after {:.1} s): {title} {url}",
                    again.tab.number,
                    lost.elapsed().as_secs_f32(),
                ));
                let look = again.new_page().await;
                if !look.is_empty() {
                    text.push('\n');
                    text.push_str(look.replacen("new page:", "now:", 1).trim_end());
                }
            }
            Err(failure) => {
                text.push_str(&format!(
                    " It is not back yet ({}). Next: browser_tabs {{}}.",
                    failure.code.as_str()
                ));
            }
        }
        let mut failure = Failure::new(Code::OutcomeUnknown, text);
        failure.retry = Retry::Never;
        failure
    }
}

/// What ended by itself of what the session tries in the tab is told with its next answer.
fn with_lost(handle: &Handle, outcome: Outcome<Answer>) -> Outcome<Answer> {
    let lost = handle.tab.state().tried.take_lost(&handle.session);
    let Some(lost) = lost else { return outcome };
    let what = format!("tab {}: {lost}", handle.tab.number);
    handle.engine.state().note(&handle.session, &what);
    let add = |text: String| format!("{text}\nlost: {lost}");
    match outcome {
        Ok(answer) => Ok(Answer { text: add(answer.text), ..answer }),
        Err(failure) => Err(Failure { text: add(failure.text), ..failure }),
    }
}

async fn queued(cx: &Cx, handle: Arc<Handle>) -> Outcome<Answer> {
    let tab = handle.tab.clone();
    let acting = handle.clone();
    let work = (cx.def.run)(cx.clone(), Some(handle));
    match cx.def.effect {
        Effect::Act => {
            let _alone = tab.queue.write().await;
            let waited = acting.user_quiet().await?;
            match work.await {
                Ok(answer) => Ok(Answer { text: told(&answer.text, waited), ..answer }),
                Err(failure) => Err(Failure { text: told(&failure.text, waited), ..failure }),
            }
        }
        Effect::Read => {
            let _shared = tab.queue.read().await;
            work.await.map_err(Failure::of_look)
        }
        Effect::Watch | Effect::Navigate | Effect::Manage | Effect::Compose => work.await,
    }
}

fn no_such_tool(name: &str) -> Failure {
    if let Some(call) = tools::peers::instead_of(name) {
        return Failure::invalid(format!(
            "there is no tool {}. Nothing was done. Call {call}.",
            quote(name)
        ));
    }
    let names: Vec<_> = tools::ALL.iter().map(|tool| tool.name).collect();
    Failure::invalid(format!(
        "there is no tool {}. Nothing was done. Tools: {}.",
        quote(name),
        names.join(", ")
    ))
}

fn session_ended() -> Failure {
    Failure::new(Code::Internal, "the session has ended. Next: start the client again.")
}

/// Arguments under the tool's own names, each of its kind.
pub(crate) fn read_args(def: &'static ToolDef, given: &serde_json::Value) -> Outcome<Args> {
    let known = |name: &str| def.params.iter().any(|param| param.name == name);
    let args = arguments::normalise(given, known).map_err(|name| {
        let names: Vec<_> = def.params.iter().map(|param| param.name).collect();
        Failure::invalid(format!(
            "unknown {}. {} takes {}. Nothing was done.",
            quote(&name),
            def.name,
            names.join(", ")
        ))
    })?;
    for param in def.params.iter().filter(|param| param.required) {
        let is_blank =
            |value: &serde_json::Value| value.as_str().is_some_and(|text| text.trim().is_empty());
        let is_text = matches!(param.kind, tools::Kind::Text | tools::Kind::Json);
        if args.get(param.name).is_none_or(|value| is_text && is_blank(value)) {
            return Err(Failure::invalid(format!(
                "{} needs {}. Nothing was done.",
                def.name, param.name
            )));
        }
    }
    Args::check(def, args)
}
