//! Rows, list items and cards by the words in them: the way into tables. A row fits when its words,
//! or the words of one of its cells, are what was asked for.

import {
  childElementCount,
  getAttribute,
  localName,
  nextElementSibling,
  querySelectorAll,
  textContent,
} from "./dom.ts";
import { roleOf } from "./role.ts";
import { elementsOf } from "./roots.ts";
import type { Match, Scope } from "./target.ts";
import { isMasked } from "./value.ts";
import { best, type Rank, type Wanted } from "./words.ts";

/** Roles whose name is what is written in them. */
export const ROW_ROLES = new Set(["row", "listitem", "item", "card", "article"]);

const ITEMS = new Set(["listitem", "article", "row", "option", "treeitem", "menuitem", "group"]);
const ROWS = new Set(["row"]);
const FIELDS = "input,textarea,select";

/** Rows, items or cards that hold the words; the innermost where they are nested. */
export function byRow(role: string, wanted: Wanted, scope: Scope): Match[] {
  const roles = role === "row" ? ROWS : ITEMS;
  let matches = collect(scope, wanted, (element) => roles.has(roleOf(element)));
  if (matches.length === 0 && !wanted.allWordsIn(textContent(topOf(scope)) ?? "")) return [];
  if (matches.length === 0 && role === "row") {
    matches = collect(scope, wanted, (element) => ITEMS.has(roleOf(element)));
  }
  if (matches.length === 0) matches = collect(scope, wanted, isRepeated);
  return withoutOuter(matches);
}

function topOf(scope: Scope): Scope {
  return scope instanceof Document ? scope.documentElement : scope;
}

function collect(scope: Scope, wanted: Wanted, fits: (element: Element) => boolean): Match[] {
  const matches: Match[] = [];
  for (const element of elementsOf(scope)) {
    if (SKIPPED.has(localName(element)) || !fits(element)) continue;
    const rank = rankOf(element, wanted);
    if (rank !== null) matches.push({ element, rank });
  }
  return matches;
}

const SKIPPED = new Set(["script", "style", "template", "head", "html", "body", "option"]);

function rankOf(row: Element, wanted: Wanted): Rank | null {
  if (wanted.isEmpty) return 0;
  const text = textContent(row) ?? "";
  if (wanted.mayBeIn(text)) return textRank(row, text, wanted) ?? 3;
  const label = getAttribute(row, "aria-label");
  if (label !== null && wanted.mayBeIn(label)) return wanted.rank(label);
  if (wanted.allWordsIn(text)) return 4;
  return valueRank(row, wanted);
}

function textRank(row: Element, text: string, wanted: Wanted): Rank | null {
  let rank = wanted.rank(text);
  if (rank === 0) return rank;
  for (const cell of querySelectorAll(row, "*")) {
    if (rank === 0) return rank;
    if (childElementCount(cell) > 3) continue;
    rank = best(rank, wanted.rank(textContent(cell) ?? ""));
  }
  return rank;
}

function valueRank(row: Element, wanted: Wanted): Rank | null {
  let rank: Rank | null = null;
  for (const field of querySelectorAll(row, FIELDS)) {
    // What is never read out is no way to find something either.
    if (!isMasked(field)) rank = best(rank, wanted.rank(fieldWords(field)));
  }
  return rank;
}

function fieldWords(field: Element): string {
  if (field instanceof HTMLSelectElement) return field.selectedOptions[0]?.text ?? "";
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
  return "";
}

/** A card without a role: it has a sibling of the same make. */
function isRepeated(element: Element): boolean {
  const next = nextElementSibling(element);
  const before = element.previousElementSibling;
  return childElementCount(element) > 0 && (isLike(element, next) || isLike(element, before));
}

function isLike(element: Element, other: Element | null): boolean {
  return (
    other !== null &&
    localName(other) === localName(element) &&
    other.className === element.className
  );
}

/** Where a row holds another that fits as well, the inner one is meant. */
function withoutOuter(matches: Match[]): Match[] {
  const ranks = new Map(matches.map((match) => [match.element, match.rank]));
  const outer = new Set<Element>();
  for (const { element, rank } of matches) {
    for (let at = element.parentElement; at; at = at.parentElement) {
      const other = ranks.get(at);
      if (other !== undefined && other >= rank) outer.add(at);
    }
  }
  return matches.filter((match) => !outer.has(match.element));
}
