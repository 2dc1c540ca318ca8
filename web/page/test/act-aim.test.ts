import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Rig, serve } from "./act-harness.mjs";

let rig: Rig;
let site: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  rig = await Rig.start();
  site = await serve();
});
afterAll(async () => {
  await rig.stop();
  await site.stop();
});
beforeEach(() => rig.load(`${site.origin}/act-aim.html`));

interface Told {
  readonly element?: { readonly name: string; readonly role: string };
  readonly form?: string | null;
  readonly pays?: boolean;
  readonly point?: { readonly x: number; readonly y: number };
  readonly refused?: string;
}

async function number(id: string): Promise<number> {
  const matches = await rig.get({
    op: "resolve",
    step: { by: "css", selector: `#${id}` },
    limit: 1,
  });
  const { candidates, firstHidden } = matches as {
    candidates: { id: number }[];
    firstHidden: { id: number } | null;
  };
  return candidates[0]?.id ?? firstHidden?.id ?? 0;
}

const ask = async (what: string): Promise<Told | null> =>
  JSON.parse(String(await rig.inWorld(`JSON.stringify(__pillion.${what})`))) as Told | null;
const press = async (id: string, how = "press") => ask(`pressPoint(${await number(id)}, "${how}")`);

test("a press is told with its point, and as what a person would call it", async () => {
  const save = await press("save");
  expect(save).toMatchObject({ element: { role: "button", name: "Save" }, pays: false });
  const { x = 0, y = 0 } = save?.point ?? {};
  const hit = await rig.page_<string>(`document.elementFromPoint(${x}, ${y}).id`);
  expect(hit).toBe("save");
  expect(await press("word")).toMatchObject({ element: { role: "button", name: "Delete" } });
});

test("what a press would not reach is refused", async () => {
  expect(await press("off")).toEqual({ refused: "ELEMENT_DISABLED" });
  expect(await press("off", "drop")).toMatchObject({ element: { name: "Off" } });
  expect(await press("hidden")).toEqual({ refused: "ELEMENT_HIDDEN" });
  expect(await press("covered")).toEqual({ refused: "ELEMENT_COVERED" });
  const id = await number("save");
  await rig.page_("document.getElementById('save').remove()");
  expect(await ask(`pressPoint(${id}, "press")`)).toBeNull();
  expect(await ask('pointAbove("0123456789abcdef", 1, 1)')).toBeNull();
});

test.each(["pay", "buy", "zh", "card", "next", "number", "then"])(
  "%s may cost money",
  async (id) => {
    expect(await ask(`aimOf(${await number(id)})`)).toMatchObject({ pays: true });
  },
);

test.each(["save", "payload", "commit", "named", "postcard", "send"])(
  "%s costs nothing by its looks",
  async (id) => {
    expect(await ask(`aimOf(${await number(id)})`)).toMatchObject({ pays: false });
  },
);
