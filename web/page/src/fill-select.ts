//! Lists: native `<select>`, one or several. Chooses by value, label or index, and tells the page
//! once.

import type { FillOutcome } from "../../wire/page.ts";
import { setSelected, tellChange, tellInput } from "./fill-native.ts";
import { described } from "./target.ts";
import { likeness, plain } from "./words.ts";

const NEAR_SHOWN = 5;
const ALIKE = 0.3;
const SHARE_OF_BEST = 0.6;

/** The list that an option is in, when the browser draws it closed; null for anything else. */
export function selectOf(element: Element): HTMLSelectElement | null {
  if (!(element instanceof HTMLOptionElement)) return null;
  const select = element.closest("select");
  return select instanceof HTMLSelectElement && isClosed(select) ? select : null;
}

function isClosed(select: HTMLSelectElement): boolean {
  return !select.multiple && select.size <= 1;
}

/** Makes exactly these options the chosen ones; one `input` and one `change` when that differs. */
export function choose(select: HTMLSelectElement, chosen: readonly HTMLOptionElement[]): void {
  const before = chosenKey(select);
  if (select.multiple) {
    for (const option of select.options) setSelected(option, chosen.includes(option));
  } else if (chosen[0]) setSelected(chosen[0], true);
  if (chosenKey(select) === before) return;
  tellInput(select);
  tellChange(select);
}

function chosenKey(select: HTMLSelectElement): string {
  return Array.from(select.options, (option) => (option.selected ? "1" : "0")).join("");
}

/** Sets a list to what was asked. */
export function fillSelect(select: HTMLSelectElement, value: string): FillOutcome {
  const asked = askedOf(select, value);
  const chosen: HTMLOptionElement[] = [];
  for (const one of asked) {
    const option = optionFor(select, one);
    if (!option) return notFound(select, one);
    if (option.matches(":disabled")) {
      return failed(select, "ELEMENT_DISABLED", shownOf(select));
    }
    chosen.push(option);
  }
  choose(select, chosen);
  if (!chosen.every((option) => option.selected)) {
    return failed(select, "VALUE_NOT_SET", shownOf(select));
  }
  const shows = shownOf(select);
  const same = asked.length !== 1 || plain(shows) === plain(asked[0] ?? "");
  return { is: "set", element: described(select), shows: same ? null : shows };
}

function failed(
  select: HTMLSelectElement,
  code: "ELEMENT_DISABLED" | "VALUE_NOT_SET",
  kept: string,
): FillOutcome {
  return { is: "failed", code, element: described(select), kept, options: select.options.length };
}

/** The labels of what is chosen. */
export function shownOf(select: HTMLSelectElement): string {
  return Array.from(select.selectedOptions, (option) => option.label.trim()).join(", ");
}

function askedOf(select: HTMLSelectElement, value: string): string[] {
  const list = listIn(value);
  if (list && (select.multiple || list.length === 1)) return list;
  if (select.multiple && value === "") return [];
  if (select.multiple && !optionFor(select, value) && value.includes(",")) {
    return value.split(",").map((part) => part.trim());
  }
  return [value];
}

/** A JSON list of strings, numbers or booleans. */
export function listIn(value: string): string[] | null {
  if (!value.trim().startsWith("[")) return null;
  try {
    const list: unknown = JSON.parse(value);
    return Array.isArray(list) ? list.map(String) : null;
  } catch {
    return null;
  }
}

/** The option that is meant: by value or label exactly, then without case, then by index. */
function optionFor(select: HTMLSelectElement, asked: string): HTMLOptionElement | null {
  const options = Array.from(select.options);
  const wanted = plain(asked);
  const tries: ((option: HTMLOptionElement) => boolean)[] = [
    (option) => option.label.trim() === asked.trim() && !option.disabled,
    (option) => option.value === asked && !option.disabled,
    (option) => plain(option.label) === wanted || plain(option.text) === wanted,
    (option) => option.value === asked || plain(option.value) === wanted,
  ];
  for (const fits of tries) {
    const option = options.find(fits);
    if (option) return option;
  }
  const index = /^(?:index\s*[=:]\s*|#)(\d+)$/i.exec(asked.trim())?.[1] ?? numberIn(asked);
  if (index !== null) return options[Number(index)] ?? null;
  return onlyOne(options, wanted);
}

function numberIn(asked: string): string | null {
  return /^\d{1,4}$/.test(asked.trim()) ? asked.trim() : null;
}

/** "United States" for "United States (US)": only when a single option begins so. */
function onlyOne(options: HTMLOptionElement[], wanted: string): HTMLOptionElement | null {
  if (wanted === "") return null;
  const starting = options.filter((option) => plain(option.label).startsWith(wanted));
  return starting.length === 1 ? (starting[0] ?? null) : null;
}

function notFound(select: HTMLSelectElement, asked: string): FillOutcome {
  const labels = Array.from(select.options, (option) => option.label.trim());
  return {
    is: "failed",
    code: "OPTION_NOT_FOUND",
    element: described(select),
    near: nearest(asked, labels),
    options: labels.length,
  };
}

/** Labels alike to what was asked, the most alike first. */
export function nearest(asked: string, labels: readonly string[]): string[] {
  const scored = labels
    .map((label) => ({ label, score: likeness(asked, label) }))
    .sort((one, other) => other.score - one.score);
  const least = Math.max(ALIKE, (scored[0]?.score ?? 0) * SHARE_OF_BEST);
  return scored
    .filter((item) => item.score >= least && item.label !== "")
    .slice(0, NEAR_SHOWN)
    .map((item) => item.label);
}
