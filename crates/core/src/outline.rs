//! Outlines as agents read them: trees of nodes to lines of text, cut to a budget.
//!
//! A ref is issued only when its line is printed: refs past the cut do not exist.

use crate::page_text::{PageText, quote, url_words};
use crate::refs::{Key, RefTable};
use pillion_wire::id::{DocumentId, LocalId, Ref};
use pillion_wire::page::{ListInfo, Node, State};

/// A node with its document: what frames are stitched into.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The node; its own `children` are empty.
    pub node: Node,
    /// The element, in whichever document it is.
    pub key: Option<Key>,
    /// What is inside, over frame borders.
    pub children: Vec<Tree>,
    /// Why a frame has no content.
    pub unreadable: Option<&'static str>,
}

/// Gives every node its document. `frames` gives the content of a child frame by its token.
pub fn stitch(
    nodes: Vec<Node>,
    document: &DocumentId,
    frames: &mut dyn FnMut(&str) -> FrameContent,
) -> Vec<Tree> {
    nodes.into_iter().map(|node| stitch_one(node, document, frames)).collect()
}

/// What is in a frame.
pub enum FrameContent {
    /// Its outline.
    Nodes(Vec<Node>, DocumentId),
    /// Nothing that can be read, and why.
    Unreadable(&'static str),
    /// It was left out on purpose.
    Omitted,
}

fn stitch_one(
    mut node: Node,
    document: &DocumentId,
    frames: &mut dyn FnMut(&str) -> FrameContent,
) -> Tree {
    let key = node.id.map(|id| Key { document: document.clone(), id });
    let mut children = stitch(std::mem::take(&mut node.children), document, frames);
    let mut unreadable = None;
    if let Some(token) = node.frame.take() {
        match frames(&token) {
            FrameContent::Nodes(nodes, inner) => children.extend(stitch(nodes, &inner, frames)),
            FrameContent::Unreadable(reason) => unreadable = Some(reason),
            FrameContent::Omitted => {}
        }
    }
    Tree { node, key, children, unreadable }
}

/// Printed lines and what became of the rest.
#[derive(Debug, Default)]
pub struct Printed {
    /// The lines, each ended by a line break.
    pub text: String,
    /// Lines in `text`.
    pub lines: usize,
    /// Characters that all of it would take, when it was cut.
    pub cut_of: Option<usize>,
    /// The last ref in `text`.
    pub last_ref: Option<Ref>,
}

/// What the printing needs to know.
pub struct Style<'a> {
    /// Address of the page: same-origin links show the path alone.
    pub page_url: Option<&'a str>,
    /// Most characters.
    pub budget: usize,
    /// Leading spaces of the first level.
    pub indent: usize,
    /// Folded lists say how to reach the rest; a query's answer does not.
    pub folds: bool,
}

/// Prints trees; refs are issued as lines are accepted.
pub fn print(trees: &[Tree], refs: &mut RefTable, style: &Style<'_>) -> Printed {
    let mut printer = Printer { refs, style, out: Printed::default(), total: 0, full: false };
    printer.siblings(trees, 0);
    let Printer { mut out, total, full, .. } = printer;
    out.cut_of = full.then_some(total);
    out
}

struct Printer<'a, 'b> {
    refs: &'a mut RefTable,
    style: &'a Style<'b>,
    out: Printed,
    total: usize,
    full: bool,
}

/// One line being put together: refs that it would issue wait until it is accepted.
#[derive(Default)]
struct Line {
    text: String,
    issue: Vec<(Key, String, String)>,
    last_ref: Option<Ref>,
}

impl Printer<'_, '_> {
    fn siblings(&mut self, trees: &[Tree], level: usize) {
        let mut at = 0;
        while at < trees.len() {
            let run = self.run_length(&trees[at..]);
            if run > 0 {
                self.run_line(&trees[at..at + run], level, None);
                at += run;
            } else {
                self.node(&trees[at], level);
                at += 1;
            }
        }
    }

