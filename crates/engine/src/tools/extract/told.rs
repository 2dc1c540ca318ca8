//! The answer: what was found, its rows in a fence or a file, why it ended and how to go on.

use super::gather::{Gathered, Stop};
use super::{Kept, Wish};
use crate::failure::{Failure, Outcome};
use crate::files::Sink;
use crate::handle::Handle;
use crate::random;
use crate::receipt::size;
use crate::tools::Answer;
use pillion_core::harvest::{Harvest, Written};
use pillion_core::page_text::{PageText, fence, quote, url_words_whole};
use pillion_core::redact;
use pillion_wire::limits;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Columns that are named above the rows.
const NAMED: usize = 40;

pub(super) async fn answer(
    handle: &Handle,
    wish: &Wish,
    gathered: Gathered,
    file: Option<Box<dyn Sink>>,
) -> Outcome<Answer> {
    let Gathered { mut harvest, info, what, shape, declared, pages, stop } = gathered;
    // What was read is what is written, in an answer as in a file.
    harvest.map(|text| {
        let plain = PageText::new(text).plain();
        let scrubbed = handle.engine.scrubbed(&plain);
        let clean = redact::answer(&scrubbed).into_owned();
        (clean != *text).then_some(clean)
    });
    let over = if pages > 1 { format!(", {pages} pages") } else { String::new() };
    let told = declared
        // Its head may be one of them.
        .filter(|count| *count as usize > harvest.len() + 1)
        .map_or_else(String::new, |count| format!(" (the page tells of {count})"));
    let what = format!("{what}: {}{over}{told}", counted(harvest.len(), "row"));
    let head = format!(
        "tab {} {} {}\n{what}",
        handle.tab.number,
        quote(&info.title),
        url_words_whole(&info.url)
    );
    let kept = Arc::new(Kept { harvest, what, shape });
    handle.tab.state().rows.insert(handle.session.clone(), Arc::clone(&kept));
    let rows = rows(handle, wish, &kept.harvest, 0, file).await?;
    let end = end(handle, wish, &stop);
    Ok(format!("{head}\n{rows}{end}").into())
}

