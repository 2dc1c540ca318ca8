//! A tool's hands on one tab: typed verbs and page calls, all within the call's deadline.

use crate::failure::{Failure, Outcome};
use crate::tab::{Gone, Tab};
use crate::{Browser, Engine};
use pillion_core::page_text::quote;
use pillion_core::refs::Key;
use pillion_wire::code::{Code, Done};
use pillion_wire::id::{ChromeTab, DocumentId, FrameId, LocalId, SessionId};
use pillion_wire::limits;
use pillion_wire::page::{Element, PageCall, PageError};
use pillion_wire::verb::{Attached, CdpCommand, CdpReply, FrameReply, Phase, Verb};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// One call's view of one tab.
pub(crate) struct Handle {
    pub(crate) engine: Arc<Engine>,
    pub(crate) tab: Arc<Tab>,
    pub(crate) browser: Arc<dyn Browser>,
    pub(crate) session: SessionId,
    pub(crate) deadline: Instant,
    pub(crate) cancel: CancellationToken,
    /// Percent of every ceiling.
    pub(crate) budget_percent: u32,
    /// Characters that there are for the answer, where it is part of another one.
    pub(crate) room: Option<usize>,
    /// Input, a script or a navigation was sent: nothing may be sent twice any more.
    pub(crate) acted: AtomicBool,
    /// The call did not name its tab: the answer does.
    pub(crate) implied: bool,
}

impl Handle {
    /// Time that is left, at most `most`.
    pub(crate) fn time(&self, most: Duration) -> Duration {
        self.deadline
            .saturating_duration_since(Instant::now())
            .min(most)
            .max(Duration::from_millis(50))
    }

    pub(crate) fn chrome(&self) -> ChromeTab {
        self.tab.state().chrome
    }

    /// A ceiling, scaled by the session's budget.
    pub(crate) fn budget(&self, characters: usize) -> usize {
        let ceiling = characters * self.budget_percent as usize / 100;
        self.room.map_or(ceiling, |room| room.min(ceiling))
    }

    /// Marks that something was sent that must not be sent again.
    pub(crate) fn acting(&self) {
        self.acted.store(true, Ordering::Relaxed);
        self.tab.state().touched = true;
    }

    /// One verb with its typed reply.
    pub(crate) async fn verb<T: DeserializeOwned>(&self, verb: Verb, most: Duration) -> Outcome<T> {
        let asks_page = matches!(
            verb,
            Verb::Page { .. }
                | Verb::Cdp { .. }
                | Verb::Press { .. }
                | Verb::Keys { .. }
                | Verb::Attach { .. }
        );
        let asker = self.engine.state().asker(&self.session);
        let value = loop {
            let (verb, asker) = (verb.clone(), Some(asker.clone()));
            let aimed = is_aimed(&verb);
            let value = self.browser.call(verb, asker, self.time(most)).await;
            match value.map_err(Failure::from) {
                Err(failure) if !aimed && self.is_decided(&failure).await => {}
                other => break other,
            }
        };
        if asks_page && value.as_ref().is_err_and(|failure| failure.code == Code::TabWedged) {
            self.tab.state().wedged = true;
        }
        parse(value?)
    }

    /// Waits for the user's answer to a question that a failure names, as long as the call can wait. True:
    /// it was answered, or is asked no more, and the same is to be tried again.
    pub(crate) async fn is_decided(&self, failure: &Failure) -> bool {
        let (Code::ApprovalPending, Some(ask)) = (failure.code, &failure.ask) else { return false };
        let mut changes = self.engine.decided.subscribe();
        let end = self.deadline.checked_sub(limits::ANSWER_TIME).unwrap_or(self.deadline);
        loop {
            if changes.borrow_and_update().contains(ask) {
                return true;
            }
            tokio::select! {
                // The sender lives in the engine: waiting cannot fail.
                _ = changes.changed() => {}
                () = tokio::time::sleep_until(end.into()) => return false,
                () = self.cancel.cancelled() => return false,
            }
        }
    }

