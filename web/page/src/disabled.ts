//! Whether a control can be used, and which empty required fields probably keep it from that.

import { matches, textContent } from "./dom.ts";
import { isField } from "./target-label.ts";
import { isVisible } from "./visible.ts";

const MISSING_SHOWN = 3;

/** Disabled by HTML or ARIA, itself or through what it is in. */
export function isDisabled(element: Element): boolean {
  if (matches(element, ":disabled")) return true;
  return element.closest("[aria-disabled=true]") !== null || element.closest("[inert]") !== null;
}

/** Required and empty fields before a control: of its form, else of the document. */
export function missingBefore(element: Element): Element[] {
  const form = element.closest("form") ?? element.ownerDocument;
  const missing: Element[] = [];
  for (const field of form.querySelectorAll("input,select,textarea,[aria-required=true]")) {
    if (missing.length >= MISSING_SHOWN) break;
    const isBefore = field.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (isBefore && isField(field) && isMissing(field) && isVisible(field)) missing.push(field);
  }
  return missing;
}

function isMissing(field: Element): boolean {
  if (!matches(field, ":required,[aria-required=true]")) return false;
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    return field.validity.valueMissing || field.value === "";
  }
  if (field instanceof HTMLSelectElement) return field.value === "";
  return (textContent(field) ?? "").trim() === "";
}
