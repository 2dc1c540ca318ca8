//! The verbs `cdp` and `dialog`. Every command of a batch is looked up in the table before the first
//! one is sent; whose cookies are meant is filled in here.

use super::{bodies, tabs};
use crate::book::Tab;
use crate::fault::{Outcome, fault};
use crate::link::CdpLink;
use crate::{attaching, table, urls};
use pillion_engine::LinkError;
use pillion_wire::code::Code;
use pillion_wire::id::ChromeTab;
use pillion_wire::limits::cdp::COMMAND;
use pillion_wire::verb::{CdpCommand, CdpReply};
use serde_json::{Value, json};

/// A batch of commands, in order; stops at the first that fails.
pub(super) async fn run(
    link: &CdpLink,
    tab: ChromeTab,
    commands: Vec<CdpCommand>,
) -> Outcome<CdpReply> {
    let epoch = link.attach(tab).await?.epoch;
    check(link, tab, &commands).await?;
    let mut reply = CdpReply { results: vec![], error: None, epoch };
    let mut loose = Vec::new();
    for command in commands {
        let command = filled(link, tab, command)?;
        let session = session_for(link, tab, &command)?;
        let sent = link
            .connection
            .begin(Some(&session), &command.method, object(command.params.clone()))
            .await?;
        let result = sent.within(COMMAND);
        if command.no_wait {
            loose.push(result);
            reply.results.push(Value::Null);
            continue;
        }
        let is_dialog = command.method == "Page.handleJavaScriptDialog";
        // The dialog's own closing is what ends the wait for it.
        let result = if is_dialog { Ok(result.await) } else { link.or_dialog(tab, result).await };
        match result.and_then(|result| Ok(result?)) {
            Ok(result) => reply.results.push(noted(link, tab, &command, result)?),
            Err(error) => {
                reply.error = Some(words(error)?);
                return Ok(reply);
            }
        }
    }
    for running in loose {
        if let Err(error) = link.or_dialog(tab, running).await.and_then(|result| Ok(result?)) {
            reply.error = Some(words(error)?);
            break;
        }
    }
    Ok(reply)
}

/// A command's failure is part of the reply; a browser that is gone is not.
fn words(error: LinkError) -> Outcome<String> {
    match error {
        LinkError::Refused(refused) if refused.code == Code::Internal => Ok(refused.message),
        LinkError::Refused(refused) => {
            Ok(format!("{}: {}", refused.code.as_str(), refused.message))
        }
        LinkError::Timeout => Ok("TIMEOUT: the browser did not answer in time".to_owned()),
        lost @ LinkError::Lost { .. } => Err(lost),
    }
}

struct Facts<'a>(&'a Tab);

impl table::Facts for Facts<'_> {
    fn has_session(&self, session: &str) -> bool {
        self.0.attachment.children.contains_key(session)
    }
    fn has_object(&self, object: &str) -> bool {
        self.0.attachment.objects.get(object).is_some()
    }
    fn has_request(&self, request: &str) -> bool {
        self.0.attachment.requests.get(request).is_some_and(bodies::may_read)
    }
}

async fn check(link: &CdpLink, tab: ChromeTab, commands: &[CdpCommand]) -> Outcome<()> {
    for command in commands {
        let refused = link.with(tab, |tab| {
            let refused = table::refusal(command, &Facts(tab));
            let child = command.session.as_ref().and_then(|id| tab.attachment.children.get(id));
            (refused, child.is_none_or(|child| urls::may_touch(&child.url)))
        })?;
        match refused {
            (Some(words), _) => return Err(fault(Code::Policy, words)),
            (None, false) => {
                let words = "that frame's page may not be touched";
                return Err(fault(Code::ProtectedPage, words));
            }
            (None, true) => {}
        }
        if command.method == "Page.navigateToHistoryEntry"
            && !tabs::may_go_to(link, tab, &command.params["entryId"]).await?
        {
            let words = "that history entry is not an http or https page";
            return Err(fault(Code::UrlNotAllowed, words));
        }
    }
    Ok(())
}

