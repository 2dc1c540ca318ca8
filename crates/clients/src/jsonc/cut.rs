//! Takes a property out of a text. The parser's own way takes a comment behind it along, which may be somebody's.

use super::OPTIONS;
use jsonc_parser::cst::{CstContainerNode, CstNode, CstObjectProp, CstRootNode};

/// The text without that property, its comma and the blanks before it.
pub(super) fn without(root: &CstRootNode, ours: &CstObjectProp) -> String {
    let text = root.to_string();
    let node = CstNode::from(CstContainerNode::from(ours.clone()));
    let siblings = ours.parent().map(|parent| parent.children()).unwrap_or_default();
    let index = ours.child_index();
    let start = start_of(ours);
    let end = start + node.to_string().len();
    let mut pieces = vec![(start, end)];
    pieces.extend(comma(&siblings, index, start, end));
    let blanks: usize = siblings[..index.min(siblings.len())]
        .iter()
        .rev()
        .take_while(|node| node.is_whitespace() || node.is_newline())
        .map(|node| node.to_string().len())
        .sum();
    let mut tidy = pieces.clone();
    tidy.push((start - blanks, start));
    let whole = cut(&text, tidy);
    // A line comment before it ends with its line: without the line's end it would swallow what follows.
    if comments(&whole) == comments(&text) { whole } else { cut(&text, pieces) }
}

/// Where the comma lies that goes with it: the one behind it, or, of the last one, the one before it.
fn comma(siblings: &[CstNode], index: usize, start: usize, end: usize) -> Option<(usize, usize)> {
    let mut at = end;
    for node in siblings.iter().skip(index + 1) {
        if node.is_comma() {
            return Some((at, at + 1));
        }
        if !node.is_trivia() {
            break;
        }
        at += node.to_string().len();
    }
    let mut at = start;
    for node in siblings.iter().take(index).rev() {
        at -= node.to_string().len();
        if node.is_comma() {
            return Some((at, at + 1));
        }
        if !node.is_trivia() {
            break;
        }
    }
    None
}

/// Bytes before it in the whole text.
fn start_of(ours: &CstObjectProp) -> usize {
    let before = |siblings: Vec<CstNode>, index: usize| -> usize {
        siblings.iter().take(index).map(|node| node.to_string().len()).sum()
    };
    let mut start = ours.parent().map_or(0, |parent| before(parent.children(), ours.child_index()));
    for ancestor in ours.ancestors() {
        let node = CstNode::from(ancestor);
        start += node.parent().map_or(0, |parent| before(parent.children(), node.child_index()));
    }
    start
}

fn cut(text: &str, mut pieces: Vec<(usize, usize)>) -> String {
    pieces.sort_unstable();
    let mut out = String::new();
    let mut at = 0;
    for (start, end) in pieces {
        out.push_str(text.get(at..start).unwrap_or_default());
        at = at.max(end);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// How many comments a reader of the text sees; `None` when it cannot be read.
fn comments(text: &str) -> Option<usize> {
    fn count(node: &CstNode) -> usize {
        usize::from(node.is_comment()) + node.children().iter().map(count).sum::<usize>()
    }
    let root = CstRootNode::parse(text, &OPTIONS).ok()?;
    Some(root.children().iter().map(count).sum())
}
