import { describe, expect, it } from "vitest";
import type { Verb } from "../../wire/verb";
import { type Facts, refusal } from "../src/guard";
import { mayOpen, mayTouch, originOf } from "../src/url-rule";

const holder = { session: "s", label: "Agent" };
const verbs: Verb[] = [
  { verb: "tabs" },
  { verb: "open", url: "https://a.example/", holder },
  { verb: "navigate", tab: 1, url: "https://a.example/" },
  { verb: "history", tab: 1, delta: -1 },
  { verb: "close", tab: 1 },
  { verb: "focus", tab: 1 },
  { verb: "hold", tabs: [] },
  {
    verb: "activity",
    entry: { id: 1, atMs: 0, session: "s", agent: "Agent", tool: "browser_tabs", about: "" },
  },
  { verb: "page", tab: 1, call: { op: "hello" } },
  { verb: "cdp", tab: 1, commands: [] },
  { verb: "attach", tab: 1 },
  { verb: "detach", tab: 1 },
  { verb: "evaluate", tab: 1, expression: "1", timeoutMs: 1 },
  { verb: "screenshot", tab: 1, format: "png", maxSide: 1, fullPage: false },
  { verb: "dialog", tab: 1, accept: true },
  { verb: "knock", raise: true },
  { verb: "ask", tab: 1, kind: "login", message: "please" },
  { verb: "ask_end", id: "a", how: "told" },
  { verb: "upload", tab: 1, document: "D", element: 1, files: [] },
];
const ofTab = verbs.filter((verb) => "tab" in verb);
const ofPage = ofTab.filter(
  ({ verb }) => !["navigate", "history", "close", "focus", "detach", "dialog"].includes(verb),
);

const own: Facts = {
  consent: true,
  sharing: "chosen",
  stopped: false,
  named: true,
  asked: null,
  tab: { own: true, shared: false, url: "https://a.example/", asleep: false },
};
const with_ = (tab: Partial<NonNullable<Facts["tab"]>>): Facts => ({
  ...own,
  tab: { own: false, shared: false, url: "https://a.example/", asleep: false, ...tab },
});

describe.each(verbs)("$verb", (verb) => {
  it("waits for consent", () => {
    expect(refusal(verb, { ...own, consent: false })?.code).toBe("PAIRING_PENDING");
  });
  it("stands still while paused", () => {
    expect(refusal(verb, { ...own, sharing: "paused" })?.code).toBe("STOPPED_BY_USER");
  });
  it("is refused where the user stopped agents, unless it only tells or gives back", () => {
    const refused = refusal(verb, { ...own, stopped: true })?.code;
    const housekeeping = ["hold", "activity", "release", "detach"].includes(verb.verb);
    expect(refused).toBe(housekeeping ? undefined : "STOPPED_BY_USER");
  });
  it("is done in an own tab", () => {
    expect(refusal(verb, own)).toBeNull();
  });
});

describe.each(ofTab)("$verb", (verb) => {
  it("needs an own or shared tab", () => {
    expect(refusal(verb, with_({ own: false }))?.code).toBe("TAB_NOT_SHARED");
    expect(refusal(verb, with_({ shared: true }))).toBeNull();
  });
  it("tells nothing apart between a private tab and none", () => {
    expect(refusal(verb, with_({}))).toEqual(refusal(verb, { ...own, tab: null }));
  });
});

describe.each(ofPage)("$verb", (verb) => {
  it.each([
    "chrome://settings/",
    "chrome-extension://abc/options.html",
    "devtools://devtools/bundled/inspector.html",
    "file:///etc/passwd",
    "view-source:https://a.example/",
    "https://chromewebstore.google.com/detail/x",
    "https://chrome.google.com/webstore/detail/x",
    "about:version",
    "blob:chrome-extension://abc/1",
    "javascript:1",
    "ftp://a.example/",
  ])("keeps off %s", (url) => {
    expect(refusal(verb, with_({ own: true, url }))?.code).toBe("PROTECTED_PAGE");
  });
});

it("a page that sleeps is not waited for, and can be sent elsewhere", () => {
  const asleep = with_({ own: true, asleep: true });
  for (const verb of ofPage) expect(refusal(verb, asleep)?.code).toBe("TAB_DISCARDED");
  for (const verb of ofTab.filter((verb) => !ofPage.includes(verb))) {
    expect(refusal(verb, asleep)).toBeNull();
  }
});

it.each([
  "chrome://settings",
  "file:///etc/passwd",
  "javascript:1",
  "data:text/html,x",
  "a.example",
  "",
])("no tab is sent to %j", (url) => {
  expect(mayOpen(url)).toBe(false);
  expect(refusal({ verb: "open", url, holder }, own)?.code).toBe("URL_NOT_ALLOWED");
  expect(refusal({ verb: "navigate", tab: 1, url }, own)?.code).toBe("URL_NOT_ALLOWED");
});

it.each(["about:blank", "http://localhost:3000/", "HTTPS://A.example/x"])(
  "a tab may go to %s",
  (url) => {
    expect(mayOpen(url)).toBe(true);
  },
);

it.each(["", "about:blank", "about:srcdoc", "data:text/html,x", "blob:https://a.example/1"])(
  "a document at %j may be touched",
  (url) => {
    expect(mayTouch(url)).toBe(true);
  },
);

it("an unknown verb is refused", () => {
  const verb = JSON.parse('{"verb":"self_destruct"}') as Verb;
  expect(refusal(verb, own)?.code).toBe("POLICY");
});

it("opaque origins are told apart by their address", () => {
  expect(originOf("https://a.example/x")).toBe("https://a.example");
  expect(originOf("blob:https://a.example/1")).toBe("https://a.example");
  expect(originOf("data:text/html,a")).not.toBe(originOf("data:text/html,b"));
});

describe("while the user is asked in a tab", () => {
  const asked: Facts = { ...own, asked: "login" };
  it("lets the agent's side look whether they are done, and nothing more", () => {
    const step = { by: "text", text: "Welcome" } as const;
    const looks: Verb[] = [
      { verb: "page", tab: 1, call: { op: "hello" } },
      { verb: "page", tab: 1, call: { op: "wait", step, gone: false, timeoutMs: 1 } },
      { verb: "ask", tab: 1, kind: "login", message: "please" },
      { verb: "release", tab: 1 },
    ];
    for (const verb of looks) expect(refusal(verb, asked)).toBeNull();
    const others: Verb[] = [
      { verb: "page", tab: 1, call: { op: "snapshot", maxChars: 1 } },
      { verb: "page", tab: 1, call: { op: "text" } },
      { verb: "screenshot", tab: 1, format: "png", maxSide: 1, fullPage: false },
      { verb: "cdp", tab: 1, commands: [] },
      { verb: "navigate", tab: 1, url: "https://a.example/" },
      { verb: "close", tab: 1 },
    ];
    for (const verb of others) expect(refusal(verb, asked)?.code).toBe("ASK_PENDING");
  });
  it("never lets the daemon put anything over a page", () => {
    const verb: Verb = { verb: "page", tab: 1, call: { op: "look", ask: "a", words: "Click me" } };
    expect(refusal(verb, own)?.code).toBe("POLICY");
  });
});
