//! Rows that come while a list is scrolled: more of them below the last one, or others in their place.

use super::{Gather, LOOK, Source, Stop};
use crate::failure::Outcome;
use crate::tools::scroll;
use pillion_core::harvest::{Join, Piece};
use pillion_wire::page::{PageCall, ScrollHow, ScrollPlan};

/// Looks without a new row at the end of a list until it counts as the end.
const LOOKS_AT_END: u32 = 6;
/// So much of the visible height is scrolled at once, so that views overlap.
const STEP: f64 = 0.8;
/// A box that tells no height.
const STEP_LEAST: f64 = 120.0;

impl Gather<'_> {
    /// Scrolls to the end, as far as time and room go.
    pub(super) async fn scrolled(&mut self, source: &mut Source) -> Outcome<Stop> {
        let mut idle = 0;
        // All rows are in the page: it may be scrolled to its end at once.
        let mut grows = false;
        loop {
            if let Some(stop) = self.bound() {
                return Ok(stop);
            }
            let plan = self.scroll_on(source, grows).await?;
            let new = self.scrolled_rows(source, &mut grows).await?;
            let at_end = plan.at[1] >= plan.max[1] - 1.0;
            idle = if new > 0 || !at_end { 0 } else { idle + 1 };
            if idle >= LOOKS_AT_END {
                return Ok(Stop::End);
            }
            if idle > 0 {
                self.handle.pause(LOOK).await?;
            }
        }
    }

    async fn scroll_on(&self, source: &Source, to_end: bool) -> Outcome<ScrollPlan> {
        let (document, id) = (&source.document, Some(source.told.inside));
        let call = PageCall::Scroll { id, how: ScrollHow::Where };
        let plan: ScrollPlan = self.handle.page(document, call).await?;
        if plan.at[1] >= plan.max[1] - 1.0 {
            return Ok(plan);
        }
        let inner = plan.element.as_ref().and_then(|element| element.rect).map(|rect| rect.height);
        let height = inner.unwrap_or(source.told.document.viewport[1]);
        let how = if to_end {
            ScrollHow::Bottom
        } else {
            ScrollHow::By { dx: 0.0, dy: (height * STEP).max(STEP_LEAST).round() }
        };
        Ok(scroll::turn(self.handle, document, id, how).await?.now)
    }

    /// Takes what the scrolling brought.
    async fn scrolled_rows(&mut self, source: &mut Source, grows: &mut bool) -> Outcome<usize> {
        let known = self.harvest.len();
        if *grows && known > 0 {
            // Only what came behind the last row, when that is where it was.
            let from = u32::try_from(known - 1).unwrap_or(u32::MAX);
            let mut piece = self.read(source, from).await?;
            let first =
                Piece { rows: piece.rows.iter().take(1).cloned().collect(), ..piece.clone() };
            if !first.rows.is_empty() && self.harvest.ends_with(&first) {
                piece.rows.drain(..1);
                piece.at.drain(..1.min(piece.at.len()));
                return Ok(self.take(piece, Join::Page));
            }
        }
        let mut piece = self.read(source, 0).await?;
        *grows = self.harvest.grew(&piece, known) || self.harvest.is_last(&piece, known);
        if *grows {
            piece.rows.drain(..known);
            piece.at.drain(..known.min(piece.at.len()));
            return Ok(self.take(piece, Join::Page));
        }
        Ok(self.take(piece, Join::Scrolled))
    }
}
