//! `browser_files`: downloads, and pages that become files.

use super::{Answer, Cx, Effect, Kind, Param, ToolDef, logs, may};
use crate::failure::{Failure, Outcome};
use crate::files;
use crate::handle::{Handle, command};
use crate::receipt::size;
use pillion_core::mhtml;
use pillion_core::page_text::quote;
use pillion_wire::code::Code;
use pillion_wire::limits;
use pillion_wire::trying::DownloadNow;
use pillion_wire::verb::Verb;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A download that was begun is known within this.
const BEGUN: Duration = Duration::from_secs(10);
/// How often the size of what goes on is asked for.
const LOOK: Duration = Duration::from_millis(500);
/// A waiting call keeps so much of its time for the answer.
const ANSWER: Duration = Duration::from_secs(2);
/// Downloads of one answer, the newest.
const TOLD: usize = 20;

/// See the registry.
pub(crate) const DEF: ToolDef = ToolDef {
    name: "browser_files",
    doc: "Downloads of the tab (path, size, SHA-256), or save the page to path.",
    details: "`wait` ends when nothing of the tab is downloading any more, and says DOWNLOAD_PENDING when that takes longer than a call: the same call goes on waiting. `save_pdf`, `save_page` (MHTML) and `save_har` (HAR 1.2, without credentials) write a new file at `path`: under the client's roots, the downloads or temp folder, never over a file. A page that shows a frame of a site that the user closed to agents is not saved, and neither is one that holds a secret.",
    effect: Effect::Watch,
    params: &[
        may("tab", Kind::Integer, ""),
        may("action", Kind::OneOf(&["downloads", "wait", "save_pdf", "save_page", "save_har"]), ""),
        may("path", Kind::Text, ""),
        Param {
            name: "timeout_ms",
            kind: Kind::Integer,
            doc: "of wait",
            required: false,
            rare: true,
        },
    ],
    positional: &["action", "path"],
    idempotent: true,
    destructive: false,
    run: |cx, handle| Box::pin(run(cx, handle)),
};

async fn run(cx: Cx, handle: Option<Arc<Handle>>) -> Outcome<Answer> {
    let handle = super::one_tab(handle)?;
    let action = cx.args.text("action").unwrap_or_else(|| "downloads".to_owned());
    let path = cx.args.text("path");
    let named = |ending: &[&str]| match &path {
        None => Err(Failure::invalid(format!(
            "{action} needs path, ending with {}. Nothing was done.",
            ending[0]
        ))),
        Some(path) if ending.iter().any(|end| path.to_ascii_lowercase().ends_with(end)) => {
            Ok(path.as_str())
        }
        Some(path) => Err(Failure::new(
            Code::FileNotAllowed,
            format!(
                "{}: {action} writes files that end with {}. Nothing was written.",
                quote(path),
                ending[0]
            ),
        )),
    };
    match action.as_str() {
        "save_pdf" => save_pdf(&cx, &handle, named(&[".pdf"])?).await,
        "save_page" => save_page(&cx, &handle, named(&[".mhtml", ".mht"])?).await,
        "save_har" => Ok(logs::save_har(&cx, &handle, named(&[".har"])?).await?.into()),
        "wait" => wait(&cx, &handle).await,
        _ => {
            let all = now(&handle).await?;
            Ok(list(&cx, &handle, &all).await.into())
        }
    }
}

async fn now(handle: &Arc<Handle>) -> Outcome<Vec<DownloadNow>> {
    handle.verb(Verb::Downloads { tab: handle.chrome() }, limits::VERB).await
}

fn goes_on(download: &DownloadNow) -> bool {
    download.state == "in_progress"
}

