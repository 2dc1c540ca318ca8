//! `browser_batch`: known steps in one call. Each step is a call of its own: fence, rate, lease, journal and
//! the user's rules are those of its tool.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use crate::tab::Tab;
use crate::{LinkError, ToolCall};
use futures_util::future::join_all;
use pillion_wire::code::{Code, Done};
use pillion_wire::limits;
use pillion_wire::local::Reply;
use pillion_wire::page::PageCall;
use pillion_wire::verb::Verb;
use plan::{Plan, Step};
use std::sync::Arc;
use std::time::Instant;
use told::Ended;

/// What the arguments ask for, checked before anything is done.
mod plan;
/// The answer.
mod told;

/// Its name.
pub(crate) const NAME: &str = "browser_batch";
/// Most steps.
const STEPS: usize = 50;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: NAME,
    doc: "Run known steps in order until one fails.",
    details: "A step is `{tool, …}` with the arguments of that tool. `tab` is for every step that names none; `\"$2\"` in a step is the tab of step 2. `parallel` runs all at once: reads, and `navigate` without tab. All steps share 50 s. A dialog ends the batch unless the next step answers it. One line tells of each step; what was read follows in full, as far as the answer's ceiling allows.",
    effect: Effect::Compose,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param {
            name: "steps",
            kind: Kind::Objects(&[Param {
                name: "tool",
                kind: Kind::Text,
                doc: "",
                required: true,
                rare: false,
            }]),
            doc: "{\"tool\":\"click\",\"target\":\"e5\"}; tab \"$2\": of step 2",
            required: true,
            rare: false,
        },
        Param {
            name: "parallel",
            kind: Kind::Boolean,
            doc: "only reads and opening pages",
            required: false,
            rare: false,
        },
    ],
    positional: &[],
    idempotent: false,
    destructive: true,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, _: Option<Arc<Handle>>) -> Outcome<Answer> {
    let plan = Plan::read(&cx)?;
    let ceiling = limits::BATCH_CHARS * cx.budget_percent as usize / 100;
    let batch = Batch { cx: &cx, plan: &plan, ceiling };
    if plan.parallel { batch.at_once().await } else { batch.in_order().await }
}

struct Batch<'a> {
    cx: &'a Cx,
    plan: &'a Plan,
    ceiling: usize,
}

impl Batch<'_> {
    async fn in_order(&self) -> Outcome<Answer> {
        let all = self.plan.steps.len();
        let mut done: Vec<Ended> = Vec::with_capacity(all);
        let mut tabs: Vec<Option<Arc<Tab>>> = Vec::with_capacity(all);
        for (index, step) in self.plan.steps.iter().enumerate() {
            let words = format!("step {} of {all}: {}", index + 1, super::short(step.def.name));
            // Nobody may listen to progress: the batch goes on all the same.
            self.cx.progress.try_send(words).ok();
            let (reply, tab) = self.step(step, &tabs, self.room(&done, all - index)).await;
            let ended = self.ended(index, step, reply);
            if let Some(mut failure) = ended.failure() {
                let tab = tab.as_ref().or_else(|| tabs.iter().rev().flatten().next());
                if failure.code == Code::TabNotShared && self.is_stopped(tab).await {
                    failure = Failure::new(Code::StoppedByUser, String::new());
                }
                return Err(told::failed(&failure, &ended, &done, all, self.ceiling));
            }
            let dialog = self.dialog_after(index, tab.as_deref());
            let asks = ended.waits_for_the_user();
            done.push(ended);
            tabs.push(tab);
            if index + 1 == all {
                break;
            }
            if let Some(failure) = dialog {
                return Err(told::ended_early(failure, &done, all, self.ceiling));
            }
            if asks {
                return Ok(told::waiting(done, all, self.ceiling));
            }
        }
        Ok(told::done(done, self.ceiling))
    }

    async fn at_once(&self) -> Outcome<Answer> {
        let all = self.plan.steps.len();
        let room = Some((self.ceiling / all).max(told::LEAST));
        let calls = self.plan.steps.iter().map(|step| self.step(step, &[], room));
        let ended: Vec<_> = join_all(calls).await;
        let ended = ended.into_iter().zip(&self.plan.steps).enumerate();
        let ended: Vec<_> =
            ended.map(|(index, ((reply, _), step))| self.ended(index, step, reply)).collect();
        told::all_at_once(ended, self.ceiling)
    }

    /// One step, as a call of its own. Gives the tab that it worked in, too.
    async fn step(
        &self,
        step: &Step,
        tabs: &[Option<Arc<Tab>>],
        room: Option<usize>,
    ) -> (Reply, Option<Arc<Tab>>) {
        let cx = self.cx;
        let end = cx.deadline.checked_sub(limits::BATCH_ANSWER).unwrap_or(cx.deadline);
        let left = end.saturating_duration_since(Instant::now());
        let args = match step.args(tabs) {
            Ok(args) if !left.is_zero() => args,
            Ok(_) => {
                let words = "the time of the batch was over before this step. It was not begun. Next: the steps that are left, in a call of their own.";
                return (Failure::new(Code::Timeout, words).done(Done::No).into_reply(), None);
            }
            Err(failure) => return (failure.into_reply(), None),
        };
        let record = cx.engine.begin(&cx.session, step.def.name, &args);
        let call = ToolCall {
            tool: step.def.name.to_owned(),
            args,
            deadline: left,
            cancel: cx.cancel.child_token(),
            progress: cx.progress.clone(),
            files: cx.files.clone(),
            record: record.clone(),
        };
        let mut reply = cx.engine.one_call(&cx.session, call, room).await;
        cx.engine.clean(&mut reply);
        record.end(&reply);
        (reply, record.tab())
    }

    /// Whether a tab was taken away by a stop of the whole agent: the extension knows, and says it to the next
    /// verb.
    async fn is_stopped(&self, tab: Option<&Arc<Tab>>) -> bool {
        let Some(tab) = tab else { return false };
        let (browser, asker) = {
            let state = self.cx.engine.state();
            let profile = state.profiles.get(&tab.profile);
            (profile.and_then(crate::state::Profile::browser), state.asker(&self.cx.session))
        };
        let Some(browser) = browser else { return false };
        let chrome = tab.state().chrome;
        let verb = Verb::Page { tab: chrome, documents: None, call: PageCall::Hello {} };
        let asked = browser.call(verb, Some(asker), limits::BATCH_ANSWER).await;
        matches!(asked, Err(LinkError::Refused(error)) if error.code == Code::StoppedByUser)
    }

    /// What the next read may take, so that its own words say where it is cut.
    fn room(&self, done: &[Ended], left: usize) -> Option<usize> {
        let used: usize = done.iter().map(Ended::length).sum();
        let kept = (left - 1) * told::LINE;
        Some(self.ceiling.saturating_sub(used + kept).max(told::LEAST))
    }

    fn ended(&self, index: usize, step: &Step, reply: Reply) -> Ended {
        Ended::new(index + 1, step.def, reply, self.plan.tab)
    }

    /// A dialog that is open in the step's tab and that the next step does not answer.
    fn dialog_after(&self, index: usize, tab: Option<&Tab>) -> Option<Failure> {
        let next = self.plan.steps.get(index + 1)?;
        if next.def.name == super::handle_dialog::DEF.name {
            return None;
        }
        let tab = tab?;
        let dialog = tab.state().dialog.clone()?;
        let mut failure = crate::handle::dialog_failure(tab.number.0, &dialog);
        failure.text = format!("step {} opened it: {}", index + 1, failure.text);
        Some(failure)
    }
}