    /// A page call to one document.
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        document: &DocumentId,
        call: PageCall,
    ) -> Outcome<T> {
        self.page_within(document, call, limits::PAGE_CALL).await
    }

    /// As [`Handle::page`], for calls that wait in the page.
    pub(crate) async fn page_within<T: DeserializeOwned>(
        &self,
        document: &DocumentId,
        call: PageCall,
        most: Duration,
    ) -> Outcome<T> {
        self.refuse_dialog()?;
        let verb = Verb::Page { tab: self.chrome(), documents: Some(vec![document.clone()]), call };
        let replies: Vec<FrameReply> = self.or_dialog(self.verb(verb, most)).await??;
        let Some(reply) = replies.into_iter().next() else { return Err(document_gone()) };
        match (reply.value, reply.error) {
            (_, Some(error)) => Err(self.page_failure(error, document)),
            (value, None) => parse(value.unwrap_or(Value::Null)),
        }
    }

    /// A page call to all frames.
    pub(crate) async fn page_all(&self, call: PageCall) -> Outcome<Vec<FrameReply>> {
        self.page_all_within(call, limits::PAGE_CALL).await
    }

    /// As [`Handle::page_all`], for calls that wait in the page.
    pub(crate) async fn page_all_within(
        &self,
        call: PageCall,
        most: Duration,
    ) -> Outcome<Vec<FrameReply>> {
        self.refuse_dialog()?;
        let verb = Verb::Page { tab: self.chrome(), documents: None, call };
        let replies: Vec<FrameReply> = self.or_dialog(self.verb(verb, most)).await??;
        if let Some(top) = replies.iter().find(|reply| reply.frame == FrameId(0)) {
            let mut state = self.tab.state();
            if state.nav.phase != Some(Phase::Started) {
                state.nav.document = Some(top.document.clone());
            }
        }
        Ok(replies)
    }

    /// Fails when a dialog is open: the page cannot answer.
    pub(crate) fn refuse_dialog(&self) -> Outcome<()> {
        let state = self.tab.state();
        match &state.dialog {
            Some(dialog) => Err(dialog_failure(self.tab.number.0, dialog)),
            None => Ok(()),
        }
    }

    /// Runs something that a dialog would block for ever, and gives up when one opens, when the
    /// tab goes, or when the call is cancelled.
    pub(crate) async fn or_dialog<T>(&self, work: impl Future<Output = T>) -> Outcome<T> {
        enum End {
            Dialog(crate::tab::Dialog),
            Gone(Gone),
            Crashed,
        }
        let stop = self.tab.until(|state| {
            if let Some(dialog) = &state.dialog {
                return Some(End::Dialog(dialog.clone()));
            }
            if let Some((_, how)) = state.gone {
                return Some(End::Gone(how));
            }
            state.crashed.then_some(End::Crashed)
        });
        tokio::select! {
            biased;
            result = work => Ok(result),
            end = stop => Err(match end {
                End::Dialog(dialog) => dialog_failure(self.tab.number.0, &dialog),
                End::Gone(how) => self.gone_failure(how),
                End::Crashed => Failure::new(Code::TabWedged, format!(
                    "the page of tab {0} crashed. Next: browser_navigate {{\"tab\":{0},\"url\":\"reload\"}}.", self.tab.number)),
            }),
            () = self.cancel.cancelled() => Err(Failure::new(Code::Timeout, "the call was cancelled.")),
        }
    }

    /// Waits so long, or until the tab is gone or the call is cancelled. A dialog keeps nobody from waiting.
    pub(crate) async fn pause(&self, time: Duration) -> Outcome<()> {
        let gone = self.tab.until(|state| state.gone.map(|(_, how)| how));
        tokio::select! {
            () = tokio::time::sleep(time) => Ok(()),
            how = gone => Err(self.gone_failure(how)),
            () = self.cancel.cancelled() => Err(Failure::new(Code::Timeout, "the call was cancelled.")),
        }
    }

    /// The browser's side said that a dialog opened: its event is here or just behind.
    pub(crate) async fn dialog_told(&self) {
        let told = self.tab.until(|state| state.dialog.is_some().then_some(()));
        tokio::time::timeout(limits::DIALOG_TOLD, told).await.ok();
    }

    /// Waits for something while the connection stands; a lost connection is told at once.
    pub(crate) async fn or_gone<T>(&self, work: impl Future<Output = T>) -> Outcome<T> {
        let mut changes = self.engine.profiles_changed.subscribe();
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                result = &mut work => return Ok(result),
                // The sender lives in the engine: waiting cannot fail.
                _ = changes.changed() => {
                    if !self.browser.is_connected() {
                        return Err(crate::LinkError::Lost { sent: true }.into());
                    }
                }
            }
        }
    }

    fn gone_failure(&self, how: Gone) -> Failure {
        let failure = match how {
            Gone::Closed => Failure::new(
                Code::TabNotFound,
                format!("tab {} was closed. Next: browser_tabs {{}}.", self.tab.number),
            ),
            Gone::Unshared => not_shared(self.tab.number.0),
            Gone::Stopped => stopped(self.tab.number.0),
        };
        // What was sent before the tab went may have had its effect.
        if self.acted.load(Ordering::Relaxed) { failure.done(Done::Maybe) } else { failure }
    }

    /// Attaches the debugger unless it is known to be.
    pub(crate) async fn attach(&self) -> Outcome<()> {
        if self.tab.state().attached {
            return Ok(());
        }
        let verb = Verb::Attach { tab: self.chrome() };
        let attached: Attached = self.or_dialog(self.verb(verb, limits::VERB)).await??;
        let mut state = self.tab.state();
        // Not remembered otherwise: what keeps the debugger off may be over at the next call.
        state.attached = attached.dom.is_none();
        state.via_dom = attached.dom;
        Ok(())
    }

    /// A batch of debugger commands that all must succeed.
    pub(crate) async fn cdp(&self, commands: Vec<CdpCommand>) -> Outcome<Vec<Value>> {
        let verb = Verb::Cdp { tab: self.chrome(), commands };
        let reply: CdpReply = self.or_dialog(self.verb(verb, limits::VERB)).await??;
        match reply.error {
            Some(error) => Err(Failure::new(
                Code::DebuggerUnavailable,
                format!(
                    "Chrome refused: {}. Next: browser_snapshot {{\"tab\":{}}}.",
                    quote(&error),
                    self.tab.number
                ),
            )),
            None => Ok(reply.results),
        }
    }

    /// `button "Save" [e12]`, with the ref issued.
    pub(crate) fn words(&self, element: &Element, document: &DocumentId) -> String {
        pillion_core::receipt::element_words(element, document, &mut self.tab.state().refs)
    }

    /// The ref of an element, issued.
    pub(crate) fn issue(&self, element: &Element, document: &DocumentId) -> u32 {
        let key = Key { document: document.clone(), id: element.id };
        self.tab.state().refs.issue(&key, &element.role, &element.name).0
    }

    /// What the page agent could not do, for the reader.
    pub(crate) fn page_failure(&self, error: PageError, document: &DocumentId) -> Failure {
        if error.code == Code::TabWedged {
            self.tab.state().wedged = true;
        }
        let what = error
            .element
            .as_ref()
            .map_or_else(|| "the element".to_owned(), |e| self.words(e, document));
        let others: Vec<_> = error.others.iter().map(|other| self.words(other, document)).collect();
        let first = others.first().map(String::as_str);
        let text = match error.code {
            Code::ElementCovered => {
                let cover = first.unwrap_or("something that is not part of the page");
                let close = others
                    .get(1)
                    .map_or_else(String::new, |close| format!(" Close it first: {close}."));
                format!("{what} is covered by {cover}. Nothing was clicked.{close}")
            }
            Code::ElementDisabled => {
                let before = if others.is_empty() {
                    String::new()
                } else {
                    format!(" Required and empty before it: {}.", others.join(", "))
                };
                format!("{what} is disabled. Nothing was clicked.{before}")
            }
            Code::ElementHidden => {
                let opener =
                    first.map_or_else(String::new, |opener| format!(" It opens with {opener}."));
                format!("{what} is not visible. Nothing was clicked.{opener}")
            }
            Code::RefGone => format!(
                "{what} is gone: the page changed. Nothing was done. Next: browser_snapshot {{\"tab\":{},\"diff\":true}}.",
                self.tab.number
            ),
            _ => {
                let about =
                    if error.element.is_some() { format!("{what}: ") } else { String::new() };
                format!("{about}{}", crate::failure::sentence(&error.message))
            }
        };
        Failure::new(error.code, text)
    }
}