fn session_for(link: &CdpLink, tab: ChromeTab, command: &CdpCommand) -> Outcome<String> {
    match &command.session {
        Some(session) => Ok(session.clone()),
        None => tabs::session_of(link, tab),
    }
}

/// Cookies are those of the addressed document, whatever the agent would like.
fn filled(link: &CdpLink, tab: ChromeTab, mut command: CdpCommand) -> Outcome<CdpCommand> {
    let own = link.with(tab, |tab| match &command.session {
        None => tab.url.clone(),
        Some(session) => {
            tab.attachment.children.get(session).map(|child| child.url.clone()).unwrap_or_default()
        }
    })?;
    match command.method.as_str() {
        "Network.getCookies" => command.params = json!({"urls": [own]}),
        "Network.setCookie" | "Network.deleteCookies" => {
            command.params = object(command.params);
            command.params["url"] = own.into();
        }
        _ => {}
    }
    Ok(command)
}

/// What a result tells us for later commands.
fn noted(link: &CdpLink, tab: ChromeTab, command: &CdpCommand, result: Value) -> Outcome<Value> {
    link.with(tab, |tab| match command.method.as_str() {
        "Runtime.enable" | "Runtime.disable" => {
            tab.attachment.runtime = command.method == "Runtime.enable";
        }
        // Listeners' handlers may be of other worlds: those are shown and never issued.
        "DOMDebugger.getEventListeners" => {}
        _ => {
            let mut ids = Vec::new();
            table::object_ids(&result, &mut ids);
            ids.iter().for_each(|id| tab.attachment.objects.add(id, ()));
        }
    })?;
    Ok(if command.method == "Page.getFrameTree" { visible(result) } else { result })
}

/// Without frames that agents may not know of.
fn visible(mut result: Value) -> Value {
    fn prune(tree: &mut Value) {
        let children = tree.get_mut("childFrames").and_then(Value::as_array_mut);
        let Some(children) = children else { return };
        children
            .retain(|child| urls::may_touch(child["frame"]["url"].as_str().unwrap_or_default()));
        children.iter_mut().for_each(prune);
    }
    prune(&mut result["frameTree"]);
    result
}

fn object(params: Value) -> Value {
    if params.is_object() { params } else { json!({}) }
}

/// Answers the open dialog.
pub(super) async fn dialog(
    link: &CdpLink,
    tab: ChromeTab,
    accept: bool,
    text: Option<String>,
) -> Outcome<()> {
    let known = link.with(tab, |tab| tab.attachment.dialog.clone())?;
    let Some(kind) = known else {
        return Err(fault(Code::NoDialog, "no dialog is known to be open"));
    };
    let session = tabs::session_of(link, tab)?;
    let mut answer = json!({"accept": accept});
    if let Some(text) = text {
        answer["promptText"] = text.into();
    }
    let method = "Page.handleJavaScriptDialog";
    let answered = link.connection.send(Some(&session), method, answer, COMMAND).await;
    match answered.map_err(LinkError::from) {
        Ok(_) => {}
        Err(LinkError::Refused(refused))
            if refused.message.to_lowercase().contains("no dialog") =>
        {
            if kind == attaching::EARLY_DIALOG {
                let words = "the dialog opened before the debugger came: only a navigation that ends in \
                             204 dismisses it";
                return Err(fault(Code::NoDialog, words));
            }
            link.with(tab, |tab| tab.attachment.dialog = None)?;
            return Err(fault(Code::NoDialog, "no dialog is open"));
        }
        // Accepting a beforeunload dialog of a tab that closes takes the tab with it.
        Err(_) if link.with(tab, |_| ()).is_err() => return Ok(()),
        Err(error) => return Err(error),
    }
    // The tab may have closed with it.
    link.with(tab, |tab| tab.attachment.dialog = None).ok();
    Ok(())
}
