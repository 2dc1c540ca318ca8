import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Rig, type Site, serve } from "./act-harness.mjs";

let rig: Rig;
let site: Site;
beforeAll(async () => {
  [rig, site] = await Promise.all([Rig.start(), serve()]);
});
afterAll(async () => {
  await rig.stop();
  await site.stop();
});

// A runtime that writes down what is told and passes on what the test says.
const RUNTIME = `
globalThis.told = []; globalThis.orders = null;
globalThis.chrome = { runtime: { id: "x", connect() {
  return {
    onDisconnect: { addListener() {} },
    onMessage: { addListener(hear) { globalThis.orders = hear; } },
    postMessage(what) { told.push(what); },
  };
} } };`;
const PAGE = `<body style="margin:0"><input style="position:absolute;left:20px;top:20px;width:200px">
<button style="position:absolute;left:20px;top:100px;width:100px;height:40px">Go</button>
<button style="position:absolute;left:20px;top:200px;width:100px;height:40px">Other</button></body>`;
const WATCH = `globalThis.log = [];
for (const type of ["pointerdown", "mousedown", "mouseup", "click", "keydown", "keyup", "wheel"])
  document.addEventListener(type, (e) => log.push(type + " " + (e.key ?? e.target.textContent.trim())), true);`;

beforeEach(async () => {
  await rig.page.goto("about:blank");
  await rig.page.setContent(PAGE);
  await rig.inject(`${RUNTIME}\n${rig.keeper}`);
  await rig.page_(WATCH);
});

const order = (orders: object): Promise<unknown> =>
  rig.inWorld(`orders(${JSON.stringify(orders)})`);
const told = (): Promise<unknown> => rig.inWorld("told.join()");
const seen = (): Promise<unknown> => rig.page_("log.join()");
const later = (ms = 200): Promise<unknown> =>
  rig.page_(`new Promise((done) => setTimeout(done, ${ms}))`);
const CLICK = [
  ["pointermove", "", 70, 120],
  ["pointerdown", "", 70, 120],
];

test("in a tab that is no agent's nothing is told and nothing is stopped", async () => {
  await rig.page.mouse.click(70, 120);
  for (let n = 0; n < 3; n++) await rig.page.keyboard.press("Escape");
  await later();
  expect(await told()).toBe("");
  expect(await seen()).toContain("click Go");
});

test("what the user does in an agent's tab is told seldom, and passes", async () => {
  await order({ on: true });
  await rig.page.mouse.click(70, 120);
  await later();
  expect(await told()).toBe("p");
  for (const key of "abcdefgh") await rig.page.keyboard.press(key);
  await later(350);
  expect(String(await told())).toMatch(/^p(,k){1,3}$/);
  expect(await seen()).toContain("keydown h");
});

test("modifiers alone are nobody's typing", async () => {
  await order({ on: true });
  await rig.page.keyboard.press("Control");
  await later();
  expect(await told()).toBe("");
});

test("what was announced passes and is not told; the user's is held off meanwhile", async () => {
  await order({ on: true });
  await order({ x: CLICK, hold: true });
  await rig.page.mouse.click(70, 220);
  await rig.page.keyboard.press("x");
  await rig.press(70, 120);
  expect(await seen()).toBe("pointerdown Go,mousedown Go,mouseup Go,click Go");
  // A second one at the same place was not announced.
  await rig.page.mouse.click(70, 120);
  expect(await seen()).toBe("pointerdown Go,mousedown Go,mouseup Go,click Go");
  await order({ x: null });
  await later();
  expect(String(await told()).length).toBeGreaterThan(0);
  await rig.page.mouse.click(70, 220);
  expect(String(await seen()).endsWith("click Other")).toBe(true);
});

test("without the shield nothing is held off", async () => {
  await order({ on: true });
  await order({ x: CLICK, hold: false });
  await rig.page.mouse.click(70, 220);
  expect(await seen()).toContain("click Other");
});

test("what was announced just behind is the agent's", async () => {
  await order({ on: true });
  await Promise.all([rig.page.mouse.click(70, 120), order({ x: CLICK, hold: true })]);
  await order({ x: null });
  await later(200);
  expect(await told()).toBe("");
});

test("a press that was held off stays so when it is released after the act", async () => {
  await order({ on: true });
  await order({ x: [], hold: true });
  await rig.page.mouse.move(70, 220);
  await rig.page.mouse.down();
  await order({ x: null });
  await rig.page.mouse.up();
  expect(await seen()).toBe("");
});

test("keys are told apart by their names, and a key that presses a button does", async () => {
  await order({ on: true });
  await rig.page_("document.querySelector('button').focus()");
  await order({ x: [["keydown", "Enter", 0, 0]], hold: true });
  await rig.page.keyboard.press("q");
  await rig.page.keyboard.press("Enter");
  expect(await seen()).toBe("keydown Enter,click Go,keyup Enter");
});

test("Escape three times asks for a stop; the agent's own and a page's do not", async () => {
  await order({ on: true });
  await order({ x: [1, 2, 3].map(() => ["keydown", "Escape", 0, 0]), hold: true });
  for (let n = 0; n < 3; n++) await rig.page.keyboard.press("Escape");
  await order({ x: null });
  await rig.page_(
    "for (let n = 0; n < 5; n++) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))",
  );
  await later();
  expect(await told()).toBe("");
  await rig.page.keyboard.press("Escape");
  await later(1_100);
  for (let n = 0; n < 2; n++) await rig.page.keyboard.press("Escape");
  expect(await told()).not.toContain("s");
  await rig.page.keyboard.press("Escape");
  expect(await told()).toContain("s");
});
