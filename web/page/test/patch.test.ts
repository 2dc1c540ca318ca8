import { afterAll, beforeAll, expect, test } from "vitest";
import type { Patch, Patched, Stored } from "../../wire/trying.ts";
import { Rig, type Site, serve } from "./act-harness.mjs";

let rig: Rig;
let site: Site;
beforeAll(async () => {
  [rig, site] = await Promise.all([Rig.start(), serve()]);
});
afterAll(() => Promise.all([rig.stop(), site.stop()]));

const NOTHING: Patch = { styles: [], attributes: [], bare: [], add: [], remove: [] };

async function patch(number: number, selector: string, what: Partial<Patch>): Promise<Patched> {
  const { id } = await rig.one("css", selector);
  return rig.get<Patched>({ op: "patch", number, id, patch: { ...NOTHING, ...what } });
}

function undo(...numbers: number[]): Promise<Patched[]> {
  return rig.get<Patched[]>({ op: "unpatch", numbers, keep: false });
}

/** Attributes in the order of their names: one that comes back stands last. */
const html = () =>
  rig.page_<string>(`[...document.querySelectorAll("body *")].map((one) => one.localName + " " +
    [...one.attributes].map(({ name, value }) => name + "=" + value.replace(/;$/, "")).sort() +
    [...one.childNodes].map((node) => node.data ?? "")).join()`);

test("every kind of change is read back and leaves nothing when it is undone", async () => {
  await rig.html(
    `<style>#a { position: absolute !important; color: red; transition: all 3s }</style>
     <div id=a class="x" title="old" style="margin-top: 3px">Total <b>42</b> EUR</div>`,
  );
  const before = await html();
  const told = await patch(1, "#a", {
    styles: [
      ["color", "rgb(0, 0, 255)"],
      ["position", "static"],
      ["margin", "7px"],
    ],
    text: "Sum",
    attributes: [["title", "new"]],
    bare: ["lang"],
    add: ["y"],
    remove: ["x"],
  });
  const change = (name: string) => told.changes.find((one) => one.name === name);
  expect(change("color")).toMatchObject({ before: "rgb(255, 0, 0)", after: "rgb(0, 0, 255)" });
  expect(change("position")).toMatchObject({
    before: "absolute",
    after: "static",
    important: true,
  });
  expect(change("color")?.important).toBe(false);
  expect(change("margin")).toMatchObject({ before: "3px 0px 0px", after: "7px" });
  expect(change("title")).toMatchObject({ before: "old", after: "new" });
  expect(change("y")).toMatchObject({ after: "" });
  expect(told.selector).toBe("#a");
  expect(await rig.page_("document.querySelector('#a').textContent")).toBe("Sum42");
  expect(await rig.page_("document.querySelector('#a').className")).toBe("y");
  const [undone] = await undo(1);
  expect(undone?.changes.some(({ left }) => left)).toBe(false);
  expect(await html()).toBe(before);
});

test("patches of one property come off in any order", async () => {
  await rig.html("<p id=a>words</p>");
  const before = await html();
  const colour = () => rig.page_("getComputedStyle(document.querySelector('#a')).color");
  for (const [number, value] of [
    [1, "rgb(1, 0, 0)"],
    [2, "rgb(2, 0, 0)"],
    [3, "rgb(3, 0, 0)"],
  ] as const) {
    await patch(number, "#a", { styles: [["color", value]] });
  }
  await undo(2);
  expect(await colour()).toBe("rgb(3, 0, 0)");
  await undo(3);
  expect(await colour()).toBe("rgb(1, 0, 0)");
  await undo(1);
  expect(await html()).toBe(before);
  // Committed below another one, it is what that one goes back to.
  await patch(4, "#a", { text: "four" });
  await patch(5, "#a", { text: "five" });
  await rig.get({ op: "unpatch", numbers: [4], keep: true });
  await undo(5);
  expect(await rig.page_("document.querySelector('#a').textContent")).toBe("four");
  expect(await rig.get<Patched[]>({ op: "patches" })).toEqual([]);
});

