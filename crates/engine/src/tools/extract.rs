//! `browser_extract`: what a page repeats, as rows. The page agent reads them (`extract` of a page call),
//! `gather` goes from page to page, `pillion_core::harvest` joins and writes them.

mod gather;
mod told;

use super::{Answer, Cx, Effect, Kind, ToolDef, may};
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use gather::Gather;
use pillion_core::harvest::{Harvest, Written};
use pillion_core::page_text::quote;
use pillion_wire::code::Code;
use pillion_wire::limits;
use std::sync::Arc;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_extract",
    doc: "Tables, lists and repeated cards as CSV or JSON, over several pages or while scrolling.",
    details: "Without `target` the largest of the page is taken and named. Cells that span several rows or columns stand in each of them; columns of cards get names that the page itself gives (itemprop, test ids, classes, headings). `pages` goes on through the next link or button, `scroll` to the end of a list that loads or shows rows as it is scrolled; both act as browser_click and browser_scroll do, and the answer says where they stopped and how to go on. `columns` chooses and orders; addresses of links in tables are given only so. `path` writes a new file (.csv, or a name that ends with rows.json) by the rules of browser_screenshot. CSV is RFC 4180; a cell that a spreadsheet would take for a formula gets an apostrophe in front, JSON gives it as it is.",
    effect: Effect::Act,
    params: &[
        may("tab", Kind::Integer, ""),
        may("target", Kind::Text, "the table or list"),
        may("format", Kind::OneOf(&["csv", "json"]), ""),
        may("columns", Kind::Texts, "only these, in this order"),
        may("pages", Kind::Integer, "at most, 1 to 200"),
        may("next", Kind::Text, "target that leads to the next page"),
        may("scroll", Kind::Boolean, "to the end of an endless list"),
        may("path", Kind::Text, "save there"),
        may("from", Kind::Text, "next, or @row of a cut answer"),
        may("max_chars", Kind::Integer, ""),
    ],
    positional: &["target"],
    idempotent: false,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

/// Rows that a session gathered last in a tab: the rest of a cut answer comes from here, since the page
/// itself has moved on.
pub(crate) struct Kept {
    harvest: Harvest,
    what: String,
    shape: String,
}

/// What is wanted.
struct Wish {
    target: Option<String>,
    next: Option<String>,
    columns: Vec<String>,
    how: Written,
    pages: usize,
    scroll: bool,
    path: Option<String>,
    budget: usize,
}

impl Wish {
    fn read(cx: &Cx, handle: &Handle) -> Outcome<Self> {
        let pages = cx.args.within("pages", 1..=limits::EXTRACT_PAGES)?.unwrap_or(1);
        let (pages, scroll) = (usize::try_from(pages).unwrap_or(1), cx.args.flag("scroll"));
        if scroll && pages > 1 {
            let why = "scroll and pages are two ways to go on; take one. Nothing was done.";
            return Err(Failure::invalid(why));
        }
        let words = cx.args.list("columns").iter();
        let columns = words.filter_map(pillion_core::arguments::text).collect();
        let path = cx.args.text("path");
        let how = written(cx.args.text("format").as_deref(), path.as_deref())?;
        let budget = cx.args.characters(handle.budget(limits::EXTRACT_CHARS))?;
        let (target, next) = (cx.args.text("target"), cx.args.text("next"));
        Ok(Self { target, next, columns, how, pages, scroll, path, budget })
    }
}

/// By the word for it, or the file's ending.
fn written(format: Option<&str>, path: Option<&str>) -> Outcome<Written> {
    let name = path.map(str::to_ascii_lowercase);
    let (csv, json) = name
        .as_ref()
        .map_or((true, true), |name| (name.ends_with(".csv"), name.ends_with("rows.json")));
    match format {
        Some("csv") | None if csv => Ok(Written::Csv),
        Some("json") | None if json => Ok(Written::Json),
        _ => {
            let why = format!(
                "{}: rows are written to a name that ends with .csv or with rows.json, as format says. Nothing was done.",
                quote(path.unwrap_or_default())
            );
            Err(Failure::new(Code::FileNotAllowed, why))
        }
    }
}

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let wish = Wish::read(&cx, &handle)?;
    let start = match cx.args.text("from").as_deref() {
        None => Start::Here,
        Some("next") => Start::Next,
        Some(from) => Start::Row(from.trim_start_matches('@').parse().map_err(|_| {
            let why = "from is next, or @ and the number of a cut answer";
            Failure::invalid(format!("{why}, not {}. Nothing was done.", quote(from)))
        })?),
    };
    // A path that cannot be written is said before anything is done.
    let file = match &wish.path {
        Some(path) => Some(cx.files.create(path).await?),
        None => None,
    };
    let kept = handle.tab.state().rows.get(&handle.session).cloned();
    if let Start::Row(row) = start {
        let kept = kept.ok_or_else(|| {
            Failure::invalid("no rows of this tab are kept. Next: the same call without from.")
        })?;
        return told::rest(&handle, &wish, &kept, row, file).await;
    }
    let shape = kept.filter(|_| start == Start::Next).map(|kept| kept.shape.clone());
    let gathered = Gather::new(&cx, &handle, &wish, shape).all(start == Start::Next).await?;
    told::answer(&handle, &wish, gathered, file).await
}

/// Where to begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Here,
    /// With the page after this one.
    Next,
    /// With that row of what was gathered before.
    Row(usize),
}

#[cfg(test)]
mod tests;
