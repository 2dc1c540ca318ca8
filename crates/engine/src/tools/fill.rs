//! `browser_fill`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use super::{kept, secret, upload};
use crate::act::{self, Press, Spot};
use crate::failure::{Failure, Outcome};
use crate::handle::{Handle, Located, insert_text};
use crate::receipt::About;
use pillion_core::arguments;
use pillion_core::keys;
use pillion_core::page_text::quote;
use pillion_core::refs::Key;
use pillion_core::secret::{Reference, reference};
use pillion_wire::code::{Code, Done};
use pillion_wire::page::{Act, Element, FillOutcome, Matches, PageCall, Step};
use pillion_wire::secret::SecretText;
use pillion_wire::verb::{PointerButton as Button, Verb};
use serde_json::Value;
use std::sync::Arc;

const FIELD: &[Param] = &[
    Param { name: "target", kind: Kind::Text, doc: "", required: true, rare: false },
    Param {
        name: "value",
        kind: Kind::Text,
        doc: "JSON array for several",
        required: true,
        rare: false,
    },
];

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_fill",
    doc: "Set form fields, each read back: text, editor, select, combobox, date, checkbox (true/false), slider, file (paths), {{secret:NAME}}. Does not submit.",
    details: secret::DETAILS,
    effect: Effect::Act,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param { name: "fields", kind: Kind::Objects(FIELD), doc: "", required: true, rare: false },
        Param { name: "snapshot", kind: Kind::Boolean, doc: "", required: false, rare: true },
    ],
    positional: &[],
    idempotent: true,
    destructive: true,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

/// Most fields in one call.
const FIELDS: usize = 50;

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let fields = read_fields(cx.args.list("fields"))?;
    announce(&cx, &handle, &fields).await?;
    let before = handle.before(None).await?;
    let mut results = Vec::new();
    for (target, value) in &fields {
        match one(&cx, &handle, target, value).await {
            Err(failure) if failure.lost || failure.code == Code::DialogOpen => {
                return Err(failure);
            }
            // The call ends here: what follows would only be asked behind it.
            Err(failure) if failure.code == Code::ApprovalPending => {
                let done = results.iter().filter(|(_, result)| Outcome::is_ok(result)).count();
                return Err(waiting(failure, done, fields.len()));
            }
            result => results.push((target.as_str(), result)),
        }
    }
    let silent: Vec<Key> = results
        .iter()
        .filter_map(|(_, result)| result.as_ref().ok())
        .map(|filled| Key { document: filled.located.document.clone(), id: filled.located.id })
        .collect();
    let after = handle.after(&before, About { silent: &silent, ..About::default() }).await;
    if !after.left {
        kept::look_again(&handle, &mut results).await;
    }
    tell(&cx, &handle, &results, &after.lines).await
}

async fn tell(
    cx: &Cx,
    handle: &Arc<Handle>,
    results: &[(&str, Outcome<Filled>)],
    receipt: &str,
) -> Outcome<Answer> {
    let mut lines = Vec::new();
    let mut failures = Vec::new();
    for (target, result) in results {
        match result {
            Ok(Filled { located, shows: Some(shows) }) => lines.push(format!(
                "  {}: shows {}",
                handle.words(&located.element, &located.document),
                quote(shows)
            )),
            Ok(_) => {}
            Err(failure) => failures.push((*target, failure)),
        }
    }
    lines.extend(receipt.lines().map(str::to_owned));
    let (total, note) = (results.len(), super::tab_note(handle));
    let done = total - failures.len();
    // Where a secret was refused and nothing was done, that is the answer: it says whether to try again.
    let refused = failures.first().map(|(_, failure)| failure.code);
    let Some(first) = refused else {
        lines.insert(0, format!("filled {done} of {total}{note}"));
        return super::with_snapshot(cx, handle, lines.join("\n")).await;
    };
    let kept = match done {
        0 => "Nothing was filled.".to_owned(),
        1 => "1 is filled; do not fill it again.".to_owned(),
        n => format!("{n} are filled; do not fill them again."),
    };
    let mut text = vec![format!("{} of {total} fields{note}. {kept}", failures.len())];
    text.extend(failures.iter().map(|(target, failure)| {
        format!("  {}: {} {}", short(target), failure.code.as_str(), failure.text)
    }));
    text.extend(lines);
    let code = Some(first).filter(|code| done == 0 && secret::is_refusal(*code));
    let code = code.unwrap_or(Code::FillFailed);
    let text = text.join("\n");
    Err(Failure::new(code, text).done(if done == 0 { Done::No } else { Done::Partly }))
}

