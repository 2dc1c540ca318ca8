import { afterAll, beforeAll, expect, test } from "vitest";
import type { Extracted, NextControl } from "../../wire/page.ts";
import { Rig, type Site, serve } from "./act-harness.mjs";

let rig: Rig;
let site: Site;
beforeAll(async () => {
  [rig, site] = await Promise.all([Rig.start(), serve()]);
});
afterAll(() => Promise.all([rig.stop(), site.stop()]));

async function rows(html: string, from = 0, limit = 1000): Promise<Extracted> {
  await rig.html(html);
  return rig.get<Extracted>({ op: "extract", from, limit });
}

const names = (told: Extracted) =>
  told.columns.map(({ name, aside }) => (aside ? `(${name})` : name));
const cells = (told: Extracted) => told.rows.map((row) => row.cells);

test("spans stand in every slot, heads over several columns are said with each", async () => {
  const told = await rows(`<table><caption>Sales</caption>
    <thead><tr><th rowspan=2>Region<th colspan=2>2024<th rowspan=2>Note</tr><tr><th>Q1<th>Q2</tr></thead>
    <tbody><tr><td rowspan=2>North<td>1<td>2<td>a</tr><tr><td>3<td>4<td><a href="/b">b</a></tr>
    <tr><td>South<td colspan=2>none<td>c <table><tr><td>x<td>y</table></tr></tbody>
    <tfoot><tr><td>All<td>4<td>6<td></tr></tfoot></table>`);
  expect(told.kind).toBe("table");
  expect(names(told)).toEqual(["Region", "2024 / Q1", "2024 / Q2", "Note"]);
  expect(cells(told)).toEqual([
    ["North", "1", "2", "a"],
    ["North", "3", "4", "b"],
    ["South", "none", "none", "c x y"],
    ["All", "4", "6", ""],
  ]);
});

test("a part of a table knows what reaches into it from above", async () => {
  const html = `<table><tr><th>A<th>B</tr><tr><td rowspan=3>a<td>1</tr><tr><td>2</tr><tr><td>3</tr></table>`;
  const told = await rows(html, 1, 1);
  expect(cells(told)).toEqual([["a", "2"]]);
  expect(told.next).toBe(2);
});

test("what nobody sees and what is secret is in no cell, what fields show is", async () => {
  const told = await rows(`<table><tr><th>Name<th>Value<th>On</tr>
    <tr><td>a<span hidden>no</span><span style="opacity:0">no</span><td><input value=seen><td><input type=checkbox checked></tr>
    <tr><td>b<td><input type=password value=hunter2><td><input type=checkbox></tr>
    <tr hidden><td>c<td>no<td></tr><tr><td><img alt="A picture"><td><select><option>x<option selected>y</select><td></tr></table>`);
  expect(cells(told)).toEqual([
    ["a", "seen", "yes"],
    ["b", "", "no"],
    ["A picture", "y", ""],
  ]);
});

test("grids by their roles tell places", async () => {
  const told =
    await rows(`<div role=grid aria-rowcount=500><div role=rowgroup><div role=row aria-rowindex=1>
    <div role=columnheader>Id</div><div role=columnheader>City</div></div></div><div role=rowgroup>
    <div role=row aria-rowindex=41><div role=gridcell aria-colindex=1>40</div><div role=gridcell aria-colindex=2>Rome</div></div>
    <div role=row aria-rowindex=42><div role=gridcell aria-colindex=2>Bern</div></div></div></div>`);
  expect(told).toMatchObject({ kind: "grid", declared: 500, total: 2 });
  expect(names(told)).toEqual(["Id", "City"]);
  expect(told.rows).toEqual([
    { cells: ["40", "Rome"], at: 41 },
    { cells: ["", "Bern"], at: 42 },
  ]);
});

test("lists and definitions", async () => {
  const list = await rows(
    `<ul><li><a href="https://a.example/1">One</a><li>Two<li><b>Three</b> more</ul>`,
  );
  expect(names(list)).toEqual(["item", "link"]);
  expect(cells(list)).toEqual([["One", "https://a.example/1"], ["Two"], ["Three more"]]);
  const terms = await rows(
    `<dl><dt>HTTP<dd>a protocol<dd>stateless<div><dt>URL<dd>an address</div></dl>`,
  );
  expect(cells(terms)).toEqual([
    ["HTTP", "a protocol"],
    ["HTTP", "stateless"],
    ["URL", "an address"],
  ]);
});

const card = (nth: number, extra = "") => `<div class="css-1x9z8k product-card">
  <a href="https://shop.example/p/${nth}"><img alt="Picture ${nth}"><h3 class="sc-bdVaJa">Thing ${nth}</h3></a>
  <div class="flex mt-2"><span class="price">${nth},99 €</span><span class="rating">4.${nth}</span></div>
  <div class="tags"><span class="tag">new</span> <span class="tag">red</span></div>
  <p>Some words on thing ${nth}.</p>${extra}<button>Add to cart</button></div>`;

