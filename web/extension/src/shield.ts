//! The picture that an agent acts in a tab, for a tab that is in front. Drawn by a script of its own in
//! the top document; never waited for by an act, and never in a picture of the page.

import { getTab, scripting } from "./chrome";
import type { Pointed } from "./expected";
import { VEIL_MS } from "./limits";
import { settings } from "./settings";
import { strings } from "./strings";
import { shown } from "./text";
import { mayTouch } from "./url-rule";
import { within } from "./wait";

type Port = chrome.runtime.Port;

/** What the shield tells: the user took the tab; the page does not let the shield be. */
export type ShieldTold = "take" | "torn";

const FILE = "shield.js";
const TOP = 0;
const NAME_CHARS = 40;

const ports = new Map<number, Port>();
/** Acts under way in a tab, and whose. */
const acting = new Map<number, { count: number; agent: string }>();
const injecting = new Set<number>();

/** A shield opened its port. */
export function onShield(port: Port, heard: (tab: number, what: ShieldTold) => void): void {
  const tab = port.sender?.tab?.id;
  if (tab === undefined || port.sender?.frameId !== TOP) return;
  ports.set(tab, port);
  port.onDisconnect.addListener(() => {
    if (ports.get(tab) === port) ports.delete(tab);
  });
  port.onMessage.addListener((what: unknown) => {
    if (what === "take" || what === "torn") heard(tab, what);
  });
  const now = acting.get(tab);
  // Also when the act is over already: it was one.
  show(port, now?.agent ?? strings.someAgent);
  if (!now) port.postMessage({ idle: true });
}

/** An agent begins to act in a tab. Gives what ends it. */
export function beginShield(tab: number, agent: string | null): () => void {
  const now = acting.get(tab) ?? { count: 0, agent: "" };
  now.count += 1;
  now.agent = agent ?? strings.someAgent;
  acting.set(tab, now);
  void appear(tab, now.agent).catch(() => undefined);
  return () => {
    now.count -= 1;
    if (now.count > 0) return;
    acting.delete(tab);
    ports.get(tab)?.postMessage({ idle: true });
  };
}

async function appear(tab: number, agent: string): Promise<void> {
  if (!settings.value.shield) return;
  const now = await getTab(tab);
  if (!now?.active || !mayTouch(now.url ?? "")) return;
  const port = ports.get(tab);
  if (port) return show(port, agent);
  if (injecting.has(tab)) return;
  injecting.add(tab);
  try {
    await scripting.executeScript({
      target: { tabId: tab, frameIds: [TOP] },
      files: [FILE],
      injectImmediately: true,
    });
  } finally {
    injecting.delete(tab);
  }
}

function show(port: Port, agent: string): void {
  port.postMessage({
    show: {
      who: strings.actsHere(shown(agent, NAME_CHARS)),
      take: strings.takeOver,
      keys: strings.takeOverKeys,
    },
  });
}

/** Moves the agent's cursor, where it is shown. */
export function pointTo(tab: number, at: Pointed): void {
  if (settings.value.cursor) ports.get(tab)?.postMessage({ at });
}

/** Does something of which the shield must be no part. */
export async function withoutShield<T>(tab: number, work: () => Promise<T>): Promise<T> {
  if (!ports.has(tab)) return work();
  await veil(tab, true);
  try {
    return await work();
  } finally {
    void veil(tab, false);
  }
}

/** A page that does not answer has no frame to be taken either: nothing waits long for it. */
async function veil(tab: number, on: boolean): Promise<void> {
  const done = scripting.executeScript({
    target: { tabId: tab, frameIds: [TOP] },
    func: veilHere,
    args: [on],
    injectImmediately: true,
  });
  await within(done, VEIL_MS, () => null).catch(() => null);
}

/** Runs in the page's isolated world. */
function veilHere(on: boolean): void {
  const world = globalThis as { __pillionShield?: { veil(on: boolean): void } };
  world.__pillionShield?.veil(on);
}
