import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Changes, Ready } from "../../wire/page.ts";
import { Rig } from "./act-harness.mjs";

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.stop());

// One port for the keeper and one for the shield.
const RUNTIME = `
globalThis.told = []; globalThis.orders = {}; globalThis.ends = {};
globalThis.chrome = { runtime: { id: "x", connect({ name }) {
  return {
    onDisconnect: { addListener(done) { ends[name] = done; } },
    onMessage: { addListener(hear) { orders[name] = hear; } },
    postMessage(what) { told.push(what); },
  };
} } };`;
const PAGE = `<main><h1>Shop</h1><button>Pay</button></main>
<button id="low" style="position:fixed;left:0;bottom:0;width:100%;height:80px">Below</button>`;
const WORDS = { who: "Atlas is acting here", take: "Take over", keys: "or Esc three times" };

const order = (orders: object): Promise<unknown> =>
  rig.inWorld(`orders.shield(${JSON.stringify(orders)})`);
const told = (): Promise<unknown> => rig.inWorld("told.filter((what) => what.length > 1).join()");
const isThere = (): Promise<unknown> => rig.page_("!!document.querySelector('pillion-shield')");
const later = (ms: number): Promise<unknown> =>
  rig.page_(`new Promise((done) => setTimeout(done, ${ms}))`);
const remove = "document.querySelector('pillion-shield').remove()";

beforeEach(async () => {
  await rig.page.goto("about:blank");
  await rig.page.setContent(PAGE);
  await rig.inject(`${RUNTIME}\n${rig.keeper}`);
  await rig.inWorld("orders.keeper({ on: true })");
  await rig.inWorld(rig.shield);
});

test("it is shown during an act, and gone without trace soon after", async () => {
  const before = await rig.page_("document.documentElement.outerHTML");
  await order({ show: WORDS });
  expect(await isThere()).toBe(true);
  expect(await rig.page_("document.querySelector('pillion-shield').shadowRoot")).toBeNull();
  expect(await rig.page_("document.documentElement.scrollHeight === innerHeight")).toBe(true);
  await order({ idle: true });
  await later(1_000);
  expect(await isThere()).toBe(true);
  await later(1_000);
  expect(await isThere()).toBe(false);
  expect(await rig.page_("document.documentElement.outerHTML")).toBe(before);
});

test("it is in no outline, no text and no receipt", async () => {
  const texts = async () =>
    JSON.stringify([
      await rig.get({ op: "snapshot", root: null, maxChars: 6_000 }),
      await rig.get({ op: "text", root: null }),
      await rig.find("text", "Take over"),
    ]);
  await rig.get({ op: "baseline" });
  await order({ show: WORDS });
  const changed = await rig.get<Changes>({ op: "changes", limit: 9 });
  expect(changed).toMatchObject({ added: [], removed: [], changed: [] });
  const with_ = await texts();
  expect(with_).not.toContain("Atlas");
  await rig.inWorld("__pillionShield.veil(true)");
  expect(await texts()).toBe(with_);
});

test("its button stops the agent, ahead of what the page would do with the press", async () => {
  await rig.page_(
    "for (const type of ['pointerdown', 'click']) addEventListener(type, (e) => { window.got = type; e.stopImmediatePropagation(); }, true)",
  );
  await order({ show: WORDS });
  const at = (await rig.inWorld(`(() => {
    for (let y = innerHeight - 1; y > 0; y -= 4) for (let x = 0; x < innerWidth; x += 8)
      if (document.elementFromPoint(x, y) === __pillionShield.host) return [x + 12, y - 6]; })()`)) as
    | [number, number]
    | undefined;
  expect(at).toBeDefined();
  await rig.page.mouse.click(at?.[0] ?? 0, at?.[1] ?? 0);
  expect(await told()).toBe("take");
  expect(await rig.page_("window.got")).toBeUndefined();
});

test("a button under its button is pressed all the same", async () => {
  await order({ show: WORDS });
  const below = await rig.one("role", "button", "Below");
  for (const x of [0.3, 0.5, 0.55, 0.6]) {
    await rig.inWorld(`document.elementFromPoint(innerWidth * ${x}, innerHeight - 30)`);
  }
  const ready = await rig.get<Ready>({ op: "prepare", id: below.id, act: "click" });
  const found = await rig.get<{ name: string }>({ op: "at", x: 480, y: 570 });
  expect(found.name).toBe("Below");
  await rig.press(ready.point.x, ready.point.y);
  expect(await told()).toBe("");
});

test("a page that removes it is mended twice, then told of", async () => {
  await order({ show: WORDS });
  await rig.page_(remove);
  expect(await isThere()).toBe(true);
  await rig.page_("document.querySelector('pillion-shield').style.display = 'none'");
  expect(
    await rig.page_("getComputedStyle(document.querySelector('pillion-shield')).display"),
  ).toBe("block");
  expect(await told()).toBe("");
  await rig.page_("document.querySelector('pillion-shield').hidePopover()");
  await later(50);
  expect(await told()).toBe("torn");
  expect(await isThere()).toBe(false);
});

test("when the extension is gone so is the shield", async () => {
  await order({ show: WORDS });
  await rig.inWorld("ends.shield()");
  expect(await isThere()).toBe(false);
});

test("what a page calls by its name stays in the outline", async () => {
  await rig.page_(
    "document.body.append(Object.assign(document.createElement('pillion-shield'), { textContent: 'Hidden?' }))",
  );
  await order({ show: WORDS });
  expect(JSON.stringify(await rig.get({ op: "text", root: null }))).toContain("Hidden?");
});
