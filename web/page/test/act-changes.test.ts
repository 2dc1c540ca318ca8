import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Changes, Matches } from "../../wire/page.ts";
import { Rig } from "./act-harness.mjs";

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.stop());
beforeEach(() => rig.open("act-changes.html"));

async function after(button: string): Promise<Changes> {
  await rig.click(await rig.one("role", "button", button));
  return rig.get<Changes>({ op: "changes", limit: 10 });
}

test("a press without effect is no change", async () => {
  const changes = await after("Nothing");
  expect(changes).toMatchObject({ added: [], removed: [], changed: [], sameDocument: true });
  expect(changes.input).toMatchObject({ arrived: 1, onTarget: true });
});

test("what came and what is called differently", async () => {
  const { added, changed, removed } = await after("Add");
  expect(added).toMatchObject([{ role: "status", name: "Added to cart" }]);
  expect(changed).toMatchObject([{ node: { name: "Cart (1)" }, oldName: "Cart (0)" }]);
  expect(removed).toEqual([]);
});

test("words that change inside the same element", async () => {
  const { added, removed, changed } = await after("Text");
  expect([added, removed]).toEqual([[], []]);
  expect(changed).toMatchObject([
    { node: { name: "Total 756.00 EUR" }, oldName: "Total 407.00 EUR" },
  ]);
});

test("a menu that opens: the button's state, the menu as a tree, the focus", async () => {
  const { added, changed, focus } = await after("More");
  expect(changed).toMatchObject([
    { node: { name: "More" }, begun: [{ k: "expanded" }], ended: [{ k: "collapsed" }] },
  ]);
  expect(added).toMatchObject([
    { role: "menu", children: [{ role: "menuitem", name: "Rename" }, { name: "Delete" }] },
  ]);
  expect(focus?.name).toBe("Rename");
});

test("the same rendered again is no change and keeps its numbers", async () => {
  const before = await rig.get<Matches>({
    op: "resolve",
    step: { by: "role", role: "button", name: "Remove" },
    limit: 5,
  });
  const { added, removed, changed } = await after("Render again");
  expect([added, removed, changed]).toEqual([[], [], []]);
  const now = await rig.find("role", "button", "Remove");
  const ids = (matches: Matches): number[] => matches.candidates.map((element) => element.id);
  expect(ids(now)).toEqual(ids(before));
});

test("an item that goes from a list that is rendered anew is the only thing told", async () => {
  const { added, removed, changed } = await after("Drop second");
  expect(added).toEqual([]);
  expect(changed).toEqual([]);
  expect(removed).toHaveLength(1);
  expect(JSON.stringify(removed)).toContain("Beta");
});

test("a list that is sorted says its new order, however that was done", async () => {
  for (const sort of ["Sort", "Draw sorted"]) {
    const { added, removed, changed } = await after(sort);
    expect([added, removed]).toEqual([[], []]);
    expect(changed).toHaveLength(1);
    const [first] = changed[0]?.order ?? [];
    expect(first).toBe(sort === "Sort" ? "Gamma" : "Alpha");
  }
});

test("many neighbours of one kind are told by the first few", async () => {
  const { removed, more } = await after("Hide");
  expect(removed).toHaveLength(3);
  expect(more).toBeGreaterThan(5);
});

test("a box that a script ticks is seen, though no mutation tells", async () => {
  const { changed } = await after("Tick");
  expect(changed).toMatchObject([{ node: { name: "Box" }, begun: [{ k: "checked" }] }]);
});

test("what a dialog hides from readers behind it neither goes nor comes back", async () => {
  const opened = await after("Modal");
  expect(opened.removed).toEqual([]);
  expect(opened.added).toMatchObject([{ role: "dialog", name: "Sure" }]);
  const closed = await after("Cancel");
  expect(closed.added).toEqual([]);
  expect(closed.removed).toMatchObject([{ element: { role: "dialog", name: "Sure" }, inside: 1 }]);
});

test("a panel that opens by aria-hidden is told", async () => {
  expect(JSON.stringify((await after("Details")).added)).toContain("Inner words");
});

test("scrolling is told apart", async () => {
  const changes = await after("Down");
  expect(changes.scrolled).toEqual([0, 500]);
  expect(changes.changed).toEqual([]);
});

test("large documents are compared by what was touched", async () => {
  await rig.page_(
    `document.querySelector("main").insertAdjacentHTML("beforeend", "<p><b>x</b><i>y</i></p>".repeat(3000))`,
  );
  const added = await after("Add");
  expect(JSON.stringify(added.added)).toContain("Added to cart");
  expect(added.changed).toMatchObject([{ node: { name: "Cart (1)" }, oldName: "Cart (0)" }]);
  const ticked = await after("Tick");
  expect(ticked.changed).toMatchObject([{ node: { name: "Box" }, begun: [{ k: "checked" }] }]);
  const menu = await after("More");
  expect(menu.changed).toMatchObject([{ node: { name: "More" }, begun: [{ k: "expanded" }] }]);
  const dropped = await after("Drop second");
  expect(JSON.stringify(dropped.removed)).toContain("Beta");
});
