//! Where an element scrolls: finds the box that scrolls, a point over it, and how far it goes.
//! Scrolls itself only to a start, an end or into view; the wheel is the engine's.

import type { Point, ScrollHow, ScrollPlan } from "../../wire/page.ts";
import {
  clientHeight,
  clientWidth,
  getBoundingClientRect,
  localName,
  scrollHeight,
  scrollWidth,
} from "./dom.ts";
import { Fault, gone, unreachable } from "./fault.ts";
import { deepAt } from "./hit.ts";
import { elementOf } from "./registry.ts";
import { elementsOf } from "./roots.ts";
import { flatParent } from "./shadow.ts";
import { bringIntoView, holdStill } from "./still.ts";
import { described } from "./target.ts";
import { nextFrame } from "./time.ts";
import { isVisible } from "./visible.ts";

// Less than this cannot be seen and is often a rounding error.
const SLACK_PX = 2;
const WALKED = 5_000;
const SCROLL_TO: (this: Element, to: ScrollToOptions) => void = Element.prototype.scrollTo;
const GRID = [0.5, 0.25, 0.75, 0.1, 0.9];

/** Answers `scroll`. */
export async function scroll(id: number | null | undefined, how: ScrollHow): Promise<ScrollPlan> {
  const element = id === null || id === undefined ? null : elementOf(id);
  if (!element && id !== null && id !== undefined) throw gone();
  if (how.to === "view") return intoView(element);
  const box = element ? scrollerOf(element) : mainScroller();
  if (!box) {
    if (how.to === "where") return planOf(pageBox());
    throw new Fault(
      "NOT_SCROLLABLE",
      element ? "nothing around it scrolls" : "the page does not scroll",
      element ? described(element) : null,
    );
  }
  switch (how.to) {
    case "top":
      return scrolledTo(box, 0);
    case "bottom":
      return scrolledTo(box, scrollHeight(box));
    case "by":
      await inReach(box);
      return planOf(box);
    case "where":
      return planOf(box);
    default:
      return unreachable(how);
  }
}

async function intoView(element: Element | null): Promise<ScrollPlan> {
  if (element) {
    const box = getBoundingClientRect(element);
    const isIn = box.top >= 0 && box.bottom <= innerHeight && isReached(element, box);
    if (!isIn) bringIntoView(element, "center");
    await holdStill(element);
  }
  return planOf((element && scrollerOf(element)) ?? pageBox());
}

/** The wheel turns over what is shown. */
async function inReach(box: Element): Promise<void> {
  if (box === pageBox()) return;
  const { top, bottom, left, right } = getBoundingClientRect(box);
  if (top < innerHeight && bottom > 0 && left < innerWidth && right > 0) return;
  bringIntoView(box, "center");
  await holdStill(box);
}

function isReached(element: Element, box: DOMRect): boolean {
  const hit = deepAt(box.left + box.width / 2, box.top + box.height / 2);
  return hit !== null && (element.contains(hit) || hit.contains(element));
}

async function scrolledTo(box: Element, top: number): Promise<ScrollPlan> {
  SCROLL_TO.call(box, { top, behavior: "instant" });
  await nextFrame();
  await nextFrame();
  return planOf(box);
}

function pageBox(): Element {
  return document.scrollingElement ?? document.documentElement;
}

function scrollerOf(element: Element): Element | null {
  const page = pageBox();
  for (let at: Element | null = element; at; at = flatParent(at)) {
    if (at === document.body || at === document.documentElement) break;
    if (scrolls(at)) return at;
  }
  return pageScrolls(page) ? page : null;
}

function scrolls(element: Element): boolean {
  const hasY = scrollHeight(element) > clientHeight(element) + SLACK_PX;
  const hasX = scrollWidth(element) > clientWidth(element) + SLACK_PX;
  if (!hasY && !hasX) return false;
  const style = getComputedStyle(element);
  const takes = (overflow: string): boolean => overflow === "auto" || overflow === "scroll";
  return (hasY && takes(style.overflowY)) || (hasX && takes(style.overflowX));
}

function pageScrolls(page: Element): boolean {
  const hasMore =
    scrollHeight(page) > innerHeight + SLACK_PX || scrollWidth(page) > innerWidth + SLACK_PX;
  if (!hasMore) return false;
  // What `overflow: hidden` on the root or body hides, no wheel reaches.
  const root = getComputedStyle(document.documentElement);
  const body = document.body ? getComputedStyle(document.body) : null;
  const own = root.overflowY === "visible" && body ? body.overflowY : root.overflowY;
  return own !== "hidden" && own !== "clip";
}

/** The page, or the largest box that scrolls where only an inner box does. */
function mainScroller(): Element | null {
  const page = pageBox();
  if (pageScrolls(page)) return page;
  let best: Element | null = null;
  let area = 0;
  let walked = 0;
  for (const element of elementsOf(document)) {
    if (walked++ > WALKED) break;
    if (!scrolls(element) || !isVisible(element)) continue;
    const size = clientWidth(element) * clientHeight(element);
    if (size > area) [best, area] = [element, size];
  }
  return best;
}

function planOf(box: Element): ScrollPlan {
  const isPage = box === pageBox();
  const width = isPage ? innerWidth : clientWidth(box);
  const height = isPage ? innerHeight : clientHeight(box);
  return {
    element: isPage ? null : described(box),
    point: pointOver(box, isPage),
    at: isPage ? [scrollX, scrollY] : [box.scrollLeft, box.scrollTop],
    max: [Math.max(0, scrollWidth(box) - width), Math.max(0, scrollHeight(box) - height)],
  };
}

function pointOver(box: Element, isPage: boolean): Point {
  const rect = isPage ? new DOMRect(0, 0, innerWidth, innerHeight) : getBoundingClientRect(box);
  const left = Math.max(rect.left, 0);
  const top = Math.max(rect.top, 0);
  const width = Math.min(rect.right, innerWidth) - left;
  const height = Math.min(rect.bottom, innerHeight) - top;
  let second: Point | null = null;
  for (const y of GRID) {
    for (const x of GRID) {
      const point = { x: left + width * x, y: top + height * y };
      const hit = deepAt(point.x, point.y);
      if (!hit) continue;
      if (localName(hit) === "iframe") second ??= point;
      else if ((scrollerOf(hit) ?? pageBox()) === box) return point;
    }
  }
  return second ?? { x: left + width / 2, y: top + height / 2 };
}
