//! The user's view: which tab and window were in front. A tab that an agent's tab opened must not
//! take their place. Kept in memory only: a worker that just woke asks Chrome.

import { usedWithin } from "./attachment";
import { tabs, windows } from "./chrome";

/** A tab that opens this soon after an agent's act is the act's doing. */
const AGENT_MS = 2_000;

interface View {
  now: number | null;
  before: number | null;
}

const views = new Map<number, View>();
let focused: { now: number | null; before: number | null } = { now: null, before: null };

/** Asks Chrome what is in front, so that a woken worker knows what was before. */
export async function readViews(): Promise<void> {
  const [active, all] = await Promise.all([tabs.query({ active: true }), windows.getAll()]);
  for (const tab of active) {
    if (!views.has(tab.windowId)) views.set(tab.windowId, { now: tab.id ?? null, before: null });
  }
  focused.now ??= all.find((window) => window.focused)?.id ?? null;
}

/** A tab came to the front of its window; gives the tabs for which that changed something. */
export function onActivated(tab: number, window: number): number[] {
  const view = views.get(window);
  if (view?.now === tab) return [];
  const before = view?.now ?? null;
  views.set(window, { now: tab, before });
  return before === null ? [tab] : [before, tab];
}

/** A window got focus. */
export function onFocused(window: number): void {
  if (window < 0 || window === focused.now) return;
  focused = { now: window, before: focused.now };
}

/** Puts the user's view back when `opened` took it and `source` did not have it. */
export async function restoreView(source: number, opened: chrome.tabs.Tab): Promise<void> {
  if (opened.id === undefined || !opened.active) return;
  const view = views.get(opened.windowId);
  const before = view?.now === opened.id ? view.before : (view?.now ?? null);
  if (before !== null && before !== opened.id) {
    // Whoever uses the agent's own tab by hand may see where it went.
    const byHand = before === source && !usedWithin(source, AGENT_MS);
    if (!byHand) await tabs.update(before, { active: true });
    return;
  }
  const sourceWindow = (await tabs.get(source)).windowId;
  const last = focused.now === opened.windowId ? focused.before : focused.now;
  // A window of its own: the one that had focus gets it back.
  if (last === null || last === opened.windowId) return;
  const inFront = last === sourceWindow && views.get(last)?.now === source;
  if (inFront && !usedWithin(source, AGENT_MS)) return;
  await windows.update(last, { focused: true });
}
