//! Which documents scripts of agents touched, and which hold a secret: a touched one gets no secret, and
//! in one that holds a secret agents run nothing. Outlives the worker; ends with the browser's run.
//!
//! A script reaches further than its document: pages of the same site hold each other's windows. So a
//! document counts as touched while any live one of its site, or of its tab, is.

import type { PageError } from "../../wire/page";
import type { CdpCommand } from "../../wire/verb";
import { attachment } from "./attachment";
import { getFrames, storage } from "./chrome";
import { Fault } from "./fault";
import { DOCUMENTS_KEPT } from "./limits";
import { isSite, reachOf } from "./secret-guard";
import { Stored } from "./stored";
import { originOf } from "./url-rule";

/** One document of a tab. */
interface Place {
  readonly document: string;
  readonly origin: string;
}

type Places = Record<string, readonly Place[]>;

interface Kept {
  /** By tab. */
  touched: Places;
  holding: Places;
  /** Tabs in which requests were answered by an agent, and the attachment's number. */
  mocked: Record<string, number>;
  /** Sites that a secret is bound to, as the daemon says. */
  sites: readonly string[];
  /** Sites at which a secret was filled in. */
  used: readonly string[];
}

const kept = new Stored<Kept>(storage.session, "secrets", {
  touched: {},
  holding: {},
  mocked: {},
  sites: [],
  used: [],
});

/** Resolves when the record of the last life was read. */
export const secretsReady: Promise<void> = kept.ready;

/** Secrets that are being filled in, and scripts that run, by tab: neither may begin during the other. */
let filling = 0;
let fills = 0;
const running = new Map<number, number>();

/** Whether a secret is bound to a site, or was filled in there: code and storage are a question then. */
export function holdsSecret(origin: string): boolean {
  return kept.value.sites.includes(origin) || kept.value.used.includes(origin);
}

/** The daemon tells of all sites that a secret is bound to. */
export async function setSecretOrigins(origins: readonly string[]): Promise<null> {
  const sites = origins.filter(isSite);
  await kept.change((value) => {
    value.sites = sites;
  });
  return null;
}

/**
 * Does what may reach a secret, unless the tab's pages hold one: debugger commands, or a script when
 * there are none. What may have changed a page is remembered.
 */
export async function reaching<T>(
  tab: number,
  commands: readonly CdpCommand[] | null,
  work: () => Promise<T>,
): Promise<T> {
  const reach = commands ? reachOf(commands) : "code";
  if (reach === "none") return work();
  if (commands?.some(({ method }) => method === POSTED) && kept.value.holding[tab]?.length) {
    throw new Fault("POLICY", "a secret was filled in in this tab: what was sent is not shown");
  }
  const places = await withoutSecret(tab);
  if (reach === "looks") return work();
  // No wait between that look and this note: a secret that begins meanwhile finds one or the other.
  const noted = note("touched", tab, places);
  running.set(tab, (running.get(tab) ?? 0) + 1);
  try {
    await noted;
    return await work();
  } finally {
    if (commands?.some(({ method }) => method === "Fetch.enable")) await noteMock(tab);
    // It may have been another document by then.
    await note("touched", tab, await placesOf(tab));
    running.set(tab, (running.get(tab) ?? 1) - 1);
  }
}

/** Throws while the tab's pages hold a secret: no question is put for what is refused anyway. */
export async function refuseBesideHeld(tab: number): Promise<void> {
  await withoutSecret(tab);
}

/** Throws when a secret may not come into a document, because a script was there. */
export async function refuseTainted(tab: number, document: string): Promise<void> {
  const places = await placesOf(tab);
  const own = places.find((place) => place.document === document);
  if (!own) throw new Fault("REF_GONE", "the document is gone");
  const isRunning = (running.get(tab) ?? 0) > 0;
  if (isRunning || isMocked(tab) || (await isTouched(tab, places, own.origin))) {
    throw new Fault("SECRET_TAINTED", TAINTED);
  }
}

/** The tab's documents; throws while they, or others of their sites, hold a secret. */
async function withoutSecret(tab: number): Promise<Place[]> {
  for (;;) {
    const before = fills;
    const places = await placesOf(tab);
    const holds = await isHeld(tab, places);
    if (holds || filling > 0) throw new Fault("POLICY", HELD);
    // One that came and went meanwhile may have been overlooked.
    if (before === fills) return places;
  }
}

const POSTED = "Network.getRequestPostData";
const HELD =
  "this page, or another of its site, holds a secret of the user's: scripts, page sources, bodies and raw pictures are closed until it is left or reloaded";