    /// How many siblings from here share a line: plain links or buttons (three or more), or words
    /// mixed with links.
    fn run_length(&self, trees: &[Tree]) -> usize {
        let plain = trees.iter().take_while(|tree| is_plain(tree)).count();
        if plain >= 3 {
            return plain;
        }
        let mixed = trees.iter().take_while(|tree| is_words(tree) || is_plain_link(tree)).count();
        let has = |test: fn(&Tree) -> bool| trees[..mixed].iter().any(test);
        if mixed >= 2 && has(is_words) && has(is_plain_link) { mixed.min(12) } else { 0 }
    }

    fn run_line(&mut self, trees: &[Tree], level: usize, head: Option<Line>) {
        let mixed = trees.iter().any(is_words);
        let mut line = head.unwrap_or_default();
        for (nth, tree) in trees.iter().enumerate() {
            if nth > 0 {
                line.text.push_str(if mixed { " " } else { " · " });
            }
            self.inline(tree, &mut line);
        }
        self.accept(line, level);
    }

    fn node(&mut self, tree: &Tree, level: usize) {
        if tree.node.list.as_ref().is_some_and(|list| list.table || list.total > list.shown) {
            return self.list(tree, level);
        }
        match tree.node.role.as_str() {
            // A paragraph is where its words are; its line of its own says nothing.
            "paragraph" if tree.node.name.is_empty() && !tree.node.acts => {
                return self.siblings(&tree.children, level);
            }
            "row" => return self.row(tree, level, "row"),
            "item" if is_flat(tree) => return self.row(tree, level, "item"),
            _ => {}
        }
        let mut line = Line::default();
        self.head(tree, &mut line);
        // A container of nothing but plain links or buttons is one line.
        let all_plain = tree.children.len() >= 2 && tree.children.iter().all(is_leaf_control);
        if all_plain && tree.node.states.is_empty() && tree.node.role != "iframe" {
            line.text.push_str(": ");
            return self.run_line(&tree.children, level, Some(line));
        }
        self.accept(line, level);
        self.siblings(&tree.children, level + 1);
    }

    fn list(&mut self, tree: &Tree, level: usize) {
        let Some(list) = tree.node.list.clone() else { return };
        let mut line = Line::default();
        self.head(tree, &mut line);
        list_words(&list, &mut line.text);
        let number = self.provisional(tree, &line);
        self.accept(line, level);
        for child in &tree.children {
            if matches!(child.node.role.as_str(), "row" | "item") && is_flat(child) {
                self.row(child, level + 1, &child.node.role);
            } else {
                self.node(child, level + 1);
            }
        }
        let rest = list.total.saturating_sub(list.first + list.shown);
        if rest > 0 && list.shown > 0 && self.style.folds {
            let name = number.map_or_else(String::new, |number| format!("e{number}"));
            let next = list.first + list.shown;
            let text = if list.table && list.first == 0 {
                format!(
                    "… {rest} more rows, none of them with a ref yet. Go on: from=\"{name}+{next}\". \
                     Find: query=\"words\". Act: row \"words\" >> button \"…\""
                )
            } else {
                format!("… {rest} more: from=\"{name}+{next}\"")
            };
            self.accept(Line { text, ..Line::default() }, level + 1);
        }
    }

    /// The number that the node has or gets with the line in hand.
    fn provisional(&self, tree: &Tree, line: &Line) -> Option<u32> {
        let key = tree.key.as_ref().filter(|_| tree.node.acts)?;
        if let Some(known) = self.refs.get(key) {
            return Some(known.0);
        }
        let place = line.issue.iter().position(|(waiting, ..)| waiting == key)?;
        Some(self.refs.next() + place as u32)
    }

    fn row(&mut self, tree: &Tree, level: usize, word: &str) {
        let mut line = Line::default();
        line.text.push_str(word);
        if tree.node.acts {
            self.reference(tree, &mut line);
        }
        for state in &tree.node.states {
            state_words(state, &mut line.text);
        }
        line.text.push(':');
        for (nth, cell) in tree.children.iter().enumerate() {
            line.text.push_str(if nth == 0 { " " } else { " | " });
            self.cell(cell, &mut line);
        }
        let text = line.text.trim_end().to_owned();
        self.accept(Line { text, ..line }, level);
    }

