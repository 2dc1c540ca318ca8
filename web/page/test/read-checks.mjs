// What the reading half answers for the pages `tests/fixtures/read-*.html`. Outlines are compared
// with golden/*.txt; UPDATE_GOLDEN=1 writes them anew.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fixtures, snapshot } from "./read-harness.mjs";
import { render } from "./read-render.mjs";

const goldens = join(dirname(fileURLToPath(import.meta.url)), "golden");
const address = (name) => pathToFileURL(join(fixtures, `read-${name}.html`)).href;

async function golden(name, text) {
  const file = join(goldens, `read-${name}.txt`);
  if (process.env.UPDATE_GOLDEN) await writeFile(file, `${text}\n`);
  assert.equal(`${text}\n`, await readFile(file, "utf8"));
}

function find(nodes, fits) {
  for (const node of nodes) {
    const found = fits(node) ? node : find(node.children ?? [], fits);
    if (found) return found;
  }
  return undefined;
}

const whole =
  "login mixed table lists hidden widgets clobber shadow many odd boards article mail".split(" ");

export const checks = whole.map((name) => ({
  name: `the outline of read-${name}.html`,
  async run(reader) {
    const { run } = await reader.open(address(name));
    await golden(name, render(await run(snapshot())));
  },
}));

function check(name, run) {
  checks.push({ name, run });
}

check("words that nobody could read are no text", async (reader) => {
  const { run } = await reader.open(address("unreadable"));
  const [part] = await run("reader.pageText()");
  assert.equal(part.words.includes("lost"), false, part.words);
  for (let n = 1; n <= 9; n += 1) assert.match(part.words, new RegExp(`seen ${n}`));
});

check("a folded list goes on at any item", async (reader) => {
  const { run } = await reader.open(address("lists"));
  const { nodes } = await run(snapshot());
  for (const total of [25, 12, 11, 30]) {
    const list = find(nodes, (node) => node.list?.total === total);
    const { nodes: more } = await run(snapshot({ root: list.id, item: 10 }));
    assert.equal(more[0].id, list.id);
    assert.deepEqual(
      { first: more[0].list.first, shown: more[0].list.shown, total: more[0].list.total },
      { first: 10, shown: Math.min(10, total - 10), total },
    );
    assert.equal(more[0].children.length, more[0].list.shown);
  }
});

check("a table goes on at any row, and hidden rows do not count", async (reader) => {
  const { run } = await reader.open(address("table"));
  const { nodes } = await run(snapshot());
  const table = find(nodes, (node) => node.list?.total === 59);
  const { nodes: more } = await run(snapshot({ root: table.id, item: 55 }));
  assert.equal(more[0].list.shown, 4);
  assert.ok(find(more, (node) => node.name === "Lea Fox 59"));
});

check("a query finds rows beyond the fold, whole and with whole words first", async (reader) => {
  const { run } = await reader.open(address("table"));
  const outline = await run(snapshot({ query: ["lea", "fox", "59"] }));
  assert.equal(outline.matches, 1);
  const table = find(outline.nodes, (node) => node.role === "table");
  assert.deepEqual([table.list.first, table.list.shown, table.list.total], [58, 1, 59]);
  assert.ok(find([table], (node) => node.name === "Delete" && node.acts));
  const lists = await reader.open(address("lists"));
  const lamps = await lists.run(snapshot({ query: ["lamp 2"] }));
  assert.equal(find(lamps.nodes, (node) => node.role === "link").name, "Lamp 2");
  assert.equal(lamps.matches, 7);
  const none = await lists.run(snapshot({ query: ["zebra"] }));
  assert.deepEqual([none.matches, none.nodes], [0, []]);
});

check("what follows an element begins right after its line", async (reader) => {
  const { run } = await reader.open(address("login"));
  const { nodes } = await run(snapshot());
  const region = find(nodes, (node) => node.name === "Region");
  await golden("after", render(await run(snapshot({ after: region.id }))));
});

check("the walk stops at the budget and tells the size", async (reader) => {
  const { run } = await reader.open(address("lists"));
  const full = await run(snapshot());
  const cut = await run(snapshot({ maxChars: 100 }));
  assert.equal(cut.cut, true);
  assert.equal(full.cut, false);
  assert.ok(cut.nodes.length < full.nodes.length || JSON.stringify(cut).length < 4_000);
  assert.ok(cut.size > 20, `size ${cut.size}`);
});

check("depth bounds the levels", async (reader) => {
  const { run } = await reader.open(address("login"));
  const { nodes } = await run(snapshot({ depth: 1 }));
  assert.deepEqual(
    nodes.map((node) => [node.role, node.children?.length ?? 0]),
    [
      ["banner", 0],
      ["main", 0],
      ["contentinfo", 0],
    ],
  );
});

