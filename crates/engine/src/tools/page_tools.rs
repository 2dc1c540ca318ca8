//! `browser_page_tools`: tools that a page offers to agents (WebMCP). What they are called and what they say is
//! the page's; what they do is an act of the page's own scripts, under the rule for scripts of the site.

use super::{Answer, Cx, Effect, Kind, ToolDef, may};
use crate::failure::{Failure, Outcome};
use crate::handle::Handle;
use crate::random;
use crate::receipt::{About, Before};
use crate::settle::Settled;
use crate::verdict::receipt_of;
use pillion_core::page_text::{PageText, fence, quote, url_words_whole};
use pillion_wire::code::{Code, Done};
use pillion_wire::limits;
use pillion_wire::verb::{Evaluated, Verb};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_page_tools",
    doc: "Tools that the page itself offers (WebMCP): list them, or call one.",
    details: "Names, descriptions and schemas are the page's words. `args` is a JSON object. A call runs the page's own script: the site's rule for scripts holds, and the answer tells what it gave and what changed. Chrome has this behind chrome://flags/#enable-webmcp-testing; without it the call fails BROWSER_LACKS. Tools of the top document only.",
    effect: Effect::Act,
    params: &[
        may("tab", Kind::Integer, ""),
        may("tool", Kind::Text, "its name; without it they are listed"),
        may("args", Kind::Json, "JSON object"),
    ],
    positional: &["tool", "args"],
    idempotent: false,
    destructive: true,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

/// What the script in the page answers. All of it is the page's to invent.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Told {
    /// The browser has no way to ask; whether pages can at least register tools.
    Lacks(bool),
    Tools(Vec<PageTool>),
    /// The tool's answer.
    Gave(Option<String>),
    /// What it threw.
    Threw(String),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PageTool {
    name: String,
    description: String,
    input_schema: Value,
}

/// Asks the testing interface of WebMCP. Both arguments are strings of JSON's make, or null.
const SCRIPT: &str = r#"((name, args) => {
  const api = navigator.modelContextTesting ?? document.modelContextTesting;
  const say = (told) => JSON.stringify(told);
  if (typeof api?.listTools !== "function") {
    return say({ lacks: Boolean(navigator.modelContext ?? document.modelContext) });
  }
  const text = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? "");
  const schema = (value) => {
    try {
      return typeof value === "string" ? JSON.parse(value) : value ?? null;
    } catch {
      return String(value);
    }
  };
  const listed = (tools) =>
    [...tools].map((tool) => ({
      name: String(tool.name),
      description: String(tool.description ?? ""),
      inputSchema: schema(tool.inputSchema),
    }));
  const then = (value, next) => (value instanceof Promise ? value.then(next) : next(value));
  return then(api.listTools(), (tools) => {
    const all = listed(tools);
    if (name === null || !all.some((tool) => tool.name === name)) return say({ tools: all });
    return Promise.resolve(api.executeTool(name, args)).then(
      (gave) => say({ gave: gave == null ? null : text(gave) }),
      (error) => say({ threw: String(error?.message ?? error) }),
    );
  });
})"#;

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let args = match cx.args.text("args") {
        None => json!({}),
        Some(text) => serde_json::from_str::<Value>(&text)
            .ok()
            .filter(Value::is_object)
            .ok_or_else(|| Failure::invalid("args is a JSON object. Nothing was called."))?,
    };
    match cx.args.text("tool") {
        None => list(&handle).await,
        Some(tool) => call(&handle, &tool, &args).await,
    }
}

async fn list(handle: &Arc<Handle>) -> Outcome<Answer> {
    handle.attach().await?;
    match ask(handle, None, None).await? {
        Asked::Told(Told::Tools(tools)) => Ok(listed(handle, &tools).into()),
        Asked::Told(Told::Lacks(registers)) => Err(lacks(registers)),
        _ => Err(odd()),
    }
}

fn listed(handle: &Handle, tools: &[PageTool]) -> String {
    let (title, url) = {
        let state = handle.tab.state();
        (quote(state.title()), url_words_whole(state.url()))
    };
    let head = format!("tab {} {title} {url}", handle.tab.number);
    if tools.is_empty() {
        return format!("{head}\nthe page offers no tools");
    }
    let mut body = String::new();
    let budget = handle.budget(limits::EVALUATE_CHARS);
    let mut shown = 0;
    for tool in tools.iter().take(limits::PAGE_TOOLS) {
        let about = PageText::new(&tool.description).plain();
        let name = PageText::new(&tool.name).plain();
        let line = format!("{name}: {about}\n  {}\n", tool.input_schema);
        if shown > 0 && body.len() + line.len() > budget {
            break;
        }
        body.push_str(&line);
        shown += 1;
    }
    let body: String = body.chars().take(budget).collect();
    let more = if shown < tools.len() {
        format!("\n+{} more, not shown", tools.len() - shown)
    } else {
        String::new()
    };
    let count =
        if tools.len() == 1 { "1 tool".to_owned() } else { format!("{} tools", tools.len()) };
    format!(
        "{head}\n{count} of the page, in its own words\n{}{more}\nto call one: browser_page_tools {{\"tab\":{},\"tool\":\"name\",\"args\":{{}}}}",
        fence(&random::word(5), &body),
        handle.tab.number
    )
}

