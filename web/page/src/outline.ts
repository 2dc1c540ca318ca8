//! The outline of a page or of a part of it, as facts. Printing it, and giving refs, is the engine's.
//!
//! Lines that belong on one printed line come as a `paragraph` (text among inline links), a `row`
//! of cells, or an `item`; everything else is one line each.

import type { Outline, Node as OutlineNode, PageCall } from "../../wire/page.ts";
import { shownRole } from "./describe.ts";
import {
  documentElement,
  getAttribute,
  isDocument,
  isElement,
  matches,
  querySelectorAll,
} from "./dom.ts";
import { gone } from "./fault.ts";
import { runsOf } from "./fold.ts";
import { infoOf } from "./frames.ts";
import { structureName } from "./line.ts";
import { itemLines } from "./lists.ts";
import { byWords } from "./query.ts";
import { reading } from "./reading.ts";
import { elementOf } from "./registry.ts";
import { roleOf } from "./role.ts";
import { flatChildren, flatParent } from "./shadow.ts";
import { isDataTable, tableLine } from "./table.ts";
import { isVisible } from "./visible.ts";
import { linesOf } from "./visit.ts";
import { FOLD_SHOWN, lineOf, OUTSIDE, ownerOf, Walk, type WalkOptions } from "./walk.ts";

type SnapshotCall = Extract<PageCall, { op: "snapshot" }>;
/** How much of an element's subtree is wanted. */
export type Limits = { maxChars: number; elements?: number; fold?: boolean };

/** Elements looked at in one walk, at most: bounds work on any page. */
const LOOKED_MOST = 60_000;
/** A page that is drawn: next to no words and controls, and a large canvas. */
const CANVAS_WORDS = 300;
const CANVAS_ACTING = 4;
const CANVAS_SHARE = 0.25;

function options(given: Partial<WalkOptions>): WalkOptions {
  return {
    fold: true,
    chars: Number.POSITIVE_INFINITY,
    depth: Number.POSITIVE_INFINITY,
    most: LOOKED_MOST,
    path: null,
    after: null,
    wanted: null,
    ...given,
  };
}

function pathTo(el: Element): Set<Element> {
  const path = new Set<Element>();
  for (let at: Element | null = el; at; at = flatParent(at)) path.add(at);
  return path;
}

/** An open modal dialog makes what `aria-hidden` marks behind it unreachable. */
function hasModal(root: Element): boolean {
  for (const dialog of querySelectorAll(root, "[aria-modal=true],dialog[open]")) {
    const isModal = getAttribute(dialog, "aria-modal") === "true" || matches(dialog, ":modal");
    if (isModal && isVisible(dialog)) return true;
  }
  return false;
}

function start(root: Element, given: Partial<WalkOptions>): Walk {
  const walk = new Walk(options(given));
  walk.modal = hasModal(root);
  return walk;
}

/** What folding and stopping left out, roughly. */
function sizeOf(walk: Walk, top: Element): number {
  const size = walk.lines + Math.round(walk.folded);
  if (!walk.isCut || walk.looked === 0) return size;
  const elements = querySelectorAll(top, "*").length;
  return Math.max(size, Math.round((walk.lines / walk.looked) * elements));
}

function isCanvasOnly(walk: Walk): boolean {
  const view = window.innerWidth * window.innerHeight;
  return (
    walk.canvas >= view * CANVAS_SHARE && walk.words < CANVAS_WORDS && walk.acting <= CANVAS_ACTING
  );
}

function topOf(call: SnapshotCall): Element {
  if (call.root === null || call.root === undefined) {
    const top = documentElement(document);
    if (!top) throw gone();
    return top;
  }
  const found = elementOf(call.root);
  if (!found) throw gone();
  return found;
}

