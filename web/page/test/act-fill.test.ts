import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { FillOutcome, Kept } from "../../wire/page.ts";
import { Rig } from "./act-harness.mjs";

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.stop());
beforeEach(() => rig.open("act-fill.html"));

async function fill(id: string, value: string): Promise<FillOutcome> {
  return rig.fill(
    await rig
      .get({ op: "resolve", step: { by: "css", selector: `#${id}` }, limit: 1 })
      .then((matches) => {
        const { candidates, firstHidden } = matches as { candidates: []; firstHidden: null };
        const [element] = [...candidates, firstHidden];
        if (!element) throw new Error(`no ${id}`);
        return element;
      }),
    value,
  );
}

const value = (id: string): Promise<string> => rig.page_<string>(`${id}.value`);
const events = (): Promise<string> => rig.page_<string>("events.join()");

test("text is typed by trusted input and read back", async () => {
  expect(await fill("who", "Grace 👩‍👧 é")).toMatchObject({ is: "set" });
  expect(await value("who")).toBe("Grace 👩‍👧 é");
  expect(await events()).toBe("who input");
  expect(await fill("who", "")).toMatchObject({ is: "set" });
  expect(await value("who")).toBe("");
});

test("what the page makes of a field later is found by a last look", async () => {
  const ids: number[] = [];
  for (const [id, text] of [
    ["who", "Grace"],
    ["notes", "x"],
    ["pw", "pass word"],
    ["yes", "true"],
    ["land", "de"],
  ] as const) {
    ids.push((await fill(id, text)).element.id);
  }
  const look = () => rig.get<Kept[]>({ op: "kept", ids });
  expect(await look()).toEqual([]);
  await rig.page_(
    "who.value = 'GRACE', notes.value = '', pw.value = 'other', yes.checked = false, 1",
  );
  const [who, notes, password, box] = ids;
  expect(await look()).toEqual([
    { id: who, holds: "GRACE" },
    { id: notes, holds: "" },
    { id: password, holds: null },
    { id: box, holds: "false" },
  ]);
  await rig.page_("who.closest('label').remove(), 1");
  expect(await rig.get<Kept[]>({ op: "kept", ids: ids.slice(0, 1) })).toEqual([]);
});

test("a value that the field formats counts as set", async () => {
  expect(await fill("amount", "1234567")).toMatchObject({ is: "set", shows: "1,234,567" });
});

test("a value that does not stick is told with what was kept", async () => {
  expect(await fill("stub", "x")).toMatchObject({ is: "failed", code: "VALUE_NOT_SET", kept: "" });
  expect(await fill("short", "12345")).toMatchObject({
    is: "failed",
    kept: "123",
    rule: "maxlength 3",
  });
});

test("passwords are never told", async () => {
  expect(JSON.stringify(await fill("pw", "s3cret!"))).not.toContain("s3cret");
  expect(await value("pw")).toBe("s3cret!");
});

test("a code in a field that is one by its name only is not told, also when the field formats it", async () => {
  expect(JSON.stringify(await fill("second", "482913"))).not.toContain("913");
  expect(await value("second")).toBe("482-913");
});

test("a long text is set at once", async () => {
  const text = "row of words\n".repeat(3000);
  expect(await fill("notes", text)).toMatchObject({ is: "set" });
  expect(await value("notes")).toBe(text);
  expect(await events()).toBe("notes input,notes change");
});

test("fields that cannot be changed are refused", async () => {
  expect(await fill("fixed", "x")).toMatchObject({ is: "failed", code: "ELEMENT_READONLY" });
  expect(await fill("off", "x")).toMatchObject({ is: "failed", code: "ELEMENT_DISABLED" });
});

test.each([
  ["date", "2027-02-28", "2027-02-28"],
  ["time", "9:05 pm", "21:05"],
  ["count", "7", "7"],
  ["colour", "#12ab34", "#12ab34"],
  ["volume", "35", "35"],
])("%s takes %s", async (id, asked, kept) => {
  expect(await fill(id, asked)).toMatchObject({ is: "set" });
  expect(await value(id)).toBe(kept);
  expect(await events()).toBe(`${id} input,${id} change`);
});

test("impossible values are refused and leave the field alone", async () => {
  await fill("date", "2027-02-28");
  expect(await fill("date", "2026-02-30")).toMatchObject({ is: "failed", kept: "2027-02-28" });
  expect(await fill("count", "11")).toMatchObject({ is: "failed", rule: "max 10" });
  expect(await value("count")).toBe("");
});

