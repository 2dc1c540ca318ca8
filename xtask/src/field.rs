//! Pages out of other projects' bug reports, driven through MCP exactly as each one's comment says
//! and judged by the page itself over a second connection; then the corpora of names and of broken
//! input. What the tools say counts too: done and not done is the worst answer.

mod console;
mod dialogs;
mod fields;
mod frames;
mod fuzz;
mod pointer;
pub mod report;
mod ride;
mod windows;

use crate::{accname, build, prepare, ui};
use anyhow::{Context, Result};
use pillion_testkit::{Guarded, McpClient, OneDaemon, RideBrowser, TestEnv, Window, until};
use report::{Outcome, Report};
use ride::{Ride, Running};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One fixture.
const FIXTURE: Duration = Duration::from_secs(100);
/// A browser or a server that was just started.
const START: Duration = Duration::from_secs(30);

/// A fixture's file name and what an agent does on it.
struct Script {
    name: &'static str,
    run: for<'a> fn(&'a mut Ride) -> Running<'a>,
}

macro_rules! scripts {
    ($($name:literal => $module:ident::$run:ident),* $(,)?) => {
        &[$(Script { name: $name, run: |ride| Box::pin($module::$run(ride)) }),*]
    };
}

const SCRIPTS: &[Script] = scripts![
    "01-select-by-label" => fields::select_by_label,
    "02-combobox-role-text" => fields::combobox_role,
    "03-select-empty-value" => fields::select_empty,
    "04-option-ref-click" => fields::option_click,
    "05-covering-overlay" => pointer::covering_overlay,
    "06-sticky-header" => pointer::sticky_header,
    "07-nested-frames" => frames::nested,
    "08-editable-in-button" => fields::editable_in_button,
    "09-late-confirm" => dialogs::late_confirm,
    "11-beforeunload" => dialogs::beforeunload,
    "12-closed-shadow" => frames::closed_shadow,
    "13-renumbered-refs" => pointer::renumbered_refs,
    "15-pointer-div-in-frame" => frames::pointer_div,
    "16-strict-csp" => console::strict_csp,
    "18-endless-animation" => pointer::endless_animation,
    "20-hidden-checkbox" => fields::hidden_checkbox,
    "21-astral-text" => fields::astral_text,
    "22-upload-proxy-button" => fields::upload_by_button,
    "23-upload-label-hidden" => fields::upload,
    "24-new-windows" => windows::new_windows,
    "25-huge-page" => windows::huge_page,
    "26-evaluate-in-frame" => console::evaluate_in_frame,
    "27-cross-site-frame-offset" => frames::offset,
    "29-css-zoom" => pointer::css_zoom,
    "31-html5-drag" => pointer::drag,
    "32-background-tab" => windows::background,
    "33-wrapped-link" => pointer::wrapped_link,
    "34-print-call" => dialogs::print,
    "36-controlled-input" => fields::controlled,
    "37-large-fill" => fields::large,
    "38-hover-menu" => pointer::hover_menu,
    "39-date-time-inputs" => fields::dates,
    "40-svg-control" => pointer::svg,
    "43-inner-scroller" => pointer::inner_scroller,
    "45-odd-values" => console::odd_values,
    "46-canvas-hit" => pointer::canvas,
];

/// The chore. False when a tool said done falsely, or something that must hold does not.
pub fn run(dir: &Path, talk: bool, only: &[String]) -> Result<bool> {
    let dir = dir.canonicalize().with_context(|| format!("no folder {}", dir.display()))?;
    prepare::browser()?;
    // Names need the page agent alone.
    let only_names = only.len() == 1 && only.iter().any(|word| word == "accname");
    let binary = if only_names { PathBuf::new() } else { build::run_all(false)? };
    let wanted =
        |name: &str| only.is_empty() || only.iter().any(|word| name.contains(word.as_str()));
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let _lock = OneDaemon::lock()?;
        let mut report = Report::default();
        if SCRIPTS.iter().any(|script| wanted(script.name)) {
            ui::head("fixtures, through MCP");
            fixtures(&dir, &binary, talk, &wanted, &mut report).await?;
        }
        if wanted("accname") {
            ui::head("accessible names, roles and descriptions");
            report.push(accname::run(&dir.join("corpora/accname")).await?);
        }
        if wanted("fuzz") {
            ui::head("broken input");
            fuzz::run(&dir.join("lib"), &binary, &mut report).await?;
        }
        Ok(report.print())
    })
}

async fn fixtures(
    dir: &Path,
    binary: &Path,
    talk: bool,
    wanted: &impl Fn(&str) -> bool,
    report: &mut Report,
) -> Result<()> {
    let (server, base) = serve(dir).await?;
    let env = TestEnv::new(binary)?;
    let mut browser = RideBrowser::launch(&env, Window::Headless).await?;
    for script in SCRIPTS.iter().filter(|script| wanted(script.name)) {
        if !browser.process.is_alive() {
            ui::say("the browser is gone: a new one");
            browser = RideBrowser::launch(&env, Window::Headless).await?;
        }
        let outcome = one(script, &env, &browser, &base, talk).await;
        ui::say(&outcome.line());
        report.push(outcome);
    }
    drop(browser);
    drop(server);
    Ok(())
}

async fn one(
    script: &Script,
    env: &TestEnv,
    browser: &RideBrowser,
    base: &str,
    talk: bool,
) -> Outcome {
    let outcome = tokio::time::timeout(FIXTURE, async {
        let client = McpClient::start(env, "field").await?;
        until("a connected browser", START, || async {
            let answer = client.call("browser_tabs", json!({})).await?;
            anyhow::ensure!(!answer.is_error, "{}", answer.text);
            Ok(Some(()))
        })
        .await?;
        let cdp = browser.cdp.clone();
        let mut ride = Ride::begin(client, cdp, base, script.name, talk).await?;
        let ended = (script.run)(&mut ride).await;
        anyhow::Ok(ride.judge(ended).await)
    })
    .await;
    match outcome {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => Outcome::broken(script.name, format!("{error:#}")),
        Err(_) => Outcome::broken(script.name, format!("not done in {FIXTURE:?}")),
    }
}

/// The folder's own server: its fixtures call paths of its.
async fn serve(dir: &Path) -> Result<(Guarded, String)> {
    let script: PathBuf = dir.join("lib/static.mjs");
    let mut command = tokio::process::Command::new("node");
    command.arg(script).arg(dir.join("fixtures")).arg("0");
    let server = Guarded::start("page server", command)?;
    let base = until("the page server's address", START, || async {
        Ok(server.output().lines().find_map(|line| {
            line.starts_with("http://").then(|| line.trim_end_matches('/').to_owned())
        }))
    })
    .await?;
    Ok((server, base))
}
