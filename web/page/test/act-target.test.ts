import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Element, Matches } from "../../wire/page.ts";
import { type By, Rig } from "./act-harness.mjs";

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.stop());
beforeEach(() => rig.open("act-targets.html"));

const names = (matches: Matches): string[] => matches.candidates.map((element) => element.name);

async function found(by: By, what: string, name = ""): Promise<[string, string[]]> {
  const matches = await rig.find(by, what, name);
  return [matches.fit, names(matches)];
}

test("equal comes before starts-with before contains", async () => {
  expect(await found("role", "button", "save")).toEqual(["equal", ["Save"]]);
  expect(await found("role", "button", "save d")).toEqual(["starts", ["Save draft"]]);
  expect(await found("role", "button", "not  SAVE")).toEqual(["contains", ["Do not save"]]);
});

test("only visible elements count, hidden ones are told apart", async () => {
  const matches = await rig.find("role", "button", "Ghost");
  expect(matches).toMatchObject({ fit: "near", total: 0, hidden: 1 });
  expect(matches.firstHidden?.name).toBe("Ghost");
});

test("a row is found by its words, whole words first, a cell's words best", async () => {
  const row = await rig.one("role", "row", "Ann");
  const inside = await rig.get<Matches>({
    op: "resolve",
    step: { by: "role", role: "button", name: "Edit" },
    within: row.id,
    limit: 5,
  });
  expect(inside.total).toBe(1);
  expect(inside.candidates[0]?.row).toBe("Ann");
  expect((await rig.one("role", "row", "jo@x.example")).name).toBe("Joanna Doe");
});

test("a card without a role is found like a row", async () => {
  const card = await rig.one("role", "item", "Oak table");
  const inside = await rig.get<Matches>({
    op: "resolve",
    step: { by: "role", role: "button", name: "Buy" },
    within: card.id,
    limit: 5,
  });
  expect(inside.total).toBe(1);
});

test("text finds the innermost element, or the button or link around it", async () => {
  expect(await rig.one("text", "sign in")).toMatchObject({ role: "button", name: "Sign in" });
  expect(await rig.one("text", "terms")).toMatchObject({ role: "link" });
  expect((await rig.one("text", "plain words here")).role).toBe("span");
});

test("a label is also a placeholder, a title, a reference or a hidden box's words", async () => {
  const at = async (text: string): Promise<string> => {
    const element: Element = await rig.one("label", text);
    return String(await rig.inWorld(`__pillion.element(${element.id}).id`));
  };
  expect(await at("Email")).toBe("mail");
  expect(await at("Search orders")).toBe("q");
  expect(await at("Zip code")).toBe("zip");
  expect(await at("phone")).toBe("tel");
  expect(await at("Country")).toBe("land");
  expect(await at("Newsletter")).toBe("news");
});

test("CSS and roles reach into shadow roots", async () => {
  expect((await rig.one("css", "my-box button", "").catch(() => null)) ?? "crosses no root").toBe(
    "crosses no root",
  );
  expect((await rig.one("role", "button", "Inside shadow")).name).toBe("Inside shadow");
  const broken = await rig.ask({
    op: "resolve",
    step: { by: "css", selector: "a[" },
    limit: 5,
  });
  expect(broken.error?.code).toBe("INVALID_ARGUMENT");
});

test("roles have near synonyms", async () => {
  expect((await rig.one("role", "textbox", "Search orders")).role).toBe("searchbox");
  expect((await rig.one("role", "select", "Country")).role).toBe("combobox");
  expect((await rig.one("role", "clickable", "Bank transfer")).role).toBe("clickable");
  expect((await rig.one("role", "button", "Bank transfer")).role).toBe("clickable");
});

test("halves of characters in a page do not spoil an answer", async () => {
  await rig.page_(
    `document.querySelector("h1").textContent = "A" + String.fromCharCode(0xd83d), 1`,
  );
  const heading = await rig.one("role", "heading", "A\ufffd".slice(0, 1));
  expect(heading.name).toBe("A\ufffd");
});

test("what fits nothing gets near suggestions", async () => {
  const matches = await rig.find("role", "button", "Sav draf");
  expect(matches).toMatchObject({ fit: "near", total: 0 });
  expect(names(matches)).toContain("Save draft");
});

test("a re-rendered element keeps its number only when exactly one fits", async () => {
  const edit = await rig.get<Matches>({
    op: "resolve",
    step: { by: "role", role: "button", name: "Edit" },
    limit: 5,
  });
  const [first, second] = edit.candidates;
  await rig.page_("new Promise((done) => setTimeout(done, 50))");
  await rig.page_(`{ const t = document.querySelector("tbody"); t.innerHTML = t.innerHTML; 1 }`);
  const again = await rig.get<Element>({ op: "describe", id: first?.id ?? 0 });
  expect(again).toMatchObject({ refound: true, row: "Joanna Doe" });
  await rig.page_(
    `{ const t = document.querySelector("tbody"); t.rows[2].remove(); t.innerHTML = t.innerHTML; 1 }`,
  );
  const gone = await rig.ask({ op: "describe", id: second?.id ?? 0 });
  expect(gone.error?.code).toBe("REF_GONE");
});