/// Whether a verb names points of the page, which may show something else there after a while.
fn is_aimed(verb: &Verb) -> bool {
    match verb {
        Verb::Cdp { commands, .. } => {
            commands.iter().any(|command| command.params.get("x").is_some())
        }
        Verb::Press { .. } => true,
        _ => false,
    }
}

/// The document went away while it was asked.
pub(crate) fn document_gone() -> Failure {
    Failure::new(
        Code::RefGone,
        "the page or frame went away meanwhile. Nothing was done. Next: browser_snapshot.",
    )
}

/// `TAB_NOT_SHARED`.
pub(crate) fn not_shared(tab: u32) -> Failure {
    Failure::new(
        Code::TabNotShared,
        format!(
            "tab {tab} is not shared with agents. Next: browser_ask {{\"for\":\"tab\",\"message\":\"why\"}}, or open the page in a tab of your own."
        ),
    )
}

/// `STOPPED_BY_USER`, in one tab.
pub(crate) fn stopped(tab: u32) -> Failure {
    Failure::new(
        Code::StoppedByUser,
        format!(
            "the user stopped you in tab {tab} and has it back. Do not go on there: say where you stand."
        ),
    )
}

pub(crate) fn dialog_failure(tab: u32, dialog: &crate::tab::Dialog) -> Failure {
    Failure::new(
        Code::DialogOpen,
        format!(
            "{} is open in tab {tab}; the page cannot be read. Next: browser_handle_dialog {{\"tab\":{tab},\"accept\":true or false}}.",
            dialog.words(),
        ),
    )
}

pub(crate) fn parse<T: DeserializeOwned>(value: Value) -> Outcome<T> {
    serde_json::from_value(value).map_err(|error| {
        // Its words may hold the page's.
        let kind = error.classify();
        tracing::warn!(?kind, "a reply of the browser's side has another shape");
        Failure::new(Code::VersionMismatch, "the extension answered in a way that this daemon does not know. Next: update both, then reload the extension.")
    })
}

/// One debugger command.
pub(crate) fn command(method: &str, params: Value) -> CdpCommand {
    CdpCommand { method: method.to_owned(), params, session: None, no_wait: false }
}

/// One debugger command whose answer the next one does not wait for.
pub(crate) fn command_no_wait(method: &str, params: Value) -> CdpCommand {
    CdpCommand { no_wait: true, ..command(method, params) }
}

/// `Input.insertText`.
pub(crate) fn insert_text(text: &str) -> CdpCommand {
    command("Input.insertText", json!({"text": text}))
}

/// An element in its document.
#[derive(Debug, Clone)]
pub(crate) struct Located {
    pub(crate) document: DocumentId,
    pub(crate) id: LocalId,
    pub(crate) element: Element,
    /// `(1 of 14 matches)`, or nothing.
    pub(crate) note: String,
}
