//! The least that any driver must do for the same job, over the browser's own port.

use anyhow::{Context, Result};
use pillion_testkit::{Cdp, Page};
use serde_json::{Value, json};
use std::time::Duration;

/// A page load.
const LOAD: Duration = Duration::from_secs(15);

/// A bare outline: every element, its visibility asked, its tag and own words.
const OUTLINE: &str = r"(() => {
  const lines = [];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.currentNode; node; node = walker.nextNode()) {
    if (!node.checkVisibility()) continue;
    lines.push(node.localName);
  }
  return lines.length;
})()";

/// Where a press would go.
const TARGET: &str = r"(() => {
  const box = document.querySelector('button, a').getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
})()";

/// Two frames, as a settle needs at least.
const FRAMES: &str =
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

/// A page of the bare client's own.
pub struct Floor {
    cdp: Cdp,
    page: Page,
    url: String,
    point: Value,
}

impl Floor {
    /// Open the page; it is in front, so that its frames run.
    pub async fn open(cdp: &Cdp, url: &str) -> Result<Self> {
        let page = cdp.open(url).await?;
        page.send("Page.enable", json!({})).await?;
        page.until("document.readyState === 'complete'", LOAD).await?;
        let point = page.evaluate(TARGET).await?;
        Ok(Self { cdp: cdp.clone(), page, url: url.to_owned(), point })
    }

    /// The job.
    pub async fn run(&self, what: &str) -> Result<()> {
        match what {
            "navigate" => {
                let mut events = self.page.events();
                self.page.send("Page.navigate", json!({"url": self.url})).await?;
                events.next("Page.domContentEventFired", LOAD).await?;
            }
            "snapshot" => drop(self.page.evaluate(OUTLINE).await?),
            "click" => self.click().await?,
            "evaluate" => drop(self.page.evaluate("6 * 7").await?),
            _ => drop(self.page.send("Page.captureScreenshot", json!({})).await?),
        }
        Ok(())
    }

    async fn click(&self) -> Result<()> {
        let (x, y) = (self.point[0].as_f64(), self.point[1].as_f64());
        let (x, y) = (x.context("a point")?, y.context("a point")?);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let params = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1});
            self.page.send("Input.dispatchMouseEvent", params).await?;
        }
        self.page.evaluate(FRAMES).await?;
        Ok(())
    }

    /// Close the page.
    pub async fn close(self) -> Result<()> {
        self.cdp.close(&self.page.target).await
    }
}