async fn wait(cx: &Cx, handle: &Arc<Handle>) -> Outcome<Answer> {
    let most = handle.deadline.checked_sub(ANSWER).unwrap_or(handle.deadline);
    let asked = cx.args.integer("timeout_ms").and_then(|ms| u64::try_from(ms).ok());
    let end = asked.map_or(most, |ms| most.min(Instant::now() + Duration::from_millis(ms)));
    let begun = (Instant::now() + BEGUN).min(end);
    let mut changes = handle.tab.watch();
    loop {
        let all = now(handle).await?;
        let open: Vec<&DownloadNow> = all.iter().filter(|one| goes_on(one)).collect();
        if open.is_empty() && !all.is_empty() {
            return Ok(list(cx, handle, &all).await.into());
        }
        let until = if all.is_empty() { begun } else { end };
        if Instant::now() >= until {
            if all.is_empty() {
                return Err(Failure::new(
                    Code::Timeout,
                    format!(
                        "no download of tab {} began in {} s. Next: the click that starts it, then wait again.",
                        handle.tab.number,
                        BEGUN.as_secs()
                    ),
                ));
            }
            let words: Vec<_> = open.iter().map(|one| progress(one)).collect();
            return Ok(format!(
                "DOWNLOAD_PENDING: {}. Make the same call again to go on waiting.",
                words.join(", ")
            )
            .into());
        }
        if let Some(first) = open.first() {
            // Nobody may listen to progress: the wait goes on all the same.
            cx.progress.try_send(progress(first)).ok();
        }
        tokio::select! {
            // The sender lives in the tab: waiting cannot fail.
            _ = changes.changed() => {}
            () = tokio::time::sleep(LOOK) => {}
            () = handle.cancel.cancelled() => {
                return Err(Failure::new(Code::Timeout, "the call was cancelled."));
            }
        }
    }
}

fn name_of(download: &DownloadNow) -> String {
    let name = download.path.rsplit(['/', '\\']).next().unwrap_or_default();
    if name.is_empty() { "a file".to_owned() } else { quote(name) }
}

/// `"report.csv" 12 kB of 480 MB`.
fn progress(download: &DownloadNow) -> String {
    let total = if download.total > 0.0 { size(download.total) } else { "?".to_owned() };
    format!("{} {} of {total}", name_of(download), size(download.received))
}

async fn list(cx: &Cx, handle: &Handle, all: &[DownloadNow]) -> String {
    let tab = handle.tab.number;
    if all.is_empty() {
        return format!("tab {tab} downloaded nothing");
    }
    let mut out = format!("downloads of tab {tab}: {}", all.len());
    let skipped = all.len().saturating_sub(TOLD);
    for download in &all[skipped..] {
        out.push_str(&format!("\n  {}", line(cx, download).await));
    }
    if skipped > 0 {
        out.push_str(&format!("\n  +{skipped} earlier ones"));
    }
    out
}

async fn line(cx: &Cx, download: &DownloadNow) -> String {
    if goes_on(download) {
        return format!("{}, going on", progress(download));
    }
    let why = &download.error;
    if download.state != "complete" {
        let plain: String =
            why.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        return format!(
            "{} interrupted ({plain}) at {}",
            name_of(download),
            size(download.received)
        );
    }
    let place = quote(&download.path);
    if download.missing {
        return format!(
            "{} ({}) was at {place}, and is there no more",
            name_of(download),
            size(download.received)
        );
    }
    match cx.files.digest(&download.path).await {
        Ok((bytes, hash)) => {
            format!("{} ({}) {place} sha256={hash}", name_of(download), size(bytes as f64))
        }
        Err(error) => format!(
            "{} ({}) {place}, not read: {}",
            name_of(download),
            size(download.received),
            error.text
        ),
    }
}

async fn save_pdf(cx: &Cx, handle: &Arc<Handle>, path: &str) -> Outcome<Answer> {
    // A path that cannot be written is said before the page is printed.
    let file = cx.files.create(path).await?;
    handle.attach().await?;
    let params = json!({
        "printBackground": true, "preferCSSPageSize": true, "transferMode": "ReturnAsBase64",
    });
    let results = handle.cdp(vec![command("Page.printToPDF", params)]).await?;
    let data = results.first().and_then(|result| result["data"].as_str()).unwrap_or_default();
    let (path, bytes) = files::save(file, data).await?;
    Ok(saved("PDF", &path, bytes, handle).into())
}

async fn save_page(cx: &Cx, handle: &Arc<Handle>, path: &str) -> Outcome<Answer> {
    let mut file = cx.files.create(path).await?;
    handle.attach().await?;
    let params = json!({"format": "mhtml"});
    let results = handle.cdp(vec![command("Page.captureSnapshot", params)]).await?;
    let data = results.first().and_then(|result| result["data"].as_str()).unwrap_or_default();
    let scrubbed = handle.engine.scrubbed(data);
    let data = mhtml::without_credentials(&scrubbed);
    for piece in data.as_bytes().chunks(limits::FILE_CHUNK_BYTES) {
        file.write(piece).await?;
    }
    let path = file.keep().await?;
    Ok(saved("MHTML", &path, data.len(), handle).into())
}

fn saved(kind: &str, path: &str, bytes: usize, handle: &Handle) -> String {
    format!("saved: {} ({kind}, {}){}", quote(path), size(bytes as f64), super::tab_note(handle))
}
