import { beforeEach, describe, expect, it } from "vitest";
import type { FromExtension } from "../../wire/link";
import type { Verb } from "../../wire/verb";
import { calls, hanging, installChrome, tabs } from "./fake-chrome";

installChrome();
const { answer, cancel } = await import("../src/verbs");
const { edit, forget, known } = await import("../src/book");
const { admitEveryone } = await import("../src/first-contact");
const { settings } = await import("../src/settings");
const { changeStops, NO_STOPS, stopTab } = await import("../src/stops");
const { disconnect, haltAll, haltClient, haltTab } = await import("../src/halting");
const { sendEventsTo } = await import("../src/outbox");

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
  { verb: "emulate", tab: 7, wish: { colorScheme: "dark" } },
  { verb: "mock", tab: 7, rules: [] },
  { verb: "mocks", tab: 7 },
  { verb: "cookies", tab: 7, values: false },
  { verb: "downloads", tab: 7 },
  {
    verb: "fill_secret",
    tab: 7,
    document: "D",
    element: 1,
    name: "work",
    value: "hunter2",
    origins: ["https://bank.example"],
  },
];

const AGENT = { session: "s", client: "Agent" };

let id = 0;
function ask(verb: Verb, deadlineMs = 1_000, asker = AGENT): Promise<FromExtension | null> {
  id += 1;
  return answer({ t: "request", id, deadlineMs, asker, verb });
}

beforeEach(async () => {
  await admitEveryone();
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

describe("a stop by the user", () => {
  const events: unknown[] = [];
  const reload: Verb = { verb: "history", tab: 7, delta: 0 };

  beforeEach(async () => {
    events.length = 0;
    sendEventsTo((event) => events.push(event));
    await changeStops(() => ({ ...NO_STOPS, known: ["Agent", "Other"] }));
    await stopTab(7, false);
    await edit(7, (entry) => {
      entry.own = true;
      entry.holder = holder;
    });
  });

  it("refuses the agent's tab, gives it to the user, and tells the daemon", async () => {
    await haltClient("Agent", "stop");
    expect(known(7)).toBeNull();
    expect(events).toEqual([{ event: "tab_gone", tab: 7, unshared: true }]);
    const open = await ask({ verb: "open", url: "https://a.example/", holder });
    expect(open).toMatchObject({ error: { code: "STOPPED_BY_USER" } });
    await haltClient("Agent", null);
    expect(await ask({ verb: "tabs" })).toMatchObject({ t: "response" });
  });

  it("ends what runs at once, and nothing of another agent", async () => {
    tabs.set(8, { id: 8, windowId: 1, url: "https://a.example/", title: "", active: false });
    await edit(8, (entry) => {
      entry.own = true;
      entry.holder = { session: "t", label: "Other" };
    });
    hanging.add("tabs.reload");
    const mine = ask(reload, 60_000);
    const theirs = ask({ ...reload, tab: 8 }, 150, { session: "t", client: "Other" });
    await expect.poll(() => calls.filter((call) => call === "tabs.reload").length).toBe(2);
    await haltClient("Agent", "stop");
    expect(await mine).toMatchObject({ error: { code: "STOPPED_BY_USER" } });
    expect(await theirs).toMatchObject({ error: { code: "TIMEOUT" } });
    hanging.clear();
    expect(known(8)?.holder?.label).toBe("Other");
    await forget(8);
  });

  it("that is only a pause leaves the tab with the agent", async () => {
    await haltClient("Agent", "pause");
    expect(known(7)?.holder?.label).toBe("Agent");
    expect(await ask(reload)).toMatchObject({ error: { code: "STOPPED_BY_USER" } });
    await haltClient("Agent", null);
    expect(await ask(reload)).toMatchObject({ t: "response" });
  });

  it("of a tab holds there for every agent, also when it is shared again", async () => {
    await haltTab(7, true);
    await edit(7, (entry) => {
      entry.shared = true;
    });
    expect(await ask(reload)).toMatchObject({ error: { code: "STOPPED_BY_USER" } });
    await haltTab(7, false);
    expect(await ask(reload)).toMatchObject({ t: "response" });
  });

  it("of everything holds for listing, too, and not for the daemon's bookkeeping", async () => {
    await haltAll("stop");
    expect(await ask({ verb: "tabs" })).toMatchObject({ error: { code: "STOPPED_BY_USER" } });
    expect(await ask({ verb: "hold", tabs: [] })).toMatchObject({ t: "response" });
    await haltAll(null);
    expect(await ask({ verb: "tabs" })).toMatchObject({ t: "response" });
  });

  it("with a disconnect names the sessions", async () => {
    await disconnect("Agent");
    expect(events).toContainEqual({ event: "disconnect", session: "s" });
    expect(known(7)).toBeNull();
  });
});
