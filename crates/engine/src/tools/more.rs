//! `browser_more`: any tool of the registry by a command line, in the grammar of the shell's commands.
//! The call that it makes is the call that is judged, recorded and answered.

use super::grammar::line::{self, Line};
use super::{Answer, Cx, Effect, Kind, Param, ToolDef};
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use crate::{ToolCall, tools};
use pillion_core::arguments;
use serde_json::Value;
use std::sync::Arc;

/// Its name.
pub const NAME: &str = "browser_more";

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: NAME,
    doc: "More tools: patch, emulate, mock, storage, overview, cdp. help lists them.",
    details: "The grammar is that of the shell: `click button \"Save\" --count 2`. `help COMMAND` shows the flags of one. Codes, leases, rate and journal are those of the tool that is called.",
    effect: Effect::Compose,
    params: &[
        Param {
            name: "command",
            kind: Kind::Text,
            doc: "patch e12 --styles \"gap:8px\"",
            required: true,
            rare: false,
        },
        Param { name: "tab", kind: Kind::Integer, doc: "", required: false, rare: true },
    ],
    positional: &["command"],
    idempotent: false,
    destructive: true,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

/// What `{command, tab}` means. A line that leads to this tool again is refused.
pub(super) fn meant(args: &Value) -> Outcome<Line> {
    let known = |name: &str| DEF.params.iter().any(|param| param.name == name);
    let args = arguments::normalise(args, known).unwrap_or_default();
    let command = args.get("command").and_then(arguments::text).unwrap_or_default();
    let line = line::read(&command)
        .map_err(|why| Failure::invalid(format!("{why}. Nothing was done.")))?;
    match line {
        Line::Call(def, _) if def.name == NAME => {
            Err(Failure::invalid("browser_more does not call itself. Nothing was done."))
        }
        Line::Call(def, mut inner) => {
            let takes_tab = def.params.iter().any(|param| param.name == "tab");
            if let (Some(fields), Some(tab), true) =
                (inner.as_object_mut(), args.get("tab"), takes_tab)
            {
                fields.entry("tab").or_insert_with(|| tab.clone());
            }
            Ok(Line::Call(def, inner))
        }
        help => Ok(help),
    }
}

/// The call that a call of this tool means. Nothing for other tools, and where the line asks for help or
/// is wrong.
pub fn behind(tool: &str, args: &Value) -> Option<(&'static ToolDef, Value)> {
    if !tools::same_name(tool, NAME) {
        return None;
    }
    match meant(args) {
        Ok(Line::Call(def, args)) => Some((def, args)),
        _ => None,
    }
}

async fn run(cx: Cx, _: Option<Arc<Handle>>) -> Outcome<Answer> {
    let args: Value = cx.args.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    match meant(&args)? {
        Line::Help(text) => Ok(text.into()),
        Line::Call(def, args) => {
            let call = ToolCall {
                tool: def.name.to_owned(),
                args,
                // The deadline that counts is the one below.
                deadline: pillion_wire::limits::CALL,
                cancel: cx.cancel.clone(),
                progress: cx.progress.clone(),
                files: cx.files.clone(),
                record: cx.record.clone(),
            };
            cx.engine.admit_and_run(&cx.session, call, cx.deadline, cx.room).await
        }
    }
}
