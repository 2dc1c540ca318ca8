// One Chromium, one page, the agent in an isolated world of each frame, trusted input by CDP.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const fixtures = join(here, "../../../tests/fixtures");
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Frames of other sites stay in one process, where one CDP session reaches them.
  "--disable-site-isolation-trials",
  "--disable-features=IsolateOrigins,site-per-process",
];
async function bundle(name) {
  const result = await build({
    entryPoints: [join(here, `../src/${name}.ts`)],
    bundle: true,
    write: false,
    format: "iife",
    target: "chrome125",
    minify: name === "keeper",
    legalComments: "none",
    logLevel: "error",
  });
  return result.outputFiles[0]?.text ?? "";
}
/** axe-core as the extension brings it. */
export function axeText() {
  return readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
}
export async function serve() {
  const server = createServer(async (request, response) => {
    const name = new URL(request.url ?? "/", "http://x").pathname.slice(1);
    const body = await readFile(join(fixtures, name)).catch(() => null);
    response.writeHead(body ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(body ?? "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    other: `http://localhost:${port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve(undefined))),
  };
}
export class Rig {
  constructor(browser, page, cdp, agent, keeper, shield) {
    this.keeper = keeper;
    this.shield = shield;
    this.browser = browser;
    this.page = page;
    this.cdp = cdp;
    this.agent = agent;
  }
  browser;
  page;
  cdp;
  agent;
  contexts = /* @__PURE__ */ new Map();
  static async start() {
    const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
    if (!existsSync(executablePath)) throw new Error("these tests need Chromium");
    const browser = await chromium.launch({ executablePath, args: FLAGS });
    const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Page.enable");
    await cdp.send("Runtime.enable");
    const scripts = await Promise.all(["main", "keeper", "shield"].map(bundle));
    return new Rig(browser, page, cdp, ...scripts);
  }
  async stop() {
    await this.browser.close();
  }
  /** Opens a fixture and puts the agent into its frames. */
  async open(name) {
    await this.load(pathToFileURL(join(fixtures, name)).href);
  }
  /** Opens any page. */
  async load(url) {
    await this.page.goto(url);
    await this.inject();
  }
  /** Opens a page of this HTML. */
  async html(html) {
    await this.page.goto("about:blank");
    await this.page.setContent(html);
    await this.inject();
  }
  /** Puts something before the agent into every new isolated world: the keeper. */
  async inject(before = "") {
    this.contexts.clear();
    const { frameTree } = await this.cdp.send("Page.getFrameTree");
    const open = [frameTree];
    for (let at = open.pop(); at; at = open.pop()) {
      open.push(...(at.childFrames ?? []));
      const { executionContextId } = await this.cdp.send("Page.createIsolatedWorld", {
        frameId: at.frame.id,
        worldName: "pillion",
      });
      this.contexts.set(at === frameTree ? "" : (at.frame.name ?? at.frame.id), executionContextId);
      await this.evaluate(`${before};${this.agent}`, executionContextId);
    }
  }
  async evaluate(expression, contextId) {
    const reply = await this.cdp.send("Runtime.evaluate", {
      expression,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (reply.exceptionDetails) throw new Error(JSON.stringify(reply.exceptionDetails));
    return reply.result.value;
  }
  /** One call; `frame` is the name of a child frame. */
  async ask(call, frame = "") {
    const context = this.contexts.get(frame);
    if (context === void 0) throw new Error(`no frame ${frame}`);
    const text = JSON.stringify(call);
    return await this.evaluate(`__pillion.call(${text})`, context);
  }
  /** One call that must not fail. */
  async get(call, frame = "") {
    const answer = await this.ask(call, frame);
    if (answer.error) throw new Error(`${answer.error.code}: ${answer.error.message}`);
    return answer.ok;
  }
  /** In the isolated world. */
  inWorld(expression, frame = "") {
    return this.evaluate(expression, this.contexts.get(frame) ?? 0);
  }
  /** Elements for a target: `role:name`, or another step. */
  find(by, what, name = "", frame = "") {
    const step =
      by === "role"
        ? { by, role: what, name }
        : by === "css"
          ? { by, selector: what }
          : { by, text: what };
    return this.get({ op: "resolve", step, limit: 5 }, frame);
  }
  /** The only element for a target. */
  async one(by, what, name = "", frame = "") {
    const matches = await this.find(by, what, name, frame);
    const [first] = matches.candidates;
    if (matches.total !== 1 || !first) {
      throw new Error(
        `${what} ${name}: ${matches.fit} ${matches.total} ${JSON.stringify(matches)}`,
      );
    }
    return first;
  }
  async fill(element, value) {
    const outcome = await this.get({ op: "fill", id: element.id, value });
    if (outcome.is !== "insert") return outcome;
    await this.type(outcome.text);
    return this.get({ op: "fill_check", id: element.id, value });
  }
  page_(expression) {
    return this.page.evaluate(expression);
  }
  /** Prepares and presses. */
  async click(element) {
    const ready = await this.get({ op: "prepare", id: element.id, act: "click" });
    if (!ready.chosen) await this.press(ready.point.x, ready.point.y);
    await this.get({ op: "settle", frames: 2, capMs: 1e3 });
    return ready;
  }
  async press(x, y) {
    const at = { x, y, button: "left", clickCount: 1 };
    await this.cdp.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    await this.cdp.send("Input.dispatchMouseEvent", { type: "mousePressed", ...at });
    await this.cdp.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at });
  }
  async move(x, y) {
    await this.cdp.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
  }
  async type(text) {
    if (text === "") {
      const key = { key: "Delete", code: "Delete", windowsVirtualKeyCode: 46 };
      await this.cdp.send("Input.dispatchKeyEvent", { type: "keyDown", ...key });
      await this.cdp.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
    } else await this.cdp.send("Input.insertText", { text });
  }
  frame(name) {
    return this.page.frame(name);
  }
}
