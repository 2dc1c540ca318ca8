//! A tool's command line: flags made from its parameters, and the way back from what was typed to
//! its arguments. One grammar for the shell, `browser_more` and `pillion mcp --single-tool`. Calls
//! nothing.

use super::{Kind, Param, ToolDef};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use pillion_core::target::is_role;
use serde_json::{Map, Value, json};

/// Id of the plain words.
const WORDS: &str = "words";

/// What was typed is no call of the tool; says why, without a full stop.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct GrammarError(String);

fn wrong<T>(why: impl Into<String>) -> Result<T, GrammarError> {
    Err(GrammarError(why.into()))
}

/// The call that a whole line of a file means, with each word changed after it was taken apart.
pub fn call_of(
    line: &str,
    change: impl Fn(&str) -> Result<String, String>,
) -> Result<(&'static ToolDef, Value), GrammarError> {
    match line::read_with(line, change)? {
        line::Line::Call(tool, args) => Ok((tool, args)),
        line::Line::Help(_) => wrong("help is for the terminal, not for a file"),
    }
}

/// The command of a tool: `click` for `browser_click`.
pub fn command(tool: &'static ToolDef) -> Command {
    let short = super::short(tool.name);
    let dashed = short.replace('_', "-");
    let mut command =
        Command::new(dashed.clone()).about(short_about(tool.doc)).long_about(long(tool));
    if dashed != short {
        command = command.alias(short);
    }
    if let Some(words) = words(tool) {
        command = command.arg(words);
    }
    tool.params.iter().map(flag).fold(command, Command::arg)
}

/// The first sentence: what stands beside the name in the list of commands.
fn short_about(doc: &'static str) -> &'static str {
    doc.split_inclusive(". ").next().unwrap_or(doc).trim_end().trim_end_matches('.')
}

fn long(tool: &ToolDef) -> String {
    let details = if tool.details.is_empty() { tool.doc } else { tool.details };
    let example = match tool.name {
        "browser_ask" => "pillion ask login 'sign in, please' --until text=Account",
        "browser_audit" => "pillion audit main --tags wcag2aa",
        "browser_baseline" => "pillion baseline compare",
        "browser_batch" => {
            "pillion batch --steps '[{\"tool\":\"click\",\"target\":\"e5\"},{\"tool\":\"snapshot\"}]'"
        }
        "browser_bridge" => "pillion bridge",
        "browser_cdp" => "pillion cdp Page.getLayoutMetrics",
        "browser_click" => "pillion click button \"Save draft\"",
        "browser_emulate" => "pillion emulate 390x844 --color-scheme dark",
        "browser_evaluate" => {
            "pillion evaluate 'document.title', or from a file: pillion evaluate - < script.js"
        }
        "browser_extract" => "pillion extract --pages 5 --path orders.csv",
        "browser_files" => "pillion files save_pdf page.pdf",
        "browser_fill" => "pillion fill 'textbox \"Name\"=Ada' 'checkbox \"I agree\"=true'",
        "browser_handle_dialog" => "pillion handle-dialog --accept=false",
        "browser_inspect_element" => "pillion inspect-element e12 --show rules --show box",
        "browser_logs" => "pillion logs --kind network --errors",
        "browser_mock" => "pillion mock '*/api/cart' --status 500",
        "browser_more" => "pillion more help patch",
        "browser_navigate" => "pillion navigate example.com --snapshot",
        "browser_overview" => "pillion overview",
        "browser_page_tools" => "pillion page-tools add_to_cart --args '{\"id\":9}'",
        "browser_perf" => "pillion perf load",
        "browser_patch" => "pillion patch e12 --styles 'gap: 8px'",
        "browser_screenshot" => "pillion screenshot --path page.png",
        "browser_scroll" => "pillion scroll --to bottom",
        "browser_snapshot" => "pillion snapshot --query \"grace hopper\"",
        "browser_storage" => "pillion storage cookies",
        "browser_tabs" => "pillion tabs close 7",
        "browser_text" => "pillion text --format article",
        "browser_type" => "pillion type 'hello world' --submit",
        "browser_wait" => "pillion wait button \"Download\"",
        _ => return details.to_owned(),
    };
    format!("{details}\n\nFor example: {example}")
}

fn words(tool: &ToolDef) -> Option<Arg> {
    let (name, help) = match tool.positional {
        [] if takes_pairs(tool) => ("TARGET=VALUE", "A field and its value, as often as needed"),
        [] => return None,
        ["target"] => ("TARGET", "What is meant, as a snapshot shows it: e12, or button \"Save\""),
        _ => ("WORDS", "Plain words up to the first flag"),
    };
    Some(Arg::new(WORDS).value_name(name).help(help).num_args(1..).action(ArgAction::Append))
}

fn takes_pairs(tool: &ToolDef) -> bool {
    pairs_param(tool).is_some()
}

/// The list of `{target, value}` that pairs on the command line fill.
fn pairs_param(tool: &ToolDef) -> Option<&'static Param> {
    tool.params.iter().find(|param| match param.kind {
        Kind::Objects(fields) => fields.iter().any(|field| field.name == "value"),
        _ => false,
    })
}

