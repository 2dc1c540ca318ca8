//! ARIA comboboxes, listboxes, radio groups and buttons that open a list: they take presses. Tells
//! the engine what to press; sets nothing itself.

import type { FillOutcome } from "../../wire/page.ts";
import { getAttribute, matches, querySelector, querySelectorAll } from "./dom.ts";
import { fillCheckable } from "./fill-check.ts";
import { nearest } from "./fill-select.ts";
import { nameOf } from "./name.ts";
import { roleOf } from "./role.ts";
import { elementsOf } from "./roots.ts";
import { described } from "./target.ts";
import { isVisible } from "./visible.ts";
import { Wanted } from "./words.ts";
import { visibleWords } from "./words-of.ts";

const LISTS = new Set(["listbox", "radiogroup", "tree", "menu", "tablist"]);
const OPTIONS = new Set(["option", "radio", "treeitem", "menuitem", "menuitemradio", "tab"]);
const POPUPS = new Set(["true", "listbox", "menu", "tree", "grid", "dialog"]);
const POPPED = "[role=listbox],[role=menu],[role=option],[role=tree],[role=dialog]";
const SAYS_CHOSEN = "[aria-selected],[aria-checked]";
const WORDS_CHARS = 200;
const RADIOS = "input[type=radio],[role=radio]";
// The rank of words that are only a part of another word.
const PART = 3;
const TEXT = "input,textarea,select,[contenteditable]:not([contenteditable=false])";

// The list of which an option is being pressed.
let pressed: Element | null = null;

/** Whether the element is chosen from rather than typed into. */
export function isWidget(element: Element): boolean {
  const role = roleOf(element);
  if (isTextLike(element)) return isChooser(element, role);
  if (isRadioGroup(element, role)) return true;
  if (querySelector(element, TEXT)) return false;
  if (role === "combobox" || LISTS.has(role)) return true;
  return role === "button" && POPUPS.has(getAttribute(element, "aria-haspopup") ?? "");
}

function isTextLike(element: Element): boolean {
  return matches(element, TEXT);
}

/** A field that opens a list and lets nobody type. */
function isChooser(element: Element, role: string): boolean {
  if (!(element instanceof HTMLInputElement) || !element.readOnly) return false;
  return role === "combobox" || POPUPS.has(getAttribute(element, "aria-haspopup") ?? "");
}

/** Radios that belong together, also where only a fieldset says so. */
function isRadioGroup(element: Element, role: string): boolean {
  if (role === "radiogroup") return true;
  if (role !== "group" || !querySelector(element, RADIOS)) return false;
  const others = Array.from(querySelectorAll(element, TEXT));
  return others.every((field) => field instanceof HTMLInputElement && field.type === "radio");
}

/** What to press so that the widget has that value. */
export function fillWidget(element: Element, value: string): FillOutcome {
  pressed = null;
  const now = chosenText(element, value);
  if (now.is === "set" && !now.shows) return now;
  if (!isList(element)) {
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
  pressed = element;
  return { is: "press", element: described(option) };
}

function wasPressed(list: Element): boolean {
  const says = optionsIn(list).some(
    (option) => option instanceof HTMLInputElement || matches(option, SAYS_CHOSEN),
  );
  return pressed === list && !says;
}

/** Whether the widget shows that value. */
export function chosenText(element: Element, value: string): FillOutcome {
  const wanted = new Wanted(value);
  // A list that never says what is chosen cannot be asked.
  if (isList(element) && wasPressed(element)) return { is: "set", element: described(element) };
  const shown = shownIn(element);
  const isSame = wanted.isEmpty
    ? shown.length === 0
    : shown.some((text) => wanted.rank(text) === 0);
  if (isSame) return { is: "set", element: described(element) };
  const close = shown.find((text) => !wanted.isEmpty && (wanted.rank(text) ?? PART) < PART);
  if (close !== undefined) return { is: "set", element: described(element), shows: close };
  const kept = shown.join(", ");
  return { is: "failed", code: "VALUE_NOT_SET", element: described(element), kept, options: 0 };
}

/** What is chosen in a list, or what a closed one shows. */
export function shownIn(element: Element): string[] {
  return isList(element) ? chosenIn(element) : shownBy(element);
}

function isList(element: Element): boolean {
  const role = roleOf(element);
  return LISTS.has(role) || isRadioGroup(element, role);
}

/** Its words without those of the list that it opens. */
function shownBy(element: Element): string[] {
  if (element instanceof HTMLInputElement) return [element.value].filter((text) => text !== "");
  const value = getAttribute(element, "aria-valuetext");
  const words = visibleWords(element, WORDS_CHARS, (inner) => matches(inner, POPPED));
  return [value ?? "", words].filter((text) => text.trim() !== "");
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
