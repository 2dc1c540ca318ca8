//! Where to press so that the press really lands on an element: tries points and asks the browser
//! what is there, through shadow roots. Never scrolls, never changes anything.

import type { Point } from "../../wire/page.ts";
import {
  getBoundingClientRect,
  hasAttribute,
  localName,
  matches,
  querySelectorAll,
} from "./dom.ts";
import { actsOf, CONTROLS } from "./interactive.ts";
import { isOurs, stepAside } from "./ours.ts";
import { controlOfLabel } from "./proxy.ts";
import { flatParent, shadowOf } from "./shadow.ts";

/** A box of the viewport. */
export type Box = { left: number; top: number; right: number; bottom: number };

/** What a search for a point found. */
export type Aim = {
  point: Point;
  hits: boolean;
  /** What is at the point. */
  hit: Element | null;
  /** What is there instead of the element. */
  cover: Element | null;
};

const RECTS = 12;
const GRID = [0.5, 0.25, 0.75, 0.1, 0.9, 0.38, 0.62, 0.03, 0.97];

/** The innermost element at a point, also inside shadow roots. */
export function deepAt(x: number, y: number): Element | null {
  let at = document.elementFromPoint(x, y);
  if (isOurs(at)) {
    stepAside();
    at = document.elementFromPoint(x, y);
  }
  for (;;) {
    const shadow = at ? shadowOf(at) : null;
    const inner = shadow?.elementFromPoint(x, y) ?? null;
    if (!inner || inner === at || inner.getRootNode() !== shadow) return at;
    at = inner;
  }
}

/** Whether `inner` is `outer` or inside it, as drawn. */
export function isWithin(inner: Element, outer: Element): boolean {
  for (let at: Element | null = inner; at; at = flatParent(at)) if (at === outer) return true;
  return false;
}

/** Whether a press on `hit` is a press on `target`. */
export function lands(target: Element, hit: Element): boolean {
  if (isWithin(hit, target)) return true;
  if (controlOfLabel(hit) === target) return true;
  return isDrawnFor(target, hit) || (isWithin(target, hit) && takesNoPointer(target));
}

const TICKED = "input[type=checkbox],input[type=radio],[role=checkbox],[role=radio],[role=switch]";

/** The tick or knob that a page draws over its own hidden box, beside it in the same wrapper. */
function isDrawnFor(target: Element, hit: Element): boolean {
  const wrapper = flatParent(target);
  if (!wrapper || !matches(target, TICKED) || hit === wrapper || !isWithin(hit, wrapper))
    return false;
  return querySelectorAll(wrapper, CONTROLS).length === 1 && !actsOf(hit);
}

/** Whether something inside the target would take the press for itself: a link in a label. */
function isTakenInside(target: Element, hit: Element): boolean {
  for (let at: Element | null = hit; at && at !== target; at = flatParent(at)) {
    if (localName(at) === "label" && controlOfLabel(at) === target) return false;
    if (TAKERS.has(localName(at)) || hasAttribute(at, "role")) return actsOf(at);
  }
  return false;
}

const TAKERS = new Set(["a", "button", "input", "select", "textarea", "summary", "iframe"]);

function takesNoPointer(element: Element): boolean {
  return getComputedStyle(element).pointerEvents === "none";
}

/** The best point of `spot`, and whether a press there lands on `target`. */
export function aim(target: Element, spot: Element): Aim {
  const boxes = boxesOf(spot);
  let second: Aim | null = null;
  let cover: Element | null = null;
  let first: Point | null = null;
  for (const point of pointsOf(spot, boxes)) {
    first ??= point;
    const hit = deepAt(point.x, point.y);
    if (!hit) continue;
    if (lands(target, hit) || (spot !== target && isWithin(hit, spot))) {
      const found = { point, hits: true, hit, cover: null };
      if (!isTakenInside(spot, hit) || hit === target) return found;
      second ??= found;
    } else cover ??= hit;
  }
  return second ?? { point: first ?? middleOf(spot), hits: false, hit: null, cover };
}

function middleOf(element: Element): Point {
  const box = getBoundingClientRect(element);
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
}

/** The parts of an element in the viewport, its whole box first. */
function boxesOf(element: Element): Box[] {
  const boxes: Box[] = [];
  const add = (rect: DOMRect): void => {
    const box = {
      left: Math.max(rect.left, 0),
      top: Math.max(rect.top, 0),
      right: Math.min(rect.right, innerWidth),
      bottom: Math.min(rect.bottom, innerHeight),
    };
    if (box.right - box.left >= 1 && box.bottom - box.top >= 1) boxes.push(box);
  };
  add(getBoundingClientRect(element));
  for (const rect of Array.from(element.getClientRects()).slice(0, RECTS)) add(rect);
  if (boxes.length === 0 || isEmptyBox(element)) {
    for (const child of Array.from(element.children).slice(0, RECTS)) {
      add(getBoundingClientRect(child));
    }
  }
  return boxes;
}

function isEmptyBox(element: Element): boolean {
  const box = getBoundingClientRect(element);
  return box.width < 1 || box.height < 1;
}

function* pointsOf(element: Element, boxes: Box[]): Generator<Point> {
  for (const box of boxes) yield inside(box, 0.5, 0.5);
  // Words of a block inside an inline element lie outside its own rectangles.
  for (const child of Array.from(element.children).slice(0, RECTS)) {
    const box = getBoundingClientRect(child);
    if (box.width >= 1 && box.height >= 1) {
      yield { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    }
  }
  for (const box of boxes) {
    for (const y of GRID) for (const x of GRID) yield inside(box, x, y);
  }
}

function inside(box: Box, x: number, y: number): Point {
  return {
    x: box.left + (box.right - box.left) * x,
    y: box.top + (box.bottom - box.top) * y,
  };
}
