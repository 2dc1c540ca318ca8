//! What the user decided in this profile: consent, the profile's name, what is shared. Kept in the
//! profile, never synced. Only the extension's own pages may loosen anything here.

import { storage } from "./chrome";
import { Stored } from "./stored";
import { strings } from "./strings";

/** Which tabs agents may touch besides their own. */
export type Sharing = "chosen" | "every" | "paused";

export interface Settings {
  consent: boolean;
  label: string;
  sharing: Sharing;
  /** The daemon's key changed through the helper, and the user has not yet seen the line. */
  repinned: boolean;
  /** A frame around a page while an agent acts in it, and the user's input held off meanwhile. */
  shield: boolean;
  /** With the frame: where the agent points. */
  cursor: boolean;
  /** The debugger is never attached: no banner of Chrome's, and input is not trusted. */
  quiet: boolean;
  /** A word on the desktop when an agent asks and no page of ours is open. */
  notify: boolean;
}

export const settings = new Stored<Settings>(storage.local, "settings", {
  consent: false,
  label: "",
  sharing: "chosen",
  repinned: false,
  shield: true,
  cursor: false,
  quiet: false,
  notify: false,
});

/** The name under which agents know the profile: the user's, or the browser's own. */
export function profileLabel(): string {
  return settings.value.label.trim() || browserName() || strings.defaultLabel;
}

/** `Google Chrome`, `Microsoft Edge`, `Brave`; the engine's own name says least and comes last. */
export function browserName(): string {
  const { userAgentData } = navigator as { userAgentData?: { brands?: { brand: string }[] } };
  const names = (userAgentData?.brands ?? [])
    .map(({ brand }) => brand)
    .filter((brand) => !/not.*brand/i.test(brand));
  return names.find((name) => name !== "Chromium") ?? names[0] ?? "";
}
