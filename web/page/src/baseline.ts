//! What the document looked like before an act: its outline lines, or on large pages what can be told
//! cheaply. Kept until the next baseline; read by `changes`.

import type { Act } from "../../wire/page.ts";
import { checkVisibility, matches } from "./dom.ts";
import { focusedElement } from "./focus.ts";
import { expectInput } from "./input-seen.ts";
import { type LineTree, treeOf } from "./line-tree.ts";
import { observeFromNow } from "./observe.ts";
import { lines } from "./outline.ts";
import { elementsOf } from "./roots.ts";
import { shownValue } from "./value.ts";

/** Documents with more elements are not walked line by line. */
export const WALK_ELEMENTS = 5_000;

/** What is known of a large page without its outline. */
export type Coarse = { seen: WeakSet<Element>; fields: Map<Element, string> };

/** The state of the document at one moment. */
export type Baseline = {
  root: Element | null;
  act: Act | null;
  target: Element | null;
  tree: LineTree | null;
  coarse: Coarse | null;
  focus: Element | null;
  scroll: [number, number];
};

const FIELDS = "input,textarea,select,details,dialog";
const FIELDS_READ = 3_000;

let current: Baseline | null = null;

/** Remembers how things stand, and watches input and DOM from here on. */
export function takeBaseline(act: Act | null, target: Element | null): void {
  const tree = smallTree();
  current = {
    root: document.documentElement,
    act,
    target,
    tree,
    coarse: tree ? null : coarseOf(),
    focus: focusedElement(),
    scroll: [scrollX, scrollY],
  };
  observeFromNow();
  expectInput();
}

/** The last baseline; null when there is none. */
export function baseline(): Baseline | null {
  return current;
}

/** The outline as a tree of lines, unless the document is too large for that. */
export function smallTree(): LineTree | null {
  if (document.getElementsByTagName("*").length > WALK_ELEMENTS) return null;
  const walked = lines(document.documentElement, WALK_ELEMENTS);
  return walked.complete ? treeOf(walked.lines) : null;
}

function coarseOf(): Coarse {
  const seen = new WeakSet<Element>();
  const fields = new Map<Element, string>();
  for (const element of elementsOf(document)) {
    if (isShown(element)) seen.add(element);
    if (fields.size < FIELDS_READ && matches(element, FIELDS))
      fields.set(element, fieldKey(element));
  }
  return { seen, fields };
}

/** Whether CSS lets an element be seen; cheaper than asking how a person sees it. */
export function isShown(element: Element): boolean {
  return checkVisibility(element, { visibilityProperty: true, opacityProperty: true });
}

/** What a field shows, as far as it matters whether that changed. */
export function fieldKey(element: Element): string {
  if (element instanceof HTMLInputElement) {
    const ticked = element.checked ? "1" : "0";
    return `${ticked}${element.disabled ? "d" : ""}${shownValue(element)}`;
  }
  if (element instanceof HTMLDetailsElement || element instanceof HTMLDialogElement) {
    return element.open ? "open" : "";
  }
  return shownValue(element);
}
