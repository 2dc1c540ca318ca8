import { expect, it, vi } from "vitest";
import type { Ask } from "../src/asks";
import { installChrome } from "./fake-chrome";

installChrome();
const store = await import("../src/asks-store");

const ask = (id: string, expires: number): Ask => ({
  ...{ id, client: id, observed: null, session: id, tab: null, number: null, site: null },
  ...{ verb: "press", lines: [], says: "", kind: "act", since: 0, expires },
});

it("who raised a prompt hears of its end, by the user or by time, once", async () => {
  vi.useFakeTimers();
  await store.asksReady;
  const heard: string[] = [];
  const shown = vi.fn();
  store.onDecision((id, decision) => heard.push(`${id} ${decision}`));
  store.onAsksChanged(shown);
  expect(await store.raise(ask("one", Date.now() + 60_000))).toBe("open");
  expect(await store.raise(ask("two", Date.now() + 5_000))).toBe("open");
  expect(store.decisionOf("one")).toBeNull();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(heard).toEqual(["two expired"]);
  await store.settle("one", "site");
  expect(heard).toHaveLength(1);
  await store.settle("one", "once");
  await store.settle("one", "deny");
  expect(heard).toEqual(["two expired", "one once"]);
  expect([store.decisionOf("one"), store.decisionOf("two")]).toEqual(["once", "expired"]);
  expect(store.asks().open).toEqual([]);
  expect(shown).toHaveBeenCalledTimes(4);
  // What is kept is what a worker that wakes reads.
  const kept = (await chrome.storage.session.get("asks")).asks;
  expect(kept).toEqual({ asks: store.asks() });
  vi.useRealTimers();
});
