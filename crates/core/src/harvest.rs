//! Rows that were gathered from one page or several, and how they are written: CSV and JSON. Never looks
//! at a page; whether two pieces overlap is told by their words alone.
//!
//! CSV is that of RFC 4180. A cell that a spreadsheet would take for a formula gets an apostrophe in front,
//! since such a file is opened by people; JSON gives every value as it stands.

use std::collections::HashMap;
use std::ops::Range;

/// What was gathered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Harvest {
    columns: Vec<Head>,
    places: HashMap<String, usize>,
    rows: Vec<Vec<String>>,
    /// Places that the page told, one a row, as long as it tells all of them.
    at: Vec<Option<u32>>,
    size: usize,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Head {
    name: String,
    aside: bool,
}

/// A part of what a page repeats.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Piece {
    /// Names and whether each is given only when it is asked for.
    pub columns: Vec<(String, bool)>,
    /// Rows in that order.
    pub rows: Vec<Vec<String>>,
    /// Places among all rows, where the page tells them.
    pub at: Vec<Option<u32>>,
}

/// How a piece that comes later belongs to what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// Another page: every row counts.
    Page,
    /// The same list, scrolled on: rows that both show are the same rows.
    Scrolled,
}

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// RFC 4180.
    Csv,
    /// A list of objects, one a line.
    Json,
}

/// Rows that two views of a scrolled list may share; more are never compared.
const OVERLAP: usize = 2_000;

impl Harvest {
    /// Rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Nothing was found.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Characters of all cells.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Names of the columns that are given, then of those that have to be asked for.
    pub fn names(&self) -> (Vec<&str>, Vec<&str>) {
        let names = |aside| {
            let of = move |head: &&Head| head.aside == aside;
            self.columns.iter().filter(of).map(|head| head.name.as_str()).collect()
        };
        (names(false), names(true))
    }

    /// Adds a piece. How many of its rows were new.
    pub fn add(&mut self, piece: Piece, join: Join) -> usize {
        let mut rows = self.aligned(&piece);
        let mut at = piece.at;
        at.resize(rows.len(), None);
        if join == Join::Scrolled && !self.rows.is_empty() {
            if at.iter().all(Option::is_some) && self.at.iter().all(Option::is_some) {
                self.drop_known(&mut rows, &mut at);
            } else {
                let shared = self.overlap(&rows);
                rows.drain(..shared);
                at.drain(..shared);
            }
        }
        let new = rows.len();
        self.size += rows.iter().flatten().map(|cell| cell.len() + 1).sum::<usize>();
        self.rows.append(&mut rows);
        self.at.append(&mut at);
        new
    }

    /// Rows of a piece in the order of our columns.
    fn aligned(&mut self, piece: &Piece) -> Vec<Vec<String>> {
        let places: Vec<usize> =
            piece.columns.iter().map(|(name, aside)| self.column(name, *aside)).collect();
        let width = self.columns.len();
        let align = |row: &Vec<String>| {
            let mut out = vec![String::new(); width];
            for (cell, place) in row.iter().zip(&places) {
                out[*place].clone_from(cell);
            }
            out
        };
        piece.rows.iter().map(align).collect()
    }

