//! Every word that the user reads.

import type { LinkState } from "./link";
import type { PairFailure } from "./pairing";
import type { Sharing } from "./settings";

/** A headline and what to do. */
export interface Words {
  readonly title: string;
  readonly hint: string;
}

const refused: Record<Extract<LinkState, { is: "refused" }>["code"], Words> = {
  unknown_profile: {
    title: "Not paired",
    hint: "Pillion does not know this profile yet. Run “pillion setup --native” in a terminal.",
  },
  version: {
    title: "Versions do not fit",
    hint: "Update Pillion and this extension so that both are of one version.",
  },
  copy: {
    title: "This is a copy",
    hint: "Another running browser uses the same profile key. Make this copy a profile of its own.",
  },
  full: {
    title: "Too many profiles",
    hint: "Pillion is connected to as many profiles as it takes. Close another one.",
  },
};

/** Why a code did not pair, and what to do. */
const unpaired: Record<PairFailure | "not_a_code", string> = {
  not_a_code: "A code has eight letters and digits, such as 7K3M-Q9TD.",
  nobody:
    "No Pillion answers on this computer. Run “pillion pair” in a terminal and type the code that it shows.",
  no_code:
    "No code is waiting: it was used, or its two minutes are over. Run “pillion pair” for a new one.",
  wrong_code:
    "That is not the code. Look at it again; after three wrong tries a new one is needed.",
  full: "Pillion knows as many profiles as it takes. “pillion pairing reset” forgets them all.",
  failed: "Pillion could not remember this profile. “pillion daemon logs” says why.",
};

export const strings = {
  name: "Pillion",
  defaultLabel: "Browser",
  badgeNeeded: "Pillion needs you",
  badge: (held: number) =>
    held === 0 ? "Pillion" : `Pillion: ${held} ${held === 1 ? "tab" : "tabs"} with agents`,

  connected: { title: "Connected", hint: "Agents can open their own tabs." } satisfies Words,
  connectedIdle: "No agent is at work.",
  paused: { title: "Paused", hint: "Agents can do nothing in this profile." } satisfies Words,
  waiting: {
    title: "Waiting for you",
    hint: "An agent program on this computer is ready to use this profile.",
  } satisfies Words,
  searching: {
    title: "Looking for Pillion",
    hint: "It starts with the first agent. Nothing to do here.",
  } satisfies Words,
  noHelper: {
    title: "Not set up yet",
    hint: "Run “pillion setup --native” in a terminal, then try again.",
  } satisfies Words,
  refused,

  allow: "Let agents use this profile",
  allowNote: "Agents open tabs of their own. Your tabs stay closed to them until you share one.",
  revoke: "Stop letting agents use this profile",
  retry: "Try again",
  renew: "Make it its own profile",
  repinned:
    "Pillion was set up anew on this computer. This profile is now paired with the new one.",
  dismiss: "OK",

  pair: {
    open: "Pair with a code",
    title: "Pair with a code",
    hint: "Type the code that your agent or “pillion pair” shows. That lets agents use this profile.",
    field: "Code",
    example: "XXXX-XXXX",
    submit: "Pair",
    cancel: "Cancel",
    trying: "Pairing…",
    unpaired,
    reset: "Reset pairing",
    resetHint:
      "Forgets this profile's key and the Pillion it is paired with, and lets no agent in until you say so again. What you share stays as it is.",
    resetYes: "Forget the pairing",
    resetNo: "Keep it",
  },

  label: "Profile name",
  sharing: "Agents may use",
  sharingChoices: {
    chosen: "own and shared tabs",
    every: "every tab",
    paused: "nothing (paused)",
  } satisfies Record<Sharing, string>,

  agentTabs: "With agents",
  yourTabs: "Your tabs",
  share: (title: string) => `Share “${title}” with agents`,
  shared: "Shared",
  private: "Private",
  free: "free",
  untitled: "Untitled",
  noAgentTabs: "No agent holds a tab.",
  noTabs: "No other tabs are open.",
  protectedTab: "Chrome keeps extensions off this page",
} as const;
