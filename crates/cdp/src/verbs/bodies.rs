//! Bodies of answers in tabs whose bodies are kept: read as soon as the answer is over, since Chrome
//! forgets them with the page.

use crate::book::Asked;
use crate::fault::Outcome;
use crate::link::CdpLink;
use crate::reduce::cut;
use crate::urls;
use pillion_wire::id::ChromeTab;
use pillion_wire::limits::BODY_BYTES;
use pillion_wire::limits::cdp::COMMAND;
use pillion_wire::looking::NetBody;
use pillion_wire::verb::Event;
use serde_json::json;

/// The verb `capture`.
pub(super) async fn capture(link: &CdpLink, tab: ChromeTab, on: bool) -> Outcome<()> {
    if on {
        link.attach(tab).await?;
    }
    link.with(tab, |tab| tab.attachment.capture = on)
}

/// Whether its body may be read: a document's own, or of the document's own origin.
pub(crate) fn may_read(asked: &Asked) -> bool {
    asked.document || urls::origin_of(&asked.url) == urls::origin_of(&asked.page)
}

/// An answer is over.
pub(crate) async fn keep_body(link: &CdpLink, tab: ChromeTab, session: &str, request: &str) {
    let params = json!({"requestId": request});
    let got = link.connection.send(Some(session), "Network.getResponseBody", params, COMMAND).await;
    // Forgotten already, or there is none.
    let Some(body) = got.as_ref().ok().and_then(|got| got["body"].as_str()) else { return };
    let base64 = got.as_ref().is_ok_and(|got| got["base64Encoded"] == true);
    let told = NetBody {
        tab,
        request: request.to_owned(),
        size: u32::try_from(body.encode_utf16().count()).unwrap_or(u32::MAX),
        body: cut(body, BODY_BYTES),
        base64,
    };
    link.tell(Event::Body { told });
}
