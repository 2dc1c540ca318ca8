import { describe, expect, it } from "vitest";
import type { Activity } from "../../wire/activity";
import { installChrome } from "./fake-chrome";

installChrome();
const { agentsOf } = await import("../src/agents");
const { badgeFor } = await import("../src/badge");
const { mayAsk, rightsOf } = await import("../src/page-rights");
const { isArmed, looked, UNARMED } = await import("../src/pages/arming");
const { randomSign, readSign } = await import("../src/sign");
const { haltOf, isStopped, NO_STOPS, withClient, withSeen } = await import("../src/stops");
const { duration, shown, shownLines, size, splitHost } = await import("../src/text");

const seen = ["Atlas", "Otter"].reduce(withSeen, NO_STOPS);

describe("a stop", () => {
  it("belongs to the agent's name and holds until it is lifted", () => {
    const stopped = withClient(seen, "Atlas", "stop");
    expect(haltOf(stopped, "Atlas")).toBe("stop");
    expect(haltOf(stopped, "Otter")).toBeNull();
    expect(haltOf(withClient(stopped, "Atlas", null), "Atlas")).toBeNull();
    expect(haltOf(withClient(seen, "Atlas", "pause"), "Atlas")).toBe("pause");
  });

  it("holds back whoever was never seen before it, until the user lets them on", () => {
    const stopped = withClient(seen, "Atlas", "stop");
    expect(haltOf(stopped, "Atlas 2")).toBe("stop");
    expect(haltOf(withSeen(stopped, "Atlas 2"), "Atlas 2")).toBe("stop");
    expect(haltOf(withClient(stopped, "Atlas 2", null), "Atlas 2")).toBeNull();
    expect(haltOf(withClient(stopped, "Atlas", null), "Atlas 2")).toBeNull();
    // A pause is not a suspicion.
    expect(haltOf(withClient(seen, "Atlas", "pause"), "Atlas 2")).toBeNull();
  });

  it("of everything holds for everybody", () => {
    const all = { ...seen, everything: "stop" } as const;
    for (const client of ["Atlas", "new", null]) expect(isStopped(all, [], client, 1)).toBe(true);
    expect(isStopped(all, [], null, null)).toBe(true);
  });

  it("of a tab holds there alone", () => {
    expect(isStopped(seen, [7], "Atlas", 7)).toBe(true);
    expect(isStopped(seen, [7], "Atlas", 8)).toBe(false);
    expect(isStopped(seen, [7], null, null)).toBe(false);
  });

  it("of one agent leaves others alone, also in a tab that nobody holds", () => {
    const stopped = withClient(seen, "Atlas", "stop");
    expect(isStopped(stopped, [], "Atlas", 7)).toBe(true);
    expect(isStopped(stopped, [], "Otter", 7)).toBe(false);
    expect(isStopped(stopped, [], null, 7)).toBe(false);
  });

  it("takes any name", () => {
    for (const name of ["__proto__", "constructor", "", "a b"]) {
      expect(haltOf(seen, name)).toBeNull();
      const stopped = JSON.parse(JSON.stringify(withClient(seen, name, "stop")));
      expect(haltOf(stopped, name)).toBe("stop");
    }
  });
});

it("agents are who holds a tab, was active lately, or is stopped", () => {
  const call = (agent: string, atMs: number, ended: Activity["ended"]): Activity => ({
    ...{ id: atMs, atMs, session: `${agent}1`, agent, tool: "browser_click", about: "", ended },
  });
  const holder = { session: "s9", label: "Holder" };
  const entry = { own: true, shared: false, number: 3, holder, group: null };
  const done = { tookMs: 5, chars: 1, words: "" };
  const agents = agentsOf(
    [[1, entry]],
    [call("Busy", 1_000_000, null), call("Old", 1, done), call("Busy", 999_999, done)],
    withClient(NO_STOPS, "Stopped", "stop"),
    1_000_001,
  );
  expect(agents.map(({ client }) => client)).toEqual(["Busy", "Holder", "Stopped"]);
  expect(agents[0]).toMatchObject({ doing: { atMs: 1_000_000 }, last: { atMs: 999_999 } });
  expect(agents[1]).toMatchObject({ tabs: [3], sessions: ["s9"], doing: null });
  expect(agents[2]).toMatchObject({ halt: "stop", tabs: [] });
});