    fn cell(&mut self, cell: &Tree, line: &mut Line) {
        let is_cell = matches!(
            cell.node.role.as_str(),
            "cell" | "gridcell" | "columnheader" | "rowheader" | "group" | "paragraph" | "generic"
        );
        if !is_cell || cell.node.acts {
            return self.inline(cell, line);
        }
        if cell.children.is_empty() {
            if !cell.node.name.is_empty() {
                line.text.push_str(&quote(&cell.node.name));
            }
            return;
        }
        for (nth, child) in cell.children.iter().enumerate() {
            if nth > 0 {
                line.text.push_str(" · ");
            }
            self.inline(child, line);
        }
    }

    /// A node in the middle of a line, with what is inside it.
    fn inline(&mut self, tree: &Tree, line: &mut Line) {
        if tree.node.role == "text" {
            line.text.push_str(&quote(&tree.node.name));
        } else {
            self.head(tree, line);
        }
        for child in &tree.children {
            line.text.push_str(" · ");
            self.inline(child, line);
        }
    }

    /// Role, name, ref, states, address.
    fn head(&mut self, tree: &Tree, line: &mut Line) {
        let node = &tree.node;
        if node.role == "text" {
            line.text.push_str(&quote(&node.name));
            return;
        }
        line.text.push_str(&node.role);
        if !node.name.is_empty() {
            line.text.push(' ');
            line.text.push_str(&quote(&node.name));
        }
        if node.unseen {
            line.text.push_str(" (unseen)");
        }
        if node.acts {
            self.reference(tree, line);
        }
        for state in &node.states {
            state_words(state, &mut line.text);
        }
        if let Some(url) = &node.url {
            line.text.push_str(" → ");
            line.text.push_str(&url_words(url, self.style.page_url));
        }
        if let Some(reason) = tree.unreadable {
            line.text.push_str(" not readable: ");
            line.text.push_str(reason);
        }
    }

    fn reference(&self, tree: &Tree, line: &mut Line) {
        let Some(key) = &tree.key else { return };
        let number = match self.refs.get(key) {
            Some(known) => known.0,
            None => {
                let place = line.issue.iter().position(|(waiting, ..)| waiting == key);
                let place = place.unwrap_or_else(|| {
                    line.issue.push((key.clone(), tree.node.role.clone(), tree.node.name.clone()));
                    line.issue.len() - 1
                });
                self.refs.next() + place as u32
            }
        };
        line.last_ref = Some(Ref(number));
        line.text.push_str(&format!(" [e{number}]"));
    }

    fn accept(&mut self, line: Line, level: usize) {
        let indent = self.style.indent + level * 2;
        let length = indent + line.text.chars().count() + 1;
        self.total += length;
        self.full = self.full || self.total > self.style.budget && self.out.lines > 0;
        if self.full {
            return;
        }
        for (key, role, name) in &line.issue {
            self.refs.issue(key, role, name);
        }
        self.out.text.extend(std::iter::repeat_n(' ', indent));
        self.out.text.push_str(&line.text);
        self.out.text.push('\n');
        self.out.lines += 1;
        self.out.last_ref = line.last_ref.or(self.out.last_ref);
    }
}

fn is_words(tree: &Tree) -> bool {
    tree.node.role == "text"
}

fn is_plain(tree: &Tree) -> bool {
    matches!(tree.node.role.as_str(), "link" | "button")
        && tree.node.states.is_empty()
        && is_leaf(tree)
}

fn is_plain_link(tree: &Tree) -> bool {
    tree.node.role == "link" && is_leaf(tree) && tree.node.states.len() <= 1
}

/// A link or button that may carry a state: a container of such is still one line.
fn is_leaf_control(tree: &Tree) -> bool {
    matches!(tree.node.role.as_str(), "link" | "button")
        && is_leaf(tree)
        && tree.node.states.len() <= 1
}

fn is_leaf(tree: &Tree) -> bool {
    tree.children.is_empty() && tree.unreadable.is_none()
}

/// An item fits on one line when nothing in it is more than two levels deep and nothing is long.
fn is_flat(tree: &Tree) -> bool {
    fn depth(tree: &Tree) -> usize {
        1 + tree.children.iter().map(depth).max().unwrap_or(0)
    }
    fn count(tree: &Tree) -> usize {
        1 + tree.children.iter().map(count).sum::<usize>()
    }
    depth(tree) <= 3 && count(tree) <= 24
}

