//! Gathers rows: finds what holds them, reads it part by part, goes on to the next page or scrolls. Every
//! step after the first may fail without losing what was read: it is a reason to stop.

mod scrolled;

use super::Wish;
use crate::failure::{Failure, Outcome};
use crate::frames::{self, Doc, docs};
use crate::handle::{Handle, Located};
use crate::tools::{Cx, click};
use pillion_core::harvest::{Harvest, Join, Piece};
use pillion_wire::code::Code;
use pillion_wire::id::{DocumentId, LocalId};
use pillion_wire::limits;
use pillion_wire::page::{
    DocumentInfo, Element, Extracted, NextControl, PageCall, RowsKind, State,
};
use pillion_wire::verb::Phase;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two looks at rows that are still to come.
const LOOK: Duration = Duration::from_millis(250);

/// Why the gathering ended.
pub(super) enum Stop {
    /// Nothing more was asked for; what leads on, if anything does.
    Limit(Option<String>),
    NoNext,
    Disabled(String),
    /// The next control changed nothing.
    Same(String),
    /// The end of a scrolled list.
    End,
    Deadline,
    Rows,
    /// What could not be done.
    Failed(Failure),
}

/// What was gathered.
pub(super) struct Gathered {
    pub(super) harvest: Harvest,
    pub(super) info: DocumentInfo,
    /// `table "People" [e4]`.
    pub(super) what: String,
    pub(super) shape: String,
    pub(super) declared: Option<u32>,
    pub(super) pages: usize,
    pub(super) stop: Stop,
}

/// What holds the rows now.
struct Source {
    document: DocumentId,
    root: LocalId,
    told: Extracted,
}

pub(super) struct Gather<'a> {
    cx: &'a Cx,
    handle: &'a Arc<Handle>,
    wish: &'a Wish,
    /// How it looked on the page before.
    shape: Option<String>,
    harvest: Harvest,
    /// Rows of the last page.
    shown: usize,
    pages: usize,
    until: Instant,
}

impl<'a> Gather<'a> {
    pub(super) fn new(
        cx: &'a Cx,
        handle: &'a Arc<Handle>,
        wish: &'a Wish,
        shape: Option<String>,
    ) -> Self {
        let until = handle.deadline.checked_sub(limits::EXTRACT_ANSWER).unwrap_or(handle.deadline);
        let harvest = Harvest::default();
        Self { cx, handle, wish, shape, harvest, shown: 0, pages: 1, until }
    }

    pub(super) async fn all(mut self, turn_first: bool) -> Outcome<Gathered> {
        let mut source = self.find(true).await?;
        self.shape = Some(source.told.shape.clone());
        if turn_first {
            source = self.first_turn(source).await?;
        } else {
            let piece = self.read(&mut source, 0).await?;
            self.take(piece, Join::Page);
        }
        let stop = if self.wish.scroll {
            self.scrolled(&mut source).await
        } else {
            self.paged(&mut source).await
        };
        let stop = stop.unwrap_or_else(Stop::Failed);
        self.harvest.sort();
        let what = self.handle.words(&source.told.element, &source.document);
        let Extracted { document: info, shape, declared, kind, .. } = source.told;
        let what = if kind == RowsKind::Cards { format!("repeated parts of {what}") } else { what };
        let pages = self.pages;
        Ok(Gathered { harvest: self.harvest, info, what, shape, declared, pages, stop })
    }

    /// The call begins with the page after this one.
    async fn first_turn(&mut self, mut source: Source) -> Outcome<Source> {
        let here = self.read(&mut source, 0).await?;
        let shown = here.rows.len();
        self.harvest.add(here, Join::Page);
        self.shown = shown;
        let stop = match self.turn(&mut source).await? {
            None => {
                self.pages = 1;
                self.harvest.forget_first(shown);
                return Ok(source);
            }
            Some(stop) => stop,
        };
        let why = match stop {
            Stop::Disabled(what) => format!("{what} is disabled: this is the last page"),
            Stop::Same(what) => format!("{what} was pressed and the rows are the same"),
            Stop::Failed(failure) => return Err(failure),
            _ => "nothing on the page leads to a next one".to_owned(),
        };
        Err(Failure::new(Code::TargetNotFound, format!("{why}. Next: the call without from.")))
    }

