import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Changes, Ready } from "../../wire/page.ts";
import { Rig } from "./act-harness.mjs";

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.stop());
beforeEach(() => rig.open("act-press.html"));

const hits = (): Promise<string> => rig.page_<string>("hits.join()");

test("what is under sticky bars is brought out before it is pressed", async () => {
  await rig.page_("scrollTo({ top: 1500, behavior: 'instant' })");
  await rig.click(await rig.one("role", "button", "Open 40"));
  await rig.click(await rig.one("role", "button", "Open 3"));
  await rig.click(await rig.one("role", "button", "Deep"));
  expect(await hits()).toBe("Open 40,Open 3,Deep");
});

test("nothing is scrolled when the element is in view", async () => {
  const before = await rig.page_<number>("scrollY");
  await rig.click(await rig.one("role", "button", "Open 5"));
  expect(await rig.page_<number>("scrollY")).toBe(before);
});

test("a wrapped link is pressed on its words", async () => {
  await rig.click(await rig.one("role", "link", "Nobel Prize"));
  expect(await hits()).toBe("link");
});

test("a cover is named with the button that closes it", async () => {
  const under = await rig.one("role", "button", "Under");
  const covered = await rig.ask<Ready>({ op: "prepare", id: under.id, act: "click" });
  expect(covered.error).toMatchObject({
    code: "ELEMENT_COVERED",
    others: [
      { role: "dialog", name: "Notice" },
      { role: "button", name: "Got it" },
    ],
  });
  const [, closer] = covered.error?.others ?? [];
  if (closer) await rig.click(closer);
  await rig.click(under);
  expect(await hits()).toBe("got,under");
});

test("an endless animation does not hold up a press", async () => {
  const begun = Date.now();
  await rig.click(await rig.one("role", "button", "Wheel"));
  expect(await hits()).toBe("spin");
  expect(Date.now() - begun).toBeLessThan(3000);
});

test("a disabled button names the empty required fields", async () => {
  const pay = await rig.one("role", "button", "Pay");
  const answer = await rig.ask({ op: "prepare", id: pay.id, act: "click" });
  expect(answer.error).toMatchObject({ code: "ELEMENT_DISABLED", others: [{ name: "Name" }] });
  expect((await rig.ask({ op: "prepare", id: pay.id, act: "hover" })).error).toBeUndefined();
});

test("a hidden element names what opens it", async () => {
  for (const [role, name, opener] of [
    ["button", "Delete", "More"],
    ["menuitem", "Rename", "Menu"],
  ] as const) {
    const { firstHidden } = await rig.find("role", role, name);
    const answer = await rig.ask({ op: "prepare", id: firstHidden?.id ?? 0, act: "click" });
    expect(answer.error).toMatchObject({ code: "ELEMENT_HIDDEN", others: [{ name: opener }] });
  }
});

test("an option of a closed list is chosen, a disabled one refused", async () => {
  const ready = await rig.click(await rig.one("role", "option", "Hard"));
  expect(ready.chosen).toBe(true);
  expect(await rig.page_("sel.value")).toBe("Hard");
  const never = await rig.one("role", "option", "Never");
  const answer = await rig.ask({ op: "prepare", id: never.id, act: "click" });
  expect(answer.error?.code).toBe("ELEMENT_DISABLED");
});

test("a hidden box is pressed by its label, beside the link in it", async () => {
  await rig.click(await rig.one("role", "checkbox", "The very long terms"));
  expect(await rig.page_("terms.checked + location.hash")).toBe("true");
  const { input } = await rig.get<Changes>({ op: "changes", limit: 5 });
  expect(input).toMatchObject({ arrived: 1, onTarget: true });
});

test("what a page draws over its own box stands for it", async () => {
  await rig.click(await rig.one("role", "checkbox", "Drawn"));
  expect(await rig.page_("drawn.checked")).toBe(true);
  const { input } = await rig.get<Changes>({ op: "changes", limit: 5 });
  expect(input?.onTarget).toBe(true);
});

test("a slice is pressed where it is painted, a row beside the button in it", async () => {
  await rig.click(await rig.one("role", "button", "Rent"));
  await rig.click(await rig.one("css", "#row"));
  expect(await hits()).toBe("Rent,row");
});

test("a press that landed elsewhere says where", async () => {
  const open = await rig.one("role", "button", "Open 2");
  const ready = await rig.get<Ready>({ op: "prepare", id: open.id, act: "click" });
  await rig.press(ready.point.x, ready.point.y + 40);
  const { input } = await rig.get<Changes>({ op: "changes", limit: 5 });
  expect(input).toMatchObject({ arrived: 1, onTarget: false, landed: { name: "Open 3" } });
});
