//! ARIA comboboxes, listboxes, radio groups and buttons that open a list: they take presses. Tells
//! the engine what to press; sets nothing itself.

import type { FillOutcome } from "../../wire/page.ts";
import { getAttribute, localName, matches, querySelector, textContent } from "./dom.ts";
import { fillCheckable } from "./fill-check.ts";
import { nearest } from "./fill-select.ts";
import { nameOf } from "./name.ts";
import { roleOf } from "./role.ts";
import { elementsOf } from "./roots.ts";
import { described } from "./target.ts";
import { isVisible } from "./visible.ts";
import { Wanted } from "./words.ts";

const LISTS = new Set(["listbox", "radiogroup", "tree", "menu", "tablist"]);
const OPTIONS = new Set(["option", "radio", "treeitem", "menuitem", "menuitemradio", "tab"]);
const POPUPS = new Set(["true", "listbox", "menu", "tree", "grid", "dialog"]);
const TEXT = "input,textarea,select,[contenteditable]:not([contenteditable=false])";

/** Whether the element is chosen from rather than typed into. */
export function isWidget(element: Element): boolean {
  if (matches(element, TEXT) || querySelector(element, TEXT)) {
    return roleOf(element) === "radiogroup" && localName(element) !== "input";
  }
  const role = roleOf(element);
  if (role === "combobox" || LISTS.has(role)) return true;
  return role === "button" && POPUPS.has(getAttribute(element, "aria-haspopup") ?? "");
}

/** What to press so that the widget has that value. */
export function fillWidget(element: Element, value: string): FillOutcome {
  if (chosenText(element, value).is === "set") return { is: "set", element: described(element) };
  if (!LISTS.has(roleOf(element))) {
    return { is: "press", element: described(element), option: value };
  }
  const options = optionsIn(element);
  const option = pick(options, value);
  if (!option) {
    const near = nearest(value, options.map(nameOf));
    const code = "OPTION_NOT_FOUND";
    return { is: "failed", code, element: described(element), near, options: options.length };
  }
  if (option instanceof HTMLInputElement) return fillCheckable(option, "true");
  return { is: "press", element: described(option) };
}

/** Whether the widget shows that value. */
export function chosenText(element: Element, value: string): FillOutcome {
  const wanted = new Wanted(value);
  const shown = LISTS.has(roleOf(element)) ? chosenIn(element) : shownBy(element);
  if (shown.some((text) => wanted.rank(text) === 0)) {
    return { is: "set", element: described(element) };
  }
  const close = shown.find((text) => !wanted.isEmpty && wanted.rank(text) !== null);
  if (close !== undefined) return { is: "set", element: described(element), shows: close };
  const kept = shown.join(", ");
  return { is: "failed", code: "VALUE_NOT_SET", element: described(element), kept, options: 0 };
}

function shownBy(element: Element): string[] {
  const value = getAttribute(element, "aria-valuetext");
  return [value ?? "", textContent(element) ?? ""].filter((text) => text.trim() !== "");
}

function chosenIn(list: Element): string[] {
  return optionsIn(list).filter(isChosen).map(nameOf);
}

function isChosen(option: Element): boolean {
  if (option instanceof HTMLInputElement) return option.checked;
  return (
    getAttribute(option, "aria-selected") === "true" ||
    getAttribute(option, "aria-checked") === "true"
  );
}

function optionsIn(list: Element): Element[] {
  return Array.from(elementsOf(list)).filter((element) => OPTIONS.has(roleOf(element)));
}

function pick(options: Element[], value: string): Element | null {
  const wanted = new Wanted(value);
  const byValue = options.find(
    (option) => option instanceof HTMLInputElement && option.value === value,
  );
  const ranked = options
    .map((element) => ({ element, rank: wanted.rank(nameOf(element)) }))
    .filter((item) => item.rank !== null && (isVisible(item.element) || item.rank === 0))
    .sort((one, other) => (one.rank ?? 9) - (other.rank ?? 9));
  return ranked[0]?.element ?? byValue ?? null;
}
