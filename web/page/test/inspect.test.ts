import { afterAll, beforeAll, expect, test } from "vitest";
import type { Looks, SourceMapReply } from "../../wire/looking.ts";
import { Rig } from "./act-harness.mjs";

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.stop());

async function looks(selector: string, more: { properties?: string[]; html?: number } = {}) {
  const { id } = await rig.one("css", selector);
  return rig.get<Looks>({ op: "inspect", id, html: 0, ...more });
}

test("styles that differ are told, those of the type by itself are not", async () => {
  await rig.html(`<style>#a { color: red; margin: 3px; position: absolute; top: 5px }</style>
    <div id=a>words</div><button id=b>plain</button>`);
  const styles = new Map((await looks("#a")).styles);
  expect(styles.get("color")).toBe("rgb(255, 0, 0)");
  expect(styles.get("margin")).toBe("3px");
  expect(styles.get("position")).toBe("absolute");
  expect(styles.get("top")).toBe("5px");
  for (const quiet of ["width", "display", "margin-top", "border-top-color", "visibility"]) {
    expect(styles.has(quiet)).toBe(false);
  }
  const plain = (await looks("#b")).styles.map(([name]) => name);
  expect(plain).not.toContain("text-align");
  expect(plain).not.toContain("padding");
});

test("nothing of ours stays in the page", async () => {
  await rig.html("<p id=a>words</p>");
  const before = await rig.page.evaluate(() => document.documentElement.outerHTML);
  await looks("#a");
  expect(await rig.page.evaluate(() => document.documentElement.outerHTML)).toBe(before);
});

test("the box, and what covers its centre", async () => {
  await rig.html(`<div id=a style="position:fixed;left:10px;top:20px;width:100px;height:50px;border:2px solid;padding:4px">a</div>
    <footer style="position:fixed;inset:0">over</footer>`);
  const told = await looks("#a");
  expect(told.content).toEqual([100, 50]);
  expect(told.edges).toEqual([
    [0, 0, 0, 0],
    [2, 2, 2, 2],
    [4, 4, 4, 4],
  ]);
  expect(told.cover?.role).toBe("contentinfo");
  expect(told.inView && told.rendered).toBe(true);
});

test("attributes and HTML hold no secret", async () => {
  await rig.html(`<form id=f><input type=password name=p value="hunter2hunter2">
    <input type=hidden name=csrf_token value="abc123abc123"><meta name=csrf content="abc123abc123">
    <i data-api-key="abc123abc123" title='a "b"'>t &lt;</i></form>`);
  const told = await looks("#f", { html: 4_000 });
  expect(told.html).not.toContain("hunter2");
  expect(told.html).not.toContain("abc123");
  expect(told.html).toContain(`title="a &quot;b&quot;"`);
  expect(told.html).toContain("t &lt;</i>");
  const short = await looks("#f", { html: 20 });
  expect(short.html?.length).toBe(20);
  expect(short.htmlSize).toBeGreaterThan(100);
});

test("shadow roots are in the HTML", async () => {
  await rig.html(`<div id=h></div><script>
    document.querySelector("#h").attachShadow({mode:"open"}).innerHTML = "<b>inner</b>";
  </script>`);
  const told = await looks("#h", { html: 400 });
  expect(told.html).toContain(`<template shadowrootmode="open"><b>inner</b></template>`);
});

test("a custom element's own code does not run", async () => {
  await rig.html(`<script>let made = 0;
    customElements.define("x-one", class extends HTMLElement { constructor() { super(); made += 1; } });
  </script><x-one id=x>a</x-one>`);
  await looks("#x", { html: 400 });
  expect(await rig.page.evaluate("made")).toBe(1);
});

test("styles by name", async () => {
  await rig.html("<p id=a style='z-index:3;position:relative'>words</p>");
  const told = await looks("#a", { properties: ["zIndex", "position"] });
  expect(told.styles).toEqual([
    ["z-index", "3"],
    ["position", "relative"],
  ]);
});

test("a map of another site is never asked for", async () => {
  await rig.html("<p>words</p>");
  const url = "http://127.0.0.1:9/app.js";
  const told = await rig.get<SourceMapReply>({
    op: "source_map",
    url,
    map: "http://127.0.0.1:9/x",
  });
  expect(told).toEqual({ asked: [] });
  const inline = `data:application/json;base64,${btoa('{"version":3}')}`;
  const own = await rig.get<SourceMapReply>({ op: "source_map", url, map: inline });
  expect(own.map).toBe('{"version":3}');
});
