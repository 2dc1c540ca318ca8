// What the user decided in this profile: consent, the profile's name, what is shared. Kept in the
// profile, never synced. Only the extension's own pages may loosen anything here.

import { storage } from "./chrome";
import { Stored } from "./stored";

/** Which tabs agents may touch besides their own. */
export type Sharing = "chosen" | "every" | "paused";

export interface Settings {
  consent: boolean;
  label: string;
  sharing: Sharing;
  /** The daemon's key changed through the helper, and the user has not yet seen the line. */
  repinned: boolean;
}

export const settings = new Stored<Settings>(storage.local, "settings", {
  consent: false,
  label: "",
  sharing: "chosen",
  repinned: false,
});

/** The name under which agents know the profile. */
export function profileLabel(value: Settings, fallback: string): string {
  return value.label.trim() || fallback;
}
