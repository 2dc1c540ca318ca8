//! The ports of the keepers, one a document: what the agent is about to send is announced there, and
//! what the user does in an agent's tab is told there. Believes only that the user did something:
//! nothing that a port says gives anybody more than before.

import { known } from "./book";
import type { Expected } from "./expected";
import { PREPARED_MS } from "./limits";

type Port = chrome.runtime.Port;

/** What a keeper tells: the user pressed, typed, or pressed Escape three times. */
export type Told = "p" | "k" | "s";

interface Orders {
  readonly on?: boolean;
  readonly x?: readonly Expected[] | null;
  readonly hold?: boolean;
}

/** By tab: each port with whether it was told that the tab is an agent's. */
const ports = new Map<number, Map<Port, boolean>>();
/** Acts that are being done, for documents that come meanwhile. */
const acts = new Map<number, Orders>();
const soon = new Map<number, ReturnType<typeof setTimeout>>();

/** A keeper opened its port. */
export function onKeeper(port: Port, heard: (tab: number, what: Told) => void): void {
  const tab = port.sender?.tab?.id;
  if (tab === undefined) return;
  const own = ports.get(tab) ?? new Map<Port, boolean>();
  ports.set(tab, own.set(port, false));
  port.onDisconnect.addListener(() => {
    own.delete(port);
    if (own.size === 0 && ports.get(tab) === own) ports.delete(tab);
  });
  port.onMessage.addListener((what: unknown) => {
    if (isTold(what)) heard(tab, what);
  });
  tellPort(tab, own, port);
  const act = acts.get(tab);
  if (act) port.postMessage(act);
}

function isTold(what: unknown): what is Told {
  return what === "p" || what === "k" || what === "s";
}

/** Whether what the user does in a tab concerns an agent. */
export function isAgents(tab: number): boolean {
  return (known(tab)?.holder ?? null) !== null;
}

/** Tells keepers whose tab became an agent's, or is none any more. */
export function tellKeepers(): void {
  for (const [tab, own] of ports) for (const port of own.keys()) tellPort(tab, own, port);
}

function tellPort(tab: number, own: Map<Port, boolean>, port: Port): void {
  const on = isAgents(tab);
  if (own.get(port) === on) return;
  own.set(port, on);
  port.postMessage({ on } satisfies Orders);
}

/** Announces an act's input in every document of a tab. `hold`: the user's does not reach the page. */
export function announce(tab: number, expected: readonly Expected[], hold: boolean): void {
  clearTimeout(soon.get(tab));
  const act: Orders = { x: expected, hold };
  acts.set(tab, act);
  post(tab, act);
}

/**
 * The same for a press that was prepared and comes in a moment: a busy page takes input before it
 * takes messages. Over by itself when no act follows.
 */
export function announceSoon(tab: number, expected: readonly Expected[], hold: boolean): void {
  announce(tab, expected, hold);
  soon.set(
    tab,
    setTimeout(() => announceEnd(tab), PREPARED_MS),
  );
}

/** The act is over. */
export function announceEnd(tab: number): void {
  clearTimeout(soon.get(tab));
  soon.delete(tab);
  acts.delete(tab);
  post(tab, { x: null });
}

function post(tab: number, orders: Orders): void {
  for (const port of ports.get(tab)?.keys() ?? []) port.postMessage(orders);
}
