//! Files as bytes, made into `File` objects by the page agent; choosers that are caught. Never a path:
//! the browser may be on another machine.

use super::tabs::session_of;
use super::{page, place};
use crate::fault::{Outcome, element_gone, fault, internal};
use crate::link::CdpLink;
use pillion_wire::code::Code;
use pillion_wire::id::{ChromeTab, DocumentId, LocalId};
use pillion_wire::limits::VERB;
use pillion_wire::verb::FileData;
use serde_json::json;

/// Runs in our world.
const GIVE: &str = r#"async function (element, files) {
  try {
    return (await globalThis.__pillion.setFiles(element, files)) ?? null;
  } catch (failure) {
    return { error: failure?.wire?.() ?? { code: "INTERNAL", message: "the page agent failed" } };
  }
}"#;

/// Gives files to an element.
pub(super) async fn give(
    link: &CdpLink,
    tab: ChromeTab,
    document: &DocumentId,
    element: LocalId,
    files: Vec<FileData>,
) -> Outcome<()> {
    link.refuse_while_dialog(tab)?;
    let aim = page::aim(link, tab, document)?;
    let given = json!([{"value": element}, {"value": files}]);
    let mut done = place::in_world(link, tab, &aim, GIVE, given, VERB).await?;
    if !done["error"].is_object() {
        return Ok(());
    }
    let code = serde_json::from_value(done["error"]["code"].take()).unwrap_or(Code::Internal);
    Err(fault(code, done["error"]["message"].as_str().unwrap_or("the page agent failed")))
}

/// Catches file choosers of the tab and its child frames, or shows them again.
pub(super) async fn catch(link: &CdpLink, tab: ChromeTab, on: bool) -> Outcome<()> {
    link.attach(tab).await?;
    let method = "Page.setInterceptFileChooserDialog";
    for session in link.with(tab, |tab| tab.sessions())? {
        link.command(tab, &session, method, json!({"enabled": on})).await?;
    }
    Ok(())
}

/// Takes the input of a caught chooser under a number.
pub(super) async fn adopt(
    link: &CdpLink,
    tab: ChromeTab,
    document: &DocumentId,
    node: i32,
) -> Outcome<LocalId> {
    session_of(link, tab)?;
    let aim = page::aim(link, tab, document)?;
    let context = place::ours(link, tab, &aim).await?;
    let session = &aim.frame.session;
    let params = json!({"backendNodeId": node, "executionContextId": context});
    let resolved = link.command(tab, session, "DOM.resolveNode", params).await?;
    let object = place::object_of(&resolved["object"]).ok_or_else(element_gone)?;
    let params = json!({
        "objectId": object, "returnByValue": true,
        "functionDeclaration": "function () { return globalThis.__pillion.adopt(this); }",
    });
    let adopted = link.command(tab, session, "Runtime.callFunctionOn", params).await?;
    let id = adopted["result"]["value"].as_u64().and_then(|id| u32::try_from(id).ok());
    id.map(LocalId).ok_or_else(|| internal("the page agent took no input"))
}