fn flag(param: &'static Param) -> Arg {
    let dashed = param.name.replace('_', "-");
    let arg = Arg::new(param.name).long(dashed.clone()).help(help(param));
    let arg = if dashed == param.name { arg } else { arg.alias(param.name) };
    let value = param.name.to_uppercase();
    match param.kind {
        Kind::Text | Kind::Json => arg.value_name(value).allow_hyphen_values(true),
        Kind::Integer => {
            arg.value_name(value).value_parser(value_parser!(i64)).allow_hyphen_values(true)
        }
        // One that must be given has to be able to say no. It must not swallow the word that
        // follows it, hence the equals sign.
        Kind::Boolean if !param.required => arg.action(ArgAction::SetTrue),
        Kind::Boolean => arg
            .value_name("true|false")
            .value_parser(value_parser!(bool))
            .hide_possible_values(true)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
        Kind::OneOf(choices) => arg.value_name(value).value_parser(choices.to_vec()),
        Kind::Texts => arg.value_name(value).action(ArgAction::Append),
        Kind::Objects(_) => arg.value_name("JSON").help("A JSON list of objects"),
    }
}

/// Agents know these from the instructions and need no words for them; a reader of `--help` does.
fn help(param: &Param) -> &'static str {
    match (param.doc, param.name) {
        ("", "tab") => "Which tab [default: your only one, or for reads the last used]",
        ("", "target") => "The element, as plain words or here",
        ("", "profile") => "Which browser profile",
        ("", "snapshot") => "Add the page's outline",
        ("", "max_chars") => "How long the answer may be",
        ("", "from") => "Go on from here: the cursor of a cut answer",
        ("", "timeout_ms") => "How long to wait, milliseconds",
        ("", "full_page") => "The whole page, not only what is in view",
        ("", "dy") => "Pixels down; negative: up",
        ("", "dx") => "Pixels to the right; negative: to the left",
        ("", "ms") => "Just wait, milliseconds",
        ("", "accept") => "OK, or with --accept=false Cancel",
        ("", "prompt_text") => "What to answer a prompt with",
        (doc, _) => doc,
    }
}

/// The arguments that were typed.
pub fn arguments(tool: &'static ToolDef, matches: &ArgMatches) -> Result<Value, GrammarError> {
    let mut args = Map::new();
    let words: Vec<String> = match words(tool) {
        Some(_) => matches.get_many::<String>(WORDS).into_iter().flatten().cloned().collect(),
        None => Vec::new(),
    };
    if let Some(param) = pairs_param(tool) {
        if !words.is_empty() {
            let pairs: Vec<Value> =
                words.iter().map(|word| pair(word)).collect::<Result<_, _>>()?;
            args.insert(param.name.to_owned(), pairs.into());
        }
    } else {
        place(tool, &words, &mut args)?;
    }
    for param in tool.params {
        if let Some(value) = flag_value(param, matches)?
            && args.insert(param.name.to_owned(), value).is_some()
        {
            return wrong(format!("{} is given twice: as plain words and as --{0}", param.name));
        }
    }
    Ok(Value::Object(args))
}

