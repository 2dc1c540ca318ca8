import browser from "devtools-protocol/json/browser_protocol.json";
import script from "devtools-protocol/json/js_protocol.json";
import { describe, expect, it } from "vitest";
import type { PageCall } from "../../wire/page";
import type { CdpCommand, Verb } from "../../wire/verb";
import { ALLOWED } from "../src/cdp-table";
import {
  answerOf,
  besideSecret,
  commandGroup,
  type Group,
  groupOf,
  pageGroup,
  strictest,
} from "../src/levels";
import { RULES, type Rule } from "../src/rules";

const command = (method: string, params: object = {}): CdpCommand => ({
  method,
  params: { ...params },
  noWait: false,
});
const methods = [...browser.domains, ...script.domains].flatMap(({ domain, commands }) =>
  commands.map(({ name }) => `${domain}.${name}`),
);
const holder = { session: "s", label: "Agent" };
const verbs: [Verb, Group | null][] = [
  [{ verb: "tabs" }, "manage"],
  [{ verb: "open", url: "https://a.example/", holder }, "manage"],
  [{ verb: "navigate", tab: 1, url: "https://a.example/" }, "tab"],
  [{ verb: "history", tab: 1, delta: -1 }, "go"],
  [{ verb: "close", tab: 1 }, "tab"],
  [{ verb: "focus", tab: 1 }, "tab"],
  [{ verb: "hold", tabs: [] }, "manage"],
  [{ verb: "release", tab: 1 }, "manage"],
  [{ verb: "page", tab: 1, call: { op: "hello" } }, "look"],
  [{ verb: "cdp", tab: 1, commands: [] }, null],
  [{ verb: "attach", tab: 1 }, "look"],
  [{ verb: "detach", tab: 1 }, "manage"],
  [{ verb: "evaluate", tab: 1, expression: "1", timeoutMs: 1 }, "script"],
  [{ verb: "screenshot", tab: 1, format: "png", maxSide: 1, fullPage: false }, "picture"],
  [{ verb: "dialog", tab: 1, accept: true }, "act"],
  [{ verb: "dialog", tab: 1, accept: false }, "dismiss"],
  [{ verb: "catch_chooser", tab: 1, on: true }, "move"],
  [{ verb: "adopt", tab: 1, document: "D", node: 1 }, "move"],
  [{ verb: "upload", tab: 1, document: "D", element: 1, files: [] }, "files"],
  [{ verb: "emulate", tab: 1, wish: {} }, "view"],
  [{ verb: "emulate", tab: 1, wish: { colorScheme: "dark", reducedMotion: true } }, "view"],
  [{ verb: "emulate", tab: 1, wish: { colorScheme: "dark", userAgent: "x" } }, "emulate"],
  [{ verb: "emulate", tab: 1, wish: { madeUp: 1 } as object }, "emulate"],
  [{ verb: "mock", tab: 1, rules: [] }, "mock"],
  [{ verb: "mocks", tab: 1 }, "look"],
  [{ verb: "downloads", tab: 1 }, "look"],
  [{ verb: "cookies", tab: 1, values: false }, "cookies"],
  [{ verb: "cookies", tab: 1, values: true }, "values"],
  [{ verb: "cookies", tab: 1 } as unknown as Verb, "values"],
];

const patch = { styles: [], attributes: [], bare: [], add: [], remove: [] };
const store = { op: "storage", store: "local", key: "", limit: 1, values: false } as const;
const pageCalls: [PageCall, Group][] = [
  [{ op: "patch", number: 1, id: 1, patch }, "code"],
  [{ op: "patches" }, "look"],
  [{ op: "unpatch", keep: false }, "look"],
  [{ ...store, what: "list" }, "cookies"],
  [{ ...store, what: "list", values: true }, "values"],
  [{ ...store, what: "get" }, "values"],
  [{ ...store, what: "set", value: "x" }, "store"],
  [{ ...store, what: "delete" }, "store"],
  [{ ...store, what: "made_up" } as unknown as PageCall, "store"],
];