/// Where the user is asked, the whole list is one question. Fields that are not there yet, and files,
/// are asked for when it is their turn.
async fn announce(cx: &Cx, handle: &Arc<Handle>, fields: &[(String, String)]) -> Outcome<()> {
    if fields.len() < 2 || !handle.plan(vec![]).await?.asks {
        return Ok(());
    }
    let mut acts = Vec::new();
    for (target, value) in fields {
        let Ok(located) = handle.resolve_element(target).await else { continue };
        let (tab, document) = (handle.chrome(), located.document);
        acts.push(match reference(value) {
            Reference::Whole(name) => {
                let page = handle.tab.state().url().to_owned();
                let Ok(secret) = cx.engine.secret(name, &page).await else { continue };
                let (name, value) = (name.to_owned(), SecretText(String::new()));
                let origins = secret.origins;
                Verb::FillSecret { tab, document, element: located.id, name, value, origins }
            }
            _ => {
                let call = PageCall::Fill { id: located.id, value: value.clone() };
                Verb::Page { tab, documents: Some(vec![document]), call }
            }
        });
    }
    handle.plan(acts).await.map(|_| ())
}

fn waiting(failure: Failure, done: usize, all: usize) -> Failure {
    if done == 0 {
        return failure;
    }
    let text = format!(
        "{done} of {all} fields are filled, the next one waits for the user's yes. Next: the same call with the fields that are left."
    );
    Failure { text, ..failure }.done(Done::Partly)
}

fn short(target: &str) -> String {
    if target.contains('"') {
        target.to_owned()
    } else {
        quote(target).trim_matches('"').to_owned()
    }
}

fn read_fields(given: &[Value]) -> Outcome<Vec<(String, String)>> {
    if given.is_empty() || given.len() > FIELDS {
        return Err(Failure::invalid(format!(
            "fields is a list of 1 to {FIELDS} {{target, value}}. Nothing was filled."
        )));
    }
    given
        .iter()
        .map(|field| {
            let known = |name: &str| name == "target" || name == "value";
            // Other tools name a field's kind and label too: they say nothing that is needed.
            let mut object = field.as_object().cloned().unwrap_or_default();
            object.retain(|name, _| {
                !matches!(name.as_str(), "name" | "type" | "element")
                    || name == "element" && field.get("ref").is_none()
            });
            let args = arguments::normalise(&Value::Object(object), known).map_err(|name| {
                Failure::invalid(format!(
                    "a field takes target and value, not {}. Nothing was filled.",
                    quote(&name)
                ))
            })?;
            let target = args.get("target").and_then(arguments::text);
            let value = args.get("value").and_then(arguments::text);
            match (target, value) {
                (Some(target), Some(value)) => Ok((target, value)),
                _ => {
                    Err(Failure::invalid("each field needs target and value. Nothing was filled."))
                }
            }
        })
        .collect()
}

pub(super) struct Filled {
    pub(super) located: Located,
    pub(super) shows: Option<String>,
}

async fn one(cx: &Cx, handle: &Arc<Handle>, target: &str, value: &str) -> Outcome<Filled> {
    // They may have come back while the fields before were filled.
    handle.user_quiet().await?;
    let located = handle.resolve_element(target).await?;
    if let Reference::Whole(name) = reference(value) {
        return secret::fill(cx, handle, located, name).await;
    }
    let call = PageCall::Fill { id: located.id, value: value.to_owned() };
    handle.acting();
    let outcome: FillOutcome = handle.page(&located.document, call).await?;
    follow(cx, handle, located, value, outcome).await
}

/// Does what the page agent could not do by itself, then reads back.
async fn follow(
    cx: &Cx,
    handle: &Arc<Handle>,
    mut located: Located,
    value: &str,
    outcome: FillOutcome,
) -> Outcome<Filled> {
    match outcome {
        FillOutcome::Set { element, shows } => {
            located.id = element.id;
            located.element = element;
            Ok(Filled { located, shows })
        }
        FillOutcome::Insert { element, text } => {
            located.id = element.id;
            let commands = if text.is_empty() {
                keys::chord("Delete").map(|chord| act::key(&chord)).unwrap_or_default()
            } else {
                vec![insert_text(&text)]
            };
            handle.keys(commands, Some(&located)).await?;
            check(handle, located, value).await
        }
        FillOutcome::Press { element, option } => {
            press(cx, handle, located, element, option, value).await
        }
        FillOutcome::Files { element, multiple } => {
            let files = upload::files(cx, value).await?;
            // Files may be large: they are kept for a second way only where there is one.
            let spare = upload::is_pressed(&element).then(|| files.clone());
            let given =
                upload::give(handle, located.clone(), element.clone(), multiple, files).await;
            match (given, spare) {
                // It takes no drop: its chooser tells which input it is for.
                (Err(failure), Some(files)) if failure.code == Code::ValueNotSet => {
                    let opener = Located { id: element.id, element, ..located };
                    upload::choose(handle, opener, files, failure).await
                }
                (given, _) => given,
            }
        }
        FillOutcome::Failed { code, element, kept, rule, near, options } => {
            let failure = refused(handle, &located, code, &element, kept, rule, near, options);
            let takes = matches!(code, Code::ValueNotSet | Code::InvalidArgument);
            // What takes no value may still open a chooser when it is pressed. No file is looked
            // at for anything else.
            if takes
                && upload::is_pressed(&element)
                && let Ok(files) = upload::files(cx, value).await
            {
                let opener = Located { id: element.id, element, ..located };
                return upload::choose(handle, opener, files, failure).await;
            }
            Err(failure)
        }
    }
}

