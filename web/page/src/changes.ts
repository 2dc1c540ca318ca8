//! Answers what changed since the baseline, as short as it can be told: what came, what went, what is
//! different. Focus, scrolling and input are told apart from these.

import type { Changed, Changes, Removed, State, Node as WireNode } from "../../wire/page.ts";
import { type Baseline, baseline, isShown, rememberTree, smallTree } from "./baseline.ts";
import { coarseChanges } from "./coarse.ts";
import { rowNameOf } from "./describe.ts";
import { focusedElement } from "./focus.ts";
import { inputSeen } from "./input-seen.ts";
import { type Difference, differ, type Pair } from "./line-diff.ts";
import { everyLine, type LineTree, lasting, linesInside, renamed } from "./line-tree.ts";
import { changeRecords } from "./observe.ts";
import { outlineOf } from "./outline.ts";
import { reading } from "./reading.ts";
import { idOf, knownIdOf, takeOver } from "./registry.ts";
import { described } from "./target.ts";
import { Veils } from "./veil.ts";

const NONE: Changes = {
  added: [],
  removed: [],
  changed: [],
  more: 0,
  focus: null,
  input: null,
  scrolled: [0, 0],
  sameDocument: false,
};

/** What differs, before it is cut to the limit. */
export type Found = {
  added: WireNode[];
  removed: Removed[];
  changed: Changed[];
  /** Lines that were left out already. */
  more: number;
};

/** Answers `changes`. */
export function changes(limit: number): Changes {
  const before = baseline();
  if (!before) return NONE;
  const sameDocument = before.root === document.documentElement;
  const found = sameDocument
    ? findChanges(before)
    : { added: [], removed: [], changed: [], more: 0 };
  const focus = focusedElement();
  return {
    ...cut(found, limit),
    focus: focus && focus !== before.focus ? described(focus) : null,
    input: inputSeen(before.act, before.target, before.hit),
    scrolled: [scrollX - before.scroll[0], scrollY - before.scroll[1]],
    sameDocument,
  };
}

function findChanges(before: Baseline): Found {
  const tree = before.tree ? smallTree() : null;
  if (!before.tree || !tree) return coarseChanges(before);
  const old = before.tree;
  rememberTree(tree);
  return reading(() => told(differ(old, tree)));
}

function told(difference: Difference): Found {
  forgetVeiled(difference);
  keepNumbers(difference.again);
  forgetMovedWords(difference);
  const changed: Changed[] = [];
  const touched = new Set<LineTree>();
  for (const line of [...difference.added, ...difference.removed]) touch(line, touched);
  const different = difference.pairs.filter((pair) => pair.before.own !== pair.after.own);
  // A name that is made of what is inside changes with it: told once, at the innermost.
  for (const pair of different) if (!isMadeOfContent(pair)) touch(pair.after, touched);
  for (const pair of different) {
    if (isMadeOfContent(pair) && hasOnlyNewName(pair) && touched.has(pair.after)) continue;
    changed.push(changeOf(pair));
  }
  for (const line of difference.reordered) {
    const order = line.children
      .slice(0, ORDER_TOLD)
      .map((child) => child.node.name || wordsInside(child));
    changed.push({ ...changeOf({ before: line, after: line }), order });
  }
  const added = firstOfRuns(difference.added, ADDED_RUN);
  const removed = firstOfRuns(difference.removed, REMOVED_RUN);
  return {
    added: added.flatMap(newTree),
    removed: removed.map(removedOf),
    changed,
    more: difference.added.length - added.length + (difference.removed.length - removed.length),
  };
}

/** The page behind a dialog that opens or closes. A panel that opens by the same attribute came. */
function forgetVeiled(difference: Difference): void {
  const veils = new Veils(changeRecords().records);
  const hasLayer = (lines: LineTree[]): boolean => lines.some((line) => LAYERS.has(line.node.role));
  const [opened, closed] = [hasLayer(difference.added), hasLayer(difference.removed)];
  if (closed) difference.added = difference.added.filter((line) => !veils.explains(line.el));
  if (!opened) return;
  difference.removed = difference.removed.filter(
    (line) => !(veils.explains(line.el) && isShown(line.el)),
  );
}

const LAYERS = new Set(["dialog", "alertdialog", "menu", "listbox"]);

/**
 * A line whose words become a text inside it, because something else came in beside them, still says
 * what it said; and the other way round.
 */
function forgetMovedWords(difference: Difference): void {
  const moved = new Set<LineTree>();
  for (const pair of difference.pairs) {
    const { before, after } = pair;
    const [old, now] = [before.node.name ?? "", after.node.name ?? ""];
    if (old === now || (old !== "" && now !== "")) continue;
    const words = old === "" ? now : old;
    const inside = old === "" ? before.children : after.children;
    const texts = inside.filter((line) => line.node.role === "text" && line.node.name === words);
    const [only] = texts;
    if (!only) continue;
    moved.add(only);
    // Copies: the tree itself may serve as the next baseline.
    pair.before = renamed(before, words);
    pair.after = renamed(after, words);
  }
  difference.added = difference.added.filter((line) => !moved.has(line));
  difference.removed = difference.removed.filter((line) => !moved.has(line));
}

