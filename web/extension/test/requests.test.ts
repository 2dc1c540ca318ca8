import { expect, it } from "vitest";
import { toldHeaderObject, toldHeaders, toldUrl } from "../src/headers";
import { isTellable, mayRead } from "../src/request-rule";
import { FRESH_RULES } from "../src/rules";
import type { Sheet } from "../src/sheets";
import { rulesOf } from "../src/style-rules";

const closed = { ...FRESH_RULES, sites: [{ pattern: "*.never.example", rule: "never" as const }] };

it("credentials in headers never leave, and values are cut", () => {
  const names = [
    "Authorization",
    "Cookie",
    "set-cookie",
    "X-Api-Key",
    "X-CSRF-Token",
    "proxy-authorization",
  ];
  const told = toldHeaders(names.map((name) => ({ name, value: "secret" })));
  expect(told.every(([, value]) => value === "[redacted]")).toBe(true);
  expect(toldHeaderObject({ Accept: "x".repeat(900) })[0]?.[1].length).toBe(300);
  expect(toldHeaderObject(null)).toEqual([]);
  expect(toldHeaders(Array.from({ length: 99 }, () => ({ name: "a" }))).length).toBe(30);
});

it("addresses lose login and fragment", () => {
  expect(toldUrl("https://u:p@a.example/x?q=1#f", 100)).toBe("https://a.example/x?q=1");
  expect(toldUrl(`data:text/plain,${"x".repeat(500)}`, 2_000).length).toBe(60);
});

it("sites that the user closed are not told, nor what other extensions ask for", () => {
  expect(isTellable("https://a.example/", "https://b.example", closed)).toBe(true);
  for (const [url, initiator] of [
    ["https://x.never.example/", undefined],
    ["wss://never.example/", "https://a.example"],
    ["https://a.example/", "https://never.example"],
    ["https://a.example/", "chrome-extension://abc"],
    ["chrome-extension://abc/x", undefined],
  ] as const) {
    expect(isTellable(url, initiator, closed)).toBe(false);
  }
});

it("bodies are a document's own, or of its own origin", () => {
  const asked = {
    url: "https://a.example/api",
    page: "https://a.example/",
    document: false,
    talks: true,
  };
  expect(mayRead(asked, closed)).toBe(true);
  expect(mayRead({ ...asked, url: "https://b.example/" }, closed)).toBe(false);
  expect(mayRead({ ...asked, url: "https://b.example/", document: true }, closed)).toBe(true);
  expect(mayRead({ ...asked, url: "https://never.example/", document: true }, closed)).toBe(false);
});

it("rules are those that somebody wrote, weakest first, with the sheet's own lines", () => {
  const style = (name: string) => ({
    cssProperties: [
      { name, value: "1px", text: `${name}:1px` },
      { name: "expanded", value: "1px" },
    ],
  });
  const rule = (origin: string, name: string) => ({
    rule: {
      styleSheetId: "s",
      origin,
      selectorList: { text: `.${name}`, selectors: [{ range: { startLine: 2, startColumn: 0 } }] },
      style: style(name),
    },
  });
  const sheet: Sheet = { url: "https://a.example/", line: 3, column: 7, map: null };
  const told = rulesOf(
    {
      inlineStyle: style("z-index"),
      matchedCSSRules: [rule("user-agent", "top"), rule("regular", "left")],
      inherited: [{ matchedCSSRules: [rule("regular", "left"), rule("regular", "color")] }],
    },
    new Map([["s", sheet]]),
  );
  expect(told.map((one) => [one.selector, one.fromAncestor, one.place?.line])).toEqual([
    [".color", 1, 6],
    [".left", 0, 6],
    ["", 0, undefined],
  ]);
  expect(told[1]?.declarations.map(({ name }) => name)).toEqual(["left"]);
});
