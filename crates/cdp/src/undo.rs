//! Takes back what an agent tried in a tab, as soon as it holds the tab no more: patches in its pages,
//! overrides, answers in a server's place.

use crate::link::CdpLink;
use crate::verbs;
use pillion_wire::id::ChromeTab;
use pillion_wire::limits::cdp::UNDO;
use pillion_wire::page::PageCall;
use pillion_wire::trying::Emulation;
use pillion_wire::verb::Event;

/// Everything is as it would have been.
pub(crate) async fn give_back(link: &CdpLink, tab: ChromeTab) {
    let had = link.with(tab, |tab| {
        let attachment = &mut tab.attachment;
        let patched = std::mem::take(&mut attachment.patched);
        let emulated = attachment.emulation != Emulation::default();
        (patched, emulated, attachment.mocks.is_some())
    });
    let Ok((patched, emulated, mocked)) = had else { return };
    if patched {
        let call = PageCall::Unpatch { numbers: None, keep: false };
        // A page behind a dialog does it as soon as that is gone.
        tokio::time::timeout(UNDO, verbs::page(link, tab, None, call)).await.ok();
    }
    if emulated {
        verbs::emulate(link, tab, Emulation::default()).await.ok();
    }
    if mocked {
        verbs::mock(link, tab, vec![]).await.ok();
    }
    if patched || emulated || mocked {
        link.tell(Event::Undone { tab });
    }
}
