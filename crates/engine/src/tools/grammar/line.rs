//! A whole command line in one text: which tool with which arguments, or a request for help.

use super::{GrammarError, arguments, command, pairs_param, wrong};
use crate::tools::{self, Kind, Param, ToolDef, peers, short};
use pillion_core::shell_words::{Unclosed, split};
use serde_json::Value;

/// What a line asks for.
pub(crate) enum Line {
    /// A call of a tool.
    Call(&'static ToolDef, Value),
    /// What there is, in words.
    Help(String),
}

/// Reads `click button "Save"`. Taken as well: `pillion` before it, and what answers print as the next
/// call, `browser_snapshot {"tab":7}`.
pub(crate) fn read(line: &str) -> Result<Line, GrammarError> {
    read_with(line, |word| Ok(word.to_owned()))
}

/// As [`read`], with each word (or, of a JSON call, each text) changed after the line was taken apart.
pub(super) fn read_with(
    line: &str,
    change: impl Fn(&str) -> Result<String, String>,
) -> Result<Line, GrammarError> {
    let line = line.trim();
    let line = line.strip_prefix("pillion ").unwrap_or(line).trim_start();
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if rest.trim_start().starts_with('{') {
        let tool = tool_of(first)?;
        let args = serde_json::from_str(rest.trim())
            .or_else(|error| wrong(format!("what follows {} is not JSON: {error}", tool.name)))?;
        return Ok(Line::Call(tool, changed(args, &change).map_err(GrammarError)?));
    }
    let words = split(line)
        .or_else(|Unclosed(quote)| wrong(format!("a quote ({quote}) is never closed")))?;
    let words: Vec<String> =
        words.iter().map(|word| change(word)).collect::<Result<_, _>>().map_err(GrammarError)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["help" | "--help" | "-h"] => Ok(Line::Help(everything())),
        ["help", name, ..] | [name, "--help" | "-h", ..] => Ok(Line::Help(one(tool_of(name)?))),
        [name, ..] => {
            let tool = tool_of(name)?;
            let args = typed(tool, &words).or_else(|GrammarError(why)| {
                wrong(format!("{why}; `help {}` shows what it takes", dashed(tool.name)))
            })?;
            Ok(Line::Call(tool, args))
        }
    }
}

/// Every text in it changed.
fn changed(
    value: Value,
    change: &impl Fn(&str) -> Result<String, String>,
) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => Value::String(change(&text)?),
        Value::Array(items) => {
            items.into_iter().map(|item| changed(item, change)).collect::<Result<_, _>>()?
        }
        Value::Object(fields) => {
            let fields =
                fields.into_iter().map(|(name, value)| Ok((name, changed(value, change)?)));
            Value::Object(fields.collect::<Result<_, String>>()?)
        }
        other => other,
    })
}

fn tool_of(name: &str) -> Result<&'static ToolDef, GrammarError> {
    let shown: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
    match (tools::find(name), peers::instead_of(name)) {
        (Some(tool), _) => Ok(tool),
        (None, Some(call)) => wrong(format!("there is no command {shown:?}; call {call}")),
        (None, None) => wrong(format!("there is no command {shown:?}; `help` lists them")),
    }
}

fn typed(tool: &'static ToolDef, words: &[&str]) -> Result<Value, GrammarError> {
    let matches = command(tool).try_get_matches_from(words);
    let matches = matches.or_else(|error| wrong(first_sentence(&error.render().to_string())))?;
    arguments(tool, &matches)
}

/// The parser's words without its usage and tips, on one line.
fn first_sentence(words: &str) -> String {
    let words = words.split("\n\n").next().unwrap_or_default();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    words.strip_prefix("error: ").unwrap_or(&words).to_owned()
}

fn dashed(name: &str) -> String {
    short(name).replace('_', "-")
}

fn everything() -> String {
    let mut out = String::from("COMMAND [WORDS] [--FLAG VALUE]. `help COMMAND` shows its flags.");
    for tool in tools::ALL {
        let about = tool.doc.split_inclusive(". ").next().unwrap_or(tool.doc).trim_end();
        out.push_str(&format!("\n{}{}: {about}", dashed(tool.name), usage(tool)));
    }
    out
}

fn usage(tool: &ToolDef) -> String {
    if pairs_param(tool).is_some() {
        return " TARGET=VALUE…".to_owned();
    }
    tool.positional.iter().map(|name| format!(" [{}]", name.to_uppercase())).collect()
}

fn one(tool: &ToolDef) -> String {
    let mut out = format!("{}{} [FLAGS]\n{}", dashed(tool.name), usage(tool), tool.doc);
    if !tool.details.is_empty() {
        out.push('\n');
        out.push_str(tool.details);
    }
    for param in tool.params {
        out.push('\n');
        out.push_str(&flag_line(param));
    }
    out
}

fn flag_line(param: &Param) -> String {
    let kind = match &param.kind {
        Kind::Text => " TEXT".to_owned(),
        Kind::Json => " TEXT|JSON".to_owned(),
        Kind::Integer => " NUMBER".to_owned(),
        Kind::Boolean if param.required => "=true|false".to_owned(),
        Kind::Boolean => String::new(),
        Kind::OneOf(words) => format!(" {}", words.join("|")),
        Kind::Texts => " TEXT (as often as needed)".to_owned(),
        Kind::Objects(_) => " JSON".to_owned(),
    };
    let notes: Vec<_> = [if param.required { "required" } else { "" }, param.doc]
        .into_iter()
        .filter(|note| !note.is_empty())
        .collect();
    let gap = if notes.is_empty() { "" } else { "  " };
    format!("  --{}{kind}{gap}{}", param.name.replace('_', "-"), notes.join("; "))
}
