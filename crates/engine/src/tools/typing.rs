//! `browser_type`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::act;
use crate::failure::{Failure, Outcome};
use crate::frames::{Doc, docs};
use crate::handle::{Handle, Located};
use crate::receipt::About;
use pillion_core::keys::{self, Chord};
use pillion_core::page_text::quote;
use pillion_core::refs::Key;
use pillion_wire::code::Code;
use pillion_wire::page::{Caret, Element, PageCall, State};
use std::sync::Arc;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_type",
    doc: "Type at the caret with real keys. To set a field use browser_fill.",
    details: "",
    effect: Effect::Act,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param {
            name: "target",
            kind: Kind::Text,
            doc: "default: what has focus",
            required: false,
            rare: false,
        },
        Param { name: "text", kind: Kind::Text, doc: "", required: false, rare: false },
        Param {
            name: "key",
            kind: Kind::Text,
            doc: "Enter, Control+A, \"ArrowDown Enter\"",
            required: false,
            rare: false,
        },
        Param {
            name: "clear",
            kind: Kind::Boolean,
            doc: "empty it first",
            required: false,
            rare: false,
        },
        Param {
            name: "submit",
            kind: Kind::Boolean,
            doc: "then Enter",
            required: false,
            rare: false,
        },
        Param { name: "snapshot", kind: Kind::Boolean, doc: "", required: false, rare: true },
    ],
    positional: &["text"],
    idempotent: false,
    destructive: true,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let text = cx.args.text("text");
    let key = cx.args.text("key");
    let (clear, submit) = (cx.args.flag("clear"), cx.args.flag("submit"));
    if text.is_none() && key.is_none() && !clear && !submit {
        return Err(Failure::invalid(
            "browser_type needs text, key, clear or submit. Nothing was typed.",
        ));
    }
    let mut chords = match &key {
        Some(words) => keys::sequence(words).map_err(|name| {
            Failure::new(Code::UnknownKey, format!("there is no key {}. Nothing was pressed. Keys: Enter, Tab, Escape, ArrowDown, F5, Control+A …", quote(&name)))
        })?,
        None => vec![],
    };
    if submit {
        chords.push(keys::chord("Enter").map_err(|name| Failure::new(Code::UnknownKey, name))?);
    }
    handle.attach().await?;
    let located = focus(&handle, cx.args.text("target"), clear, text.is_some() || clear).await?;
    let before = handle.before(located.as_ref().map(|l| &l.document)).await?;
    if let Some(located) = &located {
        handle.page::<()>(&located.document, PageCall::Baseline {}).await?;
    }
    let mut commands = Vec::new();
    if clear {
        commands.extend(chord_named("Delete")?);
    }
    if let Some(text) = &text {
        commands.extend(act::type_text(text));
    }
    for chord in &chords {
        commands.extend(act::key(chord));
    }
    handle.keys(commands, located.as_ref()).await?;
    let typed = text.is_some() || clear;
    let shown = if typed { read_back(&handle, located.as_ref()).await } else { None };
    // The value has a line of its own.
    let silent: Vec<_> = located
        .iter()
        .filter(|_| shown.is_some())
        .map(|l| Key { document: l.document.clone(), id: l.id })
        .collect();
    let about = About {
        target: located.as_ref().map(|l| (&l.document, l.id)),
        silent: &silent,
        value: shown,
    };
    let after = handle.after(&before, about).await;
    let head =
        head(&handle, &chords, key.is_some(), text.as_deref(), clear, submit, located.as_ref());
    let tail = if after.effect { "" } else { "no visible effect\n" };
    super::with_snapshot(
        &cx,
        &handle,
        format!("{head}\n{}{tail}", after.lines).trim_end().to_owned(),
    )
    .await
}

fn head(
    handle: &Handle,
    chords: &[Chord],
    has_key: bool,
    text: Option<&str>,
    clear: bool,
    submit: bool,
    located: Option<&Located>,
) -> String {
    let mut did = Vec::new();
    if clear {
        did.push("cleared".to_owned());
    }
    if let Some(text) = text {
        did.push(format!("typed {} characters", text.chars().count()));
    }
    if has_key {
        let pressed = &chords[..chords.len() - usize::from(submit)];
        let names: Vec<_> = pressed.iter().map(chord_words).collect();
        did.push(format!("pressed {}", names.join(", ")));
    }
    if submit {
        did.push("pressed Enter".to_owned());
    }
    let mut out = did.join(", ");
    if let Some(located) = located {
        out.push_str(&format!(
            " on {}{}",
            handle.words(&located.element, &located.document),
            located.note
        ));
    }
    out + &super::tab_note(handle)
}

fn chord_words(chord: &Chord) -> String {
    let mut out = String::new();
    for (name, bit, _) in keys::MODIFIERS {
        if chord.modifiers & bit != 0 && !(bit == 8 && chord.key.shifted) {
            out.push_str(name);
            out.push('+');
        }
    }
    out + if chord.key.key == " " { "Space" } else { &chord.key.key }
}

fn chord_named(name: &str) -> Outcome<Vec<pillion_wire::verb::CdpCommand>> {
    keys::chord(name)
        .map(|chord| act::key(&chord))
        .map_err(|name| Failure::new(Code::UnknownKey, name))
}

/// Focuses the target, or finds what has focus. Without either, keys go to the page itself, but
/// text has nowhere to go.
async fn focus(
    handle: &Arc<Handle>,
    target: Option<String>,
    clear: bool,
    text: bool,
) -> Outcome<Option<Located>> {
    let caret = if clear { Caret::All } else { Caret::Keep };
    if let Some(target) = target {
        let mut located = handle.resolve_element(&target).await?;
        located.element =
            handle.page(&located.document, PageCall::Focus { id: located.id, caret }).await?;
        located.id = located.element.id;
        return Ok(Some(located));
    }
    let focused: Vec<Doc<Element>> = docs(handle.page_all(PageCall::Focused {}).await?);
    // A parent's focused element is the iframe; the frame that holds the real one is deeper.
    let found = focused.into_iter().rev().find(|doc| doc.value.role != "iframe");
    match found {
        Some(doc) => {
            let mut located = Located {
                document: doc.document,
                id: doc.value.id,
                element: doc.value,
                note: String::new(),
            };
            if clear {
                located.element = handle
                    .page(&located.document, PageCall::Focus { id: located.id, caret })
                    .await?;
            }
            Ok(Some(located))
        }
        None if text => Err(Failure::new(
            Code::NoFocus,
            "nothing has focus, so there is nowhere to type. Nothing was typed. Next: pass target.",
        )),
        None => Ok(None),
    }
}

/// `"…"` as the field has it now; passwords only as their length.
async fn read_back(handle: &Handle, located: Option<&Located>) -> Option<String> {
    let located = located?;
    let now: Element =
        handle.page(&located.document, PageCall::Describe { id: located.id }).await.ok()?;
    let takes_text = crate::receipt::takes_text(&now);
    now.states
        .iter()
        .find_map(|state| match state {
            State::Value(value) => Some(quote(value)),
            State::Masked(length) => Some(format!("{length} characters, masked")),
            _ => None,
        })
        .or_else(|| takes_text.then(|| quote("")))
}
