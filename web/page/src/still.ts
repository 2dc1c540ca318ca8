//! Brings an element into view and waits until it holds still. Scrolls only when it has to, at once,
//! whatever the page says of smooth scrolling.

import { getBoundingClientRect } from "./dom.ts";
import { nextFrame } from "./time.ts";

/** An endless animation never holds still: then the moment is taken. */
export const STILL_CAP_MS = 600;

const SCROLL = Element.prototype.scrollIntoView;

/** Scrolls an element into view without animation, in every box that it is in. */
export function bringIntoView(element: Element, block: ScrollLogicalPosition): void {
  SCROLL.call(element, { block, inline: "nearest", behavior: "instant" });
}

/** Waits until the element's box is the same in two frames, at most `STILL_CAP_MS`. */
export async function holdStill(element: Element): Promise<void> {
  const until = performance.now() + STILL_CAP_MS;
  let before = boxKey(element);
  let equal = 0;
  // Without a declared animation one frame tells.
  const needed = isAnimated(element) ? 2 : 1;
  while (equal < needed && performance.now() < until) {
    await nextFrame();
    const now = boxKey(element);
    equal = now === before ? equal + 1 : 0;
    before = now;
  }
}

function boxKey(element: Element): string {
  const box = getBoundingClientRect(element);
  return `${box.left.toFixed(1)} ${box.top.toFixed(1)} ${box.width.toFixed(1)} ${box.height.toFixed(1)}`;
}

function isAnimated(element: Element): boolean {
  return document.getAnimations().some((animation) => {
    const effect = animation.effect;
    if (animation.playState !== "running" || !(effect instanceof KeyframeEffect)) return false;
    return effect.target === null || effect.target.contains(element);
  });
}
