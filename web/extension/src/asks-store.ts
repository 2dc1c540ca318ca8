//! The prompts that wait for the user, in the worker. A prompt and its decision outlive the worker; who
//! raised it asks `decisionOf` after a restart.

import {
  type Admission,
  type Ask,
  type Asks,
  admit,
  type Decision,
  decide,
  NO_ASKS,
  overdue,
} from "./asks";
import { storage } from "./chrome";
import { Stored } from "./stored";

const kept = new Stored<{ asks: Asks }>(storage.session, "asks", { asks: NO_ASKS });
type OnDecision = (id: string, decision: Decision, ask: Ask, choice: number | null) => void;

const listeners = new Set<OnDecision>();
let timer: ReturnType<typeof setTimeout> | undefined;
let changed: () => void = () => undefined;
let raised: () => void = () => undefined;

/** Resolves when the prompts of the last life were read. */
export const asksReady: Promise<void> = kept.ready.then(watch);

/** What waits, and what is remembered. */
export function asks(): Asks {
  return kept.value.asks;
}

/** Runs after a prompt came or went. */
export function onAsksChanged(run: () => void): void {
  changed = run;
}

/** Runs after a prompt came. */
export function onRaised(run: () => void): void {
  raised = run;
}

/** Runs after a decision, also one of time. `choice`: which of several, where there are. */
export function onDecision(run: OnDecision): void {
  listeners.add(run);
}

/** What was decided; null while it waits, and after it was forgotten. */
export function decisionOf(id: string): Decision | null {
  return asks().decided.findLast((entry) => entry.id === id)?.decision ?? null;
}

/** Shows a prompt to the user, unless its agent has one or asked too often. */
export async function raise(ask: Ask): Promise<Admission> {
  const { asks: next, is } = admit(asks(), ask, Date.now());
  await put(next);
  if (is === "open") raised();
  return is;
}

/** The user chose. */
export async function settle(
  id: string,
  decision: Decision,
  choice: number | null = null,
): Promise<void> {
  const before = asks();
  const ask = before.open.find((one) => one.id === id);
  const next = decide(before, id, decision);
  if (!ask || next === before) return;
  await put(next);
  for (const listener of listeners) listener(id, decision, ask, choice);
}

async function put(next: Asks): Promise<void> {
  await kept.change((value) => {
    value.asks = next;
  });
  watch();
  changed();
}

function watch(): void {
  clearTimeout(timer);
  const first = Math.min(...asks().open.map((ask) => ask.expires));
  if (!Number.isFinite(first)) return;
  timer = setTimeout(
    () => {
      for (const id of overdue(asks(), Date.now())) void settle(id, "expired");
    },
    Math.max(0, first - Date.now()),
  );
}
