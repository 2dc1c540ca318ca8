//! The agents that a person sees: who is there, what each does now, and whether it was stopped. Pure.

import type { Activity } from "../../wire/activity";
import type { Entry } from "./book";
import { AGENT_SEEN_MS } from "./limits";
import { type Halt, haltOf, type Stops } from "./stops";

/** One agent, by the name that it gave itself. */
export interface AgentView {
  readonly client: string;
  readonly sessions: readonly string[];
  /** Pillion's numbers of its tabs. */
  readonly tabs: readonly number[];
  /** The call that runs now. */
  readonly doing: Activity | null;
  /** The call that ended last. */
  readonly last: Activity | null;
  readonly halt: Halt | null;
}

/** Who holds a tab, was active lately, or is stopped; in the order of their names. */
export function agentsOf(
  entries: readonly (readonly [number, Entry])[],
  activities: readonly Activity[],
  stops: Stops,
  now: number,
): AgentView[] {
  const names = new Set<string>(Object.keys(stops.clients));
  for (const [, entry] of entries) if (entry.holder) names.add(entry.holder.label);
  const calls = activities.filter((call) => isFresh(call, now));
  for (const call of calls) names.add(call.agent);
  return [...names].sort().map((client) => {
    const held = entries.filter(([, entry]) => entry.holder?.label === client);
    const own = calls.filter((call) => call.agent === client);
    const sessions = [
      ...held.flatMap(([, entry]) => entry.holder?.session ?? []),
      ...own.map((call) => call.session),
    ];
    return {
      client,
      sessions: [...new Set(sessions)],
      tabs: held.flatMap(([, entry]) => entry.number ?? []).sort((a, b) => a - b),
      doing: own.findLast((call) => !call.ended) ?? null,
      last: own.findLast((call) => call.ended) ?? null,
      halt: haltOf(stops, client),
    };
  });
}

function isFresh(call: Activity, now: number): boolean {
  return now - call.atMs - (call.ended?.tookMs ?? 0) < AGENT_SEEN_MS;
}
