//! The toolbar badge: nothing when all is well and idle, the number of agents' tabs, or "!" when the
//! user is needed.

import { entries } from "./book";
import { action } from "./chrome";
import type { LinkState } from "./link";
import { settings } from "./settings";
import { strings } from "./strings";

const CALM = "#0f766e";
const NEEDED = "#b45309";

/** Shows where things stand. */
export async function showBadge(state: LinkState): Promise<void> {
  const held = entries().filter(([, entry]) => entry.own && entry.holder !== null).length;
  const needed = needsUser(state);
  const text = needed ? "!" : held > 0 ? String(held) : "";
  await Promise.all([
    action.setBadgeText({ text }),
    action.setBadgeBackgroundColor({ color: needed ? NEEDED : CALM }),
    action.setBadgeTextColor({ color: "#ffffff" }),
    action.setTitle({ title: needed ? strings.badgeNeeded : strings.badge(held) }),
  ]);
}

function needsUser(state: LinkState): boolean {
  if (state.is === "refused") return true;
  return state.is === "connected" && !settings.value.consent;
}
