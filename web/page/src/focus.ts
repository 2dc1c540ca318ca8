//! What has focus, and giving it to an element that takes keys.

import type { Caret, Element as WireElement } from "../../wire/page.ts";
import { Fault, gone } from "./fault.ts";
import { editableOf, fieldOf } from "./field.ts";
import { focus, heldValue, isValueField } from "./fill-native.ts";
import { isWithin } from "./hit.ts";
import { elementOf } from "./registry.ts";
import { shadowOf } from "./shadow.ts";
import { described } from "./target.ts";

/** The focused element, also inside shadow roots; null when only the page itself has focus. */
export function focusedElement(): Element | null {
  let at = document.activeElement;
  for (;;) {
    const inner: Element | null = at ? (shadowOf(at)?.activeElement ?? null) : null;
    if (!inner) break;
    at = inner;
  }
  return at === document.documentElement || isPlainBody(at) ? null : at;
}

function isPlainBody(element: Element | null): boolean {
  return element === document.body && !document.body?.isContentEditable;
}

/** Answers `focused`. */
export function focused(): WireElement {
  const element = focusedElement();
  if (!element) throw new Fault("NO_FOCUS", "nothing on the page has focus");
  return described(element);
}

/** Answers `focus`. */
export function focusOn(id: number, caret: Caret): WireElement {
  const element = elementOf(id);
  if (!element) throw gone();
  const field = fieldOf(element) ?? element;
  const had = focusedElement() === field;
  if (!had) focus(field);
  const now = focusedElement();
  if (!now || !isWithin(now, field)) {
    throw new Fault("NO_FOCUS", "it does not take focus", described(field));
  }
  placeCaret(now, caret, had);
  return described(now);
}

function placeCaret(element: Element, caret: Caret, had: boolean): void {
  if (isValueField(element)) {
    if (caret === "all") element.select();
    else if (!had) caretToEnd(element);
    return;
  }
  const editable = editableOf(element);
  if (editable && (caret === "all" || !selectionIsIn(editable))) {
    selectContents(editable, caret === "all");
  }
}

function caretToEnd(field: HTMLInputElement | HTMLTextAreaElement): void {
  // Numbers, dates and e-mail addresses have no selection to set.
  if (field.selectionStart === null) return;
  const end = heldValue(field).length;
  field.setSelectionRange(end, end);
}

function selectionIsIn(element: Element): boolean {
  const anchor = getSelection()?.anchorNode ?? null;
  return anchor !== null && element.contains(anchor);
}

/** Selects all that is in an editable element, or puts the caret behind it. */
export function selectContents(element: Element, all: boolean): void {
  const selection = getSelection();
  if (!selection) return;
  const range = document.createRange();
  range.selectNodeContents(element);
  if (!all) range.collapse(false);
  selection.removeAllRanges();
  selection.addRange(range);
}
