//! Landmarks, groups, lists, headings: lines that hold others, and go when they say nothing.

import type { Node as Line } from "../../wire/page.ts";
import { actingOnly, assemble, isIdle, unwrap } from "./assemble.ts";
import { shownRole } from "./describe.ts";
import { textContent } from "./dom.ts";
import { structureLine, structureName, takeUrls, tellName } from "./line.ts";
import { nameOf } from "./name.ts";
import { idOf } from "./registry.ts";
import { isDataTable, tableLine } from "./table.ts";
import { visitChildren } from "./visit.ts";
import { type Around, BREAK, type Piece, type Walk } from "./walk.ts";

/** Roles that get a line of their own when they hold anything. */
const STRUCTURE = new Set(
  (
    "alert alertdialog article banner complementary contentinfo dialog feed figure form group item " +
    "list listbox log main marquee menu menubar navigation radiogroup region search status tablist " +
    "tabpanel timer toolbar tooltip tree progressbar meter math treegrid grid application document"
  ).split(" "),
);
/** These are worth a line only with a name. */
const NAMED_ONLY = new Set([
  "application",
  "document",
  "figure",
  "group",
  "math",
  "form",
  "region",
]);
/** Their words are what they say: one text inside becomes their name. */
const SPEAKING = new Set(["alert", "status", "log", "timer", "tooltip", "marquee"]);
const NAVIGATION = new Set(["navigation", "menu", "menubar", "tablist", "toolbar", "tree"]);
/** A nested list inside a control's element starts anew: a submenu in its menu item. */
const RESETS = new Set(["menu", "tree", "group", "listbox", "list"]);

export function visitStructure(walk: Walk, el: Element, around: Around, out: Piece[]): void {
  const role = shownRole(el);
  let inside = around;
  if (around.inControl && RESETS.has(role)) inside = { ...inside, inControl: false };
  if (NAVIGATION.has(role)) inside = { ...inside, inNavigation: true };
  if (role === "heading") {
    visitHeading(walk, el, inside, out);
    return;
  }
  if ((role === "table" || role === "grid" || role === "treegrid") && !inside.inControl) {
    if (isDataTable(el, role)) {
      const [first, ...more] = tableLine(walk, el, role, inside);
      out.push(BREAK);
      if (first) out.push({ is: "node", node: first });
      for (const node of more) out.push({ is: "node", node });
      out.push(BREAK);
      return;
    }
  }
  if (!STRUCTURE.has(role) || inside.inControl) {
    visitChildren(walk, el, inside, out);
    return;
  }
  visitNamed(walk, el, role, inside, out);
}

function visitNamed(walk: Walk, el: Element, role: string, around: Around, out: Piece[]): void {
  const name = structureName(el);
  const isPrinted = name !== "" || !(NAMED_ONLY.has(role) || isQuiet(role));
  const level = around.level + (isPrinted ? 1 : 0);
  const isItem = role === "item" || role === "article";
  const inside = { ...around, level, inItem: around.inItem || isItem };
  if (/^(?:banner|contentinfo|navigation)$/.test(role)) inside.inItem = false;
  const pieces: Piece[] = [];
  if (name !== "") tellName(walk, el);
  const isDeep = isPrinted && level >= walk.options.depth;
  if (!isDeep) visitChildren(walk, el, inside, pieces);
  finish(walk, el, role, name, assemble(walk, pieces), out, isDeep);
}

function isQuiet(role: string): boolean {
  return role === "list" || role === "item";
}

function finish(
  walk: Walk,
  el: Element,
  role: string,
  name: string,
  found: Line[],
  out: Piece[],
  isDeep: boolean,
): void {
  let children = unwrap(found);
  const node = structureLine(walk, el, role, name);
  const [only] = children;
  if (only && children.length === 1 && only.list && only.id === node.id) adopt(node, only);
  else {
    if (only && children.length === 1 && SPEAKING.has(role) && !name && only.role === "text") {
      if (only.name) node.name = only.name;
      children = [];
    }
    if (children.length > 0) node.children = children;
    if (children.some((child) => child.id === node.id)) delete node.id;
  }
  countItems(el, node);
  if (role === "item" && node.children && node.children.length > 1) takeUrls(node.children);
  const hasMore = isDeep && (textContent(el) ?? "").trim() !== "";
  const isEmpty = !hasMore && !node.children && !node.name && !node.states?.length;
  if (isEmpty && role !== "progressbar" && role !== "meter") return;
  const isWhole = !walk.stopped && !hasMore;
  if (!node.children && isContainer(role) && !SPEAKING.has(role) && isWhole) return;
  const isBare = !node.name && !node.acts && !node.states?.length && !node.list;
  const isMore = isIdle(node) && (children.length === 1 || isLinkRun(node));
  const goes = isBare && (NAMED_ONLY.has(role) || isMore);
  if (goes && node.children) {
    for (const child of node.children) out.push(BREAK, { is: "node", node: child });
    out.push(BREAK);
    return;
  }
  if (isOnlyScrollable(node, children)) pushScrolled(children, out);
  else out.push(BREAK, { is: "node", node }, BREAK);
}

/** A list of plain links or buttons is a run on one line, with or without the list. */
function isLinkRun(node: Line): boolean {
  const isPlain = (child: Line): boolean =>
    (child.role === "link" || child.role === "button") && !child.children;
  return node.role === "list" && (node.children?.every(isPlain) ?? false);
}

function isContainer(role: string): boolean {
  return role !== "progressbar" && role !== "meter" && role !== "math" && role !== "dialog";
}

/** The folded list fills its container: the container is the list. */
function adopt(node: Line, list: Line): void {
  node.acts = true;
  if (list.list) node.list = list.list;
  if (list.children) node.children = list.children;
}

/** Lists of items with several parts tell how many there are. */
function countItems(el: Element, node: Line): void {
  if (node.role !== "list" || node.list || !node.children) return;
  const isRich = node.children.some((child) => child.role === "item");
  if (!node.name || !isRich) return;
  const total = node.children.length;
  node.list = { total, first: 0, shown: total, table: false };
  node.acts = true;
  node.id = idOf(el);
}

/** A scrolling wrapper around one thing: the thing is said to scroll. */
function isOnlyScrollable(node: Line, children: Line[]): boolean {
  const [only] = children;
  return (
    node.role === "group" &&
    !node.name &&
    children.length === 1 &&
    only?.id !== undefined &&
    only.role !== "text" &&
    !only.acts
  );
}

function pushScrolled(children: Line[], out: Piece[]): void {
  const [only] = children;
  if (!only) return;
  only.acts = true;
  only.states = [...(only.states ?? []), { k: "scrollable" }];
  out.push(BREAK, { is: "node", node: only }, BREAK);
}

function visitHeading(walk: Walk, el: Element, around: Around, out: Piece[]): void {
  const pieces: Piece[] = [];
  visitChildren(walk, el, { ...around, inControl: false, mute: true }, pieces);
  const acting = actingOnly(assemble(walk, pieces));
  const name = nameOf(el);
  const [only] = acting;
  if (name === "" && acting.length === 0) return;
  if (around.mute && acting.length === 0) return;
  const node = structureLine(walk, el, "heading", name);
  // Ten items of one list need not say their level ten times.
  if (around.inFold) delete node.states;
  if (only && acting.length === 1 && (only.name === node.name || !name) && !only.children) {
    only.states = [...(only.states ?? []), ...(node.states ?? [])];
    out.push(BREAK, { is: "node", node: only }, BREAK);
    return;
  }
  if (acting.length > 0) node.children = acting;
  out.push(BREAK, { is: "node", node }, BREAK);
}
