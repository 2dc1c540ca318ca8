//! `browser_text`.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::failure::{Failure, Outcome};
use crate::frames::{Doc, docs};
use crate::handle::Handle;
use crate::random;
use pillion_core::page_text::{fence, quote, url_words_whole};
use pillion_wire::id::{DocumentId, FrameId, LocalId};
use pillion_wire::limits;
use pillion_wire::page::{PageCall, PageTextReply, TextFormat, TextPart};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_text",
    doc: "Visible text in reading order. article: main content only.",
    details: "`markdown` keeps headings, links, lists, tables and code; `article` is that of the main content, without navigation, banners, forms and lists of links. Hidden text is in none of them. A tab that shows a PDF gives its text with a mark before each page (`page 2 of 7`); it is fetched once more from its own address, as the page itself may.",
    effect: Effect::Read,
    params: &[
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: false },
        Param { name: "target", kind: Kind::Text, doc: "", required: false, rare: false },
        Param {
            name: "format",
            kind: Kind::OneOf(&["text", "markdown", "article"]),
            doc: "",
            required: false,
            rare: false,
        },
        Param { name: "from", kind: Kind::Text, doc: "", required: false, rare: false },
        Param { name: "max_chars", kind: Kind::Integer, doc: "", required: false, rare: false },
    ],
    positional: &["target"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let start = match cx.args.text("from") {
        Some(from) => from.trim_start_matches('@').parse::<usize>().map_err(|_| {
            Failure::invalid(format!(
                "from is @ and a number of a cut answer, not {}.",
                quote(&from)
            ))
        })?,
        None => 0,
    };
    let budget = cx.args.characters(handle.budget(limits::TEXT_CHARS))?;
    let format = cx.args.text("format").unwrap_or_else(|| "text".to_owned());
    let target = cx.args.text("target");
    let Read { head, text, pdf } = read(&handle, target.clone(), wire_format(&format)).await?;
    let all = text.chars().count();
    let part: String = text.chars().skip(start).take(budget).collect();
    let shown = start.min(all) + part.chars().count();
    let mut out = format!("{head}\n{}", fence(&random::word(5), &part));
    if all == 0 {
        let why = if pdf {
            "the PDF has no words: its pages are probably scanned"
        } else {
            "no words to read: what is shown may be a picture or a canvas"
        };
        out.push_str(&format!(
            "\n{why}. Next: browser_screenshot {{\"tab\":{}}}",
            handle.tab.number
        ));
    }
    if is_another(&handle, start, &text) {
        out.push_str("\nthe text changed since the last part");
    }
    if shown < all {
        let mut rest = serde_json::Map::new();
        rest.insert("tab".to_owned(), handle.tab.number.0.into());
        if let Some(target) = target {
            rest.insert("target".to_owned(), target.into());
        }
        if format != "text" {
            rest.insert("format".to_owned(), format.into());
        }
        rest.insert("from".to_owned(), format!("@{shown}").into());
        let rest = serde_json::Value::Object(rest);
        out.push_str(&format!("\ncut at {shown} of {all}. Rest: browser_text {rest}"));
    }
    Ok(out.into())
}

fn wire_format(word: &str) -> Option<TextFormat> {
    match word {
        "markdown" => Some(TextFormat::Markdown),
        "article" => Some(TextFormat::Article),
        _ => None,
    }
}

/// Whether a later part is one of a text that has changed since the session read its part before.
fn is_another(handle: &Handle, start: usize, text: &str) -> bool {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let now = hasher.finish();
    let before = handle.tab.state().texts.insert(handle.session.clone(), now);
    start > 0 && before.is_some_and(|before| before != now)
}

/// What was read.
struct Read {
    head: String,
    text: String,
    /// It is that of a PDF.
    pdf: bool,
}

/// The header and the whole text, frames in place.
async fn read(
    handle: &Arc<Handle>,
    target: Option<String>,
    format: Option<TextFormat>,
) -> Outcome<Read> {
    let (root, start): (Option<LocalId>, Option<DocumentId>) = match target {
        Some(target) => {
            let located = handle.resolve_element(&target).await?;
            // An iframe's own ref means its document.
            match crate::frames::own_frame(handle, &located).await? {
                Some(inner) => (None, Some(inner)),
                None => (Some(located.id), Some(located.document)),
            }
        }
        None => (None, None),
    };
    let document = match start {
        Some(document) => document,
        None => crate::frames::top(handle).await?.0,
    };
    let top: PageTextReply = handle.page(&document, PageCall::Text { root, format }).await?;
    let head = format!(
        "tab {} {} {}",
        handle.tab.number,
        quote(&top.document.title),
        url_words_whole(&top.document.url)
    );
    if top.document.pdf {
        let text = crate::pdf::text(handle, &document).await?.to_string();
        return Ok(Read { head: format!("{head} (PDF)"), text, pdf: true });
    }
    let mut frames = HashMap::new();
    if top.parts.iter().any(|part| matches!(part, TextPart::Frame(_))) {
        // What a frame shows is content of the page that it is in.
        let format = format.map(|_| TextFormat::Markdown);
        let all: Vec<Doc<PageTextReply>> =
            docs(handle.page_all(PageCall::Text { root: None, format }).await?);
        for doc in all.into_iter().filter(|doc| doc.frame != FrameId(0)) {
            if let Some(token) = doc.value.document.token {
                frames.insert(token, doc.value.parts);
            }
        }
    }
    let mut text = String::new();
    join(top.parts, &mut frames, &mut text);
    Ok(Read { head, text, pdf: false })
}

fn join(parts: Vec<TextPart>, frames: &mut HashMap<String, Vec<TextPart>>, out: &mut String) {
    for part in parts {
        match part {
            TextPart::Words(words) => out.push_str(&words),
            TextPart::Frame(token) => {
                if let Some(inner) = frames.remove(&token) {
                    if !out.is_empty() && !out.ends_with('\n') {
                        out.push('\n');
                    }
                    join(inner, frames, out);
                    out.push('\n');
                }
            }
        }
    }
}