async fn call(handle: &Arc<Handle>, tool: &str, args: &Value) -> Outcome<Answer> {
    let before = handle.before(None).await?;
    handle.acting();
    let told = match ask(handle, Some(tool), Some(args)).await? {
        Asked::Told(told) => told,
        Asked::Dialog => {
            let after = handle.tell(&before, &Settled::Dialog, About::default()).await;
            return Ok(receipt_of(&format!("the page's tool {} waits", quote(tool)), &after).into());
        }
        Asked::Left => return Ok(gave(handle, tool, None, &before).await.into()),
    };
    match told {
        Told::Gave(words) => Ok(gave(handle, tool, words, &before).await.into()),
        Told::Threw(words) => Err(Failure::new(
            Code::ScriptError,
            format!("the page's tool {} failed: {}.", quote(tool), quote(&words)),
        )),
        Told::Lacks(registers) => Err(lacks(registers)),
        Told::Tools(tools) => Err(missing(handle, tool, &tools)),
    }
}

async fn gave(handle: &Arc<Handle>, tool: &str, words: Option<String>, before: &Before) -> String {
    let after = handle.after(before, About::default()).await;
    let head = format!("called the page's tool {}{}", quote(tool), super::tab_note(handle));
    let receipt = receipt_of(&head, &after);
    let Some(words) = words.filter(|words| !words.is_empty()) else { return receipt };
    let budget = handle.budget(limits::EVALUATE_CHARS);
    let part: String = words.chars().take(budget).collect();
    let all = words.chars().count();
    let cut = if all > budget { format!("\ncut at {budget} of {all}") } else { String::new() };
    // The answer is an effect, too.
    let receipt = receipt.trim_end_matches("\nno visible effect");
    format!("{receipt}\nit gave:\n{}{cut}", fence(&random::word(5), &part))
}

fn missing(handle: &Handle, tool: &str, tools: &[PageTool]) -> Failure {
    let names: Vec<_> = tools.iter().take(limits::PAGE_TOOLS).map(|one| quote(&one.name)).collect();
    let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let text = format!(
        "the page of tab {} offers no tool {}. It has {has}. Nothing was called.",
        handle.tab.number,
        quote(tool)
    );
    Failure::new(Code::TargetNotFound, text).done(Done::No)
}

fn lacks(registers: bool) -> Failure {
    let why = if registers {
        "pages can offer tools in this browser, but nobody may list them"
    } else {
        "this browser knows no tools of pages (WebMCP)"
    };
    Failure::new(
        Code::BrowserLacks,
        format!(
            "{why}. Nothing was called. What turns it on: chrome://flags/#enable-webmcp-testing in a newer Chrome, set by the user. Else: browser_snapshot and the page's own buttons."
        ),
    )
    .done(Done::No)
}

fn odd() -> Failure {
    Failure::new(Code::ScriptError, "the page answered in no way that tells of its tools.")
}

/// What came of the script.
enum Asked {
    Told(Told),
    /// A dialog stands in its way.
    Dialog,
    /// The page went away under it.
    Left,
}

async fn ask(handle: &Arc<Handle>, tool: Option<&str>, args: Option<&Value>) -> Outcome<Asked> {
    handle.refuse_dialog()?;
    // The tool's arguments travel as JSON in a string.
    let args = args.map_or(Value::Null, |args| Value::from(args.to_string()));
    let expression = format!("{SCRIPT}({}, {args})", json!(tool));
    let timeout = limits::EVALUATE_MAX;
    let verb = Verb::Evaluate {
        tab: handle.chrome(),
        expression,
        document: None,
        element: None,
        timeout_ms: timeout.as_millis() as u32,
    };
    let since = handle.tab.state().seq;
    let most = timeout + Duration::from_secs(2);
    let done = handle.or_dialog(handle.verb::<Evaluated>(verb, most)).await;
    let done = match done.and_then(|done| done) {
        Err(failure) if failure.code == Code::DialogOpen && tool.is_some() => {
            handle.dialog_told().await;
            return Ok(Asked::Dialog);
        }
        Err(_) if tool.is_some() && handle.tab.state().nav.committed_seq > since => {
            return Ok(Asked::Left);
        }
        other => other?,
    };
    if done.timed_out {
        let ms = timeout.as_millis();
        let text =
            format!("the page's tool was still running after {ms} ms; it may have had its effect.");
        return Err(Failure::new(Code::Timeout, text));
    }
    let text = done.object.as_ref().and_then(|object| object["value"].as_str());
    match text.and_then(|text| serde_json::from_str::<Told>(text).ok()) {
        Some(told) => Ok(Asked::Told(told)),
        None if tool.is_some() && handle.tab.state().nav.committed_seq > since => Ok(Asked::Left),
        None => Err(odd()),
    }
}
