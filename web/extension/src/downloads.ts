//! Downloads of known tabs. Chrome does not say which tab caused one: requests that were seen in
//! known tabs tell it. A download that no known tab caused is nobody's business.

import type { DownloadNow } from "../../wire/trying";
import { known } from "./book";
import { downloads, storage } from "./chrome";
import { DOWNLOAD_MATCH_MS, DOWNLOADS_KEPT } from "./limits";
import { emitFor } from "./outbox";
import { isNever } from "./places";
import { Stored } from "./stored";

interface Cause {
  tab: number;
  at: number;
}

const causes = new Map<string, Cause>();
/** Tabs by Chrome's ids of their downloads. */
const owners = new Stored<{ tabs: Record<string, number> }>(storage.session, "downloads", {
  tabs: {},
});

/** Resolves when the record of the last life was read. */
export const downloadsReady: Promise<void> = owners.ready;

/** A known tab asked for that address, which may become a download. */
export function noteDownload(tab: number, url: string): void {
  if (!known(tab)) return;
  const now = Date.now();
  causes.delete(url);
  causes.set(url, { tab, at: now });
  for (const [old, cause] of causes) {
    if (now - cause.at < DOWNLOAD_MATCH_MS) break;
    causes.delete(old);
  }
}

/** A download began. */
export async function onDownloadCreated(item: chrome.downloads.DownloadItem): Promise<void> {
  const cause = causes.get(item.finalUrl) ?? causes.get(item.url);
  if (!cause || Date.now() - cause.at > DOWNLOAD_MATCH_MS) return;
  const written = owners.change((value) => {
    const kept = Object.entries(value.tabs).slice(1 - DOWNLOADS_KEPT);
    value.tabs = { ...Object.fromEntries(kept), [item.id]: cause.tab };
  });
  tell(item, cause.tab);
  await written;
}

/** A download changed. */
export async function onDownloadChanged(delta: chrome.downloads.DownloadDelta): Promise<void> {
  const tab = owners.value.tabs[delta.id];
  if (tab === undefined) return;
  const [item] = await downloads.search({ id: delta.id });
  if (item) tell(item, tab);
}

function tell(item: chrome.downloads.DownloadItem, tab: number): void {
  emitFor(tab, {
    event: "download",
    tab,
    id: item.id,
    url: item.url,
    path: item.filename,
    received: item.bytesReceived,
    total: item.totalBytes,
    state: item.state,
  });
}

/** The verb `downloads`: those of a tab, the oldest first. */
export async function downloadsOf(tab: number): Promise<DownloadNow[]> {
  const ids = Object.entries(owners.value.tabs).filter(([, owner]) => owner === tab);
  const found = await Promise.all(ids.map(([id]) => downloads.search({ id: Number(id) })));
  return found
    .flat()
    .filter((item) => !isNever(item.url) && !isNever(item.finalUrl))
    .map((item) => ({
      id: item.id,
      url: item.url,
      path: item.filename,
      received: item.bytesReceived,
      total: item.totalBytes,
      state: item.state,
      error:
        item.error ?? (item.danger === "safe" || item.danger === "accepted" ? "" : item.danger),
      missing: item.state === "complete" && item.exists === false,
    }));
}

/** Chrome gave a tab another id. */
export function moveDownloads(old: number, now: number): Promise<void> {
  return owners.change((value) => {
    for (const [id, tab] of Object.entries(value.tabs)) if (tab === old) value.tabs[id] = now;
  });
}
