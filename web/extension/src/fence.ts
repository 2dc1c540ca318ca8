//! Keeps the network fence where agents are: computed anew when tabs, sites or rules change, and
//! always before the next act. Chrome drops it with the browser's run.

import { entries, known } from "./book";
import { declarativeNetRequest } from "./chrome";
import { fenceRules, type Ground } from "./fence-rules";
import { FENCE_MS } from "./limits";
import { topOf, topsNow } from "./places";
import { siteRules } from "./rules-store";

/** Shared tabs that agents acted in lately: until when. */
const acted = new Map<number, number>();
let opening = 0;
/** What Chrome was given last; null before this worker gave it anything. */
let given: string | null = null;
let chain: Promise<void> = Promise.resolve();

/** Puts the fence where it belongs now; resolves when Chrome took it. */
export function keepFence(): Promise<void> {
  // A fence that failed once must not keep the next one from being tried.
  chain = chain.then(adjust, adjust);
  return chain;
}

/** An agent is about to act in a tab: the fence stands before it does. */
export function beforeActing(tab: number): Promise<void> {
  if (known(tab)?.own !== true) {
    acted.set(tab, Date.now() + FENCE_MS);
    setTimeout(() => void keepFence().catch(warn), FENCE_MS + 1);
  }
  return keepFence();
}

/** A tab is being opened for an agent; to be ended by `opened`. */
export function openingTab(): Promise<void> {
  opening += 1;
  return keepFence();
}

/** It has its number, or there will be none. */
export function opened(): void {
  opening -= 1;
  void keepFence().catch(warn);
}

/** The same where nobody waits for it. */
export function fenceLater(): void {
  void keepFence().catch(warn);
}

function warn(error: unknown): void {
  console.warn("pillion: fence", error);
}

async function adjust(): Promise<void> {
  const rules = fenceRules(siteRules(), ground());
  const text = JSON.stringify(rules);
  if (text === given) return;
  const before = await declarativeNetRequest.getSessionRules();
  await declarativeNetRequest.updateSessionRules({
    removeRuleIds: before.map(({ id }) => id),
    addRules: rules,
  });
  given = text;
}

function ground(): Ground {
  const now = Date.now();
  for (const [tab, end] of acted) if (end <= now) acted.delete(tab);
  const own = entries().filter(([, entry]) => entry.own || entry.holder !== null);
  const agents = [...new Set([...own.map(([tab]) => tab), ...acted.keys()])].sort();
  const users = topsNow()
    .map(([tab]) => tab)
    .filter((tab) => !agents.includes(tab))
    .sort();
  const sites = agents.flatMap((tab) => hostOf(topOf(tab))).sort();
  return { agents, users, sites: [...new Set(sites)], opening: opening > 0 };
}

function hostOf(url: string): string[] {
  const bare = url.startsWith("blob:") ? url.slice("blob:".length) : url;
  if (!URL.canParse(bare)) return [];
  const { hostname, protocol } = new URL(bare);
  return /^https?:$/.test(protocol) && hostname !== "" ? [hostname] : [];
}
