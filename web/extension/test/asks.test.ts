import { describe, expect, it } from "vitest";
import { type Ask, type Asks, admit, choicesOf, decide, NO_ASKS, overdue } from "../src/asks";
import { ASK_QUIET_MS, ASK_WINDOW_MS } from "../src/limits";

const ask = (id: string, more: Partial<Ask> = {}): Ask => ({
  id,
  client: "Atlas",
  observed: null,
  session: "s1",
  tab: 1,
  number: 7,
  site: "https://a.example",
  verb: "press",
  lines: [],
  says: "",
  kind: "act",
  since: 0,
  expires: 300_000,
  ...more,
});

/** Admits, and denies what was shown. */
function askAndDeny(asks: Asks, id: string, now: number, more: Partial<Ask> = {}) {
  const admitted = admit(asks, ask(id, more), now);
  return { ...admitted, asks: decide(admitted.asks, id, "deny") };
}

describe("asking", () => {
  it("is one prompt an agent; another agent has its own", () => {
    const one = admit(NO_ASKS, ask("1"), 0);
    expect(one.is).toBe("open");
    const two = admit(one.asks, ask("2"), 1);
    expect([two.is, two.asks]).toEqual(["busy", one.asks]);
    const other = admit(one.asks, ask("3", { client: "Otter" }), 1);
    expect(other.is).toBe("open");
    expect(other.asks.open.map(({ id }) => id)).toEqual(["1", "3"]);
  });

  it("is three a minute, then a minute of silence with a counter, then it begins anew", () => {
    let state = NO_ASKS;
    for (const [index, id] of ["1", "2", "3"].entries()) {
      const step = askAndDeny(state, id, index);
      expect(step.is).toBe("open");
      state = step.asks;
    }
    for (const [index, id] of ["4", "5"].entries()) {
      const step = admit(state, ask(id), 10 + index);
      expect(step.is).toBe("quiet");
      state = step.asks;
    }
    expect(state.open).toEqual([]);
    expect(state.quiet["client Atlas"]).toEqual({ until: 10 + ASK_QUIET_MS, denied: 2 });
    expect(admit(state, ask("6"), 10 + ASK_QUIET_MS + ASK_WINDOW_MS).is).toBe("open");
  });

  it("is one allowance for all first contacts, whatever names they take", () => {
    let state = NO_ASKS;
    for (const id of ["1", "2", "3"]) {
      const first = admit(state, ask(id, { client: id, kind: "first_contact" }), 0);
      state = decide(first.asks, id, "no");
    }
    expect(admit(state, ask("4", { client: "new", kind: "first_contact" }), 1).is).toBe("quiet");
    expect(admit(state, ask("5", { client: "new" }), 1).is).toBe("open");
  });

  it("holds for names that mean something to a program", () => {
    for (const client of ["__proto__", "constructor", "toString"]) {
      const one = admit(NO_ASKS, ask("1", { client, kind: "act" }), 0);
      expect(one.is).toBe("open");
      expect(admit(one.asks, ask("2", { client }), 0).is).toBe("busy");
    }
  });
});

describe("deciding", () => {
  it("offers the refusal first, and a site's leave for acts alone", () => {
    expect(choicesOf(ask("1"), NO_ASKS)).toEqual(["deny", "once", "session", "site"]);
    for (const kind of ["code", "files", "secret"] as const) {
      expect(choicesOf(ask("1", { kind }), NO_ASKS)).toEqual(["deny", "once", "session"]);
    }
    expect(choicesOf(ask("1", { kind: "first_contact" }), NO_ASKS)).toEqual([
      "no",
      "once",
      "always",
    ]);
    expect(choicesOf(ask("1", { kind: "ask" }), NO_ASKS)).toEqual(["deny", "once"]);
    expect(choicesOf(ask("1", { site: null }), NO_ASKS)).not.toContain("site");
  });

  it("takes only what was offered, and only once", () => {
    const open = admit(NO_ASKS, ask("1", { kind: "code" }), 0).asks;
    expect(decide(open, "1", "site")).toBe(open);
    expect(decide(open, "2", "once")).toBe(open);
    const done = decide(open, "1", "once");
    expect(done.open).toEqual([]);
    expect(done.decided).toEqual([{ id: "1", decision: "once" }]);
    expect(decide(done, "1", "session")).toBe(done);
  });

  it("offers to deny for the session after two denials of one kind in a row", () => {
    let state = NO_ASKS;
    for (const id of ["1", "2"]) state = askAndDeny(state, id, 0).asks;
    expect(choicesOf(ask("3"), state)).toContain("deny_session");
    expect(choicesOf(ask("3", { kind: "code" }), state)).not.toContain("deny_session");
    expect(choicesOf(ask("3", { session: "s2" }), state)).not.toContain("deny_session");
    const allowed = decide(admit(state, ask("3"), 1).asks, "3", "once");
    expect(choicesOf(ask("4"), allowed)).not.toContain("deny_session");
  });

  it("is done by time when nobody does", () => {
    const open = admit(NO_ASKS, ask("1"), 0).asks;
    expect(overdue(open, 299_999)).toEqual([]);
    expect(overdue(open, 300_000)).toEqual(["1"]);
    expect(decide(open, "1", "expired").decided).toEqual([{ id: "1", decision: "expired" }]);
  });
});

it("a payment is allowed once and no more, and what is kept of a secret for good or not at all", () => {
  expect(choicesOf(ask("1", { kind: "pay" }), NO_ASKS)).toEqual(["deny", "once"]);
  expect(choicesOf(ask("1", { kind: "secret" }), NO_ASKS)).toEqual(["deny", "once", "session"]);
  const kept = ask("1", { kind: "secret", keeps: ["k"] });
  expect(choicesOf(kept, NO_ASKS)).toEqual(["deny", "once", "always"]);
  for (const kind of ["pay", "secret", "code", "files"] as const) {
    const open = admit(NO_ASKS, ask("1", { kind }), 0).asks;
    expect(decide(open, "1", "site"), kind).toBe(open);
  }
});
