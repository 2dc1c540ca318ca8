//! Takes back what an agent tried in a tab, as soon as it holds the tab no more: patches in its pages,
//! overrides, answers in a server's place. The page is as it would have been.

import { attachments } from "./attachment";
import { known } from "./book";
import { scripting, storage } from "./chrome";
import { LINK_GONE_MS, UNDO_MS } from "./limits";
import { endMocks } from "./mock";
import { emit } from "./outbox";
import { Stored } from "./stored";
import { endEmulation } from "./verbs/emulate";
import { dropTrace } from "./verbs/trace";
import { within } from "./wait";

/** Tabs whose pages agents patched. */
const patched = new Stored<{ tabs: readonly number[] }>(storage.session, "patched", { tabs: [] });

/** Resolves when the record of the last life was read. */
export const patchedReady: Promise<void> = patched.ready;

/** An agent patches a page of the tab. */
export function notePatch(tab: number): Promise<void> {
  if (patched.value.tabs.includes(tab)) return Promise.resolve();
  return patched.change((value) => {
    value.tabs = [...value.tabs, tab];
  });
}

/** The tab was closed. */
export function forgetPatches(tab: number): Promise<void> {
  return patched.change((value) => {
    value.tabs = value.tabs.filter((other) => other !== tab);
  });
}

/** Takes everything back. */
export async function giveBack(tab: number): Promise<void> {
  const wasPatched = patched.value.tabs.includes(tab);
  if (wasPatched) {
    await forgetPatches(tab);
    // A page behind a dialog does it as soon as that is gone.
    await within(unpatch(tab), UNDO_MS, () => undefined).catch(() => undefined);
  }
  await dropTrace(tab);
  const ended = [await endEmulation(tab), await endMocks(tab), wasPatched];
  if (ended.includes(true) && known(tab)) emit({ event: "undone", tab });
}

async function unpatch(tab: number): Promise<unknown> {
  return scripting.executeScript({
    target: { tabId: tab, allFrames: true },
    func: callAgent,
    args: [{ op: "unpatch", keep: false }],
    injectImmediately: true,
  });
}

/** Runs in the pages' isolated world. */
function callAgent(what: { op: "unpatch"; keep: boolean }): unknown {
  const world = globalThis as { __pillion?: { call(call: unknown): Promise<unknown> } };
  return world.__pillion?.call(what);
}

let gone: ReturnType<typeof setTimeout> | null = null;

/** Whether the daemon is there. One that stays away holds nothing any more. */
export function noteLink(isThere: boolean): void {
  if (isThere && gone !== null) clearTimeout(gone);
  if (isThere) gone = null;
  else gone ??= setTimeout(giveAllBack, LINK_GONE_MS);
}

function giveAllBack(): void {
  gone = null;
  const all = new Set([...patched.value.tabs, ...attachments().map(([tab]) => tab)]);
  for (const tab of all) void giveBack(tab);
}
