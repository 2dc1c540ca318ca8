//! What popup and worker say to each other. Types only, and the name of their port.

import type { LinkState } from "./link";
import type { PairingView } from "./pairing";
import type { Settings } from "./settings";

export const POPUP_PORT = "popup";

/** One tab that agents know of, as the popup needs it. */
export interface PopupTab {
  readonly tab: number;
  readonly number: number | null;
  readonly holder: string | null;
  readonly own: boolean;
  readonly shared: boolean;
}

/** From the worker. */
export interface PopupView {
  readonly link: LinkState;
  readonly settings: Settings;
  /** The name that agents see while none is given. */
  readonly fallbackLabel: string;
  readonly tabs: readonly PopupTab[];
  readonly pairing: PairingView;
}

/** From the popup. */
export type PopupAsk =
  | { readonly ask: "consent"; readonly granted: boolean }
  | { readonly ask: "label"; readonly label: string }
  | { readonly ask: "share"; readonly tab: number; readonly on: boolean }
  | { readonly ask: "sharing"; readonly sharing: Settings["sharing"] }
  | { readonly ask: "seen_repinned" }
  | { readonly ask: "retry" }
  | { readonly ask: "renew" }
  | { readonly ask: "pair"; readonly code: string }
  | { readonly ask: "forget_pairing" };
