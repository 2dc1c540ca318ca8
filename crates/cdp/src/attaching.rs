//! The debugger in a tab and its child frames: which domains are on, and the page agent in every
//! document from its start. Everything is sent before the first answer is waited for, and a page that
//! waits for its debugger is let go in any case.

use crate::agent;
use crate::fault::{Outcome, fault};
use crate::link::{CdpLink, tab_gone};
use crate::navigation;
use pillion_wire::code::Code;
use pillion_wire::id::ChromeTab;
use pillion_wire::limits::cdp::{COMMAND, ENABLE, NETWORK_BUFFER_BYTES, NETWORK_RESOURCE_BYTES};
use pillion_wire::verb::{Attached, Event};
use serde_json::{Value, json};
use std::sync::Arc;

/// The kind of a dialog that opened before the debugger came: it can only be dismissed.
pub(crate) const EARLY_DIALOG: &str = "unknown";

impl CdpLink {
    /// Attaches unless it is so already, and waits until the tab's domains are on.
    pub(crate) async fn attach(&self, tab: ChromeTab) -> Outcome<Attached> {
        let (session, target, ready) = self.with(tab, |tab| {
            (tab.session.clone(), tab.target.clone(), Arc::clone(&tab.attachment.ready))
        })?;
        let fresh = !ready.initialized();
        if session.is_none() {
            let params = json!({"targetId": target, "flatten": true});
            self.root("Target.attachToTarget", params).await?;
        }
        // The event of the attachment came before its answer, and may have begun this.
        let (ready, session) = self
            .with(tab, |tab| {
                tab.session.clone().map(|session| (Arc::clone(&tab.attachment.ready), session))
            })?
            .ok_or_else(tab_gone)?;
        ready.get_or_try_init(|| self.prepare(tab, &session)).await?;
        let epoch = self.with(tab, |tab| tab.attachment.epoch)?;
        Ok(Attached { epoch, fresh, dom: None })
    }

    async fn prepare(&self, tab: ChromeTab, session: &str) -> Outcome<()> {
        let mut commands = domains();
        commands.push(("Page.getFrameTree", json!({})));
        commands.push(("Runtime.runIfWaitingForDebugger", json!({})));
        commands.push(("Page.startScreencast", frames_running()));
        let sent = self.post(session, commands).await?;
        let tree_at = sent.len() - 3;
        for (at, sent) in sent.into_iter().enumerate() {
            match sent.within(if at == 0 { ENABLE } else { COMMAND }).await {
                Ok(tree) if at == tree_at => {
                    self.see_tree(session, &tree["frameTree"]);
                    let top = &tree["frameTree"]["frame"];
                    let missed = self.with(tab, |tab| navigation::caught_up(tab, top));
                    missed.unwrap_or_default().into_iter().for_each(|event| self.tell(event));
                }
                Ok(_) => {}
                Err(crate::connection::CommandError::Late) if at == 0 => {
                    return Err(self.held_by_early_dialog(tab));
                }
                // Only the page's own domain must be there.
                Err(error) if at == 0 => return Err(error.into()),
                Err(error) => tracing::debug!(%error, "a domain was not enabled"),
            }
        }
        Ok(())
    }

    /// `Page.enable` answers only once a dialog that opened before the debugger came is gone.
    fn held_by_early_dialog(&self, tab: ChromeTab) -> pillion_engine::LinkError {
        let kind = EARLY_DIALOG.to_owned();
        if self.with(tab, |tab| tab.attachment.dialog = Some(kind)).is_ok() {
            let params = json!({"type": EARLY_DIALOG, "message": ""});
            let method = "Page.javascriptDialogOpening".to_owned();
            self.tell(Event::Cdp { tab, session: None, method, params });
        }
        fault(Code::DialogOpen, "a dialog that opened before the debugger came holds the page")
    }

    /// A page that no agent works in goes its way.
    pub(crate) async fn let_go(&self, session: &str) {
        let commands = [("Runtime.runIfWaitingForDebugger", json!({}))];
        // It may be gone already.
        self.post(session, commands).await.ok();
    }

    /// A child frame of another process: it gets the same domains, and its own children are attached
    /// as well.
    pub(crate) async fn prepare_child(&self, tab: ChromeTab, session: &str) {
        let (runtime, mut more) = self
            .with(tab, |tab| (tab.attachment.runtime, crate::verbs::steps_in_child(tab)))
            .unwrap_or_default();
        let mut commands = domains();
        commands.push(("Page.getFrameTree", json!({})));
        let tree_at = commands.len() - 1;
        if runtime {
            commands.push(("Runtime.enable", json!({})));
        }
        commands.append(&mut more);
        commands.push(("Runtime.runIfWaitingForDebugger", json!({})));
        // A frame may be gone before its domains are enabled; nothing is lost then.
        let Ok(sent) = self.post(session, commands).await else { return };
        for (at, sent) in sent.into_iter().enumerate() {
            if let Ok(tree) = sent.within(COMMAND).await
                && at == tree_at
            {
                self.see_tree(session, &tree["frameTree"]);
            }
        }
        self.tell_child(tab, session);
    }

    fn see_tree(&self, session: &str, tree: &Value) {
        let mut waiting = vec![tree];
        let mut book = self.book();
        while let Some(tree) = waiting.pop() {
            book.see_frame(session, &tree["frame"], false);
            waiting.extend(tree["childFrames"].as_array().into_iter().flatten());
        }
    }

    /// The engine addresses child frames by their sessions.
    pub(crate) fn tell_child(&self, tab: ChromeTab, session: &str) {
        let child = self.with(tab, |tab| tab.attachment.children.get(session).cloned());
        let Ok(Some(child)) = child else { return };
        let params = json!({"sessionId": session,
            "targetInfo": {"targetId": child.target, "type": "iframe", "url": child.url}});
        let method = "Target.attachedToTarget".to_owned();
        self.tell(Event::Cdp { tab, session: None, method, params });
    }
}

/// What every session of a tab gets. The page's own domain comes first.
fn domains() -> Vec<(&'static str, Value)> {
    let agent = json!({"source": agent::SOURCE, "worldName": agent::WORLD, "runImmediately": true});
    let attach = json!({
        "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
        "filter": [{"type": "iframe"}, {"exclude": true}],
    });
    let buffers = json!({"maxTotalBufferSize": NETWORK_BUFFER_BYTES,
        "maxResourceBufferSize": NETWORK_RESOURCE_BYTES});
    vec![
        ("Page.enable", json!({})),
        ("Page.setLifecycleEventsEnabled", json!({"enabled": true})),
        ("Network.enable", buffers),
        ("Log.enable", json!({})),
        ("Emulation.setFocusEmulationEnabled", json!({"enabled": true})),
        ("Page.addScriptToEvaluateOnNewDocument", agent),
        ("Target.setAutoAttach", attach),
    ]
}

/// A screencast that never sends a picture keeps frames and timers of a background tab running: see
/// the extension's `attachment.ts`.
fn frames_running() -> Value {
    json!({"format": "jpeg", "quality": 1, "maxWidth": 16, "maxHeight": 16, "everyNthFrame": 100_000})
}
