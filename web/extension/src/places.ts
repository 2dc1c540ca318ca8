//! Which sites a tab shows: its own address as last heard, and its frames with the rules that hold
//! for them. What has no address of its own is its parent's.

import { known } from "./book";
import { getFrames, scripting, tabs } from "./chrome";
import { words } from "./fault";
import { strictest } from "./levels";
import { SLOW_FRAME_MS } from "./limits";
import { type Rule, ruleFor } from "./rules";
import { siteRules } from "./rules-store";
import { within } from "./wait";

/** Addresses of top documents, as Chrome told them last. */
const tops = new Map<number, string>();

/** Resolves when the addresses of the open tabs were read. */
export const placesReady: Promise<void> = tabs.query({}).then((all) => {
  for (const { id, url } of all) if (id !== undefined && url) tops.set(id, url);
});

/** A top document came. */
export function noteTop(tab: number, url: string): void {
  tops.set(tab, url);
}

/** The tab was closed. */
export function forgetTop(tab: number): void {
  tops.delete(tab);
}

/** The address of a tab's top document; empty while it has none. */
export function topOf(tab: number): string {
  return tops.get(tab) ?? "";
}

/** Every tab that showed something, with its address. */
export function topsNow(): readonly (readonly [number, string])[] {
  return [...tops];
}

/** The rule for an address, also of a document that was made from one. */
export function ruleOf(url: string): Rule {
  return ruleFor(url.startsWith("blob:") ? url.slice("blob:".length) : url, siteRules());
}

/** Whether agents may not even know of what is there. */
export function isNever(url: string): boolean {
  return ruleOf(url) === "never";
}

/** Whether a tab of the user's is hidden by a rule. An agent's own tab is never lost to it. */
export function isHidden(tab: number, url: string): boolean {
  return isNever(url) && known(tab)?.own !== true;
}

/** One frame with what holds for it. */
export interface Place {
  readonly frame: number;
  /** The frame around it; −1 for the top one. */
  readonly parent: number;
  readonly document: string;
  /** Its own address, or the one that it inherits. */
  readonly url: string;
  readonly rule: Rule;
}

/** A tab's frames, the top one first. */
export interface Places {
  readonly top: Place | null;
  readonly all: readonly Place[];
  /** Frames of never-sites; also those that show nothing but an error. */
  readonly never: ReadonlySet<number>;
  /** Whether something of a never-site is really shown in a frame. */
  readonly showsNever: boolean;
  /** How many such frames there are. */
  readonly neverShown: number;
}

interface Listed {
  readonly frameId: number;
  readonly parentFrameId: number;
  readonly documentId: string;
  readonly url: string;
}

/** Frames with the addresses that count for them. Pure. */
export function inherit(frames: readonly Listed[], rule: (url: string) => Rule): Place[] {
  const byId = new Map(frames.map((frame) => [frame.frameId, frame]));
  return frames.map((frame) => {
    let at: Listed | undefined = frame;
    // A loop of parents is none of Chrome's; the bound is for whatever else it may tell.
    for (let steps = 0; at && hasNoAddress(at.url) && steps < frames.length; steps += 1) {
      at = byId.get(at.parentFrameId);
    }
    const url = at?.url ?? "";
    const { frameId, parentFrameId, documentId } = frame;
    return { frame: frameId, parent: parentFrameId, document: documentId, url, rule: rule(url) };
  });
}

function hasNoAddress(url: string): boolean {
  return url === "" || /^(about|data|javascript):/i.test(url);
}

/** Reads a tab's frames. `top` is the address that Chrome has for the tab itself. */
export async function placesOf(tab: number, top: string): Promise<Places> {
  const frames = (await getFrames(tab)) as readonly Listed[];
  const all = inherit(frames, ruleOf).sort((a, b) => a.frame - b.frame);
  const never = all.filter((place) => place.frame !== 0 && place.rule === "never");
  const real = await Promise.all(never.map((place) => showsPage(tab, place)));
  const listed = all.find((place) => place.frame === 0) ?? null;
  // Both are asked: between a commit and its telling they differ, and the stricter one counts.
  const rule = strictest([ruleOf(top), listed?.rule ?? "free"]);
  return {
    top: listed && { ...listed, rule },
    all,
    never: new Set(never.map((place) => place.frame)),
    showsNever: real.includes(true),
    neverShown: real.filter(Boolean).length,
  };
}

/** A frame that the fence kept empty shows an error page, where no script runs. */
async function showsPage(tab: number, place: Place): Promise<boolean> {
  try {
    const run = scripting.executeScript({
      target: { tabId: tab, documentIds: [place.document] },
      func: () => true,
      injectImmediately: true,
    });
    // One that does not answer counts as a page: it may be busy, or wait for a dialog.
    await within(run, SLOW_FRAME_MS, () => null);
    return true;
  } catch (error) {
    return !/error page|chrome-error/i.test(words(error));
  }
}
