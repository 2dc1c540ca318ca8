//! Everything that must be read before anything is answered, in one promise.

import { activityReady } from "./activity";
import { attachmentsReady } from "./attachment";
import { bookReady } from "./book";
import { settings } from "./settings";

export const alive: Promise<unknown> = Promise.all([
  settings.ready,
  bookReady,
  attachmentsReady,
  activityReady,
]);

/** Runs when the state of the last life was read. Order of calls is kept; failures are logged. */
export function whenAlive(work: () => unknown): void {
  void alive.then(work).catch((error) => console.warn("pillion:", error));
}
