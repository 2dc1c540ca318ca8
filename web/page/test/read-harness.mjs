// Chromium with the reading half of the page agent in an isolated world of each page.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const fixtures = join(here, "../../../tests/fixtures");

export async function bundle() {
  const built = await build({
    entryPoints: [join(here, "read-entry.ts")],
    bundle: true,
    write: false,
    format: "iife",
    target: "chrome125",
  });
  return built.outputFiles[0].text;
}

/** A browser whose pages can be read: `open(url)` gives `{ page, run(expression) }`. */
export async function start() {
  const source = await bundle();
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);

  async function open(url) {
    await page.goto(url);
    return world();
  }
  async function show(html) {
    await page.setContent(html);
    return world();
  }
  async function world() {
    const { frameTree } = await cdp.send("Page.getFrameTree");
    const { executionContextId } = await cdp.send("Page.createIsolatedWorld", {
      frameId: frameTree.frame.id,
      worldName: "reader",
    });
    async function run(expression) {
      const reply = await cdp.send("Runtime.evaluate", {
        contextId: executionContextId,
        expression,
        returnByValue: true,
        awaitPromise: true,
      });
      const bad = reply.exceptionDetails;
      if (bad) throw new Error(bad.exception?.description ?? bad.text);
      return reply.result.value;
    }
    await run(source);
    return { page, cdp, run };
  }
  return { open, show, close: () => browser.close() };
}

/** The outline of the whole page. */
export function snapshot(call = {}) {
  return `reader.outline(${JSON.stringify({ op: "snapshot", maxChars: 6000, ...call })})`;
}
