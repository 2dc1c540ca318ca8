//! Verbs about tabs as such: list, open, navigate, history, close, focus, hold. None of them brings
//! anything to the front but `focus`.

import type { Held, Holder, TabInfo, TabList } from "../../../wire/verb";
import { command, detach, using } from "../attachment";
import { edit, entries, known, tabInfo } from "../book";
import { getTab, scripting, type Tab, tabs, windows } from "../chrome";
import { Fault } from "../fault";
import { keepFence, opened, openingTab } from "../fence";
import { group, retitle, ungroup } from "../groups";
import { keepKeeper } from "../keeper";
import { beginOpening, emit, endOpening } from "../outbox";
import { isHidden, isNever } from "../places";
import { watchRequests } from "../requests";
import { giveBack } from "../undo";
import { mayOpen } from "../url-rule";
import { sleep } from "../wait";
import { attachVerb } from "./attach";
import type { Call } from "./context";

/** How long `close` waits for Chrome before a beforeunload dialog is taken for granted. */
const CLOSE_MS = 300;

/** The window that has focus, if a browser window has. */
export async function focusedWindow(): Promise<number | null> {
  const all = await windows.getAll();
  return all.find((window) => window.focused)?.id ?? null;
}

/** Own and shared tabs, and how many others there are. */
export async function list(): Promise<TabList> {
  const [all, focused] = await Promise.all([tabs.query({}), focusedWindow()]);
  const reply: TabList = { tabs: [], unshared: 0 };
  for (const tab of all) {
    const info = tab.id !== undefined && known(tab.id) ? shownInfo(tab, focused) : null;
    if (info) reply.tabs.push(info);
    else reply.unshared += 1;
  }
  return reply;
}

/** A new tab in the background, held from birth. */
export async function open(url: string, holder: Holder): Promise<TabInfo> {
  beginOpening();
  let id: number | null = null;
  try {
    // The tab's first request comes before its number.
    watchRequests(true);
    await openingTab();
    const tab = await create(url);
    id = tab.id ?? null;
    if (id === null) throw new Fault("INTERNAL", "Chrome made a tab without an id");
    await edit(id, (entry) => {
      entry.own = true;
      entry.holder = holder;
    });
    await keepFence();
    await keepKeeper();
    void group(id, holder);
    const info = shownInfo((await getTab(id)) ?? tab, await focusedWindow());
    if (!info) throw new Fault("TAB_NOT_FOUND", "the new tab was closed at once");
    return info;
  } finally {
    opened();
    endOpening(id);
  }
}

async function create(url: string): Promise<chrome.tabs.Tab> {
  const normal = await windows.getAll({ windowTypes: ["normal"] });
  const usable = normal.filter((window) => !window.incognito);
  const last = await windows.getLastFocused({ windowTypes: ["normal"] }).catch(() => null);
  const window = usable.find((candidate) => candidate.id === last?.id) ?? usable[0];
  if (window?.id !== undefined) {
    return tabs.create({ url, active: false, windowId: window.id });
  }
  const made = await windows.create({ url, focused: false, type: "normal" });
  const tab = made?.tabs?.[0];
  if (!tab) throw new Fault("INTERNAL", "Chrome opened no window");
  return tab;
}

/** Sends a tab somewhere; resolves as soon as Chrome took it. */
export async function navigate(tab: number, url: string): Promise<null> {
  await tabs.update(tab, { url });
  return null;
}

interface HistoryEntry {
  id: number;
  url: string;
}

/** Back, forward, or reload. */
export async function history(tab: number, delta: number, call: Call): Promise<null> {
  if (delta === 0) {
    await tabs.reload(tab);
    return null;
  }
  return using(tab, async () => {
    const { dom } = await attachVerb(tab);
    if (dom) return goBlindly(tab, delta);
    const past = (await command(tab, "Page.getNavigationHistory", {}, undefined, call.signal)) as {
      currentIndex?: number;
      entries?: HistoryEntry[];
    };
    const entry = past.entries?.[(past.currentIndex ?? 0) + delta];
    if (!entry) throw new Fault("NO_HISTORY_ENTRY", "there is no page in that direction");
    if (!mayOpen(entry.url)) {
      throw new Fault("URL_NOT_ALLOWED", "the page in that direction is not an http or https page");
    }
    if (isNever(entry.url)) throw new Fault("SITE_BLOCKED", "a rule keeps agents off that page");
    await command(
      tab,
      "Page.navigateToHistoryEntry",
      { entryId: entry.id },
      undefined,
      call.signal,
    );
    return null;
  });
}

/** Without the debugger nothing tells where it leads: what may not be there is turned back afterwards. */
async function goBlindly(tab: number, delta: number): Promise<null> {
  try {
    // Fails on entries that were made without the user: the page itself goes to those.
    await (delta < 0 ? tabs.goBack(tab) : tabs.goForward(tab));
  } catch {
    const [went] = await scripting.executeScript({
      target: { tabId: tab, frameIds: [0] },
      func: goHere,
      args: [delta],
      injectImmediately: true,
    });
    if (went?.result !== true) {
      throw new Fault("NO_HISTORY_ENTRY", "there is no page in that direction");
    }
  }
  return null;
}

