//! Boxes, radios and switches. A native one is pressed by `click()`, only when it differs, and read
//! back; an ARIA one is left to a real press.

import type { FillOutcome } from "../../wire/page.ts";
import { getAttribute, hasAttribute } from "./dom.ts";
import { click } from "./fill-native.ts";
import { nameOf } from "./name.ts";
import { roleOf } from "./role.ts";
import { described } from "./target.ts";
import { plain } from "./words.ts";

const CHECKED_ROLES = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
const YES = new Set(["true", "on", "yes", "1", "checked", "selected", "x"]);
const NO = new Set(["false", "off", "no", "0", "unchecked", "", "none"]);

/** Whether it is ticked rather than filled. */
export function isCheckable(element: Element): boolean {
  if (element instanceof HTMLInputElement) {
    return element.type === "checkbox" || element.type === "radio";
  }
  return CHECKED_ROLES.has(roleOf(element)) || isToggle(element);
}

function isToggle(element: Element): boolean {
  return hasAttribute(element, "aria-pressed") && roleOf(element) === "button";
}

/** Ticks or unticks. */
export function fillCheckable(element: Element, value: string): FillOutcome {
  const wanted = wantedOf(element, value);
  if (wanted === null) return failed(element, "INVALID_ARGUMENT");
  if (isOn(element) === wanted) return { is: "set", element: described(element) };
  // Unticking a radio is not something that a person can do.
  if (!wanted && isRadio(element)) return failed(element, "VALUE_NOT_SET");
  if (!(element instanceof HTMLInputElement)) return { is: "press", element: described(element) };
  click(element);
  return checkCheckable(element, value);
}

/** Whether it is ticked now as it should be. */
export function checkCheckable(element: Element, value: string): FillOutcome {
  const wanted = wantedOf(element, value);
  if (wanted !== null && isOn(element) === wanted)
    return { is: "set", element: described(element) };
  return failed(element, "VALUE_NOT_SET");
}

function failed(element: Element, code: "INVALID_ARGUMENT" | "VALUE_NOT_SET"): FillOutcome {
  const kept = isOn(element) ? "true" : "false";
  const rule = code === "INVALID_ARGUMENT" ? "true or false" : null;
  return { is: "failed", code, element: described(element), kept, rule, options: 0 };
}

function wantedOf(element: Element, value: string): boolean | null {
  const asked = value.trim().toLowerCase();
  if (YES.has(asked)) return true;
  if (NO.has(asked)) return false;
  // Named by its own value or words.
  if (element instanceof HTMLInputElement && element.value === value) return true;
  return plain(nameOf(element)) === plain(value) ? true : null;
}

function isRadio(element: Element): boolean {
  return element instanceof HTMLInputElement
    ? element.type === "radio"
    : roleOf(element) === "radio" || roleOf(element) === "menuitemradio";
}

/** Whether it is ticked, on or pressed. */
export function isOn(element: Element): boolean {
  if (element instanceof HTMLInputElement) return element.checked && !element.indeterminate;
  const state = isToggle(element) ? "aria-pressed" : "aria-checked";
  return getAttribute(element, state) === "true";
}
