//! One browser: what the engine calls, and what both halves share.

use crate::book::{Book, Heard, Listener, Tab};
use crate::connection::{Connection, Sent};
use crate::fault::{Outcome, fault};
use crate::transport::{ConnectError, Transport};
use crate::verbs;
use async_trait::async_trait;
use pillion_engine::{Browser, LinkError};
use pillion_wire::code::Code;
use pillion_wire::id::ChromeTab;
use pillion_wire::limits::cdp::COMMAND;
use pillion_wire::link::Asker;
use pillion_wire::verb::{Event, Verb};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Whose browser it is.
#[derive(Debug, Clone)]
pub enum Owner {
    /// We launched it, and it ends with us.
    Ours {
        /// Where its downloads go.
        downloads: PathBuf,
    },
    /// Somebody named it: it stays as it was.
    Theirs,
}

/// A browser over plain CDP.
pub struct CdpLink {
    pub(crate) connection: Connection,
    book: Mutex<Book>,
    /// Takes what happens, once somebody listens.
    told: OnceLock<Box<dyn Fn(Event) + Send + Sync>>,
    /// Sessions that asked for this browser.
    admitted: Mutex<HashSet<String>>,
    closed: CancellationToken,
    product: OnceLock<String>,
    me: Weak<Self>,
}

/// Collects events of a session until it is dropped.
pub(crate) struct Listening {
    link: Arc<CdpLink>,
    tab: ChromeTab,
    id: u64,
    heard: Arc<Heard>,
}

impl Listening {
    /// What was heard so far.
    pub(crate) fn heard(&self) -> Vec<(String, Value)> {
        self.heard.take()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(tab) = self.link.book().tabs.get_mut(&self.tab) {
            tab.attachment.listeners.retain(|listener| listener.id != self.id);
        }
    }
}

impl CdpLink {
    /// Greets the browser at the other end.
    ///
    /// # Errors
    /// When it does not answer as a browser does.
    pub async fn open(transport: Transport, owner: &Owner) -> Result<Arc<Self>, ConnectError> {
        let Transport { outgoing, incoming } = transport;
        let link = Arc::new_cyclic(|me| Self {
            connection: Connection::new(outgoing),
            book: Mutex::default(),
            told: OnceLock::new(),
            admitted: Mutex::default(),
            closed: CancellationToken::new(),
            product: OnceLock::new(),
            me: me.clone(),
        });
        tokio::spawn(Arc::clone(&link).pump(incoming));
        if let Err(error) = link.greet(owner).await {
            link.close();
            return Err(ConnectError::Refused {
                host: "the browser".into(),
                why: error.to_string(),
            });
        }
        Ok(link)
    }

    async fn greet(&self, owner: &Owner) -> Outcome<()> {
        let version = self.root("Browser.getVersion", json!({})).await?;
        // Nobody else sets it.
        self.product.set(version["product"].as_str().unwrap_or("a browser").to_owned()).ok();
        let downloads = match owner {
            Owner::Ours { downloads } => {
                json!({"behavior": "allow", "downloadPath": downloads, "eventsEnabled": true})
            }
            Owner::Theirs => json!({"behavior": "default", "eventsEnabled": true}),
        };
        // Some hosts do not let it be set; downloads are then not told.
        self.root("Browser.setDownloadBehavior", downloads).await.ok();
        self.root("Target.setDiscoverTargets", json!({"discover": true})).await?;
        let attach = json!({
            "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
            "filter": [{"type": "page"}, {"exclude": true}],
        });
        self.root("Target.setAutoAttach", attach).await?;
        Ok(())
    }

    /// Hands over who is told of what happens. Only the first one counts.
    pub fn listen(&self, told: impl Fn(Event) + Send + Sync + 'static) {
        self.told.set(Box::new(told)).ok();
    }

    /// Lets a session use this browser, or no longer.
    pub fn admit(&self, session: &str, on: bool) {
        let mut admitted = self.admitted.lock().unwrap_or_else(PoisonError::into_inner);
        if on {
            admitted.insert(session.to_owned());
        } else {
            admitted.remove(session);
        }
    }

    /// `Chrome/148.0.7778.167`.
    pub fn product(&self) -> &str {
        self.product.get().map_or("a browser", String::as_str)
    }

    /// Asks the browser to end. It may be gone before it answers.
    pub async fn end_browser(&self, within: Duration) {
        self.connection.send(None, "Browser.close", json!({}), within).await.ok();
    }

    /// Lets go of the browser.
    pub fn close(&self) {
        self.closed.cancel();
    }

    /// Until the browser is gone, or was let go.
    pub async fn ended(&self) {
        self.closed.cancelled().await;
    }

    async fn pump(self: Arc<Self>, mut incoming: mpsc::Receiver<String>) {
        loop {
            let text = tokio::select! {
                () = self.closed.cancelled() => break,
                text = incoming.recv() => text,
            };
            let Some(text) = text else { break };
            if let Some(event) = self.connection.take(&text) {
                self.happened(event);
            }
        }
        self.closed.cancel();
        self.connection.close();
    }

    pub(crate) fn book(&self) -> MutexGuard<'_, Book> {
        // The book is consistent between any two statements, so a panic elsewhere spoils nothing.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Never called with the book open.
    pub(crate) fn tell(&self, event: Event) {
        if let Some(told) = self.told.get() {
            told(event);
        }
    }

