//! Fields by their label, accessible name, placeholder, title or `name`.

import { getAttribute, hasAttribute, localName } from "./dom.ts";
import { nameOf } from "./name.ts";
import { roleOf } from "./role.ts";
import { elementsOf } from "./roots.ts";
import type { Match, Scope } from "./target.ts";
import { best, type Rank, Wanted } from "./words.ts";

const FIELD_TAGS = new Set(["input", "select", "textarea", "meter", "progress", "output"]);
const FIELD_ROLES = new Set(
  (
    "textbox,searchbox,combobox,listbox,checkbox,radio,switch,slider,spinbutton,radiogroup," +
    "menuitemcheckbox,menuitemradio"
  ).split(","),
);
const NO_FIELDS = new Set(["button", "submit", "reset", "image", "hidden"]);
const WORDS = ["aria-label", "placeholder", "aria-placeholder", "title"] as const;
const LAST_WORDS = ["name", "id", "autocomplete"] as const;

/** Fields of that label; when there is none, whatever else has that name. */
export function byLabel(text: string, scope: Scope): Match[] {
  const wanted = new Wanted(text.replace(/\s*[:*]\s*$/, ""));
  const fields: Match[] = [];
  const others: Match[] = [];
  const last: Match[] = [];
  for (const element of elementsOf(scope)) {
    const isOne = isField(element);
    if (!isOne && !hasAttribute(element, "aria-label") && !hasAttribute(element, "title")) continue;
    const rank = rankOf(element, wanted);
    if (rank !== null) (isOne ? fields : others).push({ element, rank });
    else if (isOne && isNamedSo(element, wanted)) last.push({ element, rank: 4 });
  }
  if (fields.length > 0) return fields;
  return last.length > 0 ? last : others;
}

/** Whether an element takes a value. */
export function isField(element: Element): boolean {
  if (element instanceof HTMLInputElement) return !NO_FIELDS.has(element.type);
  if (FIELD_TAGS.has(localName(element))) return true;
  const editable = getAttribute(element, "contenteditable");
  if (editable !== null && editable !== "false") return true;
  return hasAttribute(element, "role") && FIELD_ROLES.has(roleOf(element));
}

function rankOf(element: Element, wanted: Wanted): Rank | null {
  // A label's star for required fields and its colon are not part of what people say.
  let rank = wanted.rank(nameOf(element).replace(/\s*[:*]+\s*$/, ""));
  for (const attribute of WORDS) {
    if (rank === 0) return rank;
    const value = getAttribute(element, attribute);
    if (value !== null) rank = best(rank, wanted.rank(value));
  }
  return rank;
}

function isNamedSo(element: Element, wanted: Wanted): boolean {
  return LAST_WORDS.some((attribute) => {
    const value = getAttribute(element, attribute);
    return value !== null && wanted.rank(value) === 0;
  });
}
