//! Downloads of known tabs. Chrome does not say which tab caused one: requests that were seen in
//! known tabs tell it. A download that no known tab caused is nobody's business.

import type { Event } from "../../wire/verb";
import { known } from "./book";
import { downloads } from "./chrome";
import { DOWNLOAD_MATCH_MS } from "./limits";
import { emit } from "./outbox";

interface Cause {
  tab: number;
  at: number;
}

const causes = new Map<string, Cause>();
const owners = new Map<number, number>();

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
export function onDownloadCreated(item: chrome.downloads.DownloadItem): void {
  const cause = causes.get(item.finalUrl) ?? causes.get(item.url);
  if (!cause || Date.now() - cause.at > DOWNLOAD_MATCH_MS) return;
  owners.set(item.id, cause.tab);
  tell(item, cause.tab);
}

/** A download changed. */
export async function onDownloadChanged(delta: chrome.downloads.DownloadDelta): Promise<void> {
  const tab = owners.get(delta.id);
  if (tab === undefined) return;
  const [item] = await downloads.search({ id: delta.id });
  if (item) tell(item, tab);
}

function tell(item: chrome.downloads.DownloadItem, tab: number): void {
  const event: Extract<Event, { event: "download" }> = {
    event: "download",
    tab,
    id: item.id,
    url: item.url,
    path: item.filename,
    received: item.bytesReceived,
    total: item.totalBytes,
    state: item.state,
  };
  emit(event);
}
