//! `pillion run FILE`: one tool command a line, in one session. The whole file is read and understood before anything
//! is done; it stops at the first line that fails.

use crate::exit::Exit;
use crate::tool_command::{self, Format};
use crate::{session, ui};
use anyhow::{Context as _, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use pillion_client::Client;
use pillion_engine::tools::{ToolDef, grammar};
use pillion_os::home::Home;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Read as _};

/// The largest file of commands.
const MOST_BYTES: u64 = 1024 * 1024;

const EXAMPLES: &str = "Example:
  pillion run order.pillion --var ID=118

with, in order.pillion,
  # Opens an order and says that it was sent
  navigate https://shop.example/orders/${ID}
  click button \"Mark as sent\"
  wait text=Sent

Exit status: 0 every line was done, else that of the first line that failed. 2: the file is wrong, and nothing was done.";

/// The command line.
pub fn command() -> Command {
    Command::new("run")
        .about("Run a file of commands, one a line")
        .long_about(
            "Runs a file of commands, one a line, as they are typed after `pillion`; also in the form in which answers \
             name the next call, browser_click {\"target\":\"e5\"}. Empty lines and lines that begin with # are skipped. \
             ${NAME} is replaced by a value of --var or of the environment; $${NAME} is left as ${NAME}. Stops at the first failure.",
        )
        .after_help(EXAMPLES)
        .arg(Arg::new("file").value_name("FILE").required(true).help("A file, or - for standard input"))
        .arg(
            Arg::new("var")
                .long("var")
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .help("A value for ${NAME}"),
        )
        .arg(
            Arg::new("keep-going")
                .long("keep-going")
                .action(ArgAction::SetTrue)
                .help("Go on after a line that failed"),
        )
}

/// A line that is a call.
struct Step {
    number: usize,
    shown: String,
    tool: &'static ToolDef,
    args: Value,
}

/// Reads, understands, does.
pub async fn run(
    home: Home,
    matches: &ArgMatches,
    named: Option<&str>,
    format: Format,
) -> anyhow::Result<Exit> {
    let name = matches.get_one::<String>("file").context("clap requires it")?;
    let text = read(name)?;
    let given = variables(matches.get_many::<String>("var").into_iter().flatten())?;
    let known = |name: &str| given.get(name).cloned().or_else(|| std::env::var(name).ok());
    let steps = match understand(&text, known) {
        Ok(steps) => steps,
        Err(wrong) => {
            ui::error(&format!("{name}:{wrong}. Nothing was done."));
            return Ok(Exit::Usage);
        }
    };
    let client = Client::new(session::of_command(home, named));
    let show = std::io::stderr().is_terminal() && format == Format::Text;
    let mut first_failure = None;
    for step in &steps {
        if show {
            ui::note(&format!("[{}/{}] {}", step.number, text.lines().count(), step.shown));
        }
        let exit = tool_command::call(&client, step.tool, step.args.clone(), format).await?;
        if exit == Exit::Ok {
            continue;
        }
        ui::error(&format!("{name}:{}: {}", step.number, step.shown));
        first_failure.get_or_insert(exit);
        if exit == Exit::Interrupted || !matches.get_flag("keep-going") {
            break;
        }
    }
    Ok(first_failure.unwrap_or(Exit::Ok))
}

fn read(name: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    let context = || format!("cannot read {name}");
    if name == "-" {
        std::io::stdin().lock().take(MOST_BYTES).read_to_string(&mut text).with_context(context)?;
    } else {
        let file = std::fs::File::open(name).with_context(context)?;
        file.take(MOST_BYTES).read_to_string(&mut text).with_context(context)?;
    }
    Ok(text)
}

fn variables<'a>(
    given: impl Iterator<Item = &'a String>,
) -> anyhow::Result<BTreeMap<String, String>> {
    let mut variables = BTreeMap::new();
    for pair in given {
        match pair.split_once('=').filter(|(name, _)| is_name(name)) {
            Some((name, value)) => variables.insert(name.to_owned(), value.to_owned()),
            None => bail!("--var takes NAME=VALUE, not {pair:?}"),
        };
    }
    Ok(variables)
}

fn is_name(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.is_empty()
        && name.chars().all(plain)
        && !name.starts_with(|letter: char| letter.is_ascii_digit())
}

/// Every line, or what is wrong with the first wrong one: `3: why`.
fn understand(text: &str, known: impl Fn(&str) -> Option<String>) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let number = index + 1;
        let wrong = |why: String| format!("{number}: {why}");
        // Values are put in after the line was taken apart: they may hold quotes and blanks.
        let (tool, args) = grammar::call_of(line, |word| filled(word, &known))
            .map_err(|error| wrong(error.to_string()))?;
        steps.push(Step { number, shown: line.to_owned(), tool, args });
    }
    Ok(steps)
}

/// The word with its variables filled in.
fn filled(word: &str, known: &impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = word;
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let Some(end) = after.find('}') else { break };
        let name = &after[..end];
        if let Some(kept) = before.strip_suffix('$') {
            out.push_str(kept);
            out.push_str(&format!("${{{name}}}"));
        } else {
            out.push_str(before);
            if !is_name(name) {
                return Err(format!("${{{name}}} is no variable; $${{{name}}} leaves it as it is"));
            }
            let value = known(name)
                .ok_or_else(|| format!("{name} has no value; give it with --var {name}=…"))?;
            out.push_str(&value);
        }
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn known(name: &str) -> Option<String> {
        (name == "WHO").then(|| "Ada \"the first\" Lovelace".to_owned())
    }

    #[test]
    fn lines_are_taken_apart_before_values_come_in() {
        let text = "# a word\n\n  fill \"label=Name=${WHO}\"\nclick button \"Save\"\nbrowser_click {\"target\": \"e5\"}\nbrowser_type {\"text\": \"${WHO}\"}\ntype '$${WHO}'\n";
        let steps = understand(text, known).unwrap();
        let numbers: Vec<_> = steps.iter().map(|step| step.number).collect();
        assert_eq!(numbers, [3, 4, 5, 6, 7]);
        assert_eq!(
            steps[0].args,
            json!({"fields": [{"target": "label=Name", "value": "Ada \"the first\" Lovelace"}]})
        );
        assert_eq!(steps[1].args, json!({"target": "button \"Save\""}));
        assert_eq!(steps[2].args, json!({"target": "e5"}));
        assert_eq!(steps[3].args, json!({"text": "Ada \"the first\" Lovelace"}));
        assert_eq!(steps[4].args, json!({"text": "${WHO}"}));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let wrong = |text: &str| understand(text, known).err().unwrap();
        assert!(
            wrong("click e5\nclik e6").starts_with("2: there is no command"),
            "{}",
            wrong("clik e6")
        );
        assert!(wrong("type ${NOBODY}").starts_with("1: NOBODY has no value"));
        assert!(wrong("type \"open").contains("never closed"));
        assert!(wrong("help").starts_with("1: "));
        assert!(variables([&"A".to_owned()].into_iter()).is_err());
        assert!(variables([&"1A=x".to_owned()].into_iter()).is_err());
    }
}
