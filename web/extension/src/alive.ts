//! Everything that must be read before anything is answered, in one promise.

import { activityReady } from "./activity";
import { approvalsReady } from "./approvals-store";
import { asksReady } from "./asks-store";
import { attachmentsReady } from "./attachment";
import { bookReady } from "./book";
import { downloadsReady } from "./downloads";
import { contactsReady } from "./first-contact";
import { placesReady } from "./places";
import { questionsReady } from "./questions-store";
import { rulesReady } from "./rules-store";
import { secretLeavesReady } from "./secret-leave";
import { secretsReady } from "./secret-store";
import { settings } from "./settings";
import { signReady } from "./sign";
import { stopsReady } from "./stops";
import { patchedReady } from "./undo";

export const alive: Promise<unknown> = Promise.all([
  settings.ready,
  bookReady,
  attachmentsReady,
  activityReady,
  asksReady,
  contactsReady,
  downloadsReady,
  patchedReady,
  questionsReady,
  rulesReady,
  secretsReady,
  secretLeavesReady,
  signReady,
  stopsReady,
  approvalsReady,
  placesReady,
]);

/** Runs when the state of the last life was read. Order of calls is kept; failures are logged. */
export function whenAlive(work: () => unknown): void {
  void alive.then(work).catch((error) => console.warn("pillion:", error));
}
