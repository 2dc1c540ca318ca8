//! Answers in a server's place, given here: a request that is held waits for nobody but this worker,
//! which Chrome wakes for it. Only requests to sites that the tab shows and that agents may act on are
//! held at all. What goes wrong lets the request go its way.

import type { MockRule, MockState } from "../../wire/trying";
import {
  attach,
  attachment,
  attachments,
  detachLater,
  editAttachment,
  type Held,
  using,
} from "./attachment";
import { toBase64, utf8 } from "./bytes";
import { getFrames, sendCommand } from "./chrome";
import { Fault } from "./fault";
import { fitting, listRefusal } from "./mock-rule";
import { ruleOf } from "./places";
import { hostOf } from "./url-rule";
import { sleep } from "./wait";

/** The verb `mock`: the whole list. */
export async function mock(tab: number, rules: readonly MockRule[]): Promise<MockState> {
  const refused = listRefusal(rules);
  if (refused !== null) throw new Fault("INVALID_ARGUMENT", refused);
  return using(tab, async () => {
    await attach(tab);
    const before = attachment(tab)?.mocks;
    const numbers = rules.map(({ number }) => String(number));
    const hits = Object.entries(before?.hits ?? {}).filter(([number]) => numbers.includes(number));
    const asked = (await shown(tab)).filter(({ rule }) => rule !== "read").map(({ host }) => host);
    await editAttachment(tab, (value) => {
      if (rules.length === 0) delete value.mocks;
      else {
        const held = before?.held ?? [];
        value.mocks = { rules, hits: Object.fromEntries(hits), asked, hosts: [], held };
      }
    });
    await arm(tab);
    return mockState(tab);
  });
}

/** The verb `mocks`. */
export function mockState(tab: number): MockState {
  const value = attachment(tab);
  if (!value) return none("the debugger is not attached to the tab");
  if (!value.mocks) return none("there are no mocks here");
  const { rules, hits, hosts } = value.mocks;
  const active = hosts.length > 0;
  return {
    active,
    why: active ? "" : "the tab shows no site whose requests may be answered",
    rules: rules.map((rule) => ({ rule, hits: hits[rule.number] ?? 0 })),
    hosts: [...hosts],
  };
}

function none(why: string): MockState {
  return { active: false, why, rules: [], hosts: [] };
}

interface Shown {
  readonly host: string;
  readonly rule: ReturnType<typeof ruleOf>;
}

async function shown(tab: number): Promise<Shown[]> {
  const all = (await getFrames(tab)).map(({ url }) => ({ host: hostOf(url), rule: ruleOf(url) }));
  return all.filter(({ host, rule }) => host !== "" && rule !== "never");
}

/** Tells Chrome whose requests are to be held: the sites that the tab shows now. */
async function arm(tab: number): Promise<void> {
  const { mocks } = attachment(tab) ?? {};
  const frames = mocks ? await shown(tab) : [];
  const may = frames.filter(
    ({ host, rule }) => rule === "free" || (rule === "ask" && mocks?.asked.includes(host)),
  );
  // One site by two rules (its ports, its schemes) counts by the stricter one.
  const closed = new Set(frames.filter((one) => !may.includes(one)).map(({ host }) => host));
  const hosts = [...new Set(may.map(({ host }) => host))].filter((host) => !closed.has(host));
  await editAttachment(tab, (value) => {
    if (value.mocks) value.mocks = { ...value.mocks, hosts };
  });
  const patterns = hosts.flatMap((host) =>
    ["http", "https"].map((scheme) => ({
      urlPattern: `${scheme}://${host}/*`,
      requestStage: "Request",
    })),
  );
  const sessions = [undefined, ...Object.keys(attachment(tab)?.sessions ?? {})];
  await Promise.all(
    sessions.map((session) =>
      (patterns.length > 0
        ? sendCommand(tab, "Fetch.enable", { patterns }, session)
        : sendCommand(tab, "Fetch.disable", {}, session)
      )
        // A frame may be gone by now; the tab itself must answer.
        .catch((error: unknown) => {
          if (session === undefined) throw error;
        }),
    ),
  );
}