fn list_words(list: &ListInfo, out: &mut String) {
    let what = if list.table { "rows" } else { "items" };
    if list.first > 0 {
        let last = list.first + list.shown;
        out.push_str(&format!(" {what} {} to {last} of {}", list.first + 1, list.total));
    } else {
        out.push_str(&format!(" {} {what}", list.total));
    }
    if !list.head.is_empty() {
        let heads: Vec<_> = list
            .head
            .iter()
            .map(|head| match head.as_str() {
                "(select)" | "(actions)" | "" => head.clone(),
                words => head_word(words),
            })
            .collect();
        out.push_str(": ");
        out.push_str(&heads.join(" | "));
    }
}

/// A column's head is a page's words: bare when it is plain words, else quoted.
fn head_word(words: &str) -> String {
    let plain = words
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '%' | '#' | '-' | '/'));
    if plain && words.chars().count() <= 40 { PageText::new(words).plain() } else { quote(words) }
}

/// One state as a word, with the space before it.
pub fn state_words(state: &State, out: &mut String) {
    let word = match state {
        State::Value(value) => format!("value={}", quote(value)),
        State::Checked => "checked".into(),
        State::Mixed => "mixed".into(),
        State::Disabled => "disabled".into(),
        State::Readonly => "readonly".into(),
        State::Required => "required".into(),
        State::Invalid(message) if message.is_empty() => "invalid".into(),
        State::Invalid(message) => format!("invalid={}", quote(message)),
        State::Expanded => "expanded".into(),
        State::Collapsed => "collapsed".into(),
        State::Selected => "selected".into(),
        State::Pressed => "pressed".into(),
        State::Current => "current".into(),
        State::Focused => "focused".into(),
        State::Level(level) => format!("level={level}"),
        State::Masked(_) => "masked".into(),
        State::Placeholder(words) => format!("placeholder={}", quote(words)),
        State::Description(words) => format!("description={}", quote(words)),
        State::Options(options) => format!("options={}", quote(&options.join("|"))),
        State::OptionCount(count) => format!("({count} options)"),
        State::Modal => "modal".into(),
        State::HasPopup => "haspopup".into(),
        State::Multiline => "multiline".into(),
        State::Autocomplete(token) => format!("autocomplete={}", head_word(token)),
        State::Scrollable => "scrollable".into(),
        State::Kind(kind) => head_word(kind),
    };
    out.push(' ');
    out.push_str(&word);
}

/// Only what follows an element, in document order: what a cut answer goes on with. Ancestors stay
/// as lines of their own so that the place can be seen. `None`: the element is not there.
pub fn after(trees: &[Tree], key: &Key) -> Option<Vec<Tree>> {
    let at = trees.iter().position(|tree| holds(tree, key))?;
    let mut rest: Vec<Tree> = trees[at + 1..].to_vec();
    let found = &trees[at];
    if found.key.as_ref() == Some(key) {
        if !found.children.is_empty() && found.node.list.is_none() {
            let mut found = found.clone();
            found.node.acts = false;
            rest.insert(0, found);
        }
    } else if let Some(children) = after(&found.children, key)
        && !children.is_empty()
    {
        let node = Node {
            acts: false,
            states: vec![],
            list: found.node.list.clone(),
            ..found.node.clone()
        };
        let key = found.key.clone();
        rest.insert(0, Tree { node, key, children, unreadable: None });
    }
    Some(rest)
}

fn holds(tree: &Tree, key: &Key) -> bool {
    tree.key.as_ref() == Some(key) || tree.children.iter().any(|child| holds(child, key))
}

/// Finds a node by its element.
pub fn find<'a>(trees: &'a [Tree], document: &DocumentId, id: LocalId) -> Option<&'a Tree> {
    trees.iter().find_map(|tree| {
        let here = tree.key.as_ref().is_some_and(|key| key.id == id && key.document == *document);
        if here { Some(tree) } else { find(&tree.children, document, id) }
    })
}

#[cfg(test)]
mod tests;
