//! Tabs that show a PDF: their words, also behind a cookie; what has none says why.

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pillion_e2e::Rig;
use pillion_testkit::Server;
use serde_json::json;
use std::path::Path;

/// A real PDF, as Chrome prints one.
async fn printed(rig: &Rig, html: &str, file: &Path) -> Result<()> {
    let page = rig.browser.cdp.open("about:blank?print").await?;
    page.evaluate(&format!("document.body.innerHTML = {html:?}")).await?;
    let printed = page.send("Page.printToPDF", json!({})).await?;
    std::fs::write(file, STANDARD.decode(printed["data"].as_str().context("no PDF")?)?)?;
    rig.browser.cdp.close(&page.target).await
}

pub async fn the_words_of_a_pdf_come_page_by_page(rig: &mut Rig) -> Result<()> {
    let folder = rig.env.path().join("papers");
    std::fs::create_dir_all(&folder)?;
    let long = "Invoice number 4711 for the user. ".repeat(30);
    let html = format!(
        "<h1>First page</h1><p>{long}</p><div style='break-before:page'>Second page: total 42 €</div>"
    );
    printed(rig, &html, &folder.join("invoice.pdf")).await?;
    printed(rig, "<svg width=99 height=99><circle r=40 /></svg>", &folder.join("scan.pdf")).await?;
    std::fs::write(folder.join("broken.pdf"), b"%PDF-1.7\nthis is no PDF at all")?;
    let server = Server::start(&[("/", &folder)]).await?;
    let agent = rig.client("reader of papers").await?;
    // Only who has the cookie gets it.
    let page = server.url("/invoice.pdf?cookie=sid%3D7");
    let refused = agent.ok("browser_navigate", json!({"url": page})).await?;
    refused.has("403")?;
    let tab = refused.tab()?;
    let set = json!({"tab": tab, "expression": "document.cookie = 'sid=7; SameSite=Strict'"});
    agent.ok("browser_evaluate", set).await?;
    agent.ok("browser_navigate", json!({"tab": tab, "url": page})).await?.has("200")?;
    let text = agent.ok("browser_text", json!({"tab": tab})).await?;
    text.has("(PDF)")?.has("page 1 of 2\nFirst page")?.has("Invoice number 4711")?;
    text.has("page 2 of 2\nSecond page: total 42 €")?;
    let part = agent.ok("browser_text", json!({"tab": tab, "max_chars": 200})).await?;
    part.has("cut at 200 of ")?.has("\"from\":\"@200\"")?;
    agent.ok("browser_text", json!({"tab": tab, "from": "@200"})).await?.has("page 2 of 2")?;
    let outline = agent.ok("browser_snapshot", json!({"tab": tab})).await?;
    outline.has("shows a PDF: its words come by browser_text {\"tab\":")?;
    for (name, code, words) in [
        ("broken.pdf", "PROTECTED_PAGE", "damaged"),
        ("scan.pdf", "", "the PDF has no words: its pages are probably scanned"),
    ] {
        let go = json!({"tab": tab, "url": server.url(&format!("/{name}"))});
        agent.ok("browser_navigate", go).await?;
        let answer = agent.call("browser_text", json!({"tab": tab})).await?;
        ensure!(answer.code() == code, "{name}: {}", answer.text);
        answer.has(words)?;
    }
    ensure!(rig.env.daemon_pid().await.is_ok(), "the daemon is gone");
    Ok(())
}
