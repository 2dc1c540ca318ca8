import { expect, it } from "vitest";
import { fromBase64Url, toBase64Url, u32be } from "../src/bytes";
import { reduce } from "../src/cdp-reduce";
import { Ledger } from "../src/ledger";
import { Assembler, split } from "../src/parts";
import { intersect, pixelsOf, scaleFor, wholePixels } from "../src/picture-size";
import { statusOf } from "../src/popup-status";
import { Stored } from "../src/stored";
import { looksLikeFunction, looksLikeObject } from "../src/verbs/script";
import { until, within } from "../src/wait";

it("base64url has one spelling a value", () => {
  for (const bytes of [[], [0], [255, 254], [1, 2, 3], [251, 255, 191, 0]]) {
    const text = toBase64Url(Uint8Array.from(bytes));
    expect([...(fromBase64Url(text) ?? [9])]).toEqual(bytes);
  }
  for (const bad of ["A", "AB=", "AB+", "A/B_", "AB", "é"]) expect(fromBase64Url(bad)).toBeNull();
  expect([...u32be(0x01020304)]).toEqual([1, 2, 3, 4]);
});

it("a large frame comes together again from its parts, and strays are dropped", () => {
  const text = JSON.stringify({ t: "response", id: 1, value: "ü💻".repeat(500) });
  const parts = split(text, 3, 600);
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.every((part) => part.length < 600)).toBe(true);
  const whole = new Assembler();
  const taken = parts.map((part) => whole.take(JSON.parse(part)));
  expect(taken.at(-1)).toBe(text);
  expect(taken.slice(0, -1).every((part) => part === null)).toBe(true);
  expect(whole.take({ t: "part", of: 9, index: 1, last: true, text: "x" })).toBeNull();
  expect(split("small", 1, 600)).toEqual(["small"]);
});

it("the ledger forgets the oldest first", () => {
  const ledger = new Ledger(2);
  for (const id of ["a", "b", "a", "c"]) ledger.add(id);
  expect(["a", "b", "c"].map((id) => ledger.has(id))).toEqual([true, false, true]);
});

it("stored state is read once, changed at once and written in order", async () => {
  const writes: unknown[] = [];
  const area = {
    get: async () => ({ key: { count: 1 } }),
    set: async (items: Record<string, unknown>) => {
      writes.push(structuredClone(items));
    },
  };
  const stored = new Stored(area, "key", { count: 0, other: true });
  await stored.ready;
  const first = stored.change((value) => {
    value.count += 1;
  });
  const second = stored.change((value) => {
    value.count += 1;
  });
  expect(stored.value).toEqual({ count: 3, other: true });
  await Promise.all([first, second]);
  expect(writes.at(-1)).toEqual({ key: { count: 3, other: true } });
});

it.each([
  ["() => 1", true],
  ["async x => x", true],
  ["(a, {b}) => { return a }", true],
  ["function f() {}", true],
  ["async function () {}", true],
  ["// why\n/* b */ el => el.id", true],
  ["functional()", false],
  ["document.title", false],
  ["x = () => 1", false],
])("%j looks like a function: %s", (expression, expected) => {
  expect(looksLikeFunction(expression)).toBe(expected);
});

it("an object literal is told from other scripts", () => {
  expect(looksLikeObject(" {a: 1} ")).toBe(true);
  expect(looksLikeObject("{a: 1}; 2")).toBe(false);
});

it("pictures fit the longest side with device pixels folded in", () => {
  expect(scaleFor(1000, 500, 1, 2000)).toBe(1);
  expect(scaleFor(1000, 500, 2, 2000)).toBe(0.5);
  expect(scaleFor(1000, 4000, 1, 1000)).toBe(0.25);
  const view = { x: 0, y: 100, width: 50, height: 50 };
  expect(intersect(view, { x: 40, y: 90, width: 50, height: 20 })).toEqual({
    x: 40,
    y: 100,
    width: 10,
    height: 10,
  });
  expect(wholePixels({ x: 1.5, y: 2, width: 3, height: 3.2 })).toEqual({
    x: 1,
    y: 2,
    width: 4,
    height: 4,
  });
  expect(intersect(view, { x: 60, y: 0, width: 5, height: 5 })).toBeNull();
});

it("a PNG's size is read from its head", () => {
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAHCAYAAADAp4fuAAAADUlEQVR42mNkYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==";
  expect(pixelsOf(png)).toEqual({ width: 5, height: 7 });
  expect(pixelsOf("AAAA")).toBeNull();
});

it("network events carry no credentials and no bodies", () => {
  const told = reduce("Network.requestWillBeSent", {
    requestId: "1",
    type: "XHR",
    request: { url: "https://a.example/", method: "POST", headers: { Cookie: "x" }, postData: "y" },
    initiator: { type: "script", stack: {} },
  });
  expect(told).toEqual({
    requestId: "1",
    type: "XHR",
    request: {
      url: "https://a.example/",
      method: "POST",
      headers: [["cookie", "[redacted]"]],
    },
    initiator: { type: "script" },
  });
  expect(reduce("Network.requestWillBeSentExtraInfo", {})).toBeNull();
  expect(reduce("Runtime.executionContextCreated", {})).toBeNull();
});

it("waits end", async () => {
  const never = new Promise<number>(() => undefined);
  expect(await within(never, 5, () => "late")).toBe("late");
  await expect(within(Promise.reject(new Error("no")), 5, () => 1)).rejects.toThrow("no");
  const stop = new AbortController();
  const waiting = until(never, stop.signal);
  stop.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  await expect(until(never, stop.signal)).rejects.toThrow("stopped");
});

it("the popup asks for the one click when a daemon waits for it", () => {
  const settings = {
    consent: false,
    label: "",
    sharing: "chosen",
    repinned: false,
    shield: true,
    cursor: false,
    quiet: false,
    notify: true,
  } as const;
  const connected = { is: "connected", profile: "work", version: "1" } as const;
  const view = { link: connected, settings, everything: null, agents: [] };
  expect(statusOf(view)).toMatchObject({ mood: "ask", remedy: "allow" });
  const agreed = { ...view, settings: { ...settings, consent: true } };
  expect(statusOf(agreed)).toMatchObject({ mood: "good", remedy: null });
  expect(statusOf({ ...agreed, link: { is: "refused", code: "copy" } }).remedy).toBe("renew");
  expect(statusOf({ ...agreed, everything: "stop" })).toMatchObject({
    mood: "off",
    remedy: "resume",
  });
  const paused = { ...agreed, settings: { ...agreed.settings, sharing: "paused" as const } };
  expect(statusOf(paused)).toMatchObject({ mood: "off", remedy: "unpause" });
});
