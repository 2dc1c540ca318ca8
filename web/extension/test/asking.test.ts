import { beforeEach, describe, expect, it } from "vitest";
import type { FromExtension } from "../../wire/link";
import type { Event, Verb } from "../../wire/verb";
import { calls, installChrome, tabs } from "./fake-chrome";

installChrome();
const { answer } = await import("../src/verbs");
const { edit } = await import("../src/book");
const { settings } = await import("../src/settings");
const { sendEventsTo } = await import("../src/outbox");
const { asks, onDecision, settle } = await import("../src/asks-store");
const { onAnswer, onTabGone, resumeQuestions } = await import("../src/asking");
const contact = await import("../src/first-contact");

onDecision((id, decision, ask, choice) =>
  ask.kind === "ask" ? onAnswer(id, decision, choice) : contact.onContact(ask, decision),
);

let number = 0;
let client = "";
const asker = (session = "s1") => ({ session, client, program: "/usr/bin/node" });

function request(verb: Verb, session?: string): Promise<FromExtension | null> {
  number += 1;
  return answer({ t: "request", id: number, deadlineMs: 1_000, asker: asker(session), verb });
}

async function value(verb: Verb): Promise<Record<string, unknown>> {
  const reply = await request(verb);
  if (reply?.t !== "response") throw new Error(JSON.stringify(reply));
  return reply.value as Record<string, unknown>;
}

async function code(verb: Verb, session?: string): Promise<string | null> {
  const reply = await request(verb, session);
  return reply?.t === "error" ? reply.error.code : null;
}

async function letIn(): Promise<void> {
  await code({ verb: "knock", raise: true });
  const id = asks().open.find(({ kind }) => kind === "first_contact")?.id ?? "";
  await settle(id, "always");
}

const events: Event[] = [];
sendEventsTo((event) => events.push(event));

beforeEach(async () => {
  number += 1;
  // Another agent each time: three prompts a minute are one agent's due.
  client = `Atlas ${number}`;
  tabs.clear();
  tabs.set(7, { id: 7, windowId: 1, url: "https://a.example/login", title: "A", active: true });
  tabs.set(8, { id: 8, windowId: 1, url: "https://b.example/", title: "B", active: false });
  await edit(7, (entry) => {
    entry.own = true;
    entry.number = 3;
  });
  await settings.change((now) => {
    now.consent = true;
    now.label = "Work";
  });
  events.length = 0;
  calls.length = 0;
});

describe("an agent that the profile does not know", () => {
  it("waits, does nothing, and raises one prompt", async () => {
    expect(await code({ verb: "knock", raise: false })).toBe("PAIRING_PENDING");
    expect(asks().open).toEqual([]);
    expect(await code({ verb: "navigate", tab: 7, url: "https://a.example/" })).toBe(
      "PAIRING_PENDING",
    );
    expect(await code({ verb: "knock", raise: true })).toBe("PAIRING_PENDING");
    expect(calls.filter((call) => call === "tabs.update")).toEqual([]);
    expect(asks().open).toHaveLength(1);
    expect(asks().open[0]?.observed?.program).toBe("/usr/bin/node");
    await settle(asks().open[0]?.id ?? "", "once");
    expect(await code({ verb: "knock", raise: true })).toBeNull();
    expect(await code({ verb: "knock", raise: false }, "s2")).toBe("PAIRING_PENDING");
    await contact.forgetContact(client, "/usr/bin/node");
  });

  it("that is refused stays out until it is forgotten, and never without a name", async () => {
    client = "Refused";
    await contact.onContact({ ...askOf("s1"), client }, "no");
    expect(await code({ verb: "knock", raise: true })).toBe("APPROVAL_DENIED");
    expect(asks().open).toEqual([]);
    await contact.forgetContact(client, "/usr/bin/node");
    expect(await code({ verb: "knock", raise: false })).toBe("PAIRING_PENDING");
    const verb: Verb = { verb: "navigate", tab: 7, url: "https://a.example/" };
    const nameless = await answer({ t: "request", id: 9_999, deadlineMs: 1_000, verb });
    expect(nameless).toMatchObject({ t: "error", error: { code: "POLICY" } });
  });
});

function askOf(session: string) {
  const known = { program: "/usr/bin/node", folder: "" };
  return {
    ...{ id: "c", client, observed: known, session, tab: null, number: null, site: null },
    ...{ verb: "", lines: [], says: "", kind: "first_contact" as const, since: 0, expires: 1 },
  };
}

describe("a question", () => {
  const login: Verb = { verb: "ask", tab: 7, kind: "login", message: "please" };
  beforeEach(async () => {
    await contact.onContact(askOf("s1"), "always");
  });

  it("is put once, holds its tab, and its answer is kept until it was told", async () => {
    const first = await value(login);
    expect(await value({ ...login, message: "again" })).toMatchObject({ id: first.id });
    expect(asks().open.filter(({ kind }) => kind === "ask")).toHaveLength(1);
    expect(calls.filter((call) => call === "tabs.update")).toHaveLength(1);
    expect(await code({ verb: "close", tab: 7 })).toBe("ASK_PENDING");
    await settle(String(first.id), "once");
    await expect.poll(() => events).toContainEqual({ event: "ask_ended", id: first.id });
    expect(await code({ verb: "focus", tab: 7 })).toBeNull();
    expect(await value(login)).toMatchObject({ id: first.id, ended: { how: "done" } });
    await value({ verb: "ask_end", id: String(first.id), how: "told" }).catch(() => null);
    const next = await value(login);
    expect(next.id).not.toBe(first.id);
    await settle(String(next.id), "deny");
    await value({ verb: "ask_end", id: String(next.id), how: "told" }).catch(() => null);
  });

  it("ends with the page's condition, the tab, or an answer that a dead worker left", async () => {
    const first = await value(login);
    await request({ verb: "ask_end", id: String(first.id), how: "met" });
    expect(await value(login)).toMatchObject({ ended: { how: "met" } });
    expect(asks().open).toEqual([]);
    await request({ verb: "ask_end", id: String(first.id), how: "told" });

    const second = await value(login);
    await onTabGone(7);
    expect(await value(login)).toMatchObject({ id: second.id, ended: { how: "closed" } });
    await request({ verb: "ask_end", id: String(second.id), how: "told" });

    const third = await value(login);
    await resumeQuestions();
    expect((await value(login)).ended).toBeUndefined();
    await settle(String(third.id), "expired");
    await expect.poll(async () => (await value(login)).ended).toEqual({ how: "expired" });
    await request({ verb: "ask_end", id: String(third.id), how: "told" });
  });

  it("for a tab shares the picked one and no other", async () => {
    const pick: Verb = { verb: "ask", kind: "tab", message: "the table" };
    const { id } = await value(pick);
    await settle(String(id), "once", 8);
    await expect.poll(async () => (await value(pick)).ended).toEqual({ how: "shared", tab: 8 });
    expect(await code({ verb: "focus", tab: 8 })).toBeNull();
    expect(await code({ verb: "focus", tab: 9 })).toBe("TAB_NOT_SHARED");
  });

  it("of a choice takes only what there is to choose", async () => {
    const pick: Verb = { verb: "ask", kind: "choose", message: "m", options: ["a", "b"] };
    const { id } = await value(pick);
    await settle(String(id), "once", 2);
    await expect.poll(async () => (await value(pick)).ended).toEqual({ how: "denied" });
  });
});

it("letting agents in by the button lets in the one that waits", async () => {
  await letIn();
  expect(await code({ verb: "knock", raise: false })).toBeNull();
});
