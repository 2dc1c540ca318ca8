import { describe, expect, it } from "vitest";
import { fenceRules, type Ground } from "../src/fence-rules";
import { FRESH_RULES, type Rule, ruleFor, type SiteRules, withKind, withRule } from "../src/rules";
import { told } from "../src/told";
import { installChrome } from "./fake-chrome";

installChrome();
const { inherit } = await import("../src/places");

const ground: Ground = { agents: [7], users: [1, 2], sites: ["shop.example"], opening: false };
const never = (pattern: string, rules: SiteRules = FRESH_RULES) =>
  withRule(rules, pattern, "never");

describe("the fence", () => {
  it("is there only where both an agent and a never-site are", () => {
    expect(fenceRules(FRESH_RULES, ground)).toEqual([]);
    const nobody = { ...ground, agents: [], sites: [] };
    expect(fenceRules(never("*.bank.example"), nobody)).toEqual([]);
    expect(fenceRules(never("*.bank.example"), ground)).toHaveLength(3);
    expect(fenceRules(never("*.bank.example"), { ...nobody, opening: true })).toHaveLength(2);
  });

  it("stands in agents' tabs, in unknown ones that agents' sites open, and around workers", () => {
    const conditions = fenceRules(never("*.bank.example"), ground).map((rule) => rule.condition);
    expect(conditions).toMatchObject([
      { requestDomains: ["bank.example"], tabIds: [7] },
      { excludedTabIds: [1, 2, 7, -1], initiatorDomains: ["shop.example"] },
      { tabIds: [-1], excludedInitiatorDomains: ["bank.example"] },
    ]);
    for (const { resourceTypes } of conditions) expect(resourceTypes).toContain("main_frame");
  });

  it("stands in every tab without a number while one is opened", () => {
    const rules = fenceRules(never("*.bank.example"), { ...ground, opening: true });
    expect(rules[1]?.condition.initiatorDomains).toBeUndefined();
    expect(rules[1]?.condition.excludedTabIds).toEqual([1, 2, 7, -1]);
  });

  it("has the most specific rule win, as the rules do", () => {
    let rules = never("*.bank.example");
    rules = withRule(rules, "*.open.bank.example", "free");
    rules = withRule(rules, "https://bank.example:8443", "read");
    rules = never("https://open.bank.example", rules);
    for (const url of [
      "https://bank.example/",
      "https://a.bank.example/x?y",
      "https://open.bank.example/",
      "http://open.bank.example/",
      "https://b.open.bank.example/",
      "https://bank.example:8443/x",
      "https://other.example/",
    ]) {
      expect(blocked(rules, url), url).toBe(ruleFor(url, rules) === "never");
    }
  });

  it("knows the built-in kinds, by name and by label", () => {
    const rules = withKind(FRESH_RULES, "bank", "never");
    for (const url of [
      "https://chase.com/",
      "https://www.paypal.com/x",
      "https://a.bank/",
      "https://online-banking.some.example/",
      "https://ebanking.some.example:444/x",
      "https://shop.example/bank/x",
      "https://bank-holiday.example/",
      "https://some.example/?q=a.bank/",
    ]) {
      expect(blocked(rules, url), url).toBe(ruleFor(url, rules) === "never");
    }
  });
});

/** What Chrome would do in an agent's tab: the highest priority wins, and among equals `allow`. */
function blocked(rules: SiteRules, url: string): boolean {
  const { hostname } = new URL(url);
  const fits = fenceRules(rules, ground).filter(({ condition }) => {
    if (!condition.tabIds?.includes(7)) return false;
    if (condition.regexFilter) return new RegExp(condition.regexFilter).test(url);
    if (condition.urlFilter) return url.startsWith(condition.urlFilter.slice(1));
    return condition.requestDomains?.some(
      (domain) => hostname === domain || hostname.endsWith(`.${domain}`),
    );
  });
  const top = Math.max(0, ...fits.map(({ priority }) => priority ?? 1));
  const deciding = fits.filter(({ priority }) => (priority ?? 1) === top);
  return deciding.length > 0 && deciding.every(({ action }) => action.type === "block");
}

describe("frames", () => {
  const rule = (url: string): Rule => (url.includes("bank") ? "never" : "free");
  const frame = (frameId: number, parentFrameId: number, url: string) => ({
    frameId,
    parentFrameId,
    documentId: `D${frameId}`,
    url,
  });

  it("without an address of their own have their parent's rule", () => {
    const places = inherit(
      [
        frame(0, -1, "https://a.example/"),
        frame(1, 0, "https://bank.example/"),
        frame(2, 1, "about:srcdoc"),
        frame(3, 2, "data:text/html,x"),
        frame(4, 0, "about:blank"),
      ],
      rule,
    );
    expect(places.map((place) => place.rule)).toEqual(["free", "never", "never", "never", "free"]);
  });

  it("that name each other as parents end all the same", () => {
    expect(inherit([frame(1, 2, ""), frame(2, 1, "")], rule)).toHaveLength(2);
  });
});

describe("events", () => {
  const isNever = (url: string) => url.includes("bank");
  const session = (id: string) => (id === "inner" ? "https://bank.example/" : "https://a.example/");
  const tell = (event: Parameters<typeof told>[0], top = "https://a.example/") =>
    told(event, top, isNever, session);
  const cdp = (method: string, params: object, of?: string) =>
    ({ event: "cdp", tab: 1, method, params: { ...params }, ...(of && { session: of }) }) as const;
  const bank = "https://bank.example/?secret";

  it.each([
    { event: "navigation", tab: 1, frame: 3, url: bank, phase: "committed" },
    { event: "status", tab: 1, url: bank, status: 200 },
    { event: "download", id: 1, url: bank, path: "", received: 0, total: 0, state: "x" },
    cdp("Network.requestWillBeSent", { request: { url: bank } }),
    cdp("Network.responseReceived", { response: { url: bank } }),
    cdp("Network.requestWillBeSent", {
      request: { url: "https://a.example/" },
      redirectResponse: { url: bank },
    }),
    cdp("Log.entryAdded", { entry: { url: bank, text: "x" } }),
    cdp("Fetch.requestPaused", { request: { url: bank } }),
    cdp("Target.attachedToTarget", { targetInfo: { url: bank } }),
    cdp("Runtime.consoleAPICalled", { args: [] }, "inner"),
  ] as const)("of a never-site are not told: %o", (event) => {
    expect(tell({ ...event } as Parameters<typeof told>[0])).toBeNull();
  });

  it("of any page are told, and of one on a never-site none", () => {
    const event = cdp("Runtime.consoleAPICalled", { args: [] }, "outer");
    expect(tell(event)).toEqual(event);
    expect(tell(event, bank)).toBeNull();
  });

  it("tell that a dialog is there, without its words", () => {
    const event = cdp("Page.javascriptDialogOpening", {
      url: bank,
      message: "PIN?",
      type: "prompt",
    });
    const said = JSON.stringify(tell(event));
    expect(said).toContain("prompt");
    expect(said).not.toContain("PIN");
    expect(said).not.toContain("bank");
  });
});
