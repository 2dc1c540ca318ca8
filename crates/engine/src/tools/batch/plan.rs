//! The steps of a batch, checked as far as that is possible before the first one is done.

use super::{NAME, STEPS};
use crate::dispatch::read_args;
use crate::failure::{Failure, Outcome};
use crate::secrets;
use crate::tab::Tab;
use crate::tools::grammar::line::Line;
use crate::tools::{self, Cx, Effect, ToolDef, more, peers};
use pillion_core::page_text::quote;
use serde_json::{Map, Value};
use std::sync::Arc;

/// See the module.
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) parallel: bool,
    /// The tab of every step that names none.
    pub(super) tab: Option<i64>,
}

/// One step.
pub(super) struct Step {
    pub(super) def: &'static ToolDef,
    args: Map<String, Value>,
    /// Its tab is that of an earlier step, counted from zero.
    tab_of: Option<usize>,
    names_tab: bool,
}

impl Plan {
    pub(super) fn read(cx: &Cx) -> Outcome<Self> {
        let given = cx.args.list("steps");
        if given.is_empty() || given.len() > STEPS {
            return Err(Failure::invalid(format!(
                "steps is a list of 1 to {STEPS} {{tool, …}}. Nothing was done."
            )));
        }
        let parallel = cx.args.flag("parallel");
        let tab = cx.args.integer("tab");
        let steps: Vec<_> = given
            .iter()
            .enumerate()
            .map(|(index, value)| {
                Step::read(cx, value, index, tab)
                    .and_then(|step| {
                        if parallel {
                            step.may_run_beside_others().map(|()| step)
                        } else {
                            Ok(step)
                        }
                    })
                    .map_err(|failure| in_step(failure, index))
            })
            .collect::<Outcome<_>>()?;
        Ok(Self { steps, parallel, tab })
    }
}

fn in_step(failure: Failure, index: usize) -> Failure {
    Failure { text: format!("step {}: {}", index + 1, failure.text), ..failure }
}

impl Step {
    fn read(cx: &Cx, value: &Value, index: usize, tab: Option<i64>) -> Outcome<Self> {
        let (def, mut args) = called(cx, value)?;
        cx.engine.fence(&cx.session, def)?;
        let takes_tab = def.params.iter().any(|param| param.name == "tab");
        let own = ["tab", "tabId", "tab_id", "pageId", "page_id"];
        let named = own.iter().find(|name| args.get(**name).is_some_and(|tab| !tab.is_null()));
        let tab_of = match named.and_then(|name| args.get(*name)).and_then(Value::as_str) {
            Some(word) if word.trim().starts_with('$') => Some(earlier(word, index)?),
            _ => None,
        };
        if let (Some(_), Some(name)) = (tab_of, named) {
            args.remove(*name);
        }
        if let (true, None, Some(tab)) = (takes_tab, named, tab) {
            args.insert("tab".to_owned(), tab.into());
        }
        let checked = read_args(def, &Value::Object(args.clone()))?;
        secrets::refuse_astray(def, &checked)?;
        let names_tab = tab_of.is_some() || checked.has("tab");
        Ok(Self { def, args, tab_of, names_tab })
    }

    fn may_run_beside_others(&self) -> Outcome<()> {
        let args = &self.args;
        let word = |name: &str| args.get(name).and_then(Value::as_str).map(str::trim);
        let fits = match self.def.effect {
            Effect::Read | Effect::Watch => true,
            Effect::Navigate => {
                let in_a_tab = matches!(word("url"), Some("back" | "forward" | "reload"));
                !in_a_tab && !self.names_tab
            }
            Effect::Manage => {
                self.def.name == tools::tabs::DEF.name
                    && matches!(word("action"), None | Some("list"))
            }
            Effect::Act | Effect::Compose => false,
        };
        if fits && self.tab_of.is_none() {
            return Ok(());
        }
        Err(Failure::invalid(format!(
            "parallel is for reads and for navigate without tab, and {} is neither. Nothing was done. Next: the same call without parallel.",
            tools::short(self.def.name)
        )))
    }

    /// Its arguments, with the tab of the step that it names.
    pub(super) fn args(&self, tabs: &[Option<Arc<Tab>>]) -> Outcome<Value> {
        let mut args = self.args.clone();
        if let Some(of) = self.tab_of {
            let tab = tabs.get(of).and_then(Option::as_ref).ok_or_else(|| {
                Failure::invalid(format!(
                    "step {} worked in no tab. This step was not begun.",
                    of + 1
                ))
            })?;
            args.insert("tab".to_owned(), tab.number.0.into());
        }
        Ok(Value::Object(args))
    }
}

/// The tool that a step calls, and its arguments.
fn called(cx: &Cx, value: &Value) -> Outcome<(&'static ToolDef, Map<String, Value>)> {
    let Some(fields) = value.as_object() else {
        return Err(Failure::invalid("a step is an object {tool, …}. Nothing was done."));
    };
    let mut args = fields.clone();
    let name = match args.remove("tool") {
        Some(Value::String(name)) => name,
        _ => return Err(Failure::invalid("tool is missing. Nothing was done.")),
    };
    let def = tools::find(&name).ok_or_else(|| {
        let what = match peers::instead_of(&name) {
            Some(call) => format!("call {call}"),
            None => "browser_more {\"command\":\"help\"} lists the tools".to_owned(),
        };
        Failure::invalid(format!("there is no tool {}; {what}. Nothing was done.", quote(&name)))
    })?;
    let whole = "a batch has no batch in it. Nothing was done.";
    if def.name == NAME {
        return Err(Failure::invalid(whole));
    }
    if def.name != more::NAME {
        return Ok((def, args));
    }
    cx.engine.fence(&cx.session, def)?;
    match more::meant(&Value::Object(args.clone()))? {
        Line::Call(inner, _) if inner.name == NAME => Err(Failure::invalid(whole)),
        Line::Call(inner, args) => Ok((inner, object(args))),
        Line::Help(_) => Ok((def, args)),
    }
}

fn object(args: Value) -> Map<String, Value> {
    match args {
        Value::Object(args) => args,
        _ => Map::new(),
    }
}

/// `$2` of a later step than the second.
fn earlier(word: &str, index: usize) -> Outcome<usize> {
    let number = word.trim().trim_start_matches('$').parse::<usize>().ok();
    number.filter(|number| (1..=index).contains(number)).map(|number| number - 1).ok_or_else(|| {
        Failure::invalid(format!(
            "tab {} is no earlier step; \"$1\" is the first. Nothing was done.",
            quote(word)
        ))
    })
}
