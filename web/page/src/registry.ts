//! The numbers of this document's elements: given once, never reused. Finds an element again after
//! a re-render only when exactly one fits its description and place. Keeps no element alive.

import { rowNameOf } from "./describe.ts";
import {
  isConnected,
  isElement,
  isShadowRoot,
  localName,
  nextElementSibling,
  ownerDocument,
  parentNode,
  shadowHost,
  squash,
} from "./dom.ts";
import { actsOf } from "./interactive.ts";
import { nameOf } from "./name.ts";
import { reading } from "./reading.ts";
import { roleOf } from "./role.ts";
import { rootsOf } from "./roots.ts";
import { nextTask } from "./time.ts";

/** What tells an element from others, should it be rendered anew. */
type Mark = {
  tag: string;
  role: string;
  name: string;
  row: string | null;
  path: string;
  item: string;
};

// `alive`: the next number to be given when the element was last seen in the document.
type Entry = { element: WeakRef<Element>; mark: Mark | null; alive: number };

const ids = new WeakMap<Element, number>();
const entries = new Map<number, Entry>();
const refound = new Set<number>();
// Pages that render anew all the time would fill the map. What can be found again stays.
const collected = new FinalizationRegistry<number>((id) => {
  const entry = entries.get(id);
  if (entry && !entry.mark && !entry.element.deref()) entries.delete(id);
});
let next = 1;

let unmarked: number[] = [];
let marking = false;
// Marks are made in slices between other tasks, and not for whole huge pages.
const MARK_SLICE_MS = 4;
const UNMARKED_MOST = 2_000;
const ITEM_CLIMB = 5;
const ITEM_CHARS = 300;

/** The number of an element in this document, from 1. */
export function idOf(element: Element): number {
  const known = ids.get(element);
  if (known !== undefined) return known;
  const id = next++;
  ids.set(element, id);
  entries.set(id, { element: new WeakRef(element), mark: null, alive: next });
  collected.register(element, id);
  if (unmarked.length < UNMARKED_MOST) unmarked.push(id);
  if (!marking) void markLater();
  return id;
}

/** The number, if the element has one already. */
export function knownIdOf(element: Element): number | null {
  return ids.get(element) ?? null;
}

/** The element of a number, also when it was rendered anew; null when it is gone. */
export function elementOf(id: number): Element | null {
  const entry = entries.get(id);
  if (!entry) return null;
  const element = entry.element.deref();
  if (element && isConnected(element) && ownerDocument(element) === document) {
    entry.mark = markOf(element);
    entry.alive = next;
    return element;
  }
  // A detached element has lost its place: only a mark made before can tell it.
  const found = entry.mark ? findAgain(entry.mark, entry.alive) : null;
  if (!found) return null;
  takeOver(id, found);
  return found;
}

/** Gives the number of a lost element to the one that was rendered in its place. */
export function takeOver(id: number, element: Element): void {
  const entry = entries.get(id);
  if (!entry) return;
  entry.element = new WeakRef(element);
  entry.alive = next;
  ids.set(element, id);
  refound.add(id);
}

/** Whether the number was taken over by a re-rendered element. */
export function wasRefound(id: number): boolean {
  return refound.has(id);
}

async function markLater(): Promise<void> {
  marking = true;
  await nextTask();
  while (unmarked.length > 0) {
    const until = performance.now() + MARK_SLICE_MS;
    reading(() => {
      while (unmarked.length > 0 && performance.now() < until) markOne(unmarked.pop());
    });
    if (unmarked.length > 0) await nextTask();
  }
  unmarked = [];
  marking = false;
}

function markOne(id: number | undefined): void {
  const entry = id === undefined ? undefined : entries.get(id);
  const element = entry?.element.deref();
  if (!entry || entry.mark || !element || !isConnected(element)) return;
  entry.alive = next;
  if (actsOf(element)) entry.mark = markOf(element);
}

function markOf(element: Element): Mark {
  return {
    tag: localName(element),
    role: roleOf(element),
    name: nameOf(element),
    row: rowNameOf(element) ?? null,
    path: pathOf(element),
    item: itemTextOf(element),
  };
}

/** Tags from the document down. Without positions: a neighbour more must not lose the element. */
function pathOf(element: Element): string {
  const path: string[] = [];
  for (let at: Node | null = element; at; ) {
    if (isShadowRoot(at)) {
      path.push("#");
      at = shadowHost(at);
    } else {
      if (isElement(at)) path.push(localName(at));
      at = parentNode(at);
    }
  }
  return path.join("<");
}

/**
 * The words of the repeated thing that an element is in. Without them the button of a deleted item
 * would be "found again" in the item that moved up.
 */
function itemTextOf(element: Element): string {
  let at = parentNode(element);
  for (let climb = 0; at && isElement(at) && climb < ITEM_CLIMB; climb++) {
    const like = localName(at);
    const after = nextElementSibling(at);
    const before = at.previousElementSibling;
    if ((after && localName(after) === like) || (before && localName(before) === like)) {
      return firstText(at);
    }
    at = parentNode(at);
  }
  return "";
}

/** The first words only: what is around may be half of the page. */
function firstText(element: Element): string {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = "";
  for (let node = walker.nextNode(); node && text.length < ITEM_CHARS; node = walker.nextNode()) {
    text += ` ${node.nodeValue ?? ""}`;
  }
  return squash(text).slice(0, ITEM_CHARS);
}

function findAgain(mark: Mark, alive: number): Element | null {
  let found: Element | null = null;
  for (const root of rootsOf(document)) {
    for (const element of root.querySelectorAll(mark.tag)) {
      if (!isAgain(element, mark, alive)) continue;
      if (found) return null;
      found = element;
    }
  }
  return found;
}

function isAgain(element: Element, mark: Mark, alive: number): boolean {
  const known = ids.get(element);
  // It had its number while the lost one was there: it is another element.
  if (known !== undefined && known < alive) return false;
  return (
    pathOf(element) === mark.path &&
    roleOf(element) === mark.role &&
    nameOf(element) === mark.name &&
    (rowNameOf(element) ?? null) === mark.row &&
    itemTextOf(element) === mark.item
  );
}
