//! A point of a child frame's viewport, seen from this document: through the frame's border, padding,
//! zoom and transforms. Scrolls it into view and checks that the frame is what is hit there.

import type { Point } from "../../wire/page.ts";
import { closerOf, layerOf } from "./cover.ts";
import { clientHeight, clientWidth, getBoundingClientRect } from "./dom.ts";
import { Fault, gone } from "./fault.ts";
import { drawn, frameOf } from "./frames.ts";
import { deepAt } from "./hit.ts";
import { flatParent } from "./shadow.ts";
import { holdStill } from "./still.ts";
import { described } from "./target.ts";
import { drawnFrame, nextFrame } from "./time.ts";

const MARGIN_PX = 40;
// Chrome sends input to a frame of another process by where the frame was drawn last: a press right
// after scrolling would end in the document around it.
const ROUTING_FRAMES = 2;
// A background tab that nothing keeps awake draws about once a second.
const DRAWN_MS = 1_300;

/** Answers `through`. */
export async function through(token: string, x: number, y: number): Promise<Point> {
  const frame = frameOf(token);
  if (!frame) throw gone();
  const before = placeOf(frame);
  // The child may just have scrolled this document, from another process.
  await nextFrame();
  let hasMoved = placeOf(frame) !== before;
  if (!isHit(frame, mapped(frame, x, y))) {
    bringIn(frame, { x, y });
    await holdStill(frame);
    hasMoved = true;
  }
  if (hasMoved) {
    await Promise.all([drawn(frame, DRAWN_MS), drawnFrame(DRAWN_MS)]);
    for (let frames = 0; frames < ROUTING_FRAMES; frames++) await nextFrame();
  }
  const point = mapped(frame, x, y);
  if (isHit(frame, point)) return point;
  await nextFrame();
  const hit = deepAt(point.x, point.y);
  if (hit === frame) return point;
  if (!hit) {
    const message = "the point in the frame is outside of what can be scrolled into view";
    throw new Fault("ELEMENT_HIDDEN", message, described(frame));
  }
  const layer = layerOf(hit, frame);
  const closer = closerOf(layer);
  const others = closer ? [layer, closer] : [layer];
  throw new Fault(
    "ELEMENT_COVERED",
    "something lies over the frame",
    described(frame),
    others.map(described),
  );
}

function placeOf(frame: Element): string {
  const box = getBoundingClientRect(frame);
  return `${box.left} ${box.top} ${box.width} ${box.height}`;
}

function isHit(frame: Element, point: Point): boolean {
  return deepAt(point.x, point.y) === frame;
}

/** The child's viewport is the frame's content box, drawn at the scale of its border box. */
export function mapped(frame: Element, x: number, y: number): Point {
  const rect = getBoundingClientRect(frame);
  const style = getComputedStyle(frame);
  const px = (value: string): number => Number.parseFloat(value) || 0;
  const zoom = zoomOf(frame);
  const left = px(style.borderLeftWidth) + px(style.paddingLeft);
  const top = px(style.borderTopWidth) + px(style.paddingTop);
  const [scaleX, scaleY] = scaleOf(frame, rect, zoom);
  return {
    x: rect.left + (left + x) * scaleX * zoom,
    y: rect.top + (top + y) * scaleY * zoom,
  };
}

/** The same the other way: a point of this document in the viewport of a frame in it. */
export function unmapped(frame: Element, x: number, y: number): Point {
  const from = mapped(frame, 0, 0);
  const unit = mapped(frame, 1, 1);
  return { x: (x - from.x) / (unit.x - from.x || 1), y: (y - from.y) / (unit.y - from.y || 1) };
}

/** Transforms make the drawn box larger or smaller than the laid out one. */
function scaleOf(frame: Element, rect: DOMRect, zoom: number): [number, number] {
  if (!(frame instanceof HTMLElement)) return [1, 1];
  const width = frame.offsetWidth * zoom;
  const height = frame.offsetHeight * zoom;
  return [width > 0 ? rect.width / width : 1, height > 0 ? rect.height / height : 1];
}

function zoomOf(element: Element): number {
  const zoom: unknown = Reflect.get(element, "currentCSSZoom");
  return typeof zoom === "number" && zoom > 0 ? zoom : 1;
}

/** Scrolls each box around the frame, and the page, so that the point is inside of it. */
function bringIn(frame: Element, at: Point): void {
  const page = document.scrollingElement;
  for (let box = flatParent(frame); box; box = flatParent(box)) {
    if (box === page || box === document.body || box === document.documentElement) continue;
    if (box.scrollHeight <= clientHeight(box) && box.scrollWidth <= clientWidth(box)) continue;
    const rect = getBoundingClientRect(box);
    const point = mapped(frame, at.x, at.y);
    box.scrollBy({
      left: needed(point.x, rect.left, rect.right),
      top: needed(point.y, rect.top, rect.bottom),
      behavior: "instant",
    });
  }
  const point = mapped(frame, at.x, at.y);
  scrollBy({
    left: needed(point.x, 0, innerWidth),
    top: needed(point.y, 0, innerHeight),
    behavior: "instant",
  });
}

function needed(at: number, start: number, end: number): number {
  const margin = Math.min(MARGIN_PX, (end - start) / 3);
  if (at >= start + margin && at <= end - margin) return 0;
  return at - (start + end) / 2;
}
