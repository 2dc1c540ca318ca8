//! Elements by the text that they show: the innermost, or the button or link that it is in.

import { childNodes, isElement, isText, localName, matches, textContent } from "./dom.ts";
import { nameOf } from "./name.ts";
import { roleOf } from "./role.ts";
import { elementsOf, rootsOf } from "./roots.ts";
import type { Match, Scope } from "./target.ts";
import { best, type Rank, Wanted } from "./words.ts";

const NOT_TEXT = new Set(["script", "style", "template", "noscript", "head", "title"]);
// What the words belong to when they stand inside it.
const OWNERS = new Set(
  "button,link,menuitem,menuitemcheckbox,menuitemradio,tab,option,treeitem,switch".split(","),
);
const OWNER_CLIMB = 6;
const BUTTONS = "input[type=button],input[type=submit],input[type=reset]";
const NAMED = "[aria-label],[title],[alt],[placeholder],[value]";

/** Elements that show the text. */
export function byText(text: string, scope: Scope): Match[] {
  const wanted = new Wanted(text);
  if (wanted.isEmpty) return [];
  const ranks = new Map<Element, Rank>();
  for (const root of rootsOf(scope)) {
    search(root, wanted, ranks);
    for (const button of root.querySelectorAll(BUTTONS)) {
      if (button instanceof HTMLInputElement) note(ranks, button, wanted.rank(button.value));
    }
  }
  // Words of icons are written in attributes.
  if (ranks.size === 0) searchAttributes(scope, wanted, ranks);
  return Array.from(ranks, ([element, rank]) => ({ element, rank }));
}

function note(ranks: Map<Element, Rank>, element: Element, rank: Rank | null): void {
  const better = best(rank, ranks.get(element) ?? null);
  if (better !== null) ranks.set(element, better);
}

function search(top: Scope, wanted: Wanted, ranks: Map<Element, Rank>): void {
  const open: Scope[] = [top];
  for (let at = open.pop(); at; at = open.pop()) {
    let isInside = false;
    for (const child of at.children) {
      if (NOT_TEXT.has(localName(child)) || !wanted.mayBeIn(textContent(child) ?? "")) continue;
      isInside = true;
      open.push(child);
    }
    if (!isInside && at instanceof Element) {
      const whole = wanted.rank(shownText(at));
      note(ranks, ownerOf(at), best(whole, wanted.rank(ownWords(at))));
    }
  }
}

/** The words in an element without those of scripts and styles that stand in it. */
function shownText(element: Element): string {
  const parts = childNodes(element).filter(
    (node) => !isElement(node) || !NOT_TEXT.has(localName(node)),
  );
  return parts.map((node) => textContent(node) ?? "").join("");
}

/** The words that stand in the element itself, beside what else it holds. */
function ownWords(element: Element): string {
  const words = childNodes(element).filter((node) => isText(node));
  return words.map((node) => node.nodeValue ?? "").join(" ");
}

function ownerOf(element: Element): Element {
  let at: Element | null = element;
  for (let climb = 0; at && climb < OWNER_CLIMB; climb++) {
    if (OWNERS.has(roleOf(at))) return at;
    at = at.parentElement;
  }
  return element;
}

function searchAttributes(scope: Scope, wanted: Wanted, ranks: Map<Element, Rank>): void {
  for (const element of elementsOf(scope)) {
    if (matches(element, NAMED)) note(ranks, ownerOf(element), wanted.rank(nameOf(element)));
  }
}
