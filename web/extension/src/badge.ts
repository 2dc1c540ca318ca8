//! The toolbar badge: state and count. Nothing when all is well and idle, the number of agents' tabs, a
//! question mark with the number of prompts, two bars while agents are stopped, "!" when the user is needed.

import { asks } from "./asks-store";
import { entries } from "./book";
import { action } from "./chrome";
import type { LinkState } from "./link";
import { settings } from "./settings";
import { stops } from "./stops";
import { strings } from "./strings";

const CALM = "#0f766e";
const NEEDED = "#b45309";
const HALTED = "#52615e";

/** What the badge shows. */
export interface Badge {
  readonly text: string;
  readonly color: string;
  readonly title: string;
}

/** Shows where things stand. */
export async function showBadge(state: LinkState): Promise<void> {
  const { text, color, title } = badgeFor({
    needed: needsUser(state),
    asks: asks().open.length,
    halted: stops().everything !== null || settings.value.sharing === "paused",
    held: entries().filter(([, entry]) => entry.own && entry.holder !== null).length,
  });
  await Promise.all([
    action.setBadgeText({ text }),
    action.setBadgeBackgroundColor({ color }),
    action.setBadgeTextColor({ color: "#ffffff" }),
    action.setTitle({ title }),
  ]);
}

/** What needs the user most comes first. Pure. */
export function badgeFor(facts: {
  readonly needed: boolean;
  readonly asks: number;
  readonly halted: boolean;
  readonly held: number;
}): Badge {
  const { needed, asks, halted, held } = facts;
  if (asks > 0) return { text: `?${asks}`, color: NEEDED, title: strings.badgeAsks(asks) };
  if (needed) return { text: "!", color: NEEDED, title: strings.badgeNeeded };
  if (halted) return { text: "II", color: HALTED, title: strings.badgeHalted };
  return { text: held > 0 ? String(held) : "", color: CALM, title: strings.badge(held) };
}

function needsUser(state: LinkState): boolean {
  if (state.is === "refused") return true;
  return state.is === "connected" && !settings.value.consent;
}