    /// In a task of its own, which ends with the link.
    pub(crate) fn spawn<F: Future<Output = ()> + Send + 'static>(
        &self,
        work: impl FnOnce(Arc<Self>) -> F,
    ) {
        let Some(me) = self.me.upgrade() else { return };
        let closed = self.closed.clone();
        let work = work(me);
        tokio::spawn(async move {
            tokio::select! {
                () = closed.cancelled() => {}
                () = work => {}
            }
        });
    }

    /// Something of one tab, as long as it is there.
    pub(crate) fn with<T>(&self, tab: ChromeTab, look: impl FnOnce(&mut Tab) -> T) -> Outcome<T> {
        self.book().tabs.get_mut(&tab).map(look).ok_or_else(tab_gone)
    }

    /// A command to the browser itself.
    pub(crate) async fn root(&self, method: &str, params: Value) -> Outcome<Value> {
        Ok(self.connection.send(None, method, params, COMMAND).await?)
    }

    /// A command whose waiting ends with its time or an opening dialog.
    pub(crate) async fn command(
        &self,
        tab: ChromeTab,
        session: &str,
        method: &str,
        params: Value,
    ) -> Outcome<Value> {
        self.command_within(tab, session, method, params, COMMAND).await
    }

    pub(crate) async fn command_within(
        &self,
        tab: ChromeTab,
        session: &str,
        method: &str,
        params: Value,
        time: Duration,
    ) -> Outcome<Value> {
        let work = self.connection.send(Some(session), method, params, time);
        Ok(self.or_dialog(tab, work).await??)
    }

    /// Runs something that a dialog would block for ever, and gives up when one opens.
    pub(crate) async fn or_dialog<T>(
        &self,
        tab: ChromeTab,
        work: impl Future<Output = T>,
    ) -> Outcome<T> {
        let mut dialogs = self.with(tab, |tab| tab.attachment.dialogs.subscribe())?;
        tokio::select! {
            biased;
            done = work => Ok(done),
            changed = dialogs.changed() => Err(match changed {
                Ok(()) => self.dialog_fault(tab),
                Err(_) => tab_gone(),
            }),
        }
    }

    fn dialog_fault(&self, tab: ChromeTab) -> LinkError {
        let kind = self.with(tab, |tab| tab.attachment.dialog.clone()).ok().flatten();
        let kind = kind.unwrap_or_else(|| "dialog".to_owned());
        fault(Code::DialogOpen, format!("a JavaScript dialog ({kind}) opened"))
    }

    /// Fails while a dialog blocks the page.
    pub(crate) fn refuse_while_dialog(&self, tab: ChromeTab) -> Outcome<()> {
        match self.with(tab, |tab| tab.attachment.dialog.clone())? {
            Some(kind) => {
                Err(fault(Code::DialogOpen, format!("a JavaScript dialog ({kind}) is open")))
            }
            None => Ok(()),
        }
    }

    /// Hands commands of one session over in their order, without waiting for answers.
    pub(crate) async fn post<'a>(
        &'a self,
        session: &str,
        commands: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Outcome<Vec<Sent<'a>>> {
        let mut sent = Vec::new();
        for (method, params) in commands {
            sent.push(self.connection.begin(Some(session), method, params).await?);
        }
        Ok(sent)
    }

    /// Collects events of a session from now on.
    pub(crate) fn collect(
        &self,
        tab: ChromeTab,
        session: &str,
        methods: &'static [&'static str],
        most: usize,
    ) -> Outcome<Listening> {
        let link = self.me.upgrade().ok_or(LinkError::Lost { sent: false })?;
        let heard = Arc::new(Heard::default());
        let id = {
            let mut book = self.book();
            let id = book.listener_number();
            let tab = book.tabs.get_mut(&tab).ok_or_else(tab_gone)?;
            let (session, heard) = (session.to_owned(), Arc::clone(&heard));
            tab.attachment.listeners.push(Listener { id, session, methods, most, heard });
            id
        };
        Ok(Listening { link, tab, id, heard })
    }

    fn knock(&self, asker: Option<&Asker>) -> Outcome<()> {
        let admitted = self.admitted.lock().unwrap_or_else(PoisonError::into_inner);
        if asker.is_some_and(|asker| admitted.contains(&asker.session)) {
            return Ok(());
        }
        Err(fault(Code::ApprovalDenied, "this browser was opened for another agent"))
    }
}

/// One answer for a tab that is not there and one that agents may not know of.
pub(crate) fn tab_gone() -> LinkError {
    fault(Code::TabNotShared, "there is no such tab for agents in this browser")
}

#[async_trait]
impl Browser for CdpLink {
    async fn call(
        &self,
        verb: Verb,
        asker: Option<Asker>,
        deadline: Duration,
    ) -> Result<Value, LinkError> {
        if !self.is_connected() {
            return Err(LinkError::Lost { sent: false });
        }
        if let Verb::Knock { .. } = verb {
            return self.knock(asker.as_ref()).map(|()| Value::Null);
        }
        verbs::refusal(self, &verb)?;
        let work = verbs::run(self, verb);
        tokio::time::timeout(deadline, work).await.unwrap_or(Err(LinkError::Timeout))
    }

    fn is_connected(&self) -> bool {
        !self.closed.is_cancelled()
    }
}