/** Marks everything around a line. */
function touch(line: LineTree, touched: Set<LineTree>): void {
  for (let at = line.parent; at && !touched.has(at); at = at.parent) touched.add(at);
}

const CONTENT_NAMED = new Set(
  "row,item,listitem,group,cell,gridcell,dialog,article,clickable,alert,status,region".split(","),
);

function isMadeOfContent(pair: Pair): boolean {
  return CONTENT_NAMED.has(pair.after.node.role) && pair.after.children.length > 0;
}

function hasOnlyNewName(pair: Pair): boolean {
  return stateKeys(pair.before).join() === stateKeys(pair.after).join();
}

function stateKeys(line: LineTree): string[] {
  return lasting(line.node.states).map((state) => JSON.stringify(state));
}

/** A part that was rendered anew as it was keeps its numbers, so that refs stay good. */
function keepNumbers(again: readonly Pair[]): void {
  for (const { before, after, sure } of again) {
    if (!sure || before.text !== after.text || before.el.isConnected) continue;
    const id = knownIdOf(before.el);
    const alike = before.node.role === after.node.role && before.node.name === after.node.name;
    if (id !== null && alike) takeOver(id, after.el);
  }
}

function changeOf(pair: Pair): Changed {
  const before = pair.before.node;
  const after = pair.after.node;
  const { children: _children, ...node } = after.role === "" ? { ...after, role: "page" } : after;
  const isRenamed = (before.name ?? "") !== (after.name ?? "");
  return {
    node: { ...node, id: idOf(pair.after.el) },
    oldName: isRenamed ? (before.name ?? "") : null,
    ended: without(before.states, after.states),
    begun: without(after.states, before.states),
    row: rowNameOf(pair.after.el) ?? null,
  };
}

/** States of the first that the second has not. A value that differs is in both directions. */
function without(states: State[] | undefined, others: State[] | undefined): State[] {
  const keys = new Set((others ?? []).map((state) => JSON.stringify(state)));
  return (states ?? []).filter((state) => !keys.has(JSON.stringify(state)));
}

const ADDED_RUN = 5;
const REMOVED_RUN = 3;

/** Of many neighbours of one role the first few: a filtered list is not told item by item. */
function firstOfRuns(lines: readonly LineTree[], most: number): LineTree[] {
  const counts = new Map<LineTree | null, Map<string, number>>();
  return lines.filter((line) => {
    const roles = counts.get(line.parent) ?? new Map<string, number>();
    counts.set(line.parent, roles);
    const count = (roles.get(line.node.role) ?? 0) + 1;
    roles.set(line.node.role, count);
    return count <= most;
  });
}

const ORDER_TOLD = 5;
const FOLDED_LINES = 15;
const FOLDED_CHARS = 2_000;

/** What came, folded as in a snapshot when it is long. */
function newTree(line: LineTree): WireNode[] {
  const isLong = line.text < 0 && linesInside(line) > FOLDED_LINES;
  return isLong ? outlineOf(line.el, { maxChars: FOLDED_CHARS }) : [nodeOf(line)];
}

/** The tree as the outline would print it. */
function nodeOf(line: LineTree): WireNode {
  const children = line.children.map(nodeOf);
  const { children: _own, ...node } = line.node;
  const id = line.text >= 0 ? node.id : idOf(line.el);
  return {
    ...node,
    ...(id === undefined ? {} : { id }),
    ...(children.length > 0 ? { children } : {}),
  };
}

function removedOf(line: LineTree): Removed {
  const node = line.node;
  return {
    element: {
      id: idOf(line.el),
      role: node.role,
      name: node.name || wordsInside(line),
      states: node.states ?? [],
      row: null,
      rect: null,
      refound: false,
    },
    inside: linesInside(line),
  };
}

/** A row or item is known by its first words that are no button's. */
function wordsInside(line: LineTree): string {
  let second = "";
  for (const inner of everyLine(line)) {
    const { role, name } = inner.node;
    if (name && role !== "button") return name;
    second ||= name ?? "";
  }
  return second;
}

function cut(found: Found, limit: number): Pick<Changes, "added" | "removed" | "changed" | "more"> {
  const budget = { left: limit, more: found.more };
  const added = found.added.flatMap((node) => trimmed(node, budget));
  const removed = found.removed.slice(0, limit);
  const changed = found.changed.slice(0, limit);
  const more =
    budget.more + found.removed.length - removed.length + found.changed.length - changed.length;
  return { added, removed, changed, more };
}

type Budget = { left: number; more: number };

function trimmed(node: WireNode, budget: Budget): WireNode[] {
  if (budget.left <= 0) {
    budget.more += 1 + count(node);
    return [];
  }
  budget.left -= 1;
  if (!node.children) return [node];
  return [{ ...node, children: node.children.flatMap((child) => trimmed(child, budget)) }];
}

function count(node: WireNode): number {
  return (node.children ?? []).reduce((sum, child) => sum + 1 + count(child), 0);
}
