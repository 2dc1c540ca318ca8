//! Runs one tool from the command line and prints its answer.

mod stdin;

use crate::exit::Exit;
use crate::{backend, session, ui};
use anyhow::Context as _;
use base64::Engine as _;
use clap::ArgMatches;
use pillion_client::{Call, Client};
use pillion_engine::tools::{self, ToolDef, grammar};
use pillion_os::file;
use pillion_os::home::Home;
use pillion_wire::limits;
use pillion_wire::local::{Admin, Image, Reply};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// After Ctrl-C: how long the daemon has to take notice of the cancel.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// How the answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// As an agent reads it.
    Text,
    /// One JSON object.
    Json,
}

/// Calls the tool with what was typed.
pub async fn run(
    tool: &'static ToolDef,
    matches: &ArgMatches,
    home: Home,
    named: Option<&str>,
    format: Format,
) -> anyhow::Result<Exit> {
    let mut arguments = match grammar::arguments(tool, matches) {
        Ok(arguments) => arguments,
        Err(error) => {
            let short = tools::short(tool.name).replace('_', "-");
            ui::error(&format!("{error:#}. `pillion {short} --help` shows what it takes."));
            return Ok(Exit::Usage);
        }
    };
    if let Err(error) = stdin::fill(&mut arguments) {
        ui::error(&format!("{error:#}"));
        return Ok(Exit::Usage);
    }
    let client = Client::new(session::of_command(home, named));
    call(&client, tool, arguments, format).await
}

/// Calls the tool and prints its answer.
pub async fn call(
    client: &Client,
    tool: &'static ToolDef,
    mut arguments: Value,
    format: Format,
) -> anyhow::Result<Exit> {
    let path = absolute_path(&mut arguments)?;
    let (progress, mut words) = tokio::sync::mpsc::channel(4);
    let call = Call {
        tool: tool.name.to_owned(),
        repeat: backend::repeat_of(tool.name, &arguments),
        args: arguments,
        deadline: limits::CALL,
        progress: Some(progress),
    };
    let shown = async {
        while let Some(word) = words.recv().await {
            ui::progress(&word);
        }
        std::future::pending::<()>().await;
    };
    let reply = tokio::select! {
        called = client.call(call) => called.into_reply(),
        () = shown => return Ok(Exit::Failed),
        _ = tokio::signal::ctrl_c() => {
            ui::clear_progress();
            // Its answer shows that the cancel, sent before it, has arrived.
            tokio::time::timeout(LAST_WORDS, client.admin(Admin::Status)).await.ok();
            return Ok(Exit::Interrupted);
        }
    };
    ui::clear_progress();
    let files = save(&reply.images, path.as_deref())?;
    print(&reply, &files, format);
    Ok(Exit::of(&reply))
}

/// The daemon has another working folder, so it gets the whole path.
fn absolute_path(arguments: &mut Value) -> anyhow::Result<Option<PathBuf>> {
    let Some(Value::String(path)) = arguments.get_mut("path") else { return Ok(None) };
    let whole = std::path::absolute(&*path)?;
    *path = whole.display().to_string();
    Ok(Some(whole))
}

/// Pictures go into files: a terminal shows none. Never over a file that is there.
fn save(images: &[Image], wanted: Option<&Path>) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for image in images {
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(&image.data)
            .context("the picture is not base64")?;
        let path = match wanted.filter(|_| files.is_empty()) {
            Some(path) => path.to_owned(),
            None => {
                let kind = image.mime.strip_prefix("image/").unwrap_or("png");
                let name = format!("pillion-{}.{kind}", file::random_hex(4)?);
                std::env::temp_dir().join(name)
            }
        };
        file::create_new(&path, &bytes)
            .with_context(|| format!("cannot write {}", path.display()))?;
        files.push(path);
    }
    Ok(files)
}

fn print(reply: &Reply, files: &[PathBuf], format: Format) {
    match format {
        Format::Json => ui::say(&as_json(reply, files).to_string()),
        Format::Text if reply.ok => {
            ui::say(&reply.text);
            for file in files {
                ui::say(&format!("saved: {}", file.display()));
            }
        }
        Format::Text => ui::note(&reply.text),
    }
}

fn as_json(reply: &Reply, files: &[PathBuf]) -> Value {
    let failure = reply.failure.as_ref();
    let mut answer = json!({
        "ok": reply.ok,
        "code": failure.map(|failure| failure.code),
        "done": failure.map(|failure| failure.done),
        "retry": failure.map(|failure| failure.retry),
        "hint": hint(&reply.text),
        "text": reply.text,
        "data": reply.data,
        "ms": reply.ms,
    });
    if let (Some(fields), false) = (answer.as_object_mut(), files.is_empty()) {
        fields.insert("files".into(), json!(files));
    }
    answer
}

/// The next step that a failure's text names.
fn hint(text: &str) -> Option<&str> {
    let (_, next) = text.split_once("Next: ")?;
    next.lines().next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pillion_wire::code::Code;
    use pillion_wire::local::FailureInfo;

    #[test]
    fn json_has_the_fields_of_the_contract() {
        let code = Code::RefNotFound;
        let failure =
            FailureInfo { code, done: code.done(), retry: code.retry(), retry_after_ms: None };
        let reply = Reply {
            ok: false,
            text: "REF_NOT_FOUND: e99 was never shown. Next: browser_snapshot {}".into(),
            failure: Some(failure),
            images: Vec::new(),
            data: None,
            ms: 3,
        };
        assert_eq!(
            as_json(&reply, &[]),
            json!({
                "ok": false, "code": "REF_NOT_FOUND", "done": "no", "retry": "after",
                "hint": "browser_snapshot {}", "text": reply.text, "data": null, "ms": 3,
            })
        );
    }

    #[test]
    fn a_picture_is_never_written_over_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        let image = Image { mime: "image/png".into(), data: "AAEC".into() };
        assert_eq!(save(std::slice::from_ref(&image), Some(&path)).unwrap().len(), 1);
        assert_eq!(std::fs::read(&path).unwrap(), [0, 1, 2]);
        assert!(save(&[image], Some(&path)).is_err());
    }
}
