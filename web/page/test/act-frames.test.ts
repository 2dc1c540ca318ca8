import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { DocumentInfo, Outline, Point, Ready } from "../../wire/page.ts";
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
beforeEach(async () => {
  await rig.load(`${site.origin}/act-frames.html`);
  await rig.get({ op: "hello" });
});

const tokenIn = async (frame: string): Promise<string> =>
  (await rig.get<DocumentInfo>({ op: "hello" }, frame)).token ?? "";

test.each(["seats", "shadowed", "inner"])(
  "frame %s learns the token that its element has",
  async (name) => {
    const token = await tokenIn(name);
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    const outline = await rig.get<Outline>({ op: "snapshot", maxChars: 6000 });
    expect(JSON.stringify(outline)).toContain(`"frame":"${token}"`);
  },
);

test("the page of a frame is not shown the token twice", async () => {
  await tokenIn("seats");
  await rig.get({ op: "hello" });
  await rig.get({ op: "hello" });
  const heard = await rig.page.frame("seats")?.evaluate("heard.length");
  expect(heard).toBeLessThan(2);
});

test.each(["seats", "inner"])(
  "a point in %s is mapped through borders, scrolling and scale",
  async (frame) => {
    for (const cell of ["44", "11"]) {
      const button = await rig.one("role", "button", cell, frame);
      const ready = await rig.get<Ready>({ op: "prepare", id: button.id, act: "click" }, frame);
      const token = await tokenIn(frame);
      const point = await rig.get<Point>({ op: "through", token, ...ready.point });
      await rig.press(point.x, point.y);
    }
    await rig.page_("new Promise((done) => setTimeout(done, 50))");
    expect(await rig.page_("got.join()")).toBe("44,11");
  },
);

test("what covers the frame is named", async () => {
  const token = await tokenIn("inner");
  await rig.page_(
    `document.body.insertAdjacentHTML("beforeend", "<div role=dialog aria-label=Cookies style='position:fixed;inset:0;background:#fff'><button>Accept</button></div>")`,
  );
  const answer = await rig.ask({ op: "through", token, x: 30, y: 140 });
  expect(answer.error).toMatchObject({
    code: "ELEMENT_COVERED",
    others: [{ name: "Cookies" }, { name: "Accept" }],
  });
});