test("cards have columns by the page's own names, the same in every card", async () => {
  const told = await rows(`<nav><ul>${"<li><a href=/x>Menu</a>".repeat(30)}</ul></nav>
    <div class=list>${card(1)}${card(2, '<div class="stock">sold out</div>')}<div class=ad>Ad</div>${card(3)}</div>`);
  expect(told.kind).toBe("cards");
  expect(names(told)).toEqual([
    "image",
    "title",
    "price",
    "rating",
    "tag",
    "text",
    "link",
    "stock",
  ]);
  expect(cells(told)[1]).toEqual([
    "Picture 2",
    "Thing 2",
    "2,99 €",
    "4.2",
    "new, red",
    "Some words on thing 2.",
    "https://shop.example/p/2",
    "sold out",
  ]);
  expect(told.total).toBe(3);
});

test("an element means the rows it holds, is in, or has inside", async () => {
  await rig.html(`<section id=a><h2>A</h2><ul><li>1<li>2<li>3</ul></section>
    <table id=t><tr><th>A<th>B</tr><tr><td id=c>x<td>y</tr></table>`);
  for (const [selector, kind] of [
    ["#a", "list"],
    ["#a li:first-child", "list"],
    ["#c", "table"],
  ]) {
    const { id } = await rig.one("css", selector as string);
    const told = await rig.get<Extracted>({ op: "extract", root: id, from: 0, limit: 0 });
    expect(told.kind).toBe(kind);
    expect(told.rows).toEqual([]);
  }
  await rig.html("<p>Only words.</p>");
  const none = await rig.ask<Extracted>({ op: "extract", from: 0, limit: 9 });
  expect(none.error?.code).toBe("TARGET_NOT_FOUND");
});

const paging = (inner: string) =>
  `<ul id=rows><li>1<li>2<li>3</ul><nav aria-label="Pagination">${inner}</nav>`;

test.each([
  ["by rel", paging(`<a href=/2 rel=next>2</a><a href=/9>Last</a>`), "2"],
  ["by its words", paging(`<a href=/0>Zurück</a><a href=/2>Weiter ›</a>`), "Weiter ›"],
  ["in another script", paging(`<a href=/0>前へ</a><a href=/2>次へ</a>`), "次へ"],
  ["by a sign", paging(`<button>‹</button><button>›</button>`), "›"],
  [
    "by its label",
    paging(`<button aria-label="Next page"><svg width=9 height=9></svg></button>`),
    "Next page",
  ],
  [
    "by the number",
    paging(`<a href=/1 aria-current=page>1</a><a href=/2>2</a><a href=/3>3</a>`),
    "2",
  ],
  ["as more of it", `<ul id=rows><li>1<li>2<li>3</ul><button>Load more</button>`, "Load more"],
])("the way on is found %s", async (_, html, name) => {
  await rig.html(html);
  const { id } = await rig.one("css", "#rows");
  const next = await rig.get<NextControl>({ op: "next_control", root: id });
  expect(next.element?.name).toBe(name);
  expect(next.disabled).toBe(false);
});

test("what is off says so, and steps of forms and slides are no pages", async () => {
  await rig.html(paging(`<ul><li class="page-item disabled"><a href="#">Next</a></ul>`));
  expect((await rig.get<NextControl>({ op: "next_control" })).disabled).toBe(true);
  await rig.html(`<form><input><button>Next</button></form>
    <div class="swiper"><button aria-label="Next">›</button></div>`);
  expect((await rig.get<NextControl>({ op: "next_control" })).element ?? null).toBe(null);
});

// Last: such a page takes its time to go.
test("20,000 rows are read in parts, none of which holds up the page for long", async () => {
  await rig.html(`<table id=t><thead><tr><th>Id<th>Name</tr></thead><tbody></tbody></table><script>
    document.querySelector("tbody").innerHTML = Array.from({length: 20000}, (_, at) =>
      "<tr><td>" + at + "<td>Name " + at + "</tr>").join("")</script>`);
  let [from, parts, slowest] = [0, 0, 0];
  const seen = new Set<string>();
  const { id } = await rig.one("css", "#t");
  const began = performance.now();
  await rig.get<Extracted>({ op: "extract", root: id, from: 0, limit: 0 });
  console.info(`fixed cost ${(performance.now() - began).toFixed()} ms`);
  for (;;) {
    const start = performance.now();
    const told = await rig.get<Extracted>({ op: "extract", root: id, from, limit: 5000 });
    slowest = Math.max(slowest, performance.now() - start);
    parts += 1;
    for (const { cells } of told.rows) seen.add(cells.join("|"));
    if (told.next === undefined || told.next === null) break;
    from = told.next;
  }
  console.info(
    `20,000 rows: ${parts} parts, slowest ${slowest.toFixed()} ms, all ${(performance.now() - began).toFixed()} ms`,
  );
  expect(seen.size).toBe(20_000);
  expect(slowest).toBeLessThan(10_000);
}, 60_000);
