import { afterAll, beforeAll, expect, test } from "vitest";
import type { Audited } from "../../wire/measuring.ts";
import { axeText, Rig } from "./act-harness.mjs";

let rig: Rig;
let axe = "";
beforeAll(async () => {
  [rig, axe] = await Promise.all([Rig.start(), axeText()]);
});
afterAll(() => rig.stop());

interface More {
  root?: number;
  rules?: string[];
  tags?: string[];
}

async function audit(more: More = {}): Promise<Audited> {
  await rig.inWorld(axe);
  return rig.get<Audited>({ op: "audit", limit: 5, ...more });
}

const named = (told: Audited) => told.violations.map(({ rule }) => rule);

test("what is wrong is told with its elements and why", async () => {
  await rig.html(`<!doctype html><html lang=en><title>t</title><main><h1>Shop</h1>
    <img src=x id=a width=9 height=9><img src=y><button></button>
    <p style="color:#bbb;background:#fff">faint words</p></main>`);
  const told = await audit();
  expect(told.version).toMatch(/^4\./);
  expect(told.rules).toBeGreaterThan(5);
  const images = told.violations.find(({ rule }) => rule === "image-alt");
  expect(images).toMatchObject({ impact: "critical", total: 2 });
  expect(images?.tags).toContain("wcag2a");
  expect(images?.elements[0]?.element.id).toBe((await rig.one("css", "#a")).id);
  expect(images?.elements[0]?.why.join()).toContain("alt attribute");
  expect(named(told)).toContain("button-name");
  expect(named(told)).toContain("color-contrast");
});

test("rules, tags and a part of the page", async () => {
  await rig.html(
    `<html lang=en><title>t</title><div id=in><img src=x width=9 height=9></div><button></button>`,
  );
  expect(named(await audit({ rules: ["image-alt"] }))).toEqual(["image-alt"]);
  const required = await audit({ tags: ["wcag2a"] });
  expect(named(required).sort()).toEqual(["button-name", "image-alt"]);
  const { id } = await rig.one("css", "#in");
  expect(named(await audit({ root: id, tags: ["wcag2a"] }))).toEqual(["image-alt"]);
  const unknown = await audit({ rules: ["no-such-rule"], tags: ["wcag9"] });
  expect(unknown.unknown).toEqual(["no-such-rule", "wcag9"]);
});

test("a frame is not held to what a page must have", async () => {
  await rig.html(
    `<title>t</title><p>words</p><iframe name=in srcdoc="<p>inner</p><img src=x>"></iframe>`,
  );
  await rig.page.frameLocator("iframe").locator("p").waitFor();
  await rig.inject();
  expect(named(await audit())).toContain("landmark-one-main");
  await rig.inWorld(axe, "in");
  const inner = await rig.get<Audited>({ op: "audit", limit: 5 }, "in");
  expect(named(inner)).toContain("image-alt");
  expect(named(inner)).not.toContain("landmark-one-main");
  const none = await rig.get<Audited>({ op: "audit", limit: 5, rules: ["region"] }, "in");
  expect(named(none)).toEqual([]);
});

test("the page sees nothing of it, and nothing stays", async () => {
  await rig.html(`<html lang=en><title>t</title><p style="color:#bbb">faint</p><i id=axe></i>`);
  await rig.page.evaluate(() => {
    const here = window as unknown as { seen: number; told: number };
    here.seen = 0;
    here.told = 0;
    const options = { attributes: true, childList: true, subtree: true, characterData: true };
    new MutationObserver((all) => {
      here.seen += all.length;
    }).observe(document, options);
    addEventListener("message", () => {
      here.told += 1;
    });
  });
  const before = await rig.page.evaluate(() => document.documentElement.outerHTML);
  await audit();
  expect(await rig.page.evaluate(() => document.documentElement.outerHTML)).toBe(before);
  expect(await rig.page_<number[]>("[seen, told]")).toEqual([0, 0]);
  expect(await rig.page_<string>("String(Object.hasOwn(window, 'axe'))")).toBe("false");
  expect(await rig.inWorld("Object.hasOwn(globalThis, 'axe')")).toBe(false);
});

test("a page that is too large is not looked at", async () => {
  await rig.html(`<html lang=en><title>t</title><div id=a></div>`);
  await rig.page.evaluate(() => {
    document.body.innerHTML = "<i></i>".repeat(16_000);
  });
  const told = await audit();
  expect(told.tooLarge).toBeGreaterThan(15_000);
  expect(told.violations).toEqual([]);
});

test("names that hide the built-ins break nothing", async () => {
  await rig.html(`<html lang=en><title>t</title><form><input name=parentNode><input name=childNodes>
    <input name=getAttribute><img src=x name=nodeName></form>`);
  await rig.inWorld(axe);
  const answer = await rig.ask({ op: "audit", limit: 5 });
  expect("ok" in answer || answer.error.code === "INTERNAL").toBe(true);
});

test("two at once both get their answer", async () => {
  await rig.html(`<html lang=en><title>t</title><img src=x>`);
  const [one, other] = await Promise.all([audit(), audit({ rules: ["image-alt"] })]);
  expect(named(one)).toContain("image-alt");
  expect(named(other)).toEqual(["image-alt"]);
});