async fn check(handle: &Arc<Handle>, mut located: Located, value: &str) -> Outcome<Filled> {
    let call = PageCall::FillCheck { id: located.id, value: value.to_owned() };
    match handle.page(&located.document, call).await? {
        FillOutcome::Set { element, shows } => {
            located.element = element;
            Ok(Filled { located, shows })
        }
        FillOutcome::Failed { code, element, kept, rule, near, options } => {
            Err(refused(handle, &located, code, &element, kept, rule, near, options))
        }
        FillOutcome::Insert { element, .. }
        | FillOutcome::Press { element, .. }
        | FillOutcome::Files { element, .. } => {
            Err(refused(handle, &located, Code::ValueNotSet, &element, None, None, vec![], 0))
        }
    }
}

/// A switch or a list that opens: pressed as a person would, then read back.
async fn press(
    cx: &Cx,
    handle: &Arc<Handle>,
    located: Located,
    element: Element,
    option: Option<String>,
    value: &str,
) -> Outcome<Filled> {
    let since = handle.tab.state().seq;
    let opener = Located { id: element.id, element, ..located.clone() };
    click(handle, &opener).await?;
    handle.settle(since, std::slice::from_ref(&located.document)).await;
    if let Some(option) = option {
        let step = Step::Role { role: "option".to_owned(), name: option.clone() };
        let call = PageCall::Wait { step, within: None, gone: false, timeout_ms: 2_000 };
        let found: Matches = handle.page(&located.document, call).await?;
        let Some(first) = found.candidates.into_iter().next().filter(|_| !found.timed_out) else {
            return Err(refused(
                handle,
                &located,
                Code::OptionNotFound,
                &opener.element,
                None,
                None,
                vec![],
                0,
            ));
        };
        let chosen = Located { id: first.id, element: first, ..located.clone() };
        click(handle, &chosen).await?;
        handle.settle(since, std::slice::from_ref(&located.document)).await;
    }
    if cx.cancel.is_cancelled() {
        return Err(Failure::new(Code::Timeout, "the call was cancelled."));
    }
    check(handle, located, value).await
}

pub(super) async fn click(handle: &Arc<Handle>, located: &Located) -> Outcome<()> {
    loop {
        let (ready, point) = handle.prepare(located, Act::Click).await?;
        let located = Located { id: ready.element.id, ..located.clone() };
        let spot = Spot { located: Some(&located), point, exact: false };
        let press = act::press(Press { button: Button::Left, count: 1, modifiers: 0 });
        match handle.point(&spot, press, 0).await {
            Err(failure) if handle.is_decided(&failure).await => {}
            sent => return sent.map(|_| ()),
        }
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "one argument for each fact that the page agent gives"
)]
fn refused(
    handle: &Handle,
    located: &Located,
    code: Code,
    element: &Element,
    kept: Option<String>,
    rule: Option<String>,
    near: Vec<String>,
    options: u32,
) -> Failure {
    let what = handle.words(element, &located.document);
    let mut text = what;
    match code {
        Code::OptionNotFound => {
            text.push_str(" has no such option.");
            if !near.is_empty() {
                let near: Vec<_> = near.iter().take(3).map(|near| quote(near)).collect();
                text.push_str(&format!(" Near: {}.", near.join(", ")));
            }
            if options > 0 {
                text.push_str(&format!(" {options} options"));
            }
        }
        Code::ElementDisabled => text.push_str(" is disabled"),
        Code::ElementReadonly => text.push_str(" is read only"),
        Code::InvalidArgument => {
            text.push_str(" does not take that value");
            if let Some(rule) = &rule {
                text.push_str(&format!(": {}", quote(rule).trim_matches('"')));
            }
        }
        _ => {
            match kept {
                Some(kept) => text.push_str(&format!(" kept {}", quote(&kept))),
                None => text.push_str(" did not keep the value"),
            }
            if let Some(rule) = &rule {
                text.push_str(&format!(" ({})", quote(rule).trim_matches('"')));
            }
        }
    }
    Failure::new(code, text)
}