/// The rest of what was gathered before.
pub(super) async fn rest(
    handle: &Handle,
    wish: &Wish,
    kept: &Kept,
    from: usize,
    file: Option<Box<dyn Sink>>,
) -> Outcome<Answer> {
    if from >= kept.harvest.len() {
        let all = kept.harvest.len();
        return Err(Failure::invalid(format!("there are {all} rows. Nothing was done.")));
    }
    let head = format!("tab {}: {}, as they were read", handle.tab.number, kept.what);
    let rows = rows(handle, wish, &kept.harvest, from, file).await?;
    Ok(format!("{head}\n{rows}").into())
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

async fn rows(
    handle: &Handle,
    wish: &Wish,
    harvest: &Harvest,
    from: usize,
    file: Option<Box<dyn Sink>>,
) -> Outcome<String> {
    let columns = harvest.choose(&wish.columns).map_err(|name| {
        let (usual, aside) = harvest.names();
        let all: Vec<_> = usual.iter().chain(&aside).take(NAMED).map(|name| quote(name)).collect();
        Failure::invalid(format!(
            "there is no column {}. Columns: {}.",
            quote(&name),
            all.join(", ")
        ))
    })?;
    let mut out = columns_line(harvest, wish);
    let end = match file {
        Some(file) => {
            out.push_str(&saved(harvest, &columns, from, wish.how, file).await?);
            harvest.len()
        }
        None => {
            let (text, end) = shown(handle, wish, harvest, &columns, from);
            out.push_str(&text);
            end
        }
    };
    let formulas = harvest.formulas(from..end, &columns);
    if wish.how == Written::Csv && formulas > 0 {
        let cells = counted(formulas, "cell");
        out.push_str(&format!("\nlike formulas, an apostrophe stands in front: {cells}"));
    }
    Ok(out)
}

fn columns_line(harvest: &Harvest, wish: &Wish) -> String {
    let named = |names: Vec<&str>| {
        let more = names.len().saturating_sub(NAMED);
        let quoted: Vec<_> = names.into_iter().take(NAMED).map(quote).collect();
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        quoted.join(", ") + &more
    };
    let (usual, aside) = harvest.names();
    if !wish.columns.is_empty() {
        return String::new();
    }
    let also =
        if aside.is_empty() { String::new() } else { format!("; if asked for: {}", named(aside)) };
    format!("columns: {}{also}\n", named(usual))
}

/// As many rows as there is room for, in a fence, and where they end.
fn shown(
    handle: &Handle,
    wish: &Wish,
    harvest: &Harvest,
    columns: &[usize],
    from: usize,
) -> (String, usize) {
    let mut body = harvest.opening(columns, wish.how);
    let mut room = wish.budget.saturating_sub(body.chars().count());
    let mut row = from;
    while row < harvest.len() {
        let line = harvest.line(row, columns, wish.how);
        let length = line.chars().count();
        // One row is always given: the next call would begin with it again.
        if length > room && row > from {
            break;
        }
        room = room.saturating_sub(length);
        body.push_str(&line);
        row += 1;
    }
    if row < harvest.len() && wish.how == Written::Json {
        body.truncate(body.trim_end_matches(['\n', ',']).len());
        body.push('\n');
    }
    body.push_str(harvest.closing(wish.how));
    let mut out = fence(&random::word(5), &body);
    if row < harvest.len() {
        let rest = call(handle, wish, &[("from", format!("@{row}").into())]);
        out.push_str(&format!("\ncut at row {row} of {}. Rest: {rest}", harvest.len()));
    }
    (out, row)
}

/// Everything, in a new file.
async fn saved(
    harvest: &Harvest,
    columns: &[usize],
    from: usize,
    how: Written,
    mut file: Box<dyn Sink>,
) -> Outcome<String> {
    let mut bytes = 0;
    let mut piece = harvest.opening(columns, how);
    for row in from..harvest.len() {
        piece.push_str(&harvest.line(row, columns, how));
        if piece.len() >= limits::FILE_CHUNK_BYTES / 2 {
            bytes += put(&mut file, &std::mem::take(&mut piece)).await?;
        }
    }
    piece.push_str(harvest.closing(how));
    bytes += put(&mut file, &piece).await?;
    let path = file.keep().await?;
    let (rows, columns) = (counted(harvest.len() - from, "row"), counted(columns.len(), "column"));
    Ok(format!("saved: {} ({rows}, {columns}, {})", quote(&path), size(bytes as f64)))
}

async fn put(file: &mut Box<dyn Sink>, text: &str) -> Outcome<usize> {
    for piece in text.as_bytes().chunks(limits::FILE_CHUNK_BYTES) {
        file.write(piece).await?;
    }
    Ok(text.len())
}

/// The next call, with what was asked for.
fn call(handle: &Handle, wish: &Wish, more: &[(&str, Value)]) -> String {
    let mut args = Map::new();
    args.insert("tab".to_owned(), handle.tab.number.0.into());
    if wish.how == Written::Json {
        args.insert("format".to_owned(), "json".into());
    }
    if !wish.columns.is_empty() {
        args.insert("columns".to_owned(), wish.columns.clone().into());
    }
    args.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    format!("browser_extract {}", Value::Object(args))
}

/// Why it ended, and how to go on.
fn end(handle: &Handle, wish: &Wish, stop: &Stop) -> String {
    let on = || {
        let mut more = vec![("from", Value::from("next")), ("pages", wish.pages.max(2).into())];
        more.extend(wish.next.as_ref().map(|next| ("next", next.as_str().into())));
        call(handle, wish, &more)
    };
    let again = || {
        if wish.scroll { call(handle, wish, &[("scroll", true.into())]) } else { on() }
    };
    let why = match stop {
        Stop::Limit(None) if wish.pages == 1 => return String::new(),
        Stop::Limit(None) => "stopped: these are all pages that were asked for".to_owned(),
        Stop::Limit(Some(next)) if wish.pages == 1 => {
            format!("there are more pages ({next}). Go on: {}", on())
        }
        Stop::Limit(Some(next)) => {
            format!("stopped: that many pages were asked for, {next} leads on. Go on: {}", on())
        }
        Stop::NoNext => "stopped: nothing leads to a next page, this was the last one".to_owned(),
        Stop::Disabled(next) => format!("stopped: {next} is disabled, this was the last page"),
        Stop::Same(next) => {
            format!(
                "stopped: {next} was pressed and the rows stayed the same. Name it with next if it is another one"
            )
        }
        Stop::End => "stopped: the end of the list".to_owned(),
        Stop::Deadline => format!("stopped: the call's time is over. Go on: {}", again()),
        Stop::Rows => {
            format!(
                "stopped: more rows than one call gathers. With columns or a target it may be less. Go on: {}",
                again()
            )
        }
        Stop::Failed(failure) => {
            format!(
                "stopped, {}: {}\nGo on after that: {}",
                failure.code.as_str(),
                failure.text,
                again()
            )
        }
    };
    format!("\n{why}")
}