fn flag_value(param: &Param, matches: &ArgMatches) -> Result<Option<Value>, GrammarError> {
    Ok(match param.kind {
        Kind::Text | Kind::Json | Kind::OneOf(_) => {
            matches.get_one::<String>(param.name).map(|text| json!(text))
        }
        Kind::Integer => matches.get_one::<i64>(param.name).map(|number| json!(number)),
        Kind::Boolean => matches
            .get_one::<bool>(param.name)
            .filter(|flag| **flag || param.required)
            .map(|flag| json!(flag)),
        Kind::Texts => matches
            .get_many::<String>(param.name)
            .map(|texts| Value::from(texts.cloned().collect::<Vec<_>>())),
        Kind::Objects(_) => match matches.get_one::<String>(param.name) {
            Some(text) => Some(
                serde_json::from_str(text)
                    .or_else(|error| wrong(format!("--{} is not JSON: {error}", param.name)))?,
            ),
            None => None,
        },
    })
}

/// One word each for the first positional parameters; the last one takes the rest.
fn place(
    tool: &ToolDef,
    words: &[String],
    args: &mut Map<String, Value>,
) -> Result<(), GrammarError> {
    for (index, name) in tool.positional.iter().enumerate() {
        let rest = words.get(index..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(());
        }
        let last = index + 1 == tool.positional.len();
        let text = match (last, *name) {
            (false, _) => rest[0].clone(),
            (true, "target") => target(rest),
            (true, _) => rest.join(" "),
        };
        let kind = tool.params.iter().find(|param| param.name == *name).map(|param| &param.kind);
        let value = match kind {
            Some(Kind::Integer) => json!(
                text.parse::<i64>()
                    .or_else(|_| wrong(format!("{name} must be a number, not {text:?}")))?
            ),
            Some(Kind::OneOf(choices)) if !choices.contains(&text.as_str()) => {
                return wrong(format!(
                    "{name} must be one of {}, not {text:?}",
                    choices.join(", ")
                ));
            }
            _ => json!(text),
        };
        args.insert((*name).to_owned(), value);
    }
    Ok(())
}

/// Words of a target as the shell left them: it took the quotes off names, so they get them back.
fn target(words: &[String]) -> String {
    let steps = words.split(|word| word == ">>").map(step).collect::<Vec<_>>();
    steps.join(" >> ")
}

/// After a role every further word is its name. Without one, words stand as they are, but for a
/// name of several words in one. A CSS selector is a single word of the shell anyway.
fn step(words: &[String]) -> String {
    let as_it_stands = |text: &str| text.contains('"') || text.contains("[e");
    if let [role, rest @ ..] = words
        && !rest.is_empty()
        && is_role(role)
        && !rest.iter().any(|word| as_it_stands(word))
    {
        return format!("{role} \"{}\"", rest.join(" "));
    }
    let quote = |(index, word): (usize, &String)| {
        let name = index > 0 && word.contains(char::is_whitespace) && !as_it_stands(word);
        if name { format!("\"{word}\"") } else { word.clone() }
    };
    words.iter().enumerate().map(quote).collect::<Vec<_>>().join(" ")
}

/// `TARGET=VALUE`, cut at the first `=` that is not the target's own.
fn pair(word: &str) -> Result<Value, GrammarError> {
    let own = ["text=", "label=", "css=", "ref=", "shot="]
        .iter()
        .find(|prefix| word.starts_with(**prefix))
        .map_or(0, |prefix| prefix.len());
    let mut quoted = false;
    let mut depth = 0u32;
    let cut = word.char_indices().skip_while(|(at, _)| *at < own).find(|(_, letter)| {
        match letter {
            '"' => quoted = !quoted,
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *letter == '=' && !quoted && depth == 0
    });
    let Some((at, _)) = cut else {
        return wrong(format!("{word:?} is not TARGET=VALUE, as in e7=Ada"));
    };
    Ok(json!({"target": &word[..at], "value": &word[at + 1..]}))
}

/// A whole command line in one text.
pub(crate) mod line;
#[cfg(test)]
mod tests;