    /// Where the rows are: what was named, else the largest of all frames.
    async fn find(&self, is_first: bool) -> Outcome<Source> {
        let handle = self.handle;
        let is_ref = |target: &str| {
            let digits = target.trim_start_matches('@').strip_prefix('e');
            digits.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
        };
        if let Some(target) =
            self.wish.target.as_deref().filter(|target| is_first || !is_ref(target))
        {
            match self.named(target).await {
                Err(failure) if !is_first && failure.code == Code::TargetNotFound => {}
                found => return found,
            }
        }
        let call = PageCall::Extract { root: None, like: self.shape.clone(), from: 0, limit: 0 };
        let all: Vec<Doc<Extracted>> = docs(handle.page_all(call).await?);
        let fits = |doc: &Doc<Extracted>| Some(&doc.value.shape) == self.shape.as_ref();
        let best = all.into_iter().max_by(|one, other| {
            (fits(one), one.value.score)
                .partial_cmp(&(fits(other), other.value.score))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let Some(best) = best else {
            return Err(Failure::new(
                Code::TargetNotFound,
                format!(
                    "tab {0} shows no table, list or repeated cards. Next: browser_text {{\"tab\":{0}}}.",
                    handle.tab.number
                ),
            ));
        };
        Ok(Source { document: best.document, root: best.value.element.id, told: best.value })
    }

    async fn named(&self, target: &str) -> Outcome<Source> {
        let located = self.handle.resolve_element(target).await?;
        // An iframe's own ref means its document.
        let (document, root) = match frames::own_frame(self.handle, &located).await? {
            Some(inner) => (inner, None),
            None => (located.document, Some(located.id)),
        };
        let call = PageCall::Extract { root, like: None, from: 0, limit: 0 };
        let told: Extracted = self.handle.page(&document, call).await?;
        Ok(Source { document, root: told.element.id, told })
    }

    /// Rows from `from` on, as far as time and room go.
    async fn read(&self, source: &mut Source, mut from: u32) -> Outcome<Piece> {
        let mut view = Harvest::default();
        loop {
            let (root, limit) = (Some(source.root), limits::EXTRACT_PART);
            let call = PageCall::Extract { root, like: None, from, limit };
            let mut told: Extracted = self.handle.page(&source.document, call).await?;
            view.add(piece_of(&mut told), Join::Page);
            let next = told.next.filter(|next| *next > from);
            source.told = told;
            match next {
                Some(next) if !self.is_over(view.len(), view.size()) => from = next,
                _ => return Ok(view.into_piece()),
            }
            self.progress(self.harvest.len() + view.len());
        }
    }

    fn is_over(&self, rows: usize, size: usize) -> bool {
        Instant::now() >= self.until
            || self.harvest.len() + rows >= limits::EXTRACT_ROWS
            || self.harvest.size() + size >= limits::EXTRACT_BYTES
    }

    /// Why it must end now.
    fn bound(&self) -> Option<Stop> {
        if Instant::now() >= self.until {
            return Some(Stop::Deadline);
        }
        self.is_over(0, 0).then_some(Stop::Rows)
    }

    fn take(&mut self, piece: Piece, join: Join) -> usize {
        self.shown = piece.rows.len();
        let new = self.harvest.add(piece, join);
        self.progress(self.harvest.len());
        new
    }

    fn progress(&self, rows: usize) {
        // Nobody may listen to progress.
        self.cx.progress.try_send(format!("page {}: {rows} rows", self.pages)).ok();
    }

    async fn paged(&mut self, source: &mut Source) -> Outcome<Stop> {
        while self.pages < self.wish.pages {
            if let Some(stop) = self.bound() {
                return Ok(stop);
            }
            if let Some(stop) = self.turn(source).await? {
                return Ok(stop);
            }
        }
        if source.told.next.is_some() {
            return Ok(self.bound().unwrap_or(Stop::Rows));
        }
        let next = self.next(source).await.unwrap_or_default();
        Ok(match next {
            Some((located, false)) => {
                Stop::Limit(Some(self.handle.words(&located.element, &located.document)))
            }
            _ => Stop::Limit(None),
        })
    }

    /// What leads on, and whether it is disabled.
    async fn next(&self, source: &Source) -> Outcome<Option<(Located, bool)>> {
        if let Some(target) = &self.wish.next {
            return match self.handle.resolve_element(target).await {
                Ok(located) => {
                    let is_off = is_disabled(&located.element);
                    Ok(Some((located, is_off)))
                }
                Err(failure) if failure.code == Code::TargetNotFound && self.pages > 1 => Ok(None),
                Err(failure) => Err(failure),
            };
        }
        let (top, _) = frames::top(self.handle).await?;
        let root = Some(source.root);
        let mut places = vec![(source.document.clone(), root)];
        if top != source.document {
            places.push((top, None));
        }
        for (document, root) in places {
            let found: NextControl =
                self.handle.page(&document, PageCall::NextControl { root }).await?;
            if let Some(element) = found.element {
                let located = Located { document, id: element.id, element, note: String::new() };
                return Ok(Some((located, found.disabled)));
            }
        }
        Ok(None)
    }

    /// Presses what leads on and takes the rows that come. Something else than that is a reason to stop.
    async fn turn(&mut self, source: &mut Source) -> Outcome<Option<Stop>> {
        let Some((located, is_off)) = self.next(source).await? else {
            return Ok(Some(Stop::NoNext));
        };
        let words = self.handle.words(&located.element, &located.document);
        if is_off {
            return Ok(Some(Stop::Disabled(words)));
        }
        let since = self.handle.tab.state().seq;
        click::press_left(self.handle, located).await?;
        if self.handle.tab.state().nav.is_under_way(since) {
            self.handle.navigated(since, Phase::Ready).await;
        }
        let until = (Instant::now() + limits::EXTRACT_CHANGE).min(self.until);
        loop {
            self.handle.refuse_dialog()?;
            match self.look(source).await {
                Ok(true) => {
                    self.pages += 1;
                    return Ok(None);
                }
                Ok(false) => {}
                // The page is on its way: what held the rows is gone and comes again.
                Err(failure) if matches!(failure.code, Code::TargetNotFound | Code::RefGone) => {
                    if Instant::now() >= until {
                        return Err(failure);
                    }
                }
                Err(failure) => return Err(failure),
            }
            if Instant::now() >= until {
                return Ok(Some(Stop::Same(words)));
            }
            self.handle.pause(LOOK).await?;
        }
    }

    /// Whether other rows are shown than before; they are taken then.
    async fn look(&mut self, source: &mut Source) -> Outcome<bool> {
        let mut now = self.find(false).await?;
        let mut piece = self.read(&mut now, 0).await?;
        if piece.rows.is_empty() || self.harvest.is_last(&piece, self.shown) {
            return Ok(false);
        }
        let all = piece.rows.len();
        if self.harvest.grew(&piece, self.shown) {
            piece.rows.drain(..self.shown);
            piece.at.drain(..self.shown);
        }
        self.take(piece, Join::Page);
        self.shown = all;
        *source = now;
        Ok(true)
    }
}

fn is_disabled(element: &Element) -> bool {
    element.states.iter().any(|state| matches!(state, State::Disabled))
}

fn piece_of(told: &mut Extracted) -> Piece {
    let rows = std::mem::take(&mut told.rows);
    let at = rows.iter().map(|row| row.at).collect();
    Piece {
        columns: told.columns.iter().map(|column| (column.name.clone(), column.aside)).collect(),
        rows: rows.into_iter().map(|row| row.cells).collect(),
        at,
    }
}
