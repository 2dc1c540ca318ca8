import { afterAll, beforeAll, expect, test } from "vitest";
import type { Changes, DocumentInfo, Ready } from "../../wire/page.ts";
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

// A runtime whose ports end when the test says so.
const RUNTIME = `
globalThis.opened = 0; globalThis.endPort = () => {};
globalThis.chrome = { runtime: { id: "x", connect() {
  opened++;
  return {
    onDisconnect: { addListener(done) { globalThis.endPort = done; } },
    onMessage: { addListener() {} },
    postMessage() {},
  };
} } };`;

const opened = (): Promise<unknown> => rig.inWorld("opened");

async function start(): Promise<void> {
  await rig.page.goto(`${site.origin}/act-frames.html`);
  await rig.inject(`${RUNTIME}\n${rig.keeper}`);
}

test("the keeper is small", () => {
  expect(rig.keeper.length).toBeLessThan(3000);
});

test("a port that ends is opened again at once", async () => {
  await start();
  expect(await opened()).toBe(1);
  await rig.page_("new Promise((done) => setTimeout(done, 40))");
  expect(await rig.inWorld("endPort(), opened")).toBe(2);
});

test("ports that never reach a worker do not make a tight loop", async () => {
  await start();
  expect(Number(await rig.inWorld("for (let n = 0; n < 500; n++) endPort(); opened"))).toBeLessThan(
    50,
  );
});

test("nothing is opened once the extension is gone", async () => {
  await start();
  expect(await rig.inWorld("delete chrome.runtime.id; endPort(); endPort(); opened")).toBe(1);
});

test("the keeper takes the token before the page sees it, and only from the parent", async () => {
  await start();
  await rig.page
    .frame("seats")
    ?.evaluate(`window.postMessage({ __pillion: "${"a".repeat(32)}" }, "*")`);
  await rig.get({ op: "hello" });
  const { token } = await rig.get<DocumentInfo>({ op: "hello" }, "seats");
  expect(token).toMatch(/^[0-9a-f]{32}$/);
  expect(token).not.toBe("a".repeat(32));
});

test("input that the keeper saw is in the receipt", async () => {
  await start();
  const button = await rig.one("role", "button", "11", "inner");
  const ready = await rig.get<Ready>({ op: "prepare", id: button.id, act: "click" }, "inner");
  const { token } = await rig.get<DocumentInfo>({ op: "hello" }, "inner");
  const point = await rig.get<{ x: number; y: number }>({
    op: "through",
    token: token ?? "",
    ...ready.point,
  });
  await rig.press(point.x, point.y);
  const { input } = await rig.get<Changes>({ op: "changes", limit: 5 }, "inner");
  expect(input).toMatchObject({ arrived: 1, onTarget: true });
});
