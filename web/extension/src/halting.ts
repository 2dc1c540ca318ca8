//! What a stop, a pause, and a disconnect do: the record first, then what runs, then the tabs.

import { activities } from "./activity";
import { agentsOf } from "./agents";
import { dropApprovals, dropAsksOf } from "./approvals-store";
import { dropQuestions } from "./asking";
import { entries } from "./book";
import { emit } from "./outbox";
import { changeStops, type Halt, stops, stopTab, withClient } from "./stops";
import { endStopped } from "./verbs";
import { takeBack } from "./verbs/tabs";

/** Stops, pauses or lets go on an agent. */
export async function haltClient(client: string, halt: Halt | null): Promise<void> {
  await changeStops((value) => withClient(value, client, halt));
  if (halt !== "stop") return;
  endStopped();
  await dropApprovals(client);
  await dropQuestions((asker) => asker === client);
  await takeAll((holder) => holder === client);
}

/** The same for every agent. What was stopped by itself stays so. */
export async function haltAll(halt: Halt | null): Promise<void> {
  await changeStops((value) => ({ ...value, everything: halt }));
  if (halt !== "stop") return;
  endStopped();
  await dropApprovals(null);
  await dropQuestions(() => true);
  await takeAll((holder) => holder !== null);
}

/** Agents may do nothing in a tab, or may again where it is shared. */
export async function haltTab(tab: number, on: boolean): Promise<void> {
  await stopTab(tab, on);
  if (!on) return;
  endStopped();
  await dropAsksOf(tab);
  await takeBack(tab, true);
}

/** The page does not let the shield be: nothing new begins there until the user lets agents go on. */
export async function pauseTab(tab: number): Promise<void> {
  await stopTab(tab, true);
}

/** Ends the sessions of an agent: the daemon tells it so. Its tabs are the user's. */
export async function disconnect(client: string): Promise<void> {
  const agent = agentsOf(entries(), activities(), stops(), Date.now()).find(
    (one) => one.client === client,
  );
  for (const session of agent?.sessions ?? []) emit({ event: "disconnect", session });
  await dropApprovals(client);
  await takeAll((holder) => holder === client);
}

async function takeAll(isMeant: (holder: string | null) => boolean): Promise<void> {
  const meant = entries().filter(([, entry]) => isMeant(entry.holder?.label ?? null));
  await Promise.all(meant.map(([tab]) => takeBack(tab)));
}
