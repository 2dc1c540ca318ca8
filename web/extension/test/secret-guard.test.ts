import { describe, expect, it } from "vitest";
import { ALLOWED } from "../src/cdp-table";
import { isSite, placeRefusal, reachOf, type SecretFrame, siteOf } from "../src/secret-guard";

const SHOP = "https://shop.example";
const wish = { document: "D", name: "work", value: "hunter2", origins: [SHOP] };

function frame(over: Partial<SecretFrame>): SecretFrame {
  return { frameId: 0, parentFrameId: -1, documentId: "D", url: `${SHOP}/login`, ...over };
}

describe("where a secret may go", () => {
  it("is a page of a site that it is bound to", () => {
    expect(placeRefusal(wish, [frame({})])).toBeNull();
  });

  it.each([
    "https://shop.example.evil.example/",
    "https://login.shop.example/",
    "https://shop.example:8443/",
    "http://shop.example/",
    "about:blank",
    "about:srcdoc",
    "data:text/html,x",
    "blob:https://shop.example/123",
    "",
  ])("is not %s", (url) => {
    expect(placeRefusal(wish, [frame({ url })])).toMatchObject({ code: "SECRET_WRONG_ORIGIN" });
  });

  it("is a frame only where all pages around it are of its sites, too", () => {
    const inner = frame({ frameId: 2, parentFrameId: 1 });
    const middle = frame({ frameId: 1, parentFrameId: 0, documentId: "M" });
    const top = frame({ documentId: "T" });
    expect(placeRefusal(wish, [top, middle, inner])).toBeNull();
    const evil = { url: "https://evil.example/" };
    for (const frames of [
      [{ ...top, ...evil }, middle, inner],
      [top, { ...middle, ...evil }, inner],
      [top, inner],
    ]) {
      expect(placeRefusal(wish, frames)).toMatchObject({ code: "SECRET_WRONG_ORIGIN" });
    }
    const both = { ...wish, origins: [SHOP, "https://evil.example"] };
    expect(placeRefusal(both, [{ ...top, ...evil }, middle, inner])).toBeNull();
  });

  it("is nothing when frames name each other as parents", () => {
    const a = frame({ frameId: 1, parentFrameId: 2 });
    const b = frame({ frameId: 2, parentFrameId: 1, documentId: "B" });
    expect(placeRefusal(wish, [a, b])).toMatchObject({ code: "SECRET_WRONG_ORIGIN" });
  });

  it("is not where the document is gone", () => {
    expect(placeRefusal(wish, [frame({ documentId: "E" })])).toMatchObject({ code: "REF_GONE" });
  });

  it.each([
    { origins: [] },
    { origins: ["*"] },
    { origins: [`${SHOP}/`] },
    { origins: ["http://shop.example"] },
    { origins: Array.from({ length: 9 }, (_, n) => `https://${n}.example`) },
    { name: "Work" },
    { name: "" },
    { value: "abc" },
    { value: "two\nlines" },
    { value: "x".repeat(1_025) },
  ])("is nowhere for %j", (over) => {
    const refusal = placeRefusal({ ...wish, ...over }, [frame({})]);
    expect(refusal).toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(refusal?.message).not.toContain(over.value ?? wish.value);
  });
});

it("sites are https, or this machine's own", () => {
  expect(siteOf("https://a.example:443/x?y#z")).toBe("https://a.example");
  for (const site of ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080"]) {
    expect(isSite(site)).toBe(true);
  }
  for (const text of ["http://128.0.0.1", "http://localhost.evil.example", "null", "", 7, null]) {
    expect(isSite(text)).toBe(false);
  }
});

describe("how far debugger commands reach", () => {
  const reach = (...methods: string[]) =>
    reachOf(methods.map((method) => ({ method, params: {}, noWait: false })));

  it("is the furthest of a batch", () => {
    expect(reach()).toBe("none");
    expect(reach("Input.insertText", "DOM.focus")).toBe("none");
    expect(reach("Input.insertText", "Page.captureScreenshot")).toBe("looks");
    expect(reach("DOM.getDocument", "Runtime.evaluate")).toBe("code");
    expect(reach("Nobody.knows")).toBe("code");
  });

  it("is code for whatever writes", () => {
    const writes = [...ALLOWED.keys()].filter((method) =>
      /evaluate|callFunctionOn|getProperties|DOM\.set|CSS\.set|Fetch\.|setCookie|deleteCookies|setBlocked/.test(
        method,
      ),
    );
    expect(writes.length).toBeGreaterThan(12);
    for (const method of writes) expect([method, reach(method)]).toEqual([method, "code"]);
  });
});
