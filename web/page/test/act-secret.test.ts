import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Rig, serve } from "./act-harness.mjs";

const SECRET = "correct horse battery";

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
beforeEach(() => rig.load(`${site.origin}/act-secret.html`));

/** `done`, or the code and words of the refusal. */
async function fill(id: string, origins = [site.origin]): Promise<string> {
  const matches = await rig.get({
    op: "resolve",
    step: { by: "css", selector: `#${id}` },
    limit: 1,
  });
  const { candidates, firstHidden } = matches as {
    candidates: { id: number }[];
    firstHidden: { id: number } | null;
  };
  const number = candidates[0]?.id ?? firstHidden?.id;
  return inWorld(filling(number, origins));
}

/** A script that fills and tells what came of it. */
function filling(id: unknown, origins: string[]): string {
  return `(() => {
    const { heard, error } = __pillion.fillSecret(${id}, ${JSON.stringify(SECRET)}, ${JSON.stringify(origins)});
    return error ? error.code + ": " + error.message + (heard ? " (heard)" : "") : "done";
  })()`;
}

function inWorld(script: string, frame = ""): Promise<string> {
  return rig.inWorld(script, frame) as Promise<string>;
}

/** What the field holds, read behind whatever the page patched. */
const held = (id: string): Promise<string> =>
  inWorld(`document.getElementById(${JSON.stringify(id)}).value`);

test("a password field of the site takes the secret, and the page hears of it", async () => {
  expect(await fill("pass")).toBe("done");
  expect(await held("pass")).toBe(SECRET);
  expect(await rig.page_<number>("seen.length")).toBe(1);
});

test("a one-time-code field takes it; it is masked from then on, also when it was open", async () => {
  expect(await fill("code")).toBe("done");
  const outline = JSON.stringify(await rig.get({ op: "snapshot", maxChars: 5_000 }));
  expect(outline).not.toContain("horse");
  await inWorld('document.getElementById("code").removeAttribute("autocomplete")');
  const again = JSON.stringify(await rig.get({ op: "snapshot", maxChars: 5_000 }));
  expect(again).not.toContain("horse");
});

test.each(["renamed", "comment", "editor", "user"])("%s is no place for a secret", async (id) => {
  expect(await fill(id)).toMatch(/^APPROVAL_DENIED/);
  expect(await inWorld(`document.documentElement.innerHTML`)).not.toContain("horse");
});

test("the guard is told of a field what it has to show, and may let an odd one take it", async () => {
  const look = async (id: string) => {
    const step = { by: "css", selector: `#${id}` } as const;
    const { candidates } = (await rig.get({ op: "resolve", step, limit: 1 })) as {
      candidates: { id: number }[];
    };
    const number = candidates[0]?.id;
    const told = await inWorld(`JSON.stringify(__pillion.lookForSecret(${number}))`);
    return { number, told: JSON.parse(told) as Record<string, unknown> };
  };
  expect((await look("pass")).told).toMatchObject({ takes: true });
  const away = (await look("away")).told;
  expect(away.targets).not.toContain(site.origin);
  const { number, told } = await look("renamed");
  expect(told).toMatchObject({ takes: false, element: { role: "textbox" } });
  for (const id of ["comment", "editor"]) {
    expect((await look(id)).told).toMatchObject({ error: { code: "APPROVAL_DENIED" } });
  }
  const origins = JSON.stringify([site.origin]);
  const filled = await inWorld(
    `JSON.stringify(__pillion.fillSecret(${number}, ${JSON.stringify(SECRET)}, ${origins}, true))`,
  );
  expect(JSON.parse(filled)).toEqual({ heard: true, error: null });
  expect(await held("renamed")).toBe(SECRET);
  const outline = JSON.stringify(await rig.get({ op: "snapshot", maxChars: 5_000 }));
  expect(outline).not.toContain("horse");
});

test.each([
  ["away", /form sends to a site/],
  ["button", /form sends to a site/],
  ["script", /form sends to a site/],
  ["turning", /form sends to a site/],
  ["later", /form sends to a site/],
])("the form of %s sends elsewhere, and the field stays empty", async (id, why) => {
  const answer = await fill(id);
  expect(answer).toMatch(/^SECRET_WRONG_ORIGIN/);
  expect(answer).toMatch(why);
  expect(answer.endsWith("(heard)")).toBe(id === "later");
  expect(await held(id)).toBe("");
});

test("another site's secret goes nowhere here", async () => {
  expect(await fill("pass", ["https://shop.example"])).toMatch(/^SECRET_WRONG_ORIGIN/);
  expect(await fill("pass", [])).toMatch(/^SECRET_WRONG_ORIGIN/);
  expect(await held("pass")).toBe("");
});

test.each([
  ["unseen", "ELEMENT_HIDDEN"],
  ["off", "ELEMENT_DISABLED"],
  ["fixed", "ELEMENT_READONLY"],
  ["picky", "VALUE_NOT_SET"],
])("%s answers %s and tells nothing of the value", async (id, code) => {
  const answer = await fill(id);
  expect(answer.split(":")[0]).toBe(code);
  expect(answer).not.toContain("horse");
});

test("a sandboxed document has no site, whatever its address says", async () => {
  await rig.page.goto(`${site.origin}/act-fill.html`);
  await rig.page.evaluate(`(async () => {
    const frame = document.createElement("iframe");
    frame.name = "box";
    frame.sandbox = "allow-scripts";
    frame.src = "/act-secret.html";
    document.body.append(frame);
    await new Promise((loaded) => { frame.onload = loaded; });
  })()`);
  await rig.inject();
  const answer = await inWorld(
    filling('__pillion.adopt(document.getElementById("pass"))', [site.origin, "null"]),
    "box",
  );
  expect(answer).toMatch(/^SECRET_WRONG_ORIGIN/);
});

test("while a picture is taken an open value is dots, and then as before", async () => {
  await fill("pass");
  await inWorld('document.getElementById("pass").type = "text"');
  const drawn = () =>
    inWorld('getComputedStyle(document.getElementById("pass")).webkitTextSecurity');
  expect(await drawn()).toBe("none");
  await inWorld("__pillion.veilSecrets(true)");
  expect(await drawn()).toBe("disc");
  await inWorld("__pillion.veilSecrets(false)");
  expect(await drawn()).toBe("none");
  expect(await inWorld('document.getElementById("pass").style.cssText')).toBe("");
});