/** The tab shows something else, or a frame more. */
export async function rearm(tab: number): Promise<void> {
  if (attachment(tab)?.mocks) await arm(tab).catch(() => undefined);
}

/** What the last worker held is answered by this one. */
export async function resumeMocks(): Promise<void> {
  const mocking = attachments().filter(([, value]) => value.mocks !== undefined);
  await Promise.all(
    mocking.map(async ([tab, { mocks }]) => {
      for (const held of mocks?.held ?? []) await settle(tab, held);
      detachLater(tab);
    }),
  );
}

/** No request of the tab is held any more. */
export async function endMocks(tab: number): Promise<boolean> {
  if (!attachment(tab)?.mocks) return false;
  await editAttachment(tab, (value) => {
    delete value.mocks;
  });
  await arm(tab).catch(() => undefined);
  return true;
}

interface Paused {
  readonly requestId?: unknown;
  readonly request?: { readonly url?: unknown; readonly method?: unknown };
}

/** Chrome holds a request. */
export async function onPaused(
  tab: number,
  session: string | undefined,
  params: object,
): Promise<void> {
  const { requestId, request } = params as Paused;
  const url = String(request?.url ?? "");
  const rules = attachment(tab)?.mocks?.rules ?? [];
  const found = mayAnswer(tab, url)
    ? fitting(rules, String(request?.method ?? "GET"), url)
    : undefined;
  const held = {
    request: String(requestId),
    session: session ?? null,
    rule: found?.number ?? 0,
  };
  if (!found) return letGo(tab, held);
  // Written down before it waits: this worker may not be the one that answers.
  await count(tab, held);
  if (found.delayMs > 0) await sleep(found.delayMs);
  await settle(tab, held);
}

/** Answers by the rule, unless that was taken back meanwhile. */
async function settle(tab: number, held: Held): Promise<void> {
  const rule = attachment(tab)?.mocks?.rules.find(({ number }) => number === held.rule);
  try {
    if (rule) await give(tab, held, rule);
    else await letGo(tab, held);
  } catch {
    // The page that asked is gone, or the answer was none: then the server's own will do.
    await letGo(tab, held);
  }
  await editAttachment(tab, (value) => {
    if (!value.mocks) return;
    const rest = value.mocks.held.filter(({ request }) => request !== held.request);
    value.mocks = { ...value.mocks, held: rest };
  });
}

/** To the server. Chrome may have let it go by itself. */
async function letGo(tab: number, { request, session }: Held): Promise<void> {
  await sendCommand(
    tab,
    "Fetch.continueRequest",
    { requestId: request },
    session ?? undefined,
  ).catch(() => undefined);
}

function mayAnswer(tab: number, url: string): boolean {
  const hosts = attachment(tab)?.mocks?.hosts;
  const rule = ruleOf(url);
  return hosts?.includes(hostOf(url)) === true && rule !== "never" && rule !== "read";
}

function count(tab: number, held: Held): Promise<void> {
  return editAttachment(tab, (value) => {
    if (!value.mocks) return;
    const { hits } = value.mocks;
    value.mocks = {
      ...value.mocks,
      hits: { ...hits, [held.rule]: (hits[held.rule] ?? 0) + 1 },
      held: [...value.mocks.held, held],
    };
  });
}

async function give(
  tab: number,
  { request: requestId, session: of }: Held,
  { block, status, headers, body }: MockRule,
): Promise<void> {
  const session = of ?? undefined;
  if (block) {
    const failed = { requestId, errorReason: "BlockedByClient" };
    await sendCommand(tab, "Fetch.failRequest", failed, session);
    return;
  }
  const answer = {
    requestId,
    responseCode: status,
    responseHeaders: headers.map(([name, value]) => ({ name, value })),
    body: toBase64(utf8(body)),
  };
  await sendCommand(tab, "Fetch.fulfillRequest", answer, session);
}