    fn column(&mut self, name: &str, aside: bool) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.columns.len();
        self.columns.push(Head { name: name.to_owned(), aside });
        self.places.insert(name.to_owned(), place);
        place
    }

    /// Leaves only rows whose place was not seen yet.
    fn drop_known(&self, rows: &mut Vec<Vec<String>>, at: &mut Vec<Option<u32>>) {
        let known: std::collections::HashSet<_> = self.at.iter().flatten().collect();
        let is_new: Vec<bool> =
            at.iter().map(|at| at.as_ref().is_none_or(|at| !known.contains(at))).collect();
        let mut keep = is_new.iter();
        rows.retain(|_| keep.next().copied().unwrap_or(true));
        let mut keep = is_new.iter();
        at.retain(|_| keep.next().copied().unwrap_or(true));
    }

    /// How many of the first of these rows are the last ones that are there.
    fn overlap(&self, rows: &[Vec<String>]) -> usize {
        let most = rows.len().min(self.rows.len()).min(OVERLAP);
        let ends = |shared: &usize| {
            let tail = &self.rows[self.rows.len() - shared..];
            tail.iter().zip(rows).all(|(one, other)| same(one, other))
        };
        (1..=most).rev().find(ends).unwrap_or(0)
    }

    /// Whether a piece begins with the last `shown` rows and goes on: a list that grew.
    pub fn grew(&self, piece: &Piece, shown: usize) -> bool {
        let Some(from) = self.rows.len().checked_sub(shown) else { return false };
        shown > 0
            && piece.rows.len() > shown
            && self.rows[from..]
                .iter()
                .zip(&self.seen_as_ours(piece))
                .all(|(one, other)| same(one, other))
    }

    /// Whether a piece is exactly the last `shown` rows.
    pub fn is_last(&self, piece: &Piece, shown: usize) -> bool {
        piece.rows.len() == shown && self.ends_with(piece)
    }

    /// Leaves out that many rows from the first one on: they were read to compare only.
    pub fn forget_first(&mut self, count: usize) {
        let gone: Vec<_> = self.rows.drain(..count.min(self.rows.len())).collect();
        self.size -= gone.iter().flatten().map(|cell| cell.len() + 1).sum::<usize>();
        self.at.drain(..count.min(self.at.len()));
    }

    /// Everything as one piece.
    pub fn into_piece(self) -> Piece {
        let columns = self.columns.into_iter().map(|head| (head.name, head.aside)).collect();
        Piece { columns, rows: self.rows, at: self.at }
    }

    /// Rows of a piece in the order of our columns, which are left as they are.
    fn seen_as_ours(&self, piece: &Piece) -> Vec<Vec<String>> {
        let (columns, places) = (self.columns.clone(), self.places.clone());
        Self { columns, places, ..Self::default() }.aligned(piece)
    }

    /// Whether the last rows are these.
    pub fn ends_with(&self, piece: &Piece) -> bool {
        let rows = self.seen_as_ours(piece);
        let Some(from) = self.rows.len().checked_sub(rows.len()) else { return false };
        self.rows[from..].iter().zip(&rows).all(|(one, other)| same(one, other))
    }

    /// Rows in the order that the page told for all of them.
    pub fn sort(&mut self) {
        if self.at.iter().any(Option::is_none) {
            return;
        }
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|place| self.at[*place]);
        let mut rows = std::mem::take(&mut self.rows);
        self.rows = order.iter().map(|place| std::mem::take(&mut rows[*place])).collect();
        self.at = order.iter().map(|place| self.at[*place]).collect();
    }

    /// Columns of these names, without case; the usual ones where none is named.
    ///
    /// # Errors
    /// The name that is no column.
    pub fn choose(&self, wanted: &[String]) -> Result<Vec<usize>, String> {
        if wanted.is_empty() {
            let usual = self.columns.iter().enumerate().filter(|(_, head)| !head.aside);
            return Ok(usual.map(|(place, _)| place).collect());
        }
        let find = |name: &String| {
            let is = |head: &Head| head.name.to_lowercase() == name.trim().to_lowercase();
            self.columns.iter().position(is).ok_or_else(|| name.clone())
        };
        wanted.iter().map(find).collect()
    }

    /// Words for every column name and cell, each passed through a change.
    pub fn map(&mut self, change: impl Fn(&str) -> Option<String>) {
        let cells = self.rows.iter_mut().flatten();
        for text in cells.chain(self.columns.iter_mut().map(|head| &mut head.name)) {
            if let Some(other) = change(text) {
                *text = other;
            }
        }
    }

    /// What stands above the rows.
    pub fn opening(&self, columns: &[usize], how: Written) -> String {
        match how {
            Written::Csv => {
                csv_line(columns.iter().map(|place| self.columns[*place].name.as_str()))
            }
            Written::Json => "[\n".to_owned(),
        }
    }

    /// One row.
    pub fn line(&self, row: usize, columns: &[usize], how: Written) -> String {
        let cell = |place: &usize| self.rows[row].get(*place).map_or("", String::as_str);
        match how {
            Written::Csv => csv_line(columns.iter().map(cell)),
            Written::Json => {
                let pairs: Vec<_> = columns
                    .iter()
                    .map(|place| {
                        format!("{}:{}", json(&self.columns[*place].name), json(cell(place)))
                    })
                    .collect();
                let comma = if row + 1 < self.rows.len() { "," } else { "" };
                format!("{{{}}}{comma}\n", pairs.join(","))
            }
        }
    }

    /// What stands below the rows.
    pub fn closing(&self, how: Written) -> &'static str {
        match how {
            Written::Csv => "",
            Written::Json => "]\n",
        }
    }

    /// Cells of some rows that a spreadsheet would take for a formula.
    pub fn formulas(&self, rows: Range<usize>, columns: &[usize]) -> usize {
        let rows = self.rows.get(rows).unwrap_or_default();
        let cells = rows.iter().flat_map(|row| columns.iter().filter_map(|at| row.get(*at)));
        cells.filter(|cell| is_formula(cell)).count()
    }
}

/// Rows of different widths are the same when only empty cells are missing.
fn same(one: &[String], other: &[String]) -> bool {
    let most = one.len().max(other.len());
    let cell = |row: &[String], at: usize| row.get(at).cloned().unwrap_or_default();
    (0..most).all(|at| cell(one, at) == cell(other, at))
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn csv_line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let cells: Vec<_> = cells.map(csv_cell).collect();
    // A line with nothing in it would be no row to some readers.
    let line = if cells.iter().all(String::is_empty) && cells.len() == 1 {
        "\"\"".to_owned()
    } else {
        cells.join(",")
    };
    format!("{line}\r\n")
}

fn csv_cell(cell: &str) -> String {
    let shield = if is_formula(cell) { "'" } else { "" };
    if cell.contains(['"', ',', '\n', '\r']) || cell.starts_with(' ') || cell.ends_with(' ') {
        return format!("\"{shield}{}\"", cell.replace('"', "\"\""));
    }
    format!("{shield}{cell}")
}

/// Signed numbers and telephone numbers begin like formulas, and are harmless.
fn is_formula(cell: &str) -> bool {
    let Some(first) = cell.chars().next() else { return false };
    match first {
        '=' | '@' | '\t' | '\r' | '\n' => true,
        '+' | '-' => {
            let harmless = |c: char| c.is_ascii_digit() || " .,:%()/-+€$£¥'\u{a0}".contains(c);
            !cell.chars().all(harmless)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
