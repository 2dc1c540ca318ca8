//! Waits until a target is there, or is gone. Looks again after DOM changes, and now and then for
//! what only styles change. Never looks so often that the page would feel it.

import type { Matches, Step } from "../../wire/page.ts";
import { Fault } from "./fault.ts";
import { reading } from "./reading.ts";
import { elementOf } from "./registry.ts";
import { firstVisible, resolve } from "./target.ts";
import { pause } from "./time.ts";
import { Waiting } from "./waiting.ts";

const CANDIDATES = 5;
// Without a DOM change the page is looked at this often.
const POLL_MS = 100;
// At most this share of the time is spent on looking: 1 / SHARE.
const SHARE = 5;
const LEAST_MS = 15;
const MOST_MS = 400;
const OBSERVED: MutationObserverInit = {
  subtree: true,
  childList: true,
  attributes: true,
  characterData: true,
};

/** Answers `wait`. */
export async function wait(
  step: Step,
  within: number | null | undefined,
  gone: boolean,
  timeoutMs: number,
): Promise<Matches> {
  const waiting = new Waiting();
  const until = performance.now() + timeoutMs;
  const observer = new MutationObserver(() => waiting.poke());
  observer.observe(document, OBSERVED);
  try {
    for (;;) {
      const begun = performance.now();
      if (isThere(step, within, gone) !== gone) {
        return gone ? none(false) : reading(() => resolve(step, within, CANDIDATES));
      }
      const cost = performance.now() - begun;
      const left = until - performance.now();
      if (waiting.isOver || left <= 0) return none(true);
      // First a pause in which changes gather, then sleep until there are some.
      await pause(Math.min(left, Math.max(LEAST_MS, cost * SHARE), MOST_MS));
      await waiting.sleep(Math.min(until - performance.now(), POLL_MS));
    }
  } finally {
    observer.disconnect();
    waiting.done();
  }
}

function isThere(step: Step, within: number | null | undefined, gone: boolean): boolean {
  if (within === null || within === undefined) return firstVisible(step, document) !== null;
  const scope = elementOf(within);
  if (scope) return firstVisible(step, scope) !== null;
  // With the element everything in it is gone.
  if (gone) return false;
  throw new Fault("REF_GONE", "the element to look in is not in the document any more");
}

function none(timedOut: boolean): Matches {
  return { fit: "near", candidates: [], total: 0, hidden: 0, firstHidden: null, timedOut };
}
