import { beforeEach, describe, expect, it } from "vitest";
import type { MockRule } from "../../wire/trying";
import { areas, frames, installChrome, tabs } from "./fake-chrome";

installChrome();
const sent: [string, Record<string, unknown>][] = [];
const { chrome } = globalThis as unknown as { chrome: Record<string, unknown> };
let broken = "";
Object.assign(globalThis, {
  chrome: new Proxy(chrome, {
    get: (known, name) =>
      name !== "debugger"
        ? Reflect.get(known, name)
        : {
            attach: async () => undefined,
            detach: async () => undefined,
            sendCommand: async (_: object, method: string, params: Record<string, unknown>) => {
              sent.push([method, params]);
              if (method === broken) throw new Error("Invalid InterceptionId");
              return {};
            },
          },
  }),
});
const { fits, fitting, listRefusal } = await import("../src/mock-rule");
const { endMocks, mock, mockState, onPaused, rearm, resumeMocks } = await import("../src/mock");
const { rulesReady } = await import("../src/rules-store");
const { attachment, editAttachment, forgetAttachment } = await import("../src/attachment");

const rule = (number: number, url: string, more: Partial<MockRule> = {}): MockRule => ({
  number,
  url,
  block: false,
  status: 200,
  body: "",
  headers: [],
  delayMs: 0,
  ...more,
});
const asked = (url: string, method = "GET") =>
  onPaused(7, undefined, { requestId: "r", request: { url, method } });
const ofFetch = () => sent.filter(([method]) => method.startsWith("Fetch."));

beforeEach(async () => {
  await rulesReady;
  await forgetAttachment(7);
  tabs.set(7, { id: 7, url: "https://shop.example/" });
  frames.set(7, [
    { frameId: 0, parentFrameId: -1, documentId: "A", url: "https://shop.example/cart" },
    { frameId: 1, parentFrameId: 0, documentId: "B", url: "about:blank" },
  ]);
  broken = "";
  sent.length = 0;
});

describe("a rule", () => {
  it.each([
    ["/api/orders", "https://a.example/api/orders?x=1", true],
    ["/api/orders", "https://a.example/api/other", false],
    ["*/api/*", "https://a.example/api/", true],
    ["https://a.example/*.json", "https://a.example/x/y.json", true],
    ["https://a.example/*.json", "https://a.example/y.json?z", false],
    ["a*a", "a", false],
    ["*", "anything", true],
    [`${"a*".repeat(40)}b`, "a".repeat(5_000), false],
  ])("%s over %s: %s", (glob, url, is) => {
    expect(fits(glob, url)).toBe(is);
  });

  it("that comes first answers, when the method fits", () => {
    const rules = [rule(1, "/api", { method: "post" }), rule(2, "/api"), rule(3, "*")];
    expect(fitting(rules, "GET", "https://a.example/api")?.number).toBe(2);
    expect(fitting(rules, "POST", "https://a.example/api")?.number).toBe(1);
    expect(fitting(rules, "GET", "https://a.example/#/api")?.number).toBe(3);
  });

  it.each([
    { url: "" },
    { status: 99 },
    { status: 101 },
    { status: 200.5 },
    { delayMs: 30_001 },
    { headers: [["a"]] as unknown as [string, string][] },
    { body: "x".repeat(2_000_001) },
  ])("is refused: %j", (bad) => {
    expect(listRefusal([rule(1, "/a", bad)])).not.toBeNull();
    expect(listRefusal([rule(1, "/a")])).toBeNull();
  });

  it("is one of few", () => {
    expect(listRefusal(Array.from({ length: 51 }, (_, n) => rule(n, "/a")))).not.toBeNull();
  });
});

describe("requests", () => {
  it("are held only for sites that the tab shows, before they are sent", async () => {
    const state = await mock(7, [rule(1, "/api")]);
    expect(state).toMatchObject({ active: true, hosts: ["shop.example"] });
    const [, params] = ofFetch().at(-1) ?? [];
    expect(params).toEqual({
      patterns: [
        { urlPattern: "http://shop.example/*", requestStage: "Request" },
        { urlPattern: "https://shop.example/*", requestStage: "Request" },
      ],
    });
    frames.set(7, [
      { frameId: 0, parentFrameId: -1, documentId: "C", url: "https://new.example/" },
    ]);
    await rearm(7);
    expect(mockState(7).hosts).toEqual(["new.example"]);
  });

  it("are answered by the first rule that fits, and counted", async () => {
    await mock(7, [
      rule(1, "/api", { status: 500, body: "ä", headers: [["x", "y"]] }),
      rule(2, "/ads", { block: true }),
    ]);
    sent.length = 0;
    await asked("https://shop.example/api");
    await asked("https://shop.example/ads");
    await asked("https://shop.example/else");
    expect(sent).toEqual([
      [
        "Fetch.fulfillRequest",
        {
          requestId: "r",
          responseCode: 500,
          responseHeaders: [{ name: "x", value: "y" }],
          body: "w6Q=",
        },
      ],
      ["Fetch.failRequest", { requestId: "r", errorReason: "BlockedByClient" }],
      ["Fetch.continueRequest", { requestId: "r" }],
    ]);
    expect(mockState(7).rules.map(({ hits }) => hits)).toEqual([1, 1]);
    await mock(7, [rule(2, "/ads", { block: true }), rule(3, "/x")]);
    expect(mockState(7).rules.map(({ hits }) => hits)).toEqual([1, 0]);
  });

  it("go on when their answer fails, when nobody mocks any more, and of other sites", async () => {
    await mock(7, [rule(1, "*")]);
    broken = "Fetch.fulfillRequest";
    sent.length = 0;
    await asked("https://shop.example/api");
    await asked("https://other.example/api");
    await endMocks(7);
    await asked("https://shop.example/api");
    expect(ofFetch().map(([method]) => method)).toEqual([
      "Fetch.fulfillRequest",
      "Fetch.continueRequest",
      "Fetch.continueRequest",
      "Fetch.disable",
      "Fetch.continueRequest",
    ]);
    expect(attachment(7)?.mocks).toBeUndefined();
  });

  it("that a dead worker held are answered by the next one", async () => {
    await mock(7, [rule(1, "/api", { status: 500 })]);
    await editAttachment(7, (value) => {
      const held = [
        { request: "old", session: null, rule: 1 },
        { request: "odd", session: null, rule: 9 },
      ];
      if (value.mocks) value.mocks = { ...value.mocks, held };
    });
    expect(JSON.stringify(areas.session.get("debugger"))).toContain('"old"');
    sent.length = 0;
    await resumeMocks();
    expect(ofFetch().map(([method, { requestId }]) => [method, requestId])).toEqual([
      ["Fetch.fulfillRequest", "old"],
      ["Fetch.continueRequest", "odd"],
    ]);
    expect(attachment(7)?.mocks?.held).toEqual([]);
  });
});