/** Runs in the page's isolated world. */
function goHere(delta: number): boolean {
  if (window.history.length < 2) return false;
  window.history.go(delta);
  return true;
}

/** Whether the tab may go to that entry of its history. */
export async function mayGoTo(tab: number, entryId: unknown): Promise<boolean> {
  const past = (await command(tab, "Page.getNavigationHistory")) as { entries?: HistoryEntry[] };
  const entry = past.entries?.find((candidate) => candidate.id === entryId);
  return entry !== undefined && mayOpen(entry.url) && !isNever(entry.url);
}

/** Closes a tab; a beforeunload dialog may keep it open. */
export async function close(tab: number): Promise<null> {
  await Promise.race([tabs.remove(tab), sleep(CLOSE_MS)]);
  return null;
}

/** Brings a tab and its window to the front. */
export async function focus(tab: number): Promise<null> {
  const updated = await tabs.update(tab, { active: true });
  if (updated) await windows.update(updated.windowId, { focused: true });
  return null;
}

/** Gives a tab back to the user: nobody's, and not shared any more. */
export async function release(tab: number): Promise<null> {
  await freed(tab);
  if (!known(tab)) {
    emit({ event: "tab_gone", tab, unshared: true });
    await detach(tab);
  }
  await keepKeeper();
  return null;
}

/** The user takes a tab from its agent: as a release, and the daemon is told whatever it is now. */
export async function takeBack(tab: number, stopped = false): Promise<void> {
  await freed(tab);
  if (known(tab)) await tellTab(tab);
  else emit({ event: "tab_gone", tab, unshared: true, ...(stopped && { stopped }) });
  await detach(tab);
  await keepKeeper();
}

async function freed(tab: number): Promise<void> {
  await giveBack(tab);
  await edit(tab, (entry) => {
    entry.own = false;
    entry.shared = false;
    entry.holder = null;
    entry.group = null;
  });
  // A group is only for show: a tab that cannot leave it now is the user's all the same.
  await ungroup(tab).catch(() => undefined);
}

/** The whole truth about numbers and holders. Never makes a tab own or shared. */
export async function hold(held: readonly Held[]): Promise<null> {
  const named = new Map(held.map((item) => [item.tab, item]));
  const writes: Promise<void>[] = [];
  const regroup: [number, Holder][] = [];
  for (const [tab, entry] of entries()) {
    const now = named.get(tab)?.holder?.session;
    // Whoever tried something there has the tab no more.
    if (entry.holder && entry.holder.session !== now) void giveBack(tab);
    if (!named.has(tab) && (entry.number !== null || entry.holder)) {
      writes.push(
        edit(tab, (value) => {
          value.number = null;
          value.holder = null;
        }),
      );
    }
  }
  for (const { tab, number, holder } of held) {
    const entry = known(tab);
    if (!entry) continue;
    const changed = entry.holder?.session !== holder?.session;
    writes.push(
      edit(tab, (value) => {
        value.number = number;
        value.holder = holder ?? null;
      }),
    );
    if (holder && changed && entry.own) regroup.push([tab, holder]);
  }
  await Promise.all(writes);
  await keepKeeper();
  void Promise.all(regroup.map(([tab, holder]) => group(tab, holder))).then(retitle);
  return null;
}

/** Tells the daemon what a known tab is like now. */
export async function tellTab(tab: number): Promise<void> {
  if (!known(tab)) return;
  const [now, focused] = await Promise.all([getTab(tab), focusedWindow()]);
  if (!now || !known(tab)) return;
  const info = shownInfo(now, focused);
  if (info) {
    hiddenTabs.delete(tab);
    emit({ event: "tab", tab: info });
  } else if (!hiddenTabs.has(tab)) {
    hiddenTabs.add(tab);
    emit({ event: "tab_gone", tab, unshared: true });
    await detach(tab);
  }
}

/** Tabs of the user's whose site's rule hides them, as the daemon was told. */
const hiddenTabs = new Set<number>();

/** A tab as agents may know it: on a never-site the user's is none, and an agent's own is blank. */
export function shownInfo(tab: Tab, focused: number | null): TabInfo | null {
  const info = tabInfo(tab, focused);
  if (!info) return null;
  const url = tab.url ?? "";
  if (isHidden(info.tab, url)) return null;
  if (isNever(url)) return { ...info, url: "about:blank", title: "" };
  return isNever(info.url) ? { ...info, url } : info;
}

/** The user shares a tab, or no longer. */
export async function share(tab: number, on: boolean): Promise<void> {
  if (!on) await giveBack(tab);
  await edit(tab, (entry) => {
    entry.shared = on;
  });
  await keepKeeper();
  if (known(tab)) return tellTab(tab);
  emit({ event: "tab_gone", tab, unshared: true });
  await detach(tab);
}
