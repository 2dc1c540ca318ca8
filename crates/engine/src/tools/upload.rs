//! Files for `browser_fill`: into a file input, onto a drop zone, or through a button that makes
//! its own input when it is pressed. The browser's own chooser is never shown.

use super::Cx;
use super::fill::{Filled, click};
use crate::failure::{Failure, Outcome};
use crate::files;
use crate::handle::{Handle, Located};
use pillion_wire::code::Done;
use pillion_wire::id::LocalId;
use pillion_wire::limits;
use pillion_wire::page::Element;
use pillion_wire::verb::{FileData, Verb};
use serde_json::Value;
use std::sync::Arc;

/// The files that a value names.
pub(super) async fn files(cx: &Cx, value: &str) -> Outcome<Vec<FileData>> {
    files::read(cx.files.as_ref(), value).await
}

/// Whether pressing it may open a chooser.
pub(super) fn is_pressed(element: &Element) -> bool {
    matches!(element.role.as_str(), "button" | "link" | "clickable" | "menuitem" | "label")
}

/// Gives files to a field.
pub(super) async fn give(
    handle: &Arc<Handle>,
    located: Located,
    element: Element,
    multiple: bool,
    files: Vec<FileData>,
) -> Outcome<Filled> {
    send(handle, &located, element.id, multiple, files).await?;
    Ok(Filled { located: Located { id: element.id, element, ..located }, shows: None })
}

async fn send(
    handle: &Arc<Handle>,
    located: &Located,
    id: LocalId,
    multiple: bool,
    files: Vec<FileData>,
) -> Outcome<()> {
    if files.len() > 1 && !multiple {
        return Err(Failure::invalid("the field takes one file."));
    }
    handle.acting();
    tracing::info!(count = files.len(), "files are given to a field");
    let document = located.document.clone();
    let verb = Verb::Upload { tab: handle.chrome(), document, element: id, files };
    handle.verb::<Value>(verb, limits::CALL).await?;
    Ok(())
}

/// Presses the opener with its chooser caught, and gives the files to the input that the chooser is
/// of. When none opens, `otherwise` is what went wrong.
pub(super) async fn choose(
    handle: &Arc<Handle>,
    opener: Located,
    files: Vec<FileData>,
    otherwise: Failure,
) -> Outcome<Filled> {
    catch(handle, true).await?;
    let caught = press(handle, &opener).await;
    // Left on, it would swallow the user's own choosers. When it cannot be turned off the tab or
    // the link is gone, and with it the setting.
    catch(handle, false).await.ok();
    let Some((node, several)) = caught? else {
        let text = format!(
            "{}; it was pressed, and no file chooser opened",
            otherwise.text.trim_end_matches('.')
        );
        return Err(Failure { text, ..otherwise }.done(Done::Partly));
    };
    let document = opener.document.clone();
    let id: LocalId =
        handle.verb(Verb::Adopt { tab: handle.chrome(), document, node }, limits::VERB).await?;
    send(handle, &opener, id, several, files).await?;
    Ok(Filled { located: opener, shows: None })
}

async fn catch(handle: &Handle, on: bool) -> Outcome<()> {
    handle.verb::<Value>(Verb::CatchChooser { tab: handle.chrome(), on }, limits::VERB).await?;
    Ok(())
}

async fn press(handle: &Arc<Handle>, opener: &Located) -> Outcome<Option<(i32, bool)>> {
    let since = handle.tab.state().seq;
    click(handle, opener).await?;
    let opened = handle.tab.until(|state| {
        state.chooser.filter(|(seq, ..)| *seq > since).map(|(_, node, several)| (node, several))
    });
    Ok(tokio::time::timeout(limits::CHOOSER, opened).await.ok())
}
