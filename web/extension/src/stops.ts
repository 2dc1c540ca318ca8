//! Who was stopped or paused by the user: agents by their names, tabs, or everything. Holds until it is
//! lifted. A stop also holds back agents that were never seen before it, since a name costs nothing.

import { storage } from "./chrome";
import { CLIENTS_KNOWN } from "./limits";
import { Stored } from "./stored";

/**
 * `stop`: running calls end and the tabs are the user's at once. `pause`: what runs ends by itself,
 * tabs stay the agent's, nothing new begins.
 */
export type Halt = "stop" | "pause";

/** What outlives the browser's run. */
export interface Stops {
  readonly everything: Halt | null;
  readonly clients: Readonly<Record<string, Halt>>;
  /** Agents that were seen while none was stopped, or that the user let go on; the newest last. */
  readonly known: readonly string[];
}

export const NO_STOPS: Stops = { everything: null, clients: {}, known: [] };

const kept = new Stored<{ stops: Stops }>(storage.local, "stops", { stops: NO_STOPS });
// A tab's id means nothing in the browser's next run.
const keptTabs = new Stored<{ tabs: readonly number[] }>(storage.session, "stoppedTabs", {
  tabs: [],
});

/** Resolves when the stops of the last life were read. */
export const stopsReady: Promise<unknown> = Promise.all([kept.ready, keptTabs.ready]);

/** Who is stopped now. */
export function stops(): Stops {
  return kept.value.stops;
}

/** Tabs that are stopped, by Chrome's ids. */
export function stoppedTabs(): readonly number[] {
  return keptTabs.value.tabs;
}

/** Whether nothing may be done for an agent in a tab. */
export function stopped(client: string | null, tab: number | null): boolean {
  return isStopped(stops(), stoppedTabs(), client, tab);
}

/** The same of given facts. Pure. */
export function isStopped(
  stops: Stops,
  tabs: readonly number[],
  client: string | null,
  tab: number | null,
): boolean {
  if (haltOf(stops, client) !== null) return true;
  return tab !== null && tabs.includes(tab);
}

/** What holds for an agent. Pure. */
export function haltOf(stops: Stops, client: string | null): Halt | null {
  if (stops.everything !== null) return stops.everything;
  if (client === null) return null;
  const own = Object.hasOwn(stops.clients, client) ? stops.clients[client] : undefined;
  if (own !== undefined) return own;
  const anyStopped = Object.values(stops.clients).includes("stop");
  return anyStopped && !stops.known.includes(client) ? "stop" : null;
}

/** The stops after an agent was stopped, paused, or (`null`) let go on. Pure. */
export function withClient(stops: Stops, client: string, halt: Halt | null): Stops {
  const others = Object.entries(stops.clients).filter(([name]) => name !== client);
  // Object.fromEntries defines own properties: a name such as `__proto__` is one like any other.
  const clients = Object.fromEntries(halt === null ? others : [...others, [client, halt]]);
  return { ...stops, clients, known: halt === null ? withKnown(stops.known, client) : stops.known };
}

/** The stops after an agent showed itself. Pure. */
export function withSeen(stops: Stops, client: string): Stops {
  if (stops.known.includes(client) || haltOf(stops, client) !== null) return stops;
  return { ...stops, known: withKnown(stops.known, client) };
}

/** An agent showed itself. */
export async function noteClient(client: string): Promise<void> {
  const next = withSeen(stops(), client);
  if (next !== stops()) await changeStops(() => next);
}

/** Stops, pauses or lets go on. */
export function changeStops(edit: (stops: Stops) => Stops): Promise<void> {
  return kept.change((value) => {
    value.stops = edit(value.stops);
  });
}

/** Stops a tab, or lets agents go on there. */
export function stopTab(tab: number, on: boolean): Promise<void> {
  return keptTabs.change((value) => {
    const others = value.tabs.filter((other) => other !== tab);
    value.tabs = on ? [...others, tab] : others;
  });
}

/** Chrome gave a tab another id, or (`null`) closed it. */
export async function moveStop(old: number, now: number | null): Promise<void> {
  if (!stoppedTabs().includes(old)) return;
  await stopTab(old, false);
  if (now !== null) await stopTab(now, true);
}

function withKnown(known: readonly string[], client: string): string[] {
  return [...known.filter((other) => other !== client), client].slice(-CLIENTS_KNOWN);
}
