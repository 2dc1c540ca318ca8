//! Tab groups that make an agent's tabs visible: one a session and window, never in popup windows.
//! Changes that we cause are written down, so that the user's own drags can be told from them.

import type { Holder } from "../../wire/verb";
import { edit, entries, known } from "./book";
import { getTab, tabGroups, tabs, windows } from "./chrome";
import { words } from "./fault";
import { DRAG_RETRY_EVERY_MS, DRAG_RETRY_MS, OWN_GROUP_CHANGE_MS } from "./limits";
import { sleep } from "./wait";

const COLOURS = ["blue", "red", "yellow", "green", "pink", "purple", "cyan", "orange"] as const;

/** Tabs whose group we changed, and until when a change counts as ours. */
const ours = new Map<number, number>();
/** One change of groups at a time a session: two tabs opened at once share one group. */
const chains = new Map<string, Promise<void>>();

/** Whether a group change of this tab is our own doing. */
export function isOurChange(tab: number): boolean {
  return (ours.get(tab) ?? 0) > Date.now();
}

/** Puts a tab into its holder's group. Never fails: a group is only for show. */
export function group(tab: number, holder: Holder): Promise<void> {
  const before = chains.get(holder.session) ?? Promise.resolve();
  const run = before.then(() => groupNow(tab, holder)).catch(() => undefined);
  chains.set(holder.session, run);
  return run;
}

/** Takes a tab out of the group that it was born in. */
export async function ungroup(tab: number): Promise<void> {
  claim(tab);
  await whileDragging(() => tabs.ungroup(tab));
}

/** Gives every group of a session the title that its tabs make. */
export async function retitle(): Promise<void> {
  const groups = new Map<number, { label: string; numbers: number[] }>();
  for (const [, entry] of entries()) {
    if (entry.group === null || !entry.holder) continue;
    const found = groups.get(entry.group) ?? { label: entry.holder.label, numbers: [] };
    if (entry.number !== null) found.numbers.push(entry.number);
    groups.set(entry.group, found);
  }
  for (const [id, { label, numbers }] of groups) {
    const title = titleOf(label, numbers);
    try {
      const now = await tabGroups.get(id);
      if (now.title !== title) await tabGroups.update(id, { title });
    } catch {
      // The group went with its last tab.
    }
  }
}

/** `Claude Code · 7 9` */
export function titleOf(label: string, numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const shown = sorted.slice(0, 5).join(" ");
  if (shown === "") return label;
  return `${label} · ${shown}${sorted.length > 5 ? " …" : ""}`;
}

async function groupNow(tab: number, holder: Holder): Promise<void> {
  const now = await getTab(tab);
  if (!now || now.pinned || !known(tab)?.own) return;
  const window = await windows.get(now.windowId);
  if (window.type !== "normal") return;
  const existing = await groupOf(holder.session, now.windowId, tab);
  if (existing !== null && existing === now.groupId) return;
  claim(tab);
  const id = await whileDragging(() =>
    existing !== null
      ? tabs.group({ tabIds: tab, groupId: existing })
      : // Without its window Chrome would move the tab into the current one.
        tabs.group({ tabIds: tab, createProperties: { windowId: now.windowId } }),
  );
  claim(tab);
  await edit(tab, (entry) => {
    entry.group = id;
  });
  if (existing === null) {
    await tabGroups.update(id, { color: colourOf(holder.session), title: holder.label });
  }
}

async function groupOf(session: string, window: number, besides: number): Promise<number | null> {
  for (const [tab, entry] of entries()) {
    if (tab === besides || entry.group === null || entry.holder?.session !== session) continue;
    try {
      if ((await tabGroups.get(entry.group)).windowId === window) return entry.group;
    } catch {
      // Gone with its last tab.
    }
  }
  return null;
}

/** Chrome refuses to edit tabs while the user drags one. */
async function whileDragging<T>(change: () => Promise<T>): Promise<T> {
  const end = Date.now() + DRAG_RETRY_MS;
  for (;;) {
    try {
      return await change();
    } catch (error) {
      if (!/cannot be edited/i.test(words(error)) || Date.now() > end) throw error;
      await sleep(DRAG_RETRY_EVERY_MS);
    }
  }
}

function claim(tab: number): void {
  const now = Date.now();
  ours.set(tab, now + OWN_GROUP_CHANGE_MS);
  for (const [old, until] of ours) if (until < now) ours.delete(old);
}

function colourOf(session: string): (typeof COLOURS)[number] {
  let sum = 0;
  for (const character of session) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return COLOURS[sum % COLOURS.length] ?? "blue";
}
