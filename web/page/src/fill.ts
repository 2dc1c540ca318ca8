//! Sets one form field, by its kind. What needs trusted input is told to the engine; the rest is set
//! here, with the events that a browser would fire, and read back.

import type { FillOutcome } from "../../wire/page.ts";
import { isDisabled } from "./disabled.ts";
import { getAttribute, isConnected, localName, matches, textContent } from "./dom.ts";
import { Fault, gone } from "./fault.ts";
import { codeBoxes, editableOf, fieldOf } from "./field.ts";
import { checkCheckable, fillCheckable, isCheckable } from "./fill-check.ts";
import { noteFilled } from "./fill-kept.ts";
import { fillSelect } from "./fill-select.ts";
import {
  checkEditable,
  checkText,
  fillBoxes,
  fillEditable,
  fillText,
  isTextField,
} from "./fill-text.ts";
import { fillTyped, isTyped } from "./fill-typed.ts";
import { chosenText, fillWidget, isWidget } from "./fill-widget.ts";
import { hiddenFault } from "./hidden.ts";
import { elementOf } from "./registry.ts";
import { roleOf } from "./role.ts";
import { canBeSeen, described } from "./target.ts";

const DROPS =
  /drop|drag|upload|attach|browse|import|choose file|select file|datei|fichier|archivo/i;

/** What was last asked for, by number. Only that is set once more when a check finds that it did not stick. */
const asked = new Map<number, string>();
const ASKED_KEPT = 200;

function remember(id: number, value: string): void {
  asked.delete(id);
  asked.set(id, value);
  const [oldest] = asked.keys();
  if (asked.size > ASKED_KEPT && oldest !== undefined) asked.delete(oldest);
}

/** Answers `fill`. */
export async function fill(id: number, value: string): Promise<FillOutcome> {
  const outcome = await fillElement(id, value);
  remember(id, value);
  remember(outcome.element.id, value);
  if (outcome.is === "set") noteFilled(outcome.element.id);
  return outcome;
}

async function fillElement(id: number, value: string): Promise<FillOutcome> {
  const element = elementOf(id);
  if (!element) throw gone();
  const spread = spreadOver(element, value);
  if (spread) return spread;
  const field = isWidget(element) ? element : fieldOf(element);
  if (!field) return withoutField(element);
  if (field instanceof HTMLInputElement && field.type === "file") {
    return { is: "files", element: described(field), multiple: field.multiple };
  }
  const refusal = refusalOf(field);
  if (refusal) return refusal;
  return fillKind(field, value);
}

async function fillKind(field: Element, value: string): Promise<FillOutcome> {
  if (field instanceof HTMLSelectElement) return fillSelect(field, value);
  if (isCheckable(field)) return fillCheckable(field, value);
  if (isTyped(field)) return fillTyped(field, value);
  if (isWidget(field)) return fillWidget(field, value);
  if (!canBeSeen(field)) throw hiddenFault(field);
  if (isTextField(field)) return fillText(field, value);
  const editable = editableOf(field);
  if (editable) return fillEditable(editable, value);
  return invalid(field);
}

/** Answers `fill_check`. */
export async function fillCheck(id: number, value: string): Promise<FillOutcome> {
  const outcome = await checkElement(id, value);
  if (outcome.is === "set") noteFilled(outcome.element.id);
  return outcome;
}

async function checkElement(id: number, value: string): Promise<FillOutcome> {
  const element = elementOf(id);
  if (!element) throw gone();
  // A check is no way to fill: the guard takes it for a look.
  if (asked.get(id) !== value) throw new Fault("POLICY", "nothing was filled in there");
  const field = isWidget(element) ? element : (fieldOf(element) ?? element);
  if (field instanceof HTMLSelectElement || isTyped(field)) return fillKind(field, value);
  if (isCheckable(field)) return checkCheckable(field, value);
  if (isWidget(field)) return chosenText(field, value);
  if (isTextField(field)) return checkText(field, value);
  const editable = editableOf(field);
  if (editable) return checkEditable(editable, value);
  return invalid(field);
}

function spreadOver(element: Element, value: string): FillOutcome | null {
  const isOneBox = element instanceof HTMLInputElement && element.maxLength === 1;
  const isGroup = getAttribute(element, "role") === "group" || localName(element) === "fieldset";
  if (!(isGroup || (isOneBox && value.length > 1))) return null;
  const boxes = codeBoxes(element);
  return boxes.length > 0 ? fillBoxes(element, boxes, value) : null;
}

function refusalOf(field: Element): FillOutcome | null {
  if (isDisabled(field)) return failed(field, "ELEMENT_DISABLED");
  // What opens a list is read-only for the keyboard only.
  if (isWidget(field)) return null;
  const isReadonly =
    matches(field, ":read-only") && (field instanceof HTMLTextAreaElement || isTextual(field));
  const says = getAttribute(field, "aria-readonly") === "true";
  return isReadonly || says ? failed(field, "ELEMENT_READONLY") : null;
}

function isTextual(field: Element): boolean {
  return field instanceof HTMLInputElement && field.readOnly && !isCheckable(field);
}

function failed(
  field: Element,
  code: "ELEMENT_DISABLED" | "ELEMENT_READONLY" | "INVALID_ARGUMENT",
): FillOutcome {
  return { is: "failed", code, element: described(field), options: 0 };
}

const PRESSED = new Set(["button", "link", "menuitem"]);

function invalid(element: Element): FillOutcome {
  return failed(element, "INVALID_ARGUMENT");
}

/**
 * A drop zone has no field of its own; anything else takes no value. Which input a button's chooser
 * is for only its press can tell: the engine catches the chooser.
 */
function withoutField(element: Element): FillOutcome {
  if (PRESSED.has(roleOf(element))) return invalid(element);
  const words = [textContent(element) ?? "", getAttribute(element, "class") ?? "", element.id];
  if (words.some((text) => DROPS.test(String(text).slice(0, 500)))) {
    return { is: "files", element: described(element), multiple: true };
  }
  if (!isConnected(element)) throw new Fault("REF_GONE", "the element is gone");
  return invalid(element);
}
