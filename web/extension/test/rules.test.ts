import { describe, expect, it } from "vitest";
import {
  FRESH_RULES,
  isStricter,
  kindOf,
  parsePattern,
  RULES,
  type Rule,
  readRules,
  ruleFor,
  type SiteRules,
  withKind,
  withRule,
} from "../src/rules";
import { builtIn } from "../src/sensitive";

/** A small generator of its own: the same run every time. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
const random = generator(7);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const LABELS = ["a", "b", "shop", "bank", "mail", "x1"];
const ENDINGS = ["a.example", "example.org", "co.example", "b.test"];
const host = () =>
  [...Array.from({ length: Math.floor(random() * 3) }, () => pick(LABELS)), pick(ENDINGS)].join(
    ".",
  );
const origin = () => `${pick(["http", "https"])}://${host()}${pick(["", "", ":8443"])}`;
const pattern = () => (random() < 0.4 ? origin() : `*.${host()}`);
const anyRules = (): SiteRules => ({
  sites: Array.from({ length: Math.floor(random() * 6) }, () => ({
    pattern: pattern(),
    rule: pick(RULES),
  })),
  sensitive: { bank: pick(RULES), passwords: pick(RULES), account: pick(RULES) },
});
const free: SiteRules = {
  sites: [],
  sensitive: { bank: "free", passwords: "free", account: "free" },
};
const rulesOf = (...sites: [string, Rule][]): SiteRules => ({
  ...FRESH_RULES,
  sites: sites.map(([pattern, rule]) => ({ pattern, rule })),
});

describe("which rule holds", () => {
  it.each([
    ["https://a.example/", [], "free"],
    ["https://a.example/x?y#z", [["https://a.example", "never"]], "never"],
    ["http://a.example/", [["https://a.example", "never"]], "free"],
    ["https://a.example:8443/", [["https://a.example", "never"]], "free"],
    ["https://a.example/", [["*.a.example", "read"]], "read"],
    ["https://b.a.example:1/", [["*.a.example", "read"]], "read"],
    ["https://nota.example/", [["*.a.example", "never"]], "free"],
    [
      "https://a.example.evil.test/",
      [
        ["*.a.example", "free"],
        ["*.evil.test", "never"],
      ],
      "never",
    ],
    [
      "https://c.b.a.test/",
      [
        ["*.a.test", "never"],
        ["*.b.a.test", "free"],
      ],
      "free",
    ],
    [
      "https://b.a.test/",
      [
        ["*.b.a.test", "never"],
        ["https://b.a.test", "ask"],
      ],
      "ask",
    ],
    ["https://a.test./", [["*.a.test", "never"]], "never"],
    ["https://A.Test/", [["https://a.test", "never"]], "never"],
    ["blob:https://a.test/1-2", [["*.a.test", "never"]], "never"],
    ["https://user:pass@a.test/", [["*.a.test", "never"]], "never"],
    ["about:blank", [["*.a.test", "never"]], "free"],
    ["data:text/html,a.test", [["*.a.test", "never"]], "free"],
    ["chrome://settings", [["*.a.test", "never"]], "free"],
    ["not an address", [["*.a.test", "never"]], "free"],
    ["", [], "free"],
  ] as [string, [string, Rule][], Rule][])("%s with %j is %s", (url, sites, expected) => {
    expect(ruleFor(url, rulesOf(...sites))).toBe(expected);
  });

  it("a built-in kind starts as ask and gives way to a rule as specific as itself", () => {
    const url = "https://www.paypal.com/home";
    expect(kindOf(url)).toBe("bank");
    expect(ruleFor(url, FRESH_RULES)).toBe("ask");
    expect(ruleFor(url, rulesOf(["*.paypal.com", "free"]))).toBe("free");
    expect(ruleFor(url, rulesOf(["https://www.paypal.com", "free"]))).toBe("free");
    expect(ruleFor(url, withKind(FRESH_RULES, "bank", "never"))).toBe("never");
  });

  it("a rule for more than the kind never makes it milder, and a stricter one is not weakened", () => {
    const url = "https://myaccount.google.com/";
    expect(ruleFor(url, rulesOf(["*.google.com", "free"]))).toBe("ask");
    expect(ruleFor(url, rulesOf(["*.google.com", "never"]))).toBe("never");
  });

  it.each([
    ["banking.a.example", "bank"],
    ["my.online-banking.example", "bank"],
    ["first.bank", "bank"],
    ["vault.bitwarden.com", "passwords"],
    ["login.microsoftonline.com", "account"],
    ["riverbank.example", null],
    ["bank", null],
    ["notpaypal.com", null],
    ["paypal.com.evil.example", null],
  ] as const)("%s is %s", (name, kind) => {
    expect(builtIn(name)?.kind ?? null).toBe(kind);
  });
});

describe("laws, over two thousand random cases each", () => {
  const cases = Array.from({ length: 2_000 }, () => ({ url: `${origin()}/x`, rules: anyRules() }));

  it("order of rules does not matter", () => {
    for (const { url, rules } of cases) {
      const turned = { ...rules, sites: [...rules.sites].reverse() };
      expect(ruleFor(url, turned)).toBe(ruleFor(url, rules));
    }
  });

  it("a rule for the exact origin decides, unless the same origin has a stricter one", () => {
    for (const { url, rules } of cases) {
      const here = new URL(url).origin;
      const others = rules.sites.filter((site) => site.pattern !== here);
      for (const rule of RULES) {
        const sites = [...others, { pattern: here, rule }];
        expect(ruleFor(url, { ...rules, sites })).toBe(rule);
      }
    }
  });

  it("a site's rule never reaches a host outside of it", () => {
    for (const { url, rules } of cases) {
      const name = new URL(url).hostname;
      const inside = rules.sites.filter(({ pattern }) => {
        if (!pattern.startsWith("*.")) return pattern === new URL(url).origin;
        return name === pattern.slice(2) || name.endsWith(pattern.slice(1));
      });
      expect(ruleFor(url, { ...rules, sites: inside })).toBe(ruleFor(url, rules));
    }
  });

  it("a stricter kind never makes anything milder", () => {
    for (const { url, rules } of cases) {
      const milder = { ...rules, sensitive: free.sensitive };
      const [one, two] = [ruleFor(url, rules), ruleFor(url, milder)];
      expect(one === two || isStricter(one, two)).toBe(true);
    }
  });

  it("of two rules for one pattern the stricter holds", () => {
    for (const { url } of cases) {
      const [one, two] = [pick(RULES), pick(RULES)];
      const sites = [one, two].map((rule) => ({ pattern: new URL(url).origin, rule }));
      expect(ruleFor(url, { ...free, sites })).toBe(isStricter(one, two) ? one : two);
    }
  });

  it("what is kept reads back as it was", () => {
    for (const { rules } of cases) {
      expect(readRules(JSON.parse(JSON.stringify(rules)))).toEqual(rules);
    }
  });

  it("a pattern that was read reads as itself", () => {
    for (let count = 0; count < 2_000; count += 1) {
      const read = parsePattern(pattern());
      if ("pattern" in read) expect(parsePattern(read.pattern)).toEqual(read);
    }
  });
});

describe("what a user may type", () => {
  it.each([
    ["example.org", "*.example.org"],
    ["  Example.ORG ", "*.example.org"],
    ["*.example.org", "*.example.org"],
    ["example.org.", "*.example.org"],
    ["localhost", "*.localhost"],
    ["https://example.org", "https://example.org"],
    ["https://example.org/", "https://example.org"],
    ["https://example.org.:443/", "https://example.org"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://[::1]:3000", "http://[::1]:3000"],
    ["bücher.example", "*.xn--bcher-kva.example"],
  ])("%s is %s", (typed, pattern) => {
    expect(parsePattern(typed)).toEqual({ pattern });
  });

  it.each([
    ["", "empty"],
    ["   ", "empty"],
    ["ftp://example.org", "scheme"],
    ["chrome://settings", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["https://example.org/path", "path"],
    ["https://example.org/?q", "path"],
    ["example.org/path", "path"],
    ["https://me@example.org", "user"],
    ["me@example.org", "user"],
    ["example.org:8080", "number"],
    ["127.0.0.1", "number"],
    ["0x7f.1", "number"],
    ["com", "short"],
    ["*.com", "short"],
    ["*", "bad"],
    ["*.*.org", "bad"],
    ["https://*.example.org", "bad"],
    ["a b.example", "bad"],
    ["exa mple.org", "bad"],
    ["a..example", "bad"],
    [".example", "bad"],
    ["https://", "bad"],
    [`${"a".repeat(300)}.example`, "bad"],
  ])("%s is refused: %s", (typed, problem) => {
    expect(parsePattern(typed)).toEqual({ problem });
  });

  it("never throws, and never gives what does not read again", () => {
    const parts = [
      "*",
      ".",
      "a",
      "https://",
      "http:",
      "/",
      ":",
      "@",
      "%",
      "\\",
      " ",
      "é",
      "[",
      "xn--",
      "0",
    ];
    for (let count = 0; count < 5_000; count += 1) {
      const typed = Array.from({ length: 1 + Math.floor(random() * 7) }, () => pick(parts)).join(
        "",
      );
      const read = parsePattern(typed);
      if ("pattern" in read) expect(parsePattern(read.pattern)).toEqual(read);
    }
  });
});

it("rules are added, replaced and removed, in the order of their names", () => {
  const one = withRule(withRule(FRESH_RULES, "*.b.example", "ask"), "https://a.example", "never");
  expect(one.sites.map((site) => site.pattern)).toEqual(["https://a.example", "*.b.example"]);
  expect(withRule(one, "*.b.example", "free").sites).toHaveLength(2);
  expect(withRule(one, "*.b.example", null).sites).toHaveLength(1);
});

it("a damaged store falls back to what a fresh profile has", () => {
  for (const damaged of [
    null,
    1,
    [],
    {},
    { sites: 3, sensitive: null },
    { sensitive: { bank: "yes" } },
  ]) {
    expect(readRules(damaged)).toEqual(FRESH_RULES);
  }
  const half = {
    sites: [{ pattern: "*.a.example", rule: "never" }, { pattern: 3, rule: "free" }, null],
  };
  expect(readRules(half).sites).toEqual([{ pattern: "*.a.example", rule: "never" }]);
});