test("what the page changed meanwhile is left, and said", async () => {
  await rig.html("<p id=a title=old>words</p>");
  await patch(1, "#a", { attributes: [["title", "mine"]], styles: [["color", "red"]] });
  await rig.page_("document.querySelector('#a').title = 'page'");
  const [undone] = await undo(1);
  expect(undone?.changes.map(({ name, left }) => [name, left])).toEqual([
    ["color", false],
    ["title", true],
  ]);
  expect(await rig.page_("document.querySelector('#a').title")).toBe("page");
});

test("what does not come about is an error and leaves nothing", async () => {
  await rig.html(`<p id=a>words</p><input id=p type=password value=hunter2>
    <script>new MutationObserver(() => document.querySelector("#a").removeAttribute("title"))
      .observe(document.querySelector("#a"), { attributeFilter: ["title"] })</script>`);
  const before = await html();
  const ask = async (selector: string, what: Partial<Patch>) => {
    const { id } = await rig.one("css", selector);
    const call = { op: "patch", number: 9, id, patch: { ...NOTHING, ...what } } as const;
    return (await rig.ask<Patched>(call)).error?.code;
  };
  expect(await ask("#a", { styles: [["color", "no colour"]] })).toBe("VALUE_NOT_SET");
  expect(await ask("#a", { attributes: [["title", "x"]], text: "y" })).toBe("VALUE_NOT_SET");
  expect(await ask("#a", {})).toBe("INVALID_ARGUMENT");
  expect(await ask("#p", { text: "x" })).toBe("INVALID_ARGUMENT");
  expect(await ask("#p", { attributes: [["type", "text"]] })).toBe("POLICY");
  expect(await html()).toBe(before);
  expect(JSON.stringify(await patch(3, "#p", { attributes: [["value", "new"]] }))).not.toContain(
    "hunter2",
  );
});

test("stores are listed, read and written by name", async () => {
  await rig.load(`${site.origin}/e2e/small.html`);
  await rig.page_(`localStorage.setItem("theme", "dark"), new Promise((done) => {
    const open = indexedDB.open("app/1", 1);
    open.onupgradeneeded = () => {
      open.result.createObjectStore("carts", { keyPath: "id" }).put({ id: 7, sum: 42 });
      open.result.createObjectStore("plain").put("words", "k/1");
    };
    open.onsuccess = () => (open.result.close(), done());
  })`);
  const store = (
    kind: "local" | "indexeddb",
    what: "list" | "get" | "set" | "delete",
    key: string,
    value?: string,
  ) =>
    rig.ask<Stored>({
      op: "storage",
      store: kind,
      what,
      key,
      values: false,
      limit: 50,
      ...(value !== undefined && { value }),
    });
  const names = async (key: string) =>
    (await store("indexeddb", "list", key)).ok?.entries.map(({ name, size }) => [name, size]);
  expect((await store("local", "list", "")).ok?.entries).toEqual([
    { name: "theme", size: 4, marks: [] },
  ]);
  expect((await store("local", "get", "theme")).ok?.entries[0]?.value).toBe("dark");
  expect((await store("local", "get", "none")).error?.code).toBe("TARGET_NOT_FOUND");
  await store("local", "set", "theme", "light");
  expect(await rig.page_("localStorage.theme")).toBe("light");
  await store("local", "delete", "theme");
  expect(await rig.page_("localStorage.length")).toBe(0);

  expect(await names("")).toEqual([
    ["app/1/carts", 1],
    ["app/1/plain", 1],
  ]);
  expect(await names("app/1/carts")).toEqual([["app/1/carts/7", 17]]);
  expect((await store("indexeddb", "get", "app/1/carts/7")).ok?.entries[0]?.value).toBe(
    '{"id":7,"sum":42}',
  );
  expect((await store("indexeddb", "get", "app/1/plain/k/1")).ok?.entries[0]?.value).toBe("words");
  await store("indexeddb", "set", "app/1/carts", '{"id":8,"sum":1}');
  expect((await store("indexeddb", "set", "app/1/carts", "no object")).error?.code).toBe(
    "VALUE_NOT_SET",
  );
  await store("indexeddb", "delete", "app/1/carts/7");
  expect(await names("app/1/carts")).toEqual([["app/1/carts/8", 16]]);
  expect((await store("indexeddb", "get", "none/x/y")).error?.code).toBe("TARGET_NOT_FOUND");
  await store("indexeddb", "delete", "app/1");
  expect(await names("")).toEqual([]);
});
