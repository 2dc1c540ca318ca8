//! Where an element is in the viewport, for whoever draws beside it.

import type { Rect } from "../../wire/verb.ts";
import { getBoundingClientRect } from "./dom.ts";
import { elementOf } from "./registry.ts";
import { isVisible } from "./visible.ts";

/** The box of an element of which something is in the viewport and can be seen; else null. */
export function inView(id: number): Rect | null {
  const element = elementOf(id);
  if (!element || !isVisible(element)) return null;
  const { x, y, width, height } = getBoundingClientRect(element);
  const isThere = x < innerWidth && y < innerHeight && x + width > 0 && y + height > 0;
  return isThere ? { x, y, width, height } : null;
}
