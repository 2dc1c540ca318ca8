import { beforeEach, describe, expect, it } from "vitest";
import type { FromExtension } from "../../wire/link";
import type { Verb } from "../../wire/verb";
import { calls, installChrome, tabs } from "./fake-chrome";

installChrome();
const { answer, cancel } = await import("../src/verbs");
const { edit, known } = await import("../src/book");
const { settings } = await import("../src/settings");

const SECRET = "My bank account";
const holder = { session: "s", label: "Agent" };
const ofTab: Verb[] = [
  { verb: "navigate", tab: 7, url: "https://a.example/" },
  { verb: "history", tab: 7, delta: -1 },
  { verb: "close", tab: 7 },
  { verb: "focus", tab: 7 },
  { verb: "page", tab: 7, call: { op: "hello" } },
  { verb: "cdp", tab: 7, commands: [{ method: "Runtime.enable", params: {}, noWait: false }] },
  { verb: "attach", tab: 7 },
  { verb: "detach", tab: 7 },
  { verb: "evaluate", tab: 7, expression: "1", timeoutMs: 100 },
  { verb: "screenshot", tab: 7, format: "png", maxSide: 100, fullPage: false },
  { verb: "dialog", tab: 7, accept: true },
  { verb: "upload", tab: 7, document: "D", element: 1, files: [] },
];

let id = 0;
function ask(verb: Verb, deadlineMs = 1_000): Promise<FromExtension | null> {
  id += 1;
  return answer({ t: "request", id, deadlineMs, verb });
}

beforeEach(async () => {
  tabs.clear();
  tabs.set(7, { id: 7, windowId: 1, url: "https://bank.example/", title: SECRET, active: true });
  await edit(7, (entry) => {
    entry.own = false;
    entry.shared = false;
    entry.number = null;
  });
  await settings.change((value) => {
    value.consent = true;
    value.sharing = "chosen";
  });
  calls.length = 0;
});

describe.each(ofTab)("$verb on a tab that is not shared", (verb) => {
  it("touches nothing and tells nothing", async () => {
    const reply = await ask(verb);
    expect(reply).toMatchObject({ t: "error", error: { code: "TAB_NOT_SHARED" } });
    expect(JSON.stringify(reply)).not.toContain("bank");
    expect(calls).toEqual(["tabs.get"]);
  });

  it("answers the same when there is no such tab", async () => {
    const reply = await ask(verb);
    tabs.clear();
    expect(await ask(verb)).toEqual({ ...reply, id });
  });
});

it("before consent nothing at all is done", async () => {
  await settings.change((value) => {
    value.consent = false;
  });
  const open: Verb = { verb: "open", url: "https://a.example/", holder };
  for (const verb of [...ofTab, open, { verb: "tabs" } satisfies Verb]) {
    expect(await ask(verb)).toMatchObject({ t: "error", error: { code: "PAIRING_PENDING" } });
  }
  expect(calls.filter((call) => call !== "tabs.get")).toEqual([]);
});

it("tabs that are not shared are counted and not named", async () => {
  const reply = await ask({ verb: "tabs" });
  expect(reply).toEqual({ t: "response", id, value: { tabs: [], unshared: 1 } });
  await edit(7, (entry) => {
    entry.shared = true;
  });
  expect(JSON.stringify(await ask({ verb: "tabs" }))).toContain(SECRET);
});

it("hold gives numbers to known tabs and opens none to agents", async () => {
  await ask({ verb: "hold", tabs: [{ tab: 7, number: 3, holder }] });
  expect(known(7)).toBeNull();
  await edit(7, (entry) => {
    entry.shared = true;
  });
  await ask({ verb: "hold", tabs: [{ tab: 7, number: 3, holder }] });
  expect(known(7)).toMatchObject({ number: 3, holder, own: false });
  await ask({ verb: "hold", tabs: [] });
  expect(known(7)).toMatchObject({ number: null, holder: null });
});

it("a batch with one command that is not allowed sends none", async () => {
  await edit(7, (entry) => {
    entry.own = true;
  });
  const commands = ["Input.insertText", "Page.navigate"].map((method) => ({
    method,
    params: {},
    noWait: false,
  }));
  expect(await ask({ verb: "cdp", tab: 7, commands })).toMatchObject({ error: { code: "POLICY" } });
});

it("a cancelled request is not answered", async () => {
  await edit(7, (entry) => {
    entry.own = true;
  });
  tabs.set(7, { id: 7, windowId: 1, url: "https://a.example/" });
  const gone = ask({ verb: "page", tab: 7, documents: ["D"], call: { op: "hello" } }, 10_000);
  await Promise.resolve();
  cancel(id);
  expect(await gone).toBeNull();
});
