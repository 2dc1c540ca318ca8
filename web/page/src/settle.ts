//! Waits until the document is quiet: no DOM change in so many frames, animations and clocks aside.
//! Never longer than its cap.

import type { Quiet } from "../../wire/page.ts";
import { changeCount, isObserving, observeFromNow, weightyCount } from "./observe.ts";
import { nextFrame } from "./time.ts";
import { Waiting } from "./waiting.ts";

/** Answers `settle`. */
export async function settle(frames: number, capMs: number): Promise<Quiet> {
  if (!isObserving()) observeFromNow();
  const waiting = new Waiting();
  const until = performance.now() + capMs;
  let before = weightyCount();
  let quiet = 0;
  while (quiet < frames && performance.now() < until && !waiting.isOver) {
    await nextFrame();
    const now = weightyCount();
    quiet = now === before ? quiet + 1 : 0;
    before = now;
  }
  waiting.done();
  return { quiet: quiet >= frames, mutations: changeCount() };
}
