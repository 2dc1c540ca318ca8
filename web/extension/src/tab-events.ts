//! What Chrome tells of tabs and navigations, for known tabs only. Whose a new tab is, is taken from
//! `onCreatedNavigationTarget` alone: `openerTabId` is wrong too often.

import type { Phase } from "../../wire/verb";
import { onTabGone } from "./asking";
import { detach, forgetAttachment } from "./attachment";
import { edit, entries, forget, known, rename } from "./book";
import { getTab, tabs } from "./chrome";
import { moveDownloads } from "./downloads";
import { fenceLater } from "./fence";
import { group, isOurChange, ungroup } from "./groups";
import { keepKeeper } from "./keeper";
import { EMPTY_MS } from "./limits";
import { beginOpening, emit, emitFor, endOpening } from "./outbox";
import { forgetTop, isNever, noteTop, topOf } from "./places";
import { forgetSecrets, moveSecrets, noteCommit } from "./secret-store";
import { moveStop } from "./stops";
import { forgetPatches } from "./undo";
import { originOf } from "./url-rule";
import { focusedWindow, shownInfo, tellTab } from "./verbs/tabs";
import { restoreView } from "./view";
import { sleep } from "./wait";

/** Changes that the daemon wants to know of. */
const TOLD: readonly string[] = ["status", "title", "url", "discarded", "frozen"];
const NO_GROUP = -1;
/** Between a closing tab's leaving of its group and its end. */
const CLOSING_MS = 60;

/** Something about a tab changed. */
export async function onTabUpdated(
  tab: number,
  change: object & { groupId?: number | undefined },
): Promise<void> {
  if (change.groupId !== undefined) await onGroupChanged(tab, change.groupId);
  if (Object.keys(change).some((key) => TOLD.includes(key))) await tellTab(tab);
}

/** The user dragged a tab out of an agent's group, or into one. */
async function onGroupChanged(tab: number, now: number): Promise<void> {
  if (isOurChange(tab)) return;
  const entry = known(tab);
  if (entry?.own && entry.group !== null && entry.group !== now) {
    // A tab that closes leaves its group first: only one that is still there was dragged out.
    await sleep(CLOSING_MS);
    const still = await getTab(tab);
    if (!still || still.groupId === entry.group || isOurChange(tab)) return;
    await edit(tab, (value) => {
      value.own = false;
      value.group = null;
      value.holder = null;
    });
    if (known(tab)) await tellTab(tab);
    else {
      emit({ event: "tab_gone", tab, unshared: true });
      await detach(tab);
    }
    await keepKeeper();
    return;
  }
  const agents = now !== NO_GROUP && entries().find(([, other]) => other.group === now);
  if (agents && !entry?.own) {
    await edit(tab, (value) => {
      value.shared = true;
    });
    await keepKeeper();
    await tellTab(tab);
    const holder = agents[1].holder;
    if (holder) emit({ event: "given", tab, session: holder.session });
  }
}

/** A tab was closed. */
export async function onTabRemoved(tab: number): Promise<void> {
  const was = known(tab);
  forgetTop(tab);
  await onTabGone(tab);
  await Promise.all([
    forget(tab),
    forgetAttachment(tab),
    moveStop(tab, null),
    forgetSecrets(tab),
    forgetPatches(tab),
  ]);
  fenceLater();
  if (was) emit({ event: "tab_gone", tab, unshared: false });
  await keepKeeper();
}

/** Chrome gave a tab another id. */
export async function onTabReplaced(now: number, old: number): Promise<void> {
  const was = known(old);
  const renamed = rename(old, now);
  noteTop(now, topOf(old));
  forgetTop(old);
  // Before anything else can name the new one: to the daemon it would be another tab.
  if (was) emit({ event: "tab_replaced", old, new: now });
  await Promise.all([
    renamed,
    forgetAttachment(old),
    moveStop(old, now),
    moveSecrets(old, now),
    moveDownloads(old, now),
  ]);
  fenceLater();
  await tellTab(now);
}

/** A tab opened another one. */
export async function onOpenedBy(source: number, tab: number): Promise<void> {
  const opener = known(source);
  if (!opener?.own) {
    await leaveGroup(tab);
    return;
  }
  beginOpening();
  try {
    await edit(tab, (entry) => {
      entry.own = true;
      entry.holder = opener.holder;
    });
    fenceLater();
    await keepKeeper();
    const now = await getTab(tab);
    const info = now && shownInfo(now, await focusedWindow());
    if (!now || !info) return;
    emit({ event: "opened_by", source, tab: info });
    await restoreView(source, now).catch(() => undefined);
    await tellTab(tab);
    if (opener.holder) void group(tab, opener.holder);
  } finally {
    endOpening(tab);
  }
}

/** A user's tab that was born in an agent's group, because that was in front, leaves it. */
async function leaveGroup(tab: number): Promise<void> {
  const now = await getTab(tab);
  if (!now || now.groupId === NO_GROUP || known(tab)) return;
  if (entries().some(([, entry]) => entry.group === now.groupId)) await ungroup(tab);
}

interface Navigation {
  readonly tabId: number;
  readonly frameId: number;
  readonly url: string;
  readonly documentId?: string | undefined;
  readonly documentLifecycle?: string | undefined;
  readonly error?: string | undefined;
  readonly timeStamp: number;
}

/** A frame got further on its way. */
export function onNavigation(phase: Phase, details: object): void {
  const { tabId, frameId, url, documentId, documentLifecycle, error, timeStamp } =
    details as Navigation;
  // A page that is prepared ahead is not the tab's yet.
  if (documentLifecycle === "prerender") return;
  if (phase === "committed") noteCommit(tabId, documentId ?? "", url);
  const isTop = frameId === 0;
  if (isTop && phase === "committed") {
    noteTop(tabId, url);
    fenceLater();
  }
  if (isTop && isNever(url) && known(tabId)?.own === true) {
    if (phase === "started") tellBlocked(tabId, url, phase);
    if (phase === "committed" || phase === "failed") turnBack(tabId, url);
    return;
  }
  emitFor(tabId, {
    event: "navigation",
    tab: tabId,
    frame: frameId,
    ...(documentId !== undefined && { document: documentId }),
    url,
    phase,
    ...(error !== undefined && { error }),
    at: timeStamp,
  });
}

const turned = new Set<number>();

/** An agent's own tab came to a never-site, or was kept from it: the agent is told, and it is emptied. */
function turnBack(tab: number, url: string): void {
  if (turned.has(tab)) return;
  turned.add(tab);
  tellBlocked(tab, url, "failed");
  setTimeout(async () => {
    turned.delete(tab);
    const now = await getTab(tab);
    // It may be elsewhere by now, on its way there, or closed.
    const leaves = now?.pendingUrl !== undefined && !isNever(now.pendingUrl);
    if (now && !leaves && isNever(now.url ?? "")) await tabs.update(tab, { url: "about:blank" });
  }, EMPTY_MS);
}

/** That the agent's own tab is kept from a site, without the address on it. */
function tellBlocked(tab: number, url: string, phase: "started" | "failed"): void {
  const error = phase === "failed" ? { error: "SITE_BLOCKED" } : {};
  emit({ event: "navigation", tab, frame: 0, url: originOf(url), phase, ...error });
}
