//! Makes an element ready for an act: visible, enabled, in view, still, uncovered, with a point where
//! a press lands on it. Takes the baseline of changes last. Presses nothing.

import type { Act, Point, Ready } from "../../wire/page.ts";
import { takeBaseline } from "./baseline.ts";
import { closerOf, layerOf } from "./cover.ts";
import { isDisabled, missingBefore } from "./disabled.ts";
import { getBoundingClientRect, isConnected, localName, matches } from "./dom.ts";
import { Fault, gone } from "./fault.ts";
import { choose, selectOf } from "./fill-select.ts";
import { hiddenFault } from "./hidden.ts";
import { type Aim, aim } from "./hit.ts";
import { proxyOf } from "./proxy.ts";
import { elementOf } from "./registry.ts";
import { bringIntoView, holdStill } from "./still.ts";
import { described } from "./target.ts";
import { nextFrame, pause } from "./time.ts";
import { isVisible } from "./visible.ts";

// What fades in or waits for a validation gets this long.
const PATIENCE_MS = 250;
// A cover that is on its way out gets this long.
const COVER_PATIENCE_MS = 350;
const ALIGNMENTS: readonly ScrollLogicalPosition[] = ["center", "start", "end"];

/** Answers `prepare`. */
export async function prepare(id: number, act: Act): Promise<Ready> {
  const element = elementOf(id);
  if (!element) throw gone();
  const select = selectOf(element);
  if (select && element instanceof HTMLOptionElement && act === "click") {
    return chooseOption(element, select);
  }
  const spot = await spotOf(element);
  if (act === "view") return viewed(element, spot);
  if (act === "click" || act === "drag") await mustBeEnabled(element);
  const found = await findPoint(element, spot, act);
  if (act === "click" || act === "hover" || act === "drag") takeBaseline(act, element, found.hit);
  return ready(element, found.point);
}

function ready(element: Element, point: Point): Ready {
  const inFrame = localName(element) === "iframe" || localName(element) === "frame";
  return { element: described(element), point, chosen: false, inFrame };
}

async function chooseOption(option: HTMLOptionElement, select: HTMLSelectElement): Promise<Ready> {
  if (option.matches(":disabled") || matches(select, ":disabled")) {
    throw new Fault("ELEMENT_DISABLED", "the option is disabled", described(option));
  }
  if (!isVisible(select)) throw hiddenFault(select);
  takeBaseline("click", option);
  choose(select, [option]);
  const box = getBoundingClientRect(select);
  const point = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  return { element: described(option), point, chosen: true, inFrame: false };
}

/** The element itself, or what stands for it; waits a moment for what is just appearing. */
async function spotOf(element: Element): Promise<Element> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    if (!isConnected(element)) throw gone();
    if (isVisible(element)) return element;
    const proxy = proxyOf(element);
    if (proxy) return proxy;
    if (performance.now() >= until) throw hiddenFault(element);
    await nextFrame();
  }
}

async function mustBeEnabled(element: Element): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (isDisabled(element)) {
    if (performance.now() >= until) {
      const missing = missingBefore(element).map(described);
      throw new Fault("ELEMENT_DISABLED", "it is disabled", described(element), missing);
    }
    await nextFrame();
  }
}

async function viewed(element: Element, spot: Element): Promise<Ready> {
  if (!isInView(spot)) bringIntoView(spot, "center");
  await holdStill(spot);
  const box = getBoundingClientRect(spot);
  return ready(element, { x: box.left + box.width / 2, y: box.top + box.height / 2 });
}

function isInView(element: Element): boolean {
  const box = getBoundingClientRect(element);
  return box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
}

async function findPoint(element: Element, spot: Element, act: Act): Promise<Aim> {
  const found = await tryPoints(element, spot);
  if (found.hits) return found;
  const late = await waitForUncovered(element, spot);
  if (late.hits) return late;
  if (!isConnected(element)) throw gone();
  // A wheel reaches what scrolls also through what lies over it.
  if (act === "wheel") return late;
  throw coveredFault(element, late);
}

async function tryPoints(element: Element, spot: Element): Promise<Aim> {
  let found = aim(element, spot);
  if (found.hits) {
    await holdStill(spot);
    found = aim(element, spot);
    if (found.hits) return found;
  }
  for (const block of ALIGNMENTS) {
    bringIntoView(spot, block);
    await holdStill(spot);
    found = aim(element, spot);
    if (found.hits) return found;
  }
  bringIntoView(spot, "center");
  await nextFrame();
  return aim(element, spot);
}

async function waitForUncovered(element: Element, spot: Element): Promise<Aim> {
  const until = performance.now() + COVER_PATIENCE_MS;
  let found = aim(element, spot);
  while (!found.hits && isConnected(element) && performance.now() < until) {
    await pause(50);
    found = aim(element, spot);
  }
  return found;
}

function coveredFault(element: Element, found: Aim): Fault {
  if (!found.cover) {
    const message = "it is outside of what can be scrolled into view";
    return new Fault("ELEMENT_HIDDEN", message, described(element));
  }
  const layer = layerOf(found.cover, element);
  const closer = closerOf(layer);
  const others = closer ? [layer, closer] : [layer];
  return new Fault(
    "ELEMENT_COVERED",
    "something lies over it",
    described(element),
    others.map(described),
  );
}
