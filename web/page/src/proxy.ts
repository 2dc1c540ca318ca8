//! What stands for a control that cannot be seen: the visible label of a hidden checkbox, radio or
//! file input, or the switch drawn beside it.

import { labelsOf } from "./name-native.ts";
import { isVisible } from "./visible.ts";

const PROXIED = new Set(["checkbox", "radio", "file"]);

/** The visible element to press instead of this hidden control; null when there is none. */
export function proxyOf(element: Element): Element | null {
  if (!(element instanceof HTMLInputElement) || !PROXIED.has(element.type)) return null;
  return labelsOf(element).find((label) => isVisible(label)) ?? null;
}

/** The control that a press on this element reaches through a label. */
export function controlOfLabel(element: Element): Element | null {
  const label = element.closest("label");
  return label instanceof HTMLLabelElement ? label.control : null;
}