describe("the pages' rights", () => {
  const own = "chrome-extension://self/";
  const page = { id: "self", url: `${own}popup.html` };

  it("are all outside of tabs, tightening in a tab's top frame, none elsewhere", () => {
    expect(rightsOf(page, "self", own)).toBe("all");
    expect(rightsOf({ ...page, tab: {}, frameId: 0 }, "self", own)).toBe("tighten");
    expect(rightsOf({ ...page, tab: {}, frameId: 3 }, "self", own)).toBeNull();
    expect(rightsOf({ ...page, url: "https://a.example/" }, "self", own)).toBeNull();
    expect(rightsOf({ ...page, id: "other" }, "self", own)).toBeNull();
    expect(rightsOf(undefined, "self", own)).toBeNull();
  });

  it("let nothing be loosened from a tab", () => {
    const sign = { picture: "sun", word: "amber" } as const;
    const loosening = [
      { ask: "consent", granted: true },
      { ask: "share", tab: 1, on: true },
      { ask: "share_all", tabs: [1], on: true },
      { ask: "sharing", sharing: "every" },
      { ask: "sharing", sharing: "chosen" },
      { ask: "halt_all", halt: null },
      { ask: "halt_all", halt: "pause" },
      { ask: "halt", client: "a", halt: null },
      { ask: "halt_tab", tab: 1, on: false },
      { ask: "decide", id: "1", decision: "deny" },
      { ask: "rule", pattern: "*.a.example", rule: "read" },
      { ask: "rule", pattern: "*.a.example", rule: null },
      { ask: "kind", kind: "bank", rule: "ask" },
      { ask: "sign", sign },
      { ask: "label", label: "x" },
      { ask: "renew" },
      { ask: "seen_repinned" },
    ] as const;
    for (const message of loosening) {
      expect([message, mayAsk("tighten", message)]).toEqual([message, false]);
      expect(mayAsk("all", message)).toBe(true);
    }
    expect(mayAsk("tighten", JSON.parse('{"ask":"new"}'))).toBe(false);
    expect(mayAsk("tighten", { ask: "consent", granted: false })).toBe(true);
    expect(mayAsk("tighten", { ask: "rule", pattern: "*.a.example", rule: "never" })).toBe(true);
    expect(mayAsk("tighten", { ask: "halt", client: "a", halt: "stop" })).toBe(true);
  });
});

describe("buttons of a prompt", () => {
  const look = (now: number, more = {}) => ({
    now,
    visible: true,
    focused: true,
    box: "1",
    ...more,
  });
  const lookedAt = (...looks: ReturnType<typeof look>[]) => looks.reduce(looked, UNARMED);

  it("work after 700 ms in which nothing moved", () => {
    const still = lookedAt(look(0), look(350), look(700));
    expect([isArmed(still, 699), isArmed(still, 700)]).toEqual([false, true]);
  });

  it("begin anew when the prompt moved, lost focus or was hidden", () => {
    for (const upset of [{ box: "2" }, { focused: false }, { visible: false }]) {
      const again = lookedAt(look(0), look(600, upset), look(650));
      expect(isArmed(again, 1_300)).toBe(false);
      expect(isArmed(again, 1_350)).toBe(true);
    }
    expect(isArmed(lookedAt(look(0), look(900), look(950, { focused: false })), 5_000)).toBe(false);
  });
});

it("the badge says first what needs the user most", () => {
  const calm = { needed: false, asks: 0, halted: false, held: 0 };
  expect(badgeFor(calm).text).toBe("");
  expect(badgeFor({ ...calm, held: 3 }).text).toBe("3");
  expect(badgeFor({ ...calm, held: 3, halted: true }).text).toBe("II");
  expect(badgeFor({ ...calm, halted: true, needed: true }).text).toBe("!");
  expect(badgeFor({ needed: true, asks: 2, halted: true, held: 3 }).text).toBe("?2");
});

describe("words of others", () => {
  it("are one line without marks that turn or hide what follows", () => {
    expect(shown("a\n\tb\u2028c")).toBe("a b c");
    expect(shown("safe\u202Egnp.exe\u2066\u200B\uFEFF")).toBe("safegnp.exe");
    expect(shown("\u0000\u001B[31mred")).toBe("[31mred");
    expect(shown("x".repeat(200))).toHaveLength(120);
    expect([...shown("🚲".repeat(10), 4)]).toEqual(["🚲", "🚲", "🚲", "…"]);
  });

  it("keep indents where they are lines", () => {
    expect(shownLines("a\n  b\n\n c\nd", 3, 10)).toEqual(["a", "  b", " c"]);
  });

  it("show the part of a host by which it is owned", () => {
    expect(splitHost("pay.shop.example")).toEqual({ before: "pay.", main: "shop.example" });
    expect(splitHost("paypal.com.evil.example").main).toBe("evil.example");
    expect(splitHost("a.b.co.uk:8443")).toEqual({ before: "a.", main: "b.co.uk:8443" });
    expect(splitHost("127.0.0.1:80")).toEqual({ before: "", main: "127.0.0.1:80" });
  });

  it("come with times and sizes", () => {
    expect([duration(312), duration(1_440), duration(120_000)]).toEqual([
      "312\u00a0ms",
      "1.4\u00a0s",
      "2\u00a0min",
    ]);
    expect([size(340), size(4_210)]).toEqual(["340", "4.2\u00a0k"]);
  });
});

it("a sign is one of ours, or none", () => {
  expect(readSign(randomSign())).not.toBeNull();
  expect(readSign({ picture: "skull", word: "amber" })).toBeNull();
  expect(readSign({ picture: "sun", word: "  " })).toBeNull();
  expect(readSign({ picture: "sun", word: "x".repeat(90) })?.word).toHaveLength(20);
});
