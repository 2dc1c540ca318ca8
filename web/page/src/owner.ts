//! The thing that a person would say is at a point: the button, link or field around what was hit.

import { actsOf } from "./interactive.ts";
import { flatParent } from "./shadow.ts";

const CLIMB = 6;

/** The nearest element around that acts; the element itself when none does. */
export function actingAround(element: Element): Element {
  let at: Element | null = element;
  for (let climb = 0; at && climb < CLIMB; climb++) {
    if (actsOf(at)) return at;
    at = flatParent(at);
  }
  return element;
}
