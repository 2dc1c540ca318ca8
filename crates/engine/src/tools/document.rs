//! `docs/TOOLS.md`, printed from the registry and the codes.

use super::{ALL, Effect, Kind, Param, ToolDef};
use pillion_wire::code::Code;
use std::fmt::Write;

/// The whole page. `example` gives a tool's calls and answers of a real run.
pub fn document(example: impl Fn(&str) -> String) -> String {
    let mut out = String::from(
        "# Tools\n\nPrinted from the registry: do not edit. `UPDATE_EXPECT=1 cargo test -p pillion-engine` renews it.\n\n\
         Every tool is an MCP tool (`browser_click`) and a command (`pillion click`). Arguments are taken in camelCase too.\n",
    );
    for tool in ALL {
        one(tool, &mut out);
        let run = example(tool.name);
        write!(out, "\n```\n{}\n```\n", run.trim_end()).ok().unwrap_or_default();
    }
    out.push_str(
        "\n# Failure codes\n\nA failure reads `CODE: what happened. What was done. What to do next.` Programs find `code`, `done` and \
         `retry` in `_meta[\"pillion/error\"]`.\n\n| code | means | done | retry |\n|---|---|---|---|\n",
    );
    for code in Code::ALL {
        let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let done = word(serde_json::json!(code.done()));
        let retry = word(serde_json::json!(code.retry()));
        writeln!(out, "| `{}` | {} | {done} | {retry} |", code.as_str(), code.meaning())
            .ok()
            .unwrap_or_default();
    }
    out
}

fn one(tool: &ToolDef, out: &mut String) {
    let effect = match tool.effect {
        Effect::Read => "looks only; retried once over a lost connection",
        Effect::Watch => "looks over time; holds up nobody",
        Effect::Act => "acts: needs the tab's lease, never sent twice",
        Effect::Navigate => "opens pages",
        Effect::Manage => "manages; passes a stuck tab",
        Effect::Compose => "calls other tools: what they are, it is",
    };
    write!(out, "\n## {}\n\n{}\n\n*{effect}*\n", tool.name, tool.doc).ok().unwrap_or_default();
    if !tool.details.is_empty() {
        write!(out, "\n{}\n", tool.details).ok().unwrap_or_default();
    }
    out.push_str("\n| parameter | kind | |\n|---|---|---|\n");
    for param in tool.params {
        row(param, out);
    }
}

fn row(param: &Param, out: &mut String) {
    let kind = match &param.kind {
        Kind::Text => "text".to_owned(),
        Kind::Json => "text or JSON".to_owned(),
        Kind::Integer => "whole number".to_owned(),
        Kind::Boolean => "true or false".to_owned(),
        Kind::OneOf(words) => words.join(", "),
        Kind::Texts => "list of texts".to_owned(),
        Kind::Objects(params) => {
            let names: Vec<_> = params.iter().map(|param| param.name).collect();
            format!("list of {{{}}}", names.join(", "))
        }
    };
    let mut notes = Vec::new();
    if param.required {
        notes.push("required");
    }
    if param.rare {
        notes.push("listed with `--tools all` only");
    }
    if !param.doc.is_empty() {
        notes.push(param.doc);
    }
    writeln!(out, "| `{}` | {kind} | {} |", param.name, notes.join("; ")).ok().unwrap_or_default();
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_is_fresh() {
        // The end-to-end test `examples` makes them.
        let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples");
        let document = super::document(|tool| {
            std::fs::read_to_string(format!("{examples}/{tool}.txt"))
                .unwrap_or_else(|error| panic!("{tool} has no example: {error}"))
        });
        expect_test::expect_file!["../../../../docs/TOOLS.md"].assert_eq(&document);
    }
}
