//! The keeper script: registered while any tab is own or shared, so that a page's port wakes a dead
//! worker at once. Also put into the open documents of such tabs when it was registered after them.

import { entries } from "./book";
import { scripting } from "./chrome";
import { tellKeepers } from "./keeper-ports";
import { watchRequestsAsNeeded } from "./requests";
import { settings } from "./settings";

const ID = "keeper";
const FILE = "keeper.js";

let registered: boolean | null = null;
let chain: Promise<void> = Promise.resolve();
const kept = new Set<number>();

/** Registers or unregisters the keeper as the book of tabs demands. Never fails. */
export function keepKeeper(): Promise<void> {
  chain = chain.then(adjust).catch((error) => console.warn("pillion: keeper", error));
  return chain;
}

async function adjust(): Promise<void> {
  tellKeepers();
  watchRequestsAsNeeded();
  const tabs = entries()
    .filter(([, entry]) => entry.own || entry.shared)
    .map(([tab]) => tab);
  const wanted = tabs.length > 0 || settings.value.sharing === "every";
  registered ??= (await scripting.getRegisteredContentScripts({ ids: [ID] })).length > 0;
  if (wanted && !registered) {
    await scripting.registerContentScripts([
      {
        id: ID,
        js: [FILE],
        matches: ["<all_urls>"],
        allFrames: true,
        matchOriginAsFallback: true,
        runAt: "document_start",
        persistAcrossSessions: false,
      },
    ]);
    registered = true;
  }
  if (!wanted && registered) {
    await scripting.unregisterContentScripts({ ids: [ID] });
    registered = false;
  }
  for (const tab of tabs) {
    if (kept.has(tab)) continue;
    kept.add(tab);
    // Documents that were open before; the script keeps itself to one a document. A page that
    // extensions may not touch has nothing to keep.
    void scripting
      .executeScript({
        target: { tabId: tab, allFrames: true },
        files: [FILE],
        injectImmediately: true,
      })
      .catch(() => undefined);
  }
}
