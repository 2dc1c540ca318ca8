//! Which tabs agents may know of: own ones, with their holders and numbers, and shared ones. The
//! guard believes this record only. It survives the worker's death and updates of the extension, and
//! ends with the browser's run.

import type { Holder, TabInfo } from "../../wire/verb";
import { random, toBase64Url } from "./bytes";
import { storage, type Tab, tabs } from "./chrome";
import { cameAnew, runName, setRunName } from "./run";
import { settings } from "./settings";
import { Stored } from "./stored";

/** One tab that agents may know of. */
export interface Entry {
  /** A session opened it, or a tab of a session did. */
  own: boolean;
  /** The user shares it. */
  shared: boolean;
  number: number | null;
  holder: Holder | null;
  /** The tab group that we put it into. */
  group: number | null;
}

interface Book {
  /** The run of the browser that the tabs are of. */
  boot: string;
  tabs: Record<string, Entry>;
  /** Ids that Chrome gave to tabs instead of others, in this life of the worker or before. */
  replaced: Record<string, number>;
}

const book = new Stored<Book>(storage.local, "book", { boot: "", tabs: {}, replaced: {} });

/** Resolves when the record of the last life was read and is known to be of this run. */
export const bookReady: Promise<void> = book.ready.then(begin);

/** The name of this run of the browser: 16 random bytes. Only to be read after `bookReady`. */
export function boot(): string {
  return book.value.boot;
}

async function begin(): Promise<void> {
  if ((await runName()) === book.value.boot && book.value.boot !== "") return;
  const there = new Set((await tabs.query({})).map(({ id }) => String(id)));
  // Chrome's ids go on from run to run: where none is there any more, nobody need be asked.
  const some = Object.keys(book.value.tabs).some((tab) => there.has(tab));
  const same = some && (await cameAnew());
  await book.change((value) => {
    if (!same) value.boot = toBase64Url(random(16));
    value.tabs = same ? kept(value.tabs, there) : {};
    value.replaced = {};
  });
  await setRunName(book.value.boot);
}

function kept(tabs: Book["tabs"], there: ReadonlySet<string>): Book["tabs"] {
  const still = Object.entries(tabs).filter(([tab]) => there.has(tab));
  return Object.fromEntries(still);
}

/** The entry of a tab that agents may know of. */
export function known(tab: number): Entry | null {
  const entry = book.value.tabs[tab] ?? null;
  if (entry && (entry.own || entry.shared)) return entry;
  return settings.value.sharing === "every" ? (entry ?? blank()) : null;
}

/** Whether the user shares it, by itself or by sharing every tab. */
export function isShared(tab: number): boolean {
  return settings.value.sharing === "every" || book.value.tabs[tab]?.shared === true;
}

/** Every entry with its tab. */
export function entries(): [number, Entry][] {
  return Object.entries(book.value.tabs).map(([tab, entry]) => [Number(tab), entry]);
}

/** Changes one entry, made if need be; dropped when nothing is left of it. */
export function edit(tab: number, change: (entry: Entry) => void): Promise<void> {
  return book.change((value) => {
    const entry = value.tabs[tab] ?? blank();
    change(entry);
    if (entry.own || entry.shared || entry.number !== null) value.tabs[tab] = entry;
    else delete value.tabs[tab];
  });
}

/** Forgets a closed tab. */
export function forget(tab: number): Promise<void> {
  return book.change((value) => {
    delete value.tabs[tab];
  });
}

/** Chrome gave a tab another id. */
export function rename(old: number, now: number): Promise<void> {
  return book.change((value) => {
    const entry = value.tabs[old];
    if (!entry) return;
    delete value.tabs[old];
    value.tabs[now] = entry;
    value.replaced[old] = now;
  });
}

/** The id that a tab has now: the daemon may not have heard yet that Chrome gave it another. */
export function idNow(tab: number): number {
  let now = tab;
  // At most once a replacement: ids are never given twice.
  for (let next = book.value.replaced[now]; next !== undefined; next = book.value.replaced[now]) {
    now = next;
  }
  return now;
}

/** A tab as agents may know it. */
export function tabInfo(tab: Tab, focusedWindow: number | null): TabInfo | null {
  if (tab.id === undefined) return null;
  return {
    tab: tab.id,
    window: tab.windowId,
    url: tab.pendingUrl || tab.url || "",
    title: tab.title ?? "",
    active: tab.active,
    focused: tab.active && tab.windowId === focusedWindow,
    loading: tab.status === "loading",
    discarded: tab.discarded,
    shared: isShared(tab.id),
    held: book.value.tabs[tab.id]?.own ?? false,
    incognito: tab.incognito,
  };
}

function blank(): Entry {
  return { own: false, shared: false, number: null, holder: null, group: null };
}