test("lists are chosen from by value, label or index, with one change event", async () => {
  expect(await fill("land", "Germany")).toMatchObject({ is: "set" });
  expect(await value("land")).toBe("de");
  expect(await fill("land", "")).toMatchObject({ is: "set" });
  expect(await value("land")).toBe("");
  await fill("land", "2");
  expect(await value("land")).toBe("pt");
  expect((await events()).split(",").filter((event) => event === "land change")).toHaveLength(3);
  expect(await fill("land", "Peru")).toMatchObject({ is: "failed", code: "ELEMENT_DISABLED" });
  expect(await fill("land", "Portugl")).toMatchObject({
    is: "failed",
    code: "OPTION_NOT_FOUND",
    near: ["Portugal"],
    options: 4,
  });
});

test("several options are chosen by a JSON list", async () => {
  expect(await fill("tags", '["red","blue"]')).toMatchObject({ is: "set" });
  expect(await rig.page_("Array.from(tags.selectedOptions, (o) => o.text).join()")).toBe(
    "red,blue",
  );
  expect(await events()).toBe("tags input,tags change");
});

test("boxes and radios are pressed only when they differ", async () => {
  expect(await fill("yes", "true")).toMatchObject({ is: "set" });
  expect(await fill("yes", "on")).toMatchObject({ is: "set" });
  expect(await events()).toBe("yes input,yes change");
  expect(await fill("r2", "true")).toMatchObject({ is: "set" });
  expect(await fill("r2", "false")).toMatchObject({ is: "failed", code: "VALUE_NOT_SET" });
});

test("widgets are left to real presses", async () => {
  expect(await fill("night", "true")).toMatchObject({ is: "press", element: { role: "switch" } });
  expect(await fill("size", "Large")).toMatchObject({ is: "press", option: "Large" });
  expect(await fill("size", "Small")).toMatchObject({ is: "set" });
});

test("groups of radios and lists are chosen from by words", async () => {
  expect(await fill("ship", "Fast")).toMatchObject({ is: "set" });
  expect(await rig.page_("s2.checked")).toBe(true);
  expect(await fill("ship", "Never")).toMatchObject({ is: "failed", code: "OPTION_NOT_FOUND" });
  expect(await fill("lb", "Blue")).toMatchObject({ is: "press", element: { name: "Blue" } });
  expect(await fill("chooser", "Bergen")).toMatchObject({ is: "press", option: "Bergen" });
});

test("editors keep their lines, and what refuses to change is told", async () => {
  expect(await fill("rich", "one\ntwo")).toMatchObject({ is: "set" });
  expect(await rig.page_("rich.innerText.trim().split(/\\n+/).join('|')")).toBe("one|two");
  expect(await fill("iron", "gold")).toMatchObject({ is: "failed", kept: "iron" });
});

test("an editable area inside a button stays itself", async () => {
  expect(await fill("title", "Hello, World!")).toMatchObject({ is: "set" });
  expect(await rig.page_("title.textContent")).toBe("Hello, World!");
});

test("a code is spread over its boxes", async () => {
  expect(await fill("pin", "123")).toMatchObject({ is: "set" });
  expect(await rig.page_("Array.from(pin.children, (i) => i.value).join('')")).toBe("123");
});

test("files go to inputs and drop zones", async () => {
  const label = await rig.one("text", "Attach");
  const outcome = await rig.fill(label, "/x/a.txt");
  expect(outcome).toMatchObject({ is: "files", multiple: true });
  const files = JSON.stringify([{ name: "a ü.txt", mime: "text/plain", data: "aGk=" }]);
  await rig.inWorld(`__pillion.setFiles(${outcome.element.id}, ${files})`);
  expect(await rig.page_("file.files[0].name + file.files[0].size")).toBe("a ü.txt2");
  const zone = await rig.one("text", "Drop files here");
  expect(await rig.fill(zone, "/x/a.txt")).toMatchObject({ is: "files" });
  await rig.inWorld(`__pillion.setFiles(${zone.id}, ${files})`);
  expect(await rig.page_("dropped")).toBe("a ü.txt");
  const pick = await rig.fill(await rig.one("role", "button", "Choose a picture"), "/x/a.txt");
  // Which input a button's chooser is for is not guessed at.
  expect(pick).toMatchObject({ is: "failed", code: "INVALID_ARGUMENT" });
  const loose = await rig.inWorld(`
    globalThis.loose = Object.assign(document.createElement("input"), { type: "file" });
    const id = __pillion.adopt(loose);
    __pillion.setFiles(id, ${files}).then(() => loose.files[0].name)`);
  expect(loose).toBe("a ü.txt");
  const plain = await rig.one("text", "Upload nothing here");
  const refused = await rig.inWorld(
    `__pillion.setFiles(${plain.id}, ${files}).catch((fault) => fault.wire().code)`,
  );
  expect(refused).toBe("VALUE_NOT_SET");
});