describe("groups", () => {
  it.each(verbs)("%o", (verb, group) => {
    expect(groupOf(verb)).toBe(group);
  });

  it.each(pageCalls)("of the page: %o", (call, group) => {
    expect(pageGroup(call)).toBe(group);
  });

  it("has one for every command that may be sent, and for no other of the protocol", () => {
    expect(methods.length).toBeGreaterThan(500);
    for (const method of methods) {
      expect(commandGroup(command(method)) !== null, method).toBe(ALLOWED.has(method));
    }
  });

  it("takes what it does not know for an act", () => {
    expect(pageGroup({ op: "made_up" } as unknown as PageCall)).toBe("act");
    expect(groupOf({ verb: "made_up" } as unknown as Verb)).toBe("code");
    expect(commandGroup(command("Input.dispatchMouseEvent"))).toBe("act");
    expect(commandGroup(command("Page.handleJavaScriptDialog"))).toBe("act");
  });

  it.each([
    ["Input.dispatchMouseEvent", { type: "mouseMoved" }, "move"],
    ["Input.dispatchMouseEvent", { type: "mouseReleased" }, "act"],
    ["Input.dispatchDragEvent", { type: "drop" }, "act"],
    ["Input.insertText", { text: "a" }, "act"],
    ["Page.handleJavaScriptDialog", { accept: false }, "dismiss"],
    ["Runtime.evaluate", {}, "script"],
    ["Runtime.callFunctionOn", {}, "code"],
    ["Network.getCookies", {}, "cookies"],
    ["Network.setCookie", {}, "store"],
    ["Emulation.setEmulatedMedia", {}, "view"],
    ["Emulation.setLocaleOverride", {}, "emulate"],
  ] as const)("%s %o is %s", (method, params, group) => {
    expect(commandGroup(command(method, params))).toBe(group);
  });
});

const groups = [
  ...new Set<Group>([
    ...verbs.flatMap(([, group]) => group ?? []),
    ...methods.flatMap((method) => commandGroup(command(method)) ?? []),
  ]),
];

describe("rules", () => {
  it("leave nothing of a page on a never-site", () => {
    for (const group of groups) {
      const answer = answerOf(group, "never", false);
      expect(answer, group).toBe(group === "manage" ? "yes" : "no");
    }
    // An agent's own tab can be taken away from there.
    expect(answerOf("tab", "never", true)).toBe("yes");
    expect(answerOf("look", "never", true)).toBe("no");
  });

  it("leave no group that acts on a site that is only read", () => {
    for (const group of [
      "act",
      "move",
      "code",
      "mock",
      "store",
      "values",
      "files",
      "emulate",
    ] as const) {
      expect(answerOf(group, "read", true), group).toBe("no");
    }
    expect(answerOf("script", "read", true)).toBe("pure");
  });

  it("ask for every group that changes something", () => {
    for (const group of ["act", "script", "code", "mock", "store", "values", "files"] as const) {
      expect(answerOf(group, "ask", true), group).toBe("ask");
    }
  });

  it("never let through more when they are stricter", () => {
    const order = ["no", "ask", "pure", "names", "yes"];
    const weight = (answer: string) => (answer === "no" ? 0 : answer === "yes" ? 2 : 1);
    for (const group of groups) {
      const along = RULES.map((rule) => weight(answerOf(group, rule, false)));
      expect(along, group).toEqual([...along].sort());
      for (const rule of RULES) expect(order).toContain(answerOf(group, rule, false));
    }
  });

  it("are the strictest of all that are addressed, in any order", () => {
    for (const one of RULES) {
      for (const other of RULES) {
        const found: Rule = strictest([one, other]);
        expect(found).toBe(strictest([other, one]));
        expect(RULES.indexOf(found)).toBe(Math.min(RULES.indexOf(one), RULES.indexOf(other)));
      }
    }
    expect(strictest([])).toBe("free");
  });
});

it("beside a secret what could bring it to light is asked for, and nothing is loosened", () => {
  const groups: Group[] = ["script", "code", "mock", "store", "bodies", "cookies", "look", "act"];
  const asked = groups.map((group) => besideSecret(group, "yes"));
  expect(asked).toEqual(["ask", "ask", "ask", "ask", "ask", "names", "yes", "yes"]);
  for (const group of groups) {
    for (const answer of ["no", "pure", "names", "ask"] as const) {
      expect(besideSecret(group, answer)).toBe(answer);
    }
  }
});
