//! Which field is meant when an element is filled: itself, its label's control, or the one field
//! inside a wrapper.

import { matches, querySelector, querySelectorAll } from "./dom.ts";
import { isCheckable } from "./fill-check.ts";
import { isValueField } from "./fill-native.ts";
import { elementsOf } from "./roots.ts";
import { isVisible } from "./visible.ts";

const BUTTON_INPUTS = new Set(["button", "submit", "reset", "image", "hidden"]);
const INNER = "input,textarea,select,[contenteditable]:not([contenteditable=false])";
const WALKED = 500;

/** The element that holds the value; null when there is none. */
export function fieldOf(element: Element): Element | null {
  if (isOwnField(element)) return element;
  const editable = editableOf(element);
  if (editable) return editable;
  if (element instanceof HTMLLabelElement && element.control) return fieldOf(element.control);
  const inner = innerField(element);
  if (inner) return inner;
  const label = element.closest("label");
  return label instanceof HTMLLabelElement && label.control ? label.control : null;
}

function isOwnField(element: Element): boolean {
  if (element instanceof HTMLInputElement) return !BUTTON_INPUTS.has(element.type);
  if (element instanceof HTMLSelectElement || isValueField(element)) return true;
  return isCheckable(element) && !querySelector(element, INNER);
}

/** The whole editable area that an element is in; null when it is not editable. */
export function editableOf(element: Element): Element | null {
  if (!(element instanceof HTMLElement) || !element.isContentEditable) return null;
  let host: HTMLElement = element;
  for (let at = element.parentElement; at?.isContentEditable; at = at.parentElement) host = at;
  return host;
}

/** The only field inside, or the only visible one. */
function innerField(element: Element): Element | null {
  const fields: Element[] = [];
  let walked = 0;
  for (const inner of elementsOf(element)) {
    if (walked++ > WALKED) return null;
    if (matches(inner, INNER) && isFillable(inner)) fields.push(inner);
  }
  if (fields.length < 2) return fields[0] ?? null;
  const visible = fields.filter((field) => isVisible(field));
  return visible.length === 1 ? (visible[0] ?? null) : null;
}

function isFillable(element: Element): boolean {
  return !(element instanceof HTMLInputElement) || !BUTTON_INPUTS.has(element.type);
}

/** Boxes of one character each that together hold a code. */
export function codeBoxes(element: Element): HTMLInputElement[] {
  const group = element instanceof HTMLInputElement ? element.parentElement : element;
  if (!group) return [];
  const boxes: HTMLInputElement[] = [];
  for (const input of querySelectorAll(group, "input")) {
    if (!(input instanceof HTMLInputElement) || input.type === "hidden") continue;
    if (input.maxLength !== 1) return [];
    boxes.push(input);
  }
  return boxes.length > 1 ? boxes : [];
}
