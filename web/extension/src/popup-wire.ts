//! What our own pages and the worker say to each other. Types only, and the names of the ports.

import type { Activity } from "../../wire/activity";
import type { AgentView } from "./agents";
import type { Leave } from "./approvals";
import type { Ask, Decision } from "./asks";
import type { Contact } from "./contacts";
import type { LinkState } from "./link";
import type { PairingView } from "./pairing";
import type { Rule, SiteRules } from "./rules";
import type { SecretLeave } from "./secret-leave";
import type { Kind } from "./sensitive";
import type { Settings } from "./settings";
import type { Sign } from "./sign";
import type { Halt } from "./stops";

/** Of every page but the side panel. */
export const POPUP_PORT = "popup";
/** The side panel's: what agents do is told there, too. */
export const PANEL_PORT = "panel";

/** One tab that agents know of, as a page needs it. */
export interface PopupTab {
  readonly tab: number;
  readonly number: number | null;
  readonly holder: string | null;
  readonly own: boolean;
  readonly shared: boolean;
  /** The user stopped agents there. */
  readonly stopped: boolean;
}

/** A prompt and what the user can choose, the refusal first. */
export interface Prompt {
  readonly ask: Ask;
  readonly choices: readonly Decision[];
}

/** An agent that asked too often: until when it is denied, and how often it was. */
export interface Quiet {
  readonly asker: string;
  readonly until: number;
  readonly denied: number;
}

/** From the worker. A page in a tab gets the first four and nothing else. */
export interface PopupView {
  readonly link: LinkState;
  readonly settings: Settings;
  /** The name that agents see while none is given. */
  readonly fallbackLabel: string;
  /** Everything is stopped or paused. */
  readonly everything: Halt | null;
  readonly tabs: readonly PopupTab[];
  readonly pairing: PairingView;
  readonly agents: readonly AgentView[];
  readonly prompts: readonly Prompt[];
  readonly quiet: readonly Quiet[];
  readonly rules: SiteRules | null;
  readonly sign: Sign | null;
  /** Agents that the user decided about. */
  readonly contacts: readonly Contact[];
  /** What agents may do without a question. */
  readonly leaves: readonly Leave[];
  /** Where secrets may go. */
  readonly secretLeaves: readonly SecretLeave[];
  /** Newest last. Empty but for the side panel. */
  readonly activity: readonly Activity[];
}

/** From a page. */
export type PopupAsk =
  | { readonly ask: "consent"; readonly granted: boolean }
  | { readonly ask: "label"; readonly label: string }
  | { readonly ask: "share"; readonly tab: number; readonly on: boolean }
  | { readonly ask: "share_all"; readonly tabs: readonly number[]; readonly on: boolean }
  | { readonly ask: "sharing"; readonly sharing: Settings["sharing"] }
  | { readonly ask: "shield"; readonly on: boolean }
  | { readonly ask: "cursor"; readonly on: boolean }
  | { readonly ask: "quiet"; readonly on: boolean }
  | { readonly ask: "halt_all"; readonly halt: Halt | null }
  | { readonly ask: "halt"; readonly client: string; readonly halt: Halt | null }
  | { readonly ask: "halt_tab"; readonly tab: number; readonly on: boolean }
  | { readonly ask: "disconnect"; readonly client: string }
  | {
      readonly ask: "decide";
      readonly id: string;
      readonly decision: Decision;
      /** Which of several: an option's number from 0, or Chrome's id of a tab. */
      readonly choice?: number;
    }
  | { readonly ask: "forget_contact"; readonly client: string; readonly program: string }
  | { readonly ask: "revoke"; readonly key: string }
  | { readonly ask: "revoke_secret"; readonly key: string }
  | { readonly ask: "notify"; readonly on: boolean }
  | { readonly ask: "rule"; readonly pattern: string; readonly rule: Rule | null }
  | { readonly ask: "kind"; readonly kind: Kind; readonly rule: Rule }
  | { readonly ask: "sign"; readonly sign: Sign }
  | { readonly ask: "seen_repinned" }
  | { readonly ask: "retry" }
  | { readonly ask: "renew" }
  | { readonly ask: "pair"; readonly code: string };
