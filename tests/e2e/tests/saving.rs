//! Files: what a tab downloads, and pages that are saved.

use anyhow::{Result, ensure};
use pillion_e2e::Rig;
use serde_json::json;
use std::time::Duration;

const SHOWN: Duration = Duration::from_secs(15);

pub async fn downloads_are_matched_waited_for_and_hashed(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("saver").await?;
    let opened = rig.open(&agent, "tries.html").await?;
    let (tab, tool) = (opened.tab, "browser_files");
    agent.ok(tool, json!({"tab": tab})).await?.has("downloaded nothing")?;
    let none = json!({"tab": tab, "action": "wait", "timeout_ms": 300});
    agent.fails(tool, none, "TIMEOUT").await?.has("no download of tab")?;
    agent.ok("browser_click", json!({"tab": tab, "target": "link \"Report\""})).await?;
    let told = agent.ok(tool, json!({"tab": tab, "action": "wait"})).await?;
    told.has("downloads of tab ")?.has(": 1\n  \"report.csv\" (")?.has(" sha256=")?;
    let path = told.text.split('"').find(|part| part.ends_with("/report.csv")).unwrap_or_default();
    let bytes = std::fs::read(path)?;
    ensure!(!bytes.is_empty() && String::from_utf8_lossy(&bytes).contains("/echo/report"));
    let hash = told.text.rsplit("sha256=").next().unwrap_or_default().trim();
    let own = std::process::Command::new("sha256sum").arg(path).output()?;
    ensure!(String::from_utf8_lossy(&own.stdout).starts_with(hash), "{hash}");

    // One that takes longer than the call.
    agent.ok("browser_click", json!({"tab": tab, "target": "link \"Slow\""})).await?;
    let short = json!({"tab": tab, "action": "wait", "timeout_ms": 1});
    let pending = agent.ok(tool, short).await?;
    let done = agent.ok(tool, json!({"tab": tab, "action": "wait"})).await?;
    done.has(": 2\n")?.has("\"slow.csv\" (")?;
    ensure!(
        pending.text.starts_with("DOWNLOAD_PENDING: ") || pending.text.contains("slow.csv"),
        "{}",
        pending.text
    );
    // Nobody else's: another tab has none.
    let other = rig.open(&agent, "small.html").await?.tab;
    agent.ok(tool, json!({"tab": other})).await?.has("downloaded nothing")?;
    std::fs::remove_file(path)?;
    // Known also to the next worker; a file that is gone is said to be.
    if let Some(worker) = rig.worker().await? {
        rig.browser.cdp.close(worker["targetId"].as_str().unwrap_or_default()).await?;
    }
    let again = agent.ok(tool, json!({"tab": tab})).await?;
    again.has("\"slow.csv\"")?.has("\"report.csv\"")?.has("no")?;
    Ok(())
}

pub async fn a_page_becomes_a_file_unless_a_closed_site_shows(rig: &mut Rig) -> Result<()> {
    let agent = rig.client("saver").await?;
    let opened = rig.open(&agent, "tries.html?frame").await?;
    let (tab, tool) = (opened.tab, "browser_files");
    let path = |name: &str| rig.env.path().join(name).to_string_lossy().into_owned();
    let save = |action: &str, name: &str| json!({"tab": tab, "action": action, "path": path(name)});
    agent.ok(tool, save("save_pdf", "saved.pdf")).await?.has("saved: ")?.has("(PDF, ")?;
    ensure!(std::fs::read(path("saved.pdf"))?.starts_with(b"%PDF-"));
    agent.ok(tool, save("save_page", "saved.mhtml")).await?.has("(MHTML, ")?;
    ensure!(std::fs::read_to_string(path("saved.mhtml"))?.contains("Tries page"));
    agent.ok(tool, save("save_har", "saved.har")).await?.has("requests")?;
    ensure!(std::fs::read_to_string(path("saved.har"))?.contains("\"1.2\""));
    for (args, code, words) in [
        (save("save_pdf", "saved.pdf"), "FILE_NOT_ALLOWED", "saved.pdf"),
        (save("save_pdf", "saved.txt"), "FILE_NOT_ALLOWED", "end with .pdf"),
        (save("save_page", "saved.html"), "FILE_NOT_ALLOWED", "end with .mhtml"),
        (save("save_har", "saved.json"), "FILE_NOT_ALLOWED", "end with .har"),
        (json!({"tab": tab, "action": "save_pdf"}), "INVALID_ARGUMENT", "needs path"),
        (
            json!({"tab": tab, "action": "save_pdf", "path": "/etc/page.pdf"}),
            "FILE_NOT_ALLOWED",
            "outside",
        ),
        (json!({"tab": 9_999}), "TAB_NOT_FOUND", "no tab 9999"),
    ] {
        agent.fails(tool, args, code).await?.has(words)?;
    }
    // A frame of a site that is closed to agents would be in it.
    rig.rule(&[("*.localhost", "never")]).await?;
    agent.fails(tool, save("save_pdf", "never.pdf"), "SITE_BLOCKED").await?;
    agent.fails(tool, save("save_page", "never.mhtml"), "SITE_BLOCKED").await?;
    for name in ["never.pdf", "never.mhtml"] {
        ensure!(!std::path::Path::new(&path(name)).exists(), "{name} was written");
    }
    rig.rule(&[]).await?;
    opened.page.until("document.readyState === 'complete'", SHOWN).await?;
    Ok(())
}