/** Answers `snapshot`. */
export function outline(call: SnapshotCall): Outline {
  return reading(() => {
    const top = topOf(call);
    const words = call.query ?? [];
    if (words.length > 0) return search(call, top, words);
    const after = call.after === null || call.after === undefined ? null : elementOf(call.after);
    if (call.after && !after) throw gone();
    const walk = start(top, {
      chars: call.maxChars,
      depth: call.depth ?? Number.POSITIVE_INFINITY,
      after,
      path: after ? pathTo(after) : null,
    });
    const item = call.item ?? null;
    const nodes = item === null ? linesOf(walk, top, OUTSIDE) : fromItem(walk, top, item);
    return {
      document: infoOf(document),
      nodes,
      cut: walk.isCut,
      size: sizeOf(walk, top),
      canvasOnly: item === null && isCanvasOnly(walk),
    };
  });
}

function search(call: SnapshotCall, top: Element, words: string[]): Outline {
  const filter = byWords(words, call.any);
  const walk = start(top, { wanted: filter.mayHold });
  const found = filter.keep(linesOf(walk, top, OUTSIDE), call.maxChars);
  return {
    document: infoOf(document),
    nodes: found.nodes,
    matches: found.total,
    cut: found.isCut || walk.isCut,
    size: sizeOf(walk, top),
    canvasOnly: false,
  };
}

/** Ten items of a folded list or table, from one on. */
function fromItem(walk: Walk, top: Element, item: number): OutlineNode[] {
  const role = roleOf(top);
  if (role === "table" || role === "grid" || role === "treegrid") {
    if (isDataTable(top, role)) return tableLine(walk, top, role, OUTSIDE, item);
  }
  const items = itemsOf(top);
  const shown = items.slice(item, item + FOLD_SHOWN);
  const printed = shownRole(top);
  const node = lineOf(
    top,
    printed === "" || printed === "clickable" ? "list" : printed,
    structureName(top),
  );
  node.acts = true;
  node.children = itemLines(walk, shown, { ...OUTSIDE, inFold: true, inItem: true, level: 1 });
  node.list = {
    total: items.length,
    first: item,
    shown: node.children.length,
    table: false,
  };
  walk.folded += items.length - shown.length;
  return [walk.spend(node)];
}

/** Items of the element's first folded run, or of the run that it begins. */
function itemsOf(top: Element): Element[] {
  for (let at: Element | null = top, climb = 0; at && climb < 2; at = flatParent(at), climb += 1) {
    const runs = runsOf(at, flatChildren(at), OUTSIDE);
    const run = climb === 0 ? runs[0] : runs.find((other) => other.items[0] === top);
    if (run) return run.items;
  }
  const items: Element[] = [];
  for (const child of flatChildren(top)) {
    if (isElement(child) && isVisible(child)) items.push(child);
  }
  return items;
}

/** The outline of an element's subtree. */
export function outlineOf(el: Element, limits: Limits): OutlineNode[] {
  return reading(() => {
    const walk = start(el, {
      chars: limits.maxChars,
      fold: limits.fold ?? true,
      most: limits.elements ?? LOOKED_MOST,
    });
    return linesOf(walk, el, OUTSIDE);
  });
}

/** One line of a flat outline: the element that it is about, and how deep it stands. */
export type Line = { el: Element; node: OutlineNode; depth: number };

/** All visible lines below a root, not folded, for comparing; `complete` is false at the cap. */
export function lines(root: Element | Document, cap: number): { lines: Line[]; complete: boolean } {
  return reading(() => {
    const top = isDocument(root) ? documentElement(root) : root;
    const out: Line[] = [];
    if (!top) return { lines: out, complete: true };
    const walk = start(top, { fold: false, most: cap });
    flatten(linesOf(walk, top, OUTSIDE), top, 0, out);
    return { lines: out, complete: !walk.isCut };
  });
}

function flatten(nodes: OutlineNode[], around: Element, depth: number, out: Line[]): void {
  for (const node of nodes) {
    const el = ownerOf(node) ?? around;
    const { children, ...line } = node;
    out.push({ el, node: line, depth });
    if (children) flatten(children, el, depth + 1, out);
  }
}
