//! What the document looked like before an act: its outline lines, or on large pages what can be told
//! cheaply. Kept until the next baseline; read by `changes`.

import type { Act } from "../../wire/page.ts";
import { checkVisibility, matches } from "./dom.ts";
import { focusedElement } from "./focus.ts";
import { expectInput } from "./input-seen.ts";
import { type LineTree, treeOf } from "./line-tree.ts";
import { changeCount, isObserving, observeFromNow } from "./observe.ts";
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
  /** What is at the point where the target is to be pressed: it, or what stands for it. */
  hit: Element | null;
  tree: LineTree | null;
  coarse: Coarse | null;
  focus: Element | null;
  scroll: [number, number];
};

const FIELDS = "input,textarea,select,details,dialog";
const FIELDS_READ = 3_000;

let current: Baseline | null = null;

/** Remembers how things stand, and watches input and DOM from here on. */
export function takeBaseline(
  act: Act | null,
  target: Element | null,
  hit: Element | null = null,
): void {
  const tree = keptTree() ?? smallTree();
  current = {
    root: document.documentElement,
    act,
    target,
    hit,
    tree,
    coarse: tree ? null : coarseOf(),
    focus: focusedElement(),
    scroll: [scrollX, scrollY],
  };
  observeFromNow();
  expectInput();
}

// What the last receipt saw is what the next one starts from, while nothing happened in between.
type Kept = { tree: LineTree; changes: number; fields: string; size: string; at: number };
let kept: Kept | null = null;
const KEPT_MS = 20_000;

/** Keeps the tree that `changes` has just walked. */
export function rememberTree(tree: LineTree): void {
  const fields = allFields();
  kept = { tree, changes: changeCount(), fields, size: viewportKey(), at: performance.now() };
}

function keptTree(): LineTree | null {
  const last = kept;
  kept = null;
  if (!last || performance.now() - last.at > KEPT_MS || !isObserving()) return null;
  const isSame =
    last.changes === changeCount() && last.size === viewportKey() && last.fields === allFields();
  return isSame ? last.tree : null;
}

function viewportKey(): string {
  return `${innerWidth} ${innerHeight} ${document.hidden}`;
}

/** Scripts and people change these without a DOM change. */
function allFields(): string {
  return Array.from(document.querySelectorAll(FIELDS), fieldKey).join("\u0001");
}

/** The last baseline; null when there is none. */
export function baseline(): Baseline | null {
  return current;
}

/** The outline as a tree of lines, unless the document is too large for that. */
export function smallTree(): LineTree | null {
  if (document.getElementsByTagName("*").length > WALK_ELEMENTS) return null;
  const walked = lines(document, WALK_ELEMENTS);
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
