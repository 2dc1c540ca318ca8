import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Element, Matches, Quiet, ScrollPlan } from "../../wire/page.ts";
import { Rig } from "./act-harness.mjs";

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.stop());
beforeEach(() => rig.open("act-scroll.html"));

test("where only an inner box scrolls, that is what scrolls", async () => {
  const plan = await rig.get<ScrollPlan>({ op: "scroll", how: { to: "by", dx: 0, dy: 300 } });
  expect(plan.element?.name).toBe("People");
  expect(plan.at).toEqual([0, 0]);
  await rig.cdp.send("Input.dispatchMouseEvent", {
    type: "mouseWheel",
    ...plan.point,
    deltaX: 0,
    deltaY: 300,
  });
  await rig.page_("new Promise((done) => setTimeout(done, 500))");
  expect(await rig.page_("list.scrollTop")).toBe(300);
});

test("a box that is out of view comes into it before the wheel turns", async () => {
  await rig.page_("document.body.style.paddingTop = '5000px', 1");
  const first = await rig.one("role", "listitem", "First");
  const how = { to: "by", dx: 0, dy: 300 } as const;
  const plan = await rig.get<ScrollPlan>({ op: "scroll", id: first.id, how });
  const height = (await rig.page_("innerHeight")) as number;
  expect(plan.point.y).toBeGreaterThan(0);
  expect(plan.point.y).toBeLessThan(height);
  expect(plan.at).toEqual([0, 0]);
});

test("to the end and back at once, whatever the page says of smoothness", async () => {
  const first = await rig.one("role", "listitem", "First");
  const end = await rig.get<ScrollPlan>({ op: "scroll", id: first.id, how: { to: "bottom" } });
  expect(end.at[1]).toBeGreaterThan(3000);
  expect(end.at).toEqual(end.max);
  const start = await rig.get<ScrollPlan>({ op: "scroll", id: first.id, how: { to: "top" } });
  expect(start.at).toEqual([0, 0]);
});

test("what does not scroll says so", async () => {
  const button = await rig.one("role", "button", "Fixed");
  const answer = await rig.ask({ op: "scroll", id: button.id, how: { to: "bottom" } });
  expect(answer.error?.code).toBe("NOT_SCROLLABLE");
});

test("wait ends when the target comes, when it goes, when the time is over, when aborted", async () => {
  const step = { by: "role", role: "status", name: "Done" } as const;
  await rig.page_("later(80), 1");
  const there = await rig.get<Matches>({ op: "wait", step, gone: false, timeoutMs: 3000 });
  expect(there).toMatchObject({ total: 1, timedOut: false });
  await rig.page_("vanish(80), 1");
  const gone = await rig.get<Matches>({ op: "wait", step, gone: true, timeoutMs: 3000 });
  expect(gone).toMatchObject({ total: 0, timedOut: false });
  const never = await rig.get<Matches>({ op: "wait", step, gone: false, timeoutMs: 150 });
  expect(never).toMatchObject({ total: 0, timedOut: true });
  const begun = Date.now();
  const waiting = rig.get<Matches>({ op: "wait", step, gone: false, timeoutMs: 20_000 });
  await rig.get({ op: "abort" });
  expect((await waiting).timedOut).toBe(true);
  expect(Date.now() - begun).toBeLessThan(5000);
});

test("settle waits for quiet, clocks aside, and no longer than its cap", async () => {
  await rig.get({ op: "baseline" });
  const quiet = await rig.get<Quiet>({ op: "settle", frames: 2, capMs: 1000 });
  expect(quiet).toEqual({ quiet: true, mutations: 0 });
  await rig.page_(
    "setInterval(() => { list.title = late.textContent = String(Math.random()); }, 5), 1",
  );
  const clock = await rig.get<Quiet>({ op: "settle", frames: 2, capMs: 1000 });
  expect(clock.quiet).toBe(true);
  await rig.page_("setInterval(() => { late.append(document.createElement('p')); }, 5), 1");
  const busy = await rig.get<Quiet>({ op: "settle", frames: 2, capMs: 200 });
  expect(busy.quiet).toBe(false);
  expect(busy.mutations).toBeGreaterThan(2);
});

test("focus goes where keys are taken, else says so", async () => {
  const list = await rig.one("role", "list", "People");
  const focus = await rig.get<Element>({ op: "focus", id: list.id, caret: "keep" });
  expect(focus.name).toBe("People");
  expect((await rig.get<Element>({ op: "focused" })).id).toBe(list.id);
  const item = await rig.one("role", "listitem", "First");
  const answer = await rig.ask({ op: "focus", id: item.id, caret: "all" });
  expect(answer.error?.code).toBe("NO_FOCUS");
});

test("an unknown failure is an answer without page words", async () => {
  const answer = await rig.ask({ op: "describe", id: 12_345 });
  expect(answer.error).toMatchObject({ code: "REF_GONE" });
});
