//! The rules for sites as they are kept: in the profile, never synced. Changed by our own pages only.

import { storage } from "./chrome";
import { FRESH_RULES, readRules, type SiteRules } from "./rules";
import { Stored } from "./stored";

const kept = new Stored<{ rules: SiteRules }>(storage.local, "rules", { rules: FRESH_RULES });

/** Resolves when the rules of the last life were read. */
export const rulesReady: Promise<void> = kept.ready.then(() => {
  kept.value.rules = readRules(kept.value.rules);
});

/** The rules now. */
export function siteRules(): SiteRules {
  return kept.value.rules;
}

/** Puts others in their place. */
export function changeRules(edit: (rules: SiteRules) => SiteRules): Promise<void> {
  return kept.change((value) => {
    value.rules = edit(value.rules);
  });
}