/** From now on answers to the tab's requests may be an agent's. */
function noteMock(tab: number): Promise<void> {
  return kept.change((value) => {
    value.mocked[tab] = attachment(tab)?.epoch ?? 0;
  });
}

function isMocked(tab: number): boolean {
  const epoch = kept.value.mocked[tab];
  return epoch !== undefined && attachment(tab)?.epoch === epoch;
}

/** A document came whose very source may be an agent's. */
export function noteCommit(tab: number, document: string, url: string): void {
  const isRunning = (running.get(tab) ?? 0) > 0;
  if (isMocked(tab) || isRunning) void note("touched", tab, [{ document, origin: originOf(url) }]);
}

/** What came of filling a secret in. */
export interface Filled {
  /** The page may know the value. */
  readonly heard: boolean;
  readonly error: PageError | null;
}

/** Fills a secret in while nothing of an agent's runs; throws when something did before. */
export async function whileFilling(
  tab: number,
  document: string,
  work: () => Promise<Filled>,
): Promise<Filled> {
  filling += 1;
  fills += 1;
  const mine = fills;
  try {
    const places = await placesOf(tab);
    const own = places.find((place) => place.document === document);
    if (!own) throw new Fault("REF_GONE", "the document is gone");
    await refuseTainted(tab, document);
    const before = kept.value.holding[tab] ?? [];
    // Before it happens: the worker may end in between.
    await note("holding", tab, [own]);
    const filled = await work();
    // One that was filled in beside this one may be what is noted.
    const isAlone = filling === 1 && fills === mine;
    await kept.change((value) => {
      if (!filled.heard && isAlone) value.holding[tab] = before;
      else if (!value.used.includes(own.origin)) value.used = [...value.used, own.origin];
    });
    return filled;
  } finally {
    filling -= 1;
  }
}

const TAINTED =
  'a script of an agent ran in this page, or in an open page of its site, since it was loaded. Next: browser_navigate {"url":"reload"} in each of them';

/** Whether a document of the tab holds a secret now. */
export async function showsSecret(tab: number): Promise<boolean> {
  return live(kept.value.holding[tab] ?? [], await placesOf(tab)).length > 0;
}

/** A tab was closed. */
export function forgetSecrets(tab: number): Promise<void> {
  running.delete(tab);
  return kept.change((value) => {
    delete value.touched[tab];
    delete value.holding[tab];
    delete value.mocked[tab];
  });
}

/** Chrome gave a tab another id. */
export function moveSecrets(old: number, now: number): Promise<void> {
  return kept.change((value) => {
    for (const places of [value.touched, value.holding]) {
      const moved = places[old];
      if (moved) places[now] = moved;
      delete places[old];
    }
    delete value.mocked[old];
  });
}

function note(which: "touched" | "holding", tab: number, places: readonly Place[]): Promise<void> {
  const before = kept.value[which][tab] ?? [];
  const fresh = places.filter(({ document }) => !before.some((one) => one.document === document));
  if (fresh.length === 0) return Promise.resolve();
  return kept.change((value) => {
    value[which][tab] = [...before, ...fresh].slice(-DOCUMENTS_KEPT);
  });
}

async function placesOf(tab: number): Promise<Place[]> {
  const frames = await getFrames(tab);
  return frames.map(({ documentId, url }) => ({ document: documentId, origin: originOf(url) }));
}

/** Those that are in the tab now; one that lies behind "back" comes again with its number. */
function live(noted: readonly Place[], now: readonly Place[]): Place[] {
  const there = new Set(now.map(({ document }) => document));
  return noted.filter(({ document }) => there.has(document));
}

async function isTouched(tab: number, places: readonly Place[], origin: string): Promise<boolean> {
  if (live(kept.value.touched[tab] ?? [], places).length > 0) return true;
  return isElsewhere("touched", tab, new Set([origin]));
}

async function isHeld(tab: number, places: readonly Place[]): Promise<boolean> {
  if (live(kept.value.holding[tab] ?? [], places).length > 0) return true;
  return isElsewhere("holding", tab, new Set(places.map(({ origin }) => origin)));
}

/** Whether another tab has a live document of one of these sites on that list. */
async function isElsewhere(
  which: "touched" | "holding",
  tab: number,
  origins: ReadonlySet<string>,
): Promise<boolean> {
  for (const [other, noted] of Object.entries(kept.value[which])) {
    if (Number(other) === tab) continue;
    const same = noted.filter(({ origin }) => origins.has(origin));
    if (same.length > 0 && live(same, await placesOf(Number(other))).length > 0) return true;
  }
  return false;
}