check("no password or one-time code is ever told", async (reader) => {
  const { run } = await reader.open(address("login"));
  for (const call of [snapshot(), "reader.lines(document, 1000)", "reader.pageText()"]) {
    const said = JSON.stringify(await run(call));
    for (const secret of ["hunter22", "123456", "654321"]) assert.ok(!said.includes(secret), call);
  }
  const states = await run(`reader.statesOf(document.querySelector("#password"))`);
  assert.deepEqual(
    states.find((state) => state.k === "masked"),
    { k: "masked", v: 8 },
  );
});

check("flat lines are not folded and name their elements", async (reader) => {
  const { run } = await reader.open(address("table"));
  const count = await run(
    `(() => { const all = reader.lines(document, 5000);
      return [all.complete, all.lines.filter((line) => line.node.role === "row").length,
        all.lines.every((line) => line.el.nodeType === 1)]; })()`,
  );
  assert.deepEqual(count, [true, 62, true]);
  assert.equal(await run(`reader.lines(document, 50).complete`), false);
});

check("text is what a reader sees, with tabs between cells", async (reader) => {
  const hidden = await reader.open(address("hidden"));
  const [part] = await hidden.run("reader.pageText()");
  assert.ok(!part.words.includes("no:"), part.words);
  assert.match(part.words, /^Seen 1\n+Seen 2\n+Seen 3\n+Summary\nOnly drawn\n/);
  const table = await reader.open(address("table"));
  const [cells] = await table.run(`reader.pageText(document.querySelector("tbody"))`);
  assert.equal(cells.words.split("\n")[0], "\tAnn Lee\tu0@x.example\t\tEdit Delete");
});

check("an element is described by role, words and its row", async (reader) => {
  const { run } = await reader.open(address("table"));
  const edit = await run(`reader.describe(document.querySelectorAll("tbody button")[2])`);
  assert.deepEqual([edit.role, edit.name, edit.row], ["button", "Edit", "Bob Ray"]);
  const row = await run(`reader.describe(document.querySelectorAll("tbody tr")[1])`);
  assert.deepEqual([row.role, row.name], ["row", "Bob Ray"]);
});

check("visible is what a person could see", async (reader) => {
  const { run } = await reader.open(address("hidden"));
  const wrong = await run(
    `[...document.querySelectorAll("p,div,span,b")].filter((el) => {
      const own = [...el.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("");
      if (own.trim() === "" || el.closest("span[style]")) return false;
      return reader.isVisible(el) !== /Seen|Only drawn/.test(own);
    }).map((el) => el.outerHTML)`,
  );
  assert.deepEqual(wrong, []);
});

check("roles and names agree with the browser's own tree", async (reader) => {
  const alias = { image: "img", gridcell: "gridcell", Canvas: "img", SvgRoot: "img" };
  const wrong = [];
  for (const name of ["login", "mixed", "table", "lists", "shadow"]) {
    const { cdp, run } = await reader.open(address(name));
    await cdp.send("Accessibility.enable");
    const { root } = await cdp.send("DOM.getDocument", { depth: 0 });
    const selector = "a[href],button,input,select,textarea,h1,h2,h3,nav,main,li,table,th,[role]";
    const { nodeIds } = await cdp.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector });
    const ours = await run(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((el) => [reader.roleOf(el), reader.nameOf(el)])`,
    );
    for (const [index, nodeId] of nodeIds.entries()) {
      const { nodes } = await cdp.send("Accessibility.getPartialAXTree", {
        nodeId,
        fetchRelatives: false,
      });
      const [node] = nodes;
      if (!node || node.ignored) continue;
      const role = alias[node.role.value] ?? node.role.value;
      const words = (node.name?.value ?? "").replace(/\s+/g, " ").trim();
      const [ownRole, ownName] = ours[index];
      if (!/^[a-z]+$/.test(role) || role === "generic") continue;
      if (role !== ownRole || words !== ownName) wrong.push([name, role, words, ownRole, ownName]);
    }
    await cdp.send("Accessibility.disable");
  }
  assert.deepEqual(wrong, []);
});

check("Markdown keeps headings, links, lists, tables and code", async (reader) => {
  const { run } = await reader.open(address("article"));
  const [part] = await run("reader.pageMarkdown()");
  await golden("article-markdown", part.words);
  const [article] = await run("reader.pageArticle()");
  await golden("article-main", article.words);
  assert.equal(/Privacy|Create account|Related/.test(article.words), false);
});

check("Markdown has no hidden words, and nested lists keep their depth", async (reader) => {
  const hidden = await reader.open(address("hidden"));
  const [plain] = await hidden.run("reader.pageText()");
  const [part] = await hidden.run("reader.pageMarkdown()");
  const words = (text) => text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  assert.equal(words(part.words), words(plain.words));
  const lists = await reader.open(address("lists"));
  const [nested] = await lists.run("reader.pageMarkdown()");
  await golden("lists-markdown", nested.words);
});
