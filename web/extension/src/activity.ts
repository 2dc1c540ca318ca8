//! What agents did lately in this profile, for the person to see. Told by the daemon and believed by
//! nobody: no decision is taken from it. Ends with the browser's run.

import type { Activity } from "../../wire/activity";
import { storage } from "./chrome";
import { ACTIVITY_KEPT } from "./limits";
import { Stored } from "./stored";

const kept = new Stored<{ entries: Activity[] }>(storage.session, "activity", { entries: [] });

/** Resolves when the list of the worker's last life was read. */
export const activityReady: Promise<void> = kept.ready;

/** Newest last. */
export function activities(): readonly Activity[] {
  return kept.value.entries;
}

/** A call began, or ended. */
export async function noteActivity(entry: Activity): Promise<null> {
  await kept.change((value) => {
    value.entries = withEntry(value.entries, entry, ACTIVITY_KEPT);
  });
  return null;
}

/** The list with an entry, which takes the place of what was told of the same call before. Pure. */
export function withEntry(entries: readonly Activity[], entry: Activity, most: number): Activity[] {
  const at = entries.findLastIndex(
    ({ id, session }) => id === entry.id && session === entry.session,
  );
  const all = at < 0 ? [...entries, entry] : entries.with(at, entry);
  return all.slice(-most);
}
