//! Opens the first-run page, once, in a profile of the user's own. One that `pillion launch` made has
//! its consent in advance and needs no page in front of what it was made for.

import { runtime, storage, tabs } from "./chrome";
import { FIRST_RUN_MS } from "./limits";
import type { LinkState } from "./link";
import { settings } from "./settings";
import { sleep } from "./wait";

const KEY = "firstRun";
const PAGE = "first-run.html";

/** The extension came into this profile. */
export async function onInstalled(reason: string): Promise<void> {
  if (reason === "install") await storage.local.set({ [KEY]: "due" });
}

/** Where the link stands: consent in advance comes with the first link, so nothing is shown before. */
export async function welcome(state: LinkState): Promise<void> {
  if (state.is === "searching" || settings.value.consent) return;
  if ((await storage.local.get(KEY))[KEY] !== "due") return;
  await storage.local.set({ [KEY]: "shown" });
  await sleep(FIRST_RUN_MS);
  if (!settings.value.consent) await tabs.create({ url: runtime.getURL(PAGE) });
}
