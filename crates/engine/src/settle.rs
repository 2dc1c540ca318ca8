//! Waiting until a page is quiet after an act. Driven by events; no fixed sleep.
//!
//! Quiet: no DOM change for two frames, and no document, script, fetch or XHR request that began
//! after the act in flight. Long-lived requests do not count. Capped; the receipt says so.

use crate::clock::now_ms;
use crate::handle::Handle;
use crate::tab::TabState;
use pillion_wire::id::DocumentId;
use pillion_wire::limits;
use pillion_wire::page::{PageCall, Quiet};
use pillion_wire::verb::{FrameReply, Phase, Verb};
use std::time::{Duration, Instant};

/// How the waiting ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Settled {
    /// Nothing moves any more.
    Quiet,
    /// The cap was reached with so many requests in flight.
    Loading(usize),
    /// A dialog opened.
    Dialog,
    /// The tab is gone.
    Gone,
}

impl Handle {
    /// Waits after an act. `since` is the tab's event number before the act; `documents` are those
    /// whose changes matter.
    pub(crate) async fn settle(&self, since: u64, documents: &[DocumentId]) -> Settled {
        let started = Instant::now();
        let mut cap = started + limits::SETTLE;
        let mut extended = false;
        loop {
            let (seq, under_way) = {
                let state = self.tab.state();
                (state.seq, state.nav.is_under_way(since))
            };
            if let Some(end) = self.ended() {
                return end;
            }
            if under_way && !extended {
                extended = true;
                cap = Instant::now() + limits::SETTLE_NAVIGATION;
            }
            if Instant::now() >= cap || self.deadline <= Instant::now() {
                return Settled::Loading(self.in_flight(since).0.max(usize::from(under_way)));
            }
            let stirred = |state: &TabState| (state.seq > seq).then_some(());
            let left = cap.saturating_duration_since(Instant::now());
            if under_way {
                tokio::time::timeout(left, self.tab.until(stirred)).await.ok();
                continue;
            }
            self.quiet_page(documents, since, left).await;
            let (busy, wait) = self.in_flight(since);
            let now = self.tab.state().seq;
            if self.ended().is_some() || self.tab.state().nav.is_under_way(since) {
                continue;
            }
            if busy == 0 {
                return Settled::Quiet;
            }
            let left = cap.saturating_duration_since(Instant::now()).min(wait);
            let moved = |state: &TabState| (state.seq > now).then_some(());
            tokio::time::timeout(left, self.tab.until(moved)).await.ok();
        }
    }

    fn ended(&self) -> Option<Settled> {
        let state = self.tab.state();
        if state.dialog.is_some() {
            return Some(Settled::Dialog);
        }
        (state.gone.is_some() || state.crashed || self.cancel.is_cancelled())
            .then_some(Settled::Gone)
    }

    /// How many requests hold up, and after how long one of them may not any more.
    fn in_flight(&self, since: u64) -> (usize, Duration) {
        let (state, now) = (self.tab.state(), now_ms());
        if !state.attached {
            // Only the passive list tells, and not what a request began for.
            let start = state.logs.net.page_start(state.logs.commit);
            return (state.logs.net.under_way(start).count(), Duration::MAX);
        }
        let waits: Vec<_> = state
            .requests
            .iter()
            .filter(|request| request.seq > since)
            .filter_map(|request| request.holds_up(now))
            .collect();
        (waits.len(), waits.into_iter().min().unwrap_or_default())
    }

    /// Asks the page to say when nothing moves; a navigation, a dialog or the tab's end stops the
    /// waiting, since the page will not answer then.
    async fn quiet_page(&self, documents: &[DocumentId], since: u64, left: Duration) {
        let current = self.tab.state().nav.document.clone();
        let documents: Vec<_> =
            if documents.is_empty() || self.tab.state().nav.committed_seq > since {
                current.into_iter().collect()
            } else {
                documents.to_vec()
            };
        if documents.is_empty() {
            return;
        }
        let cap_ms = left.as_millis() as u32;
        let call = PageCall::Settle { frames: limits::QUIET_FRAMES, cap_ms };
        let verb = Verb::Page { tab: self.chrome(), documents: Some(documents), call };
        let ask = self.verb::<Vec<FrameReply>>(verb, left + limits::QUIET_WITHOUT_FRAMES);
        let stop = self.tab.until(|state| {
            let away =
                state.nav.is_under_way(since) || state.dialog.is_some() || state.gone.is_some();
            away.then_some(())
        });
        tokio::select! {
            replies = ask => match replies {
                Ok(replies) => {
                    let quiet = replies.into_iter().filter_map(|reply| reply.value);
                    let loud = quiet.filter_map(|value| serde_json::from_value::<Quiet>(value).ok()).any(|quiet| !quiet.quiet);
                    tracing::trace!(loud, "settled");
                }
                // A page that went away answers nothing: the loop looks at what became of it.
                Err(failure) => tracing::trace!(code = failure.code.as_str(), "settle was not answered"),
            },
            () = stop => {}
        }
    }

    /// Waits until the top frame's navigation that began after `since` is as far as `phase`, failed,
    /// or a dialog stopped it. False: the time was over.
    pub(crate) async fn navigated(&self, since: u64, phase: Phase) -> bool {
        let done = self.tab.until(|state| {
            let nav = &state.nav;
            let far = match (nav.phase, phase) {
                (Some(Phase::Failed | Phase::Complete), _) | (Some(Phase::Ready), Phase::Ready) => {
                    nav.seq > since
                }
                _ => false,
            };
            let other = nav.same_document_seq > since
                || state.dialog.as_ref().is_some_and(|dialog| dialog.seq > since)
                || state.gone.is_some()
                || state.downloads.iter().any(|(seq, _)| *seq > since);
            (far || other).then_some(())
        });
        tokio::time::timeout(self.time(limits::NAVIGATION), done).await.is_ok()
    }
}
