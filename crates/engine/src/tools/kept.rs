//! A last look at fields that were filled: what the page made of them once the next one had the focus.

use super::fill::Filled;
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use pillion_core::page_text::quote;
use pillion_wire::code::Code;
use pillion_wire::id::{DocumentId, LocalId};
use pillion_wire::page::{Kept, PageCall};

/// What a field shows now is told; one that was emptied was not filled.
pub(super) async fn look_again(handle: &Handle, results: &mut [(&str, Outcome<Filled>)]) {
    for (document, ids) in by_document(results) {
        // A document that went away meanwhile has no field that could be asked.
        let Ok(others) = handle.page::<Vec<Kept>>(&document, PageCall::Kept { ids }).await else {
            continue;
        };
        for Kept { id, holds } in others {
            let Some(holds) = holds else { continue };
            let of_field =
                |filled: &Filled| filled.located.id == id && filled.located.document == document;
            let result = results
                .iter_mut()
                .map(|(_, result)| result)
                .find(|result| result.as_ref().is_ok_and(of_field));
            if let Some(result) = result {
                take(handle, result, holds);
            }
        }
    }
}

fn take(handle: &Handle, result: &mut Outcome<Filled>, holds: String) {
    let Ok(filled) = result else { return };
    let element = &filled.located.element;
    let is_ticked = matches!(element.role.as_str(), "checkbox" | "radio" | "switch");
    if !holds.is_empty() && !is_ticked {
        filled.shows = Some(holds);
        return;
    }
    let words = handle.words(element, &filled.located.document);
    let text = format!("{words} took it and then went back to {}", quote(&holds));
    *result = Err(Failure::new(Code::ValueNotSet, text));
}

fn by_document(results: &[(&str, Outcome<Filled>)]) -> Vec<(DocumentId, Vec<LocalId>)> {
    let mut all: Vec<(DocumentId, Vec<LocalId>)> = Vec::new();
    for filled in results.iter().filter_map(|(_, result)| result.as_ref().ok()) {
        let (document, id) = (&filled.located.document, filled.located.id);
        match all.iter_mut().find(|(known, _)| known == document) {
            Some((_, ids)) => ids.push(id),
            None => all.push((document.clone(), vec![id])),
        }
    }
    all
}
