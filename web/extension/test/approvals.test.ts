import { describe, expect, it } from "vitest";
import {
  type Approvals,
  leavesOf,
  NO_APPROVALS,
  standing,
  superseded,
  type Wanted,
  withAsked,
  withDecision,
  withoutClient,
  withoutLeave,
  withPermits,
} from "../src/approvals";
import { APPROVAL_MS } from "../src/limits";

const wanted: Wanted = {
  client: "Atlas",
  session: "s1",
  tab: 7,
  document: "D1",
  origin: "https://a.example",
  kind: "act",
  verb: "press",
  hash: "h",
  element: "[1]",
};
const others: Partial<Wanted>[] = [
  { client: "Otter" },
  { session: "s2" },
  { tab: 8 },
  { document: "D2" },
  { origin: "https://b.example" },
  { kind: "code" },
  { verb: "drop" },
  { hash: "i" },
  { element: "[2]" },
];
const asked = withAsked(NO_APPROVALS, "1", wanted, 0);
const decidedAs = (decision: Parameters<typeof withDecision>[2], kept: Approvals = asked) =>
  withDecision(kept, "1", decision, 1_000);

describe("an approval", () => {
  it("waits until it is decided, under the same number", () => {
    expect(standing(NO_APPROVALS, [], wanted, 0).is).toBe("unknown");
    expect(standing(asked, [], wanted, 10)).toMatchObject({ is: "pending", id: "1" });
  });

  it("is good for one use", () => {
    const first = standing(decidedAs("once").approvals, [], wanted, 2_000);
    expect(first.is).toBe("allowed");
    expect(standing(first.after, [], wanted, 2_001).is).toBe("unknown");
  });

  it.each(others)("is none for %o", (other) => {
    const once = decidedAs("once").approvals;
    expect(standing(once, [], { ...wanted, ...other }, 2_000).is).toBe("unknown");
  });

  it("is over after its time, from when it was given", () => {
    const once = decidedAs("once").approvals;
    expect(standing(once, [], wanted, 1_000 + APPROVAL_MS - 1).is).toBe("allowed");
    expect(standing(once, [], wanted, 1_000 + APPROVAL_MS).is).toBe("unknown");
    expect(standing(once, [], wanted, 500).is, "a clock that went back").toBe("unknown");
  });

  it("for the session covers its site and its kind alone", () => {
    const session = decidedAs("session").approvals;
    for (const other of [{ hash: "i" }, { document: "D2" }, { element: "[2]" }, { tab: 9 }]) {
      expect(standing(session, [], { ...wanted, ...other }, 9e9).is).toBe("allowed");
    }
    for (const other of [
      { session: "s2" },
      { origin: "https://b.example" },
      { kind: "code" },
      { kind: "files" },
      { client: "Otter" },
    ] as const) {
      expect(standing(session, [], { ...wanted, ...other }, 2_000).is).toBe("unknown");
    }
  });

  it("for a site never covers code and files, also when that was chosen for them", () => {
    const { site, approvals } = decidedAs("site");
    const sites = [site ?? ""];
    expect(standing(approvals, sites, { ...wanted, session: "s9" }, 9e9).is).toBe("allowed");
    for (const kind of ["code", "files"] as const) {
      expect(standing(approvals, sites, { ...wanted, kind }, 2_000).is).toBe("unknown");
      const other = withAsked(NO_APPROVALS, "1", { ...wanted, kind }, 0);
      expect(withDecision(other, "1", "site", 1).site).toBeNull();
    }
  });

  it("that is denied is told once, and for a session always", () => {
    const denied = standing(decidedAs("deny").approvals, [], wanted, 2_000);
    expect(denied.is).toBe("denied");
    expect(standing(denied.after, [], wanted, 2_001).is).toBe("unknown");
    const never = decidedAs("deny_session").approvals;
    expect(standing(never, [], { ...wanted, hash: "x", tab: 9 }, 9e9).is).toBe("denied");
    expect(standing(never, [], { ...wanted, kind: "code" }, 2_000).is).toBe("unknown");
  });

  it("is nothing when time decided", () => {
    expect(standing(decidedAs("expired").approvals, [], wanted, 2_000).is).toBe("unknown");
  });

  it("ends with its agent's stop", () => {
    for (const decision of ["once", "session"] as const) {
      const kept = decidedAs(decision).approvals;
      expect(standing(withoutClient(kept, "Otter"), [], wanted, 2_000).is).toBe("allowed");
      expect(standing(withoutClient(kept, "Atlas"), [], wanted, 2_000).is).toBe("unknown");
      expect(standing(withoutClient(kept, null), [], wanted, 2_000).is).toBe("unknown");
    }
    const refused = decidedAs("deny_session").approvals;
    expect(standing(withoutClient(refused, null), [], wanted, 2_000).is).toBe("denied");
  });

  it("that waits is superseded by another wish of its agent in its tab", () => {
    expect(superseded(asked, wanted)).toEqual([]);
    expect(superseded(asked, { ...wanted, element: "[2]" })).toEqual(["1"]);
    expect(superseded(asked, { ...wanted, tab: 8 })).toEqual([]);
    expect(superseded(asked, { ...wanted, client: "Otter" })).toEqual([]);
  });

  it("for a payment is good for one use and nothing more", () => {
    const pay = { ...wanted, kind: "pay" } as const;
    const asked = withAsked(NO_APPROVALS, "1", pay, 0);
    expect(withDecision(asked, "1", "site", 1).site).toBeNull();
    const session = withDecision(asked, "1", "session", 1).approvals;
    expect(standing(session, [], pay, 2).is).toBe("unknown");
    const once = withDecision(asked, "1", "once", 1).approvals;
    expect(standing(once, [], wanted, 2).is, "an act that is none").toBe("unknown");
    expect(standing(once, [], pay, 2).is).toBe("allowed");
  });

  it("for a list lets each of its acts pass once, and another not", () => {
    const acts = [wanted, { ...wanted, hash: "i" }];
    const kept = withPermits(NO_APPROVALS, "l", acts, 1_000);
    expect(standing(kept, [], { ...wanted, hash: "j" }, 2_000).is).toBe("unknown");
    const first = standing(kept, [], wanted, 2_000);
    expect(first.is).toBe("allowed");
    expect(standing(first.after, [], wanted, 2_000).is).toBe("unknown");
    expect(standing(first.after, [], { ...wanted, hash: "i" }, 2_000).is).toBe("allowed");
    expect(standing(kept, [], wanted, 1_000 + APPROVAL_MS).is).toBe("unknown");
    const twice = withPermits(kept, "l", acts, 1_500);
    expect(standing(standing(twice, [], wanted, 2_000).after, [], wanted, 2_000).is).toBe(
      "unknown",
    );
  });

  it("that lasts is shown, and ends when it is taken back", () => {
    const odd = { ...wanted, client: 'A "quoted" \\ name', session: "s 1" };
    const asked = withAsked(NO_APPROVALS, "1", odd, 0);
    const session = withDecision(asked, "1", "session", 1).approvals;
    const site = withDecision(asked, "1", "site", 1).site ?? "";
    const leaves = leavesOf(session, [site]);
    expect(leaves).toMatchObject([
      { for: "site", client: odd.client, origin: odd.origin, kind: "act" },
      { for: "session", client: odd.client, origin: odd.origin, kind: "act" },
    ]);
    const [, ofSession] = leaves;
    if (!ofSession) throw new Error("no leave");
    const permitted = withPermits(session, "l", [odd], 2);
    const none = withoutLeave(permitted, ofSession);
    expect(leavesOf(none, [])).toEqual([]);
    expect(standing(none, [], odd, 3).is).toBe("unknown");
  });
});
