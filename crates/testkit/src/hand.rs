//! What a person does at a page and sees of it: real clicks and keys, a check for who cannot see, and
//! pictures in light and dark.

use crate::cdp::Page;
use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the extension shows is there within this.
const SHOWN: Duration = Duration::from_secs(10);
/// Where pictures are kept; taken and thrown away when it is not set.
const PICTURES_ENV: &str = "PILLION_PICTURES";
/// What is clicked has not moved for so long.
const STILL_MS: u32 = 120;
/// Tallest picture, CSS px.
const TALL: u64 = 2_000;

/// A real click on the first control whose words or label hold these.
pub async fn press_in(page: &Page, words: &str) -> Result<()> {
    let words = Value::from(words);
    press(
        page,
        &format!(
            "[...document.querySelectorAll('button, input, summary, [role=switch]')].find((one) => \
             `${{one.textContent}} ${{one.ariaLabel ?? ''}}`.includes({words}))"
        ),
    )
    .await
}

/// A real click in the middle of what an expression gives, once it is there, enabled and still.
pub async fn press(page: &Page, find: &str) -> Result<()> {
    let (x, y) = middle(page, find).await?;
    mouse(page, "mouseMoved", x, y).await?;
    mouse(page, "mousePressed", x, y).await?;
    mouse(page, "mouseReleased", x, y).await
}

/// Moves the pointer, in CSS px of the page.
pub async fn point(page: &Page, x: f64, y: f64) -> Result<()> {
    mouse(page, "mouseMoved", x, y).await
}

/// Presses a key: `Enter`, `ArrowDown`, or a character.
pub async fn key(page: &Page, key: &str) -> Result<()> {
    let (code, text) = match key {
        "Enter" => (13, Some("\r")),
        "Escape" => (27, None),
        "ArrowLeft" => (37, None),
        "ArrowUp" => (38, None),
        "ArrowRight" => (39, None),
        "ArrowDown" => (40, None),
        " " => (32, Some(" ")),
        other => (0, Some(other)),
    };
    let mut down = json!({"type": "keyDown", "key": key, "windowsVirtualKeyCode": code});
    if let Some(text) = text {
        down["text"] = text.into();
    }
    page.send("Input.dispatchKeyEvent", down).await?;
    let up = json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code});
    page.send("Input.dispatchKeyEvent", up).await?;
    Ok(())
}

/// Types into what has focus.
pub async fn type_text(page: &Page, text: &str) -> Result<()> {
    page.send("Input.insertText", json!({"text": text})).await?;
    Ok(())
}

/// Fails when the page keeps somebody out: every rule of axe-core, in light and in dark.
pub async fn ensure_accessible(page: &Page) -> Result<()> {
    let axe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../node_modules/axe-core/axe.min.js");
    let axe = std::fs::read_to_string(&axe).context("axe-core: run npm ci")?;
    page.evaluate(&format!("{axe};1")).await?;
    for scheme in ["light", "dark"] {
        wear(page, scheme).await?;
        let found = page
            .evaluate(
                "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => \
                 violations.map(({id, nodes}) => `${id}: ${nodes.map(({target, failureSummary}) => \
                 `${target} ${failureSummary}`).join('; ')}`).join('\\n'))",
            )
            .await?;
        ensure!(found == "", "{scheme}: {found}");
    }
    Ok(())
}

/// Pictures of a page in light and in dark, as wide as given and as tall as the page, or (`None`) as
/// the window shows it.
pub async fn picture(page: &Page, name: &str, width: Option<u64>) -> Result<()> {
    for scheme in ["light", "dark"] {
        wear(page, scheme).await?;
        if let Some(width) = width {
            let tall = page.evaluate("document.documentElement.scrollHeight").await?;
            let height = tall.as_u64().unwrap_or(TALL).min(TALL);
            let size = json!({
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
            });
            page.send("Emulation.setDeviceMetricsOverride", size).await?;
        }
        // A prompt that was resized has moved: its buttons rest again for a moment, and it takes
        // them a look to see it.
        page.evaluate(&format!("new Promise((done) => setTimeout(done, {STILL_MS}))")).await?;
        page.until("!document.querySelector('.choices button:disabled')", SHOWN).await?;
        painted(page).await?;
        let taken = page.send("Page.captureScreenshot", json!({"format": "png"})).await?;
        let png = BASE64_STANDARD.decode(taken["data"].as_str().context("a picture")?)?;
        ensure!(png.starts_with(b"\x89PNG"), "no picture of {name}");
        if let Some(folder) = std::env::var_os(PICTURES_ENV) {
            std::fs::write(PathBuf::from(folder).join(format!("{name}-{scheme}.png")), png)?;
        }
    }
    page.send("Emulation.clearDeviceMetricsOverride", json!({})).await?;
    painted(page).await
}

/// Two frames: the first one may still be of the former size and scheme.
async fn painted(page: &Page) -> Result<()> {
    page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    )
    .await?;
    Ok(())
}

async fn wear(page: &Page, scheme: &str) -> Result<()> {
    // Half-way colours of a transition are nobody's design: they end at once.
    let features = json!([
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]);
    page.send("Emulation.setEmulatedMedia", json!({"features": features})).await?;
    Ok(())
}

async fn middle(page: &Page, find: &str) -> Result<(f64, f64)> {
    let place = format!(
        "(async () => {{ const one = {find}; if (!one) return null; \
         one.scrollIntoView({{block: 'nearest'}}); const look = () => {{ \
         const {{x, y, width, height}} = one.getBoundingClientRect(); \
         return width > 0 && one.isConnected && !one.disabled ? [x + width / 2, y + height / 2] : null; }}; \
         const before = look(); await new Promise((done) => setTimeout(done, {STILL_MS})); \
         const now = look(); return String(before) === String(now) ? now : null; }})()"
    );
    let at = page.until(&place, SHOWN).await?;
    Ok((at[0].as_f64().context("x")?, at[1].as_f64().context("y")?))
}

async fn mouse(page: &Page, kind: &str, x: f64, y: f64) -> Result<()> {
    let button = if kind == "mouseMoved" { "none" } else { "left" };
    let event = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1});
    page.send("Input.dispatchMouseEvent", event).await?;
    Ok(())
}
