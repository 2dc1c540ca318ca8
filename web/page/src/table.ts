//! Tables and grids: a head, then one line a row with its cells in order. Layout tables are none.

import type { Node as Line } from "../../wire/page.ts";
import { assemble, oneLine, unwrap } from "./assemble.ts";
import {
  checkVisibility,
  childElementCount,
  getAttribute,
  hasAttribute,
  isElement,
  localName,
  querySelector,
  textContent,
} from "./dom.ts";
import { reasonOf } from "./interactive.ts";
import { structureLine, structureName } from "./line.ts";
import { stretches } from "./lists.ts";
import { nameOf } from "./name.ts";
import { roleOf } from "./role.ts";
import { flatChildren, flatParent } from "./shadow.ts";
import { statesOf } from "./state.ts";
import { look } from "./visible.ts";
import { visit, visitChildren } from "./visit.ts";
import { type Around, FOLD_SHOWN, lineOf, type Piece, type Walk } from "./walk.ts";
import { visibleWords } from "./words-of.ts";

const CELLS = new Set(["cell", "gridcell", "columnheader", "rowheader"]);
const DEPTH_MOST = 12;
const HEAD_CHARS = 60;
const COLUMNS_MOST = 40;

export type Parts = {
  head: Element | null;
  rows: Element[];
  others: Element[];
  caption: Element | null;
};

function tag(el: Element): string {
  return localName(el);
}

/** Tables that only place things have no heads, no caption, and hold tables or one column. */
export function isDataTable(table: Element, role: string): boolean {
  if (tag(table) !== "table" || role !== "table" || hasAttribute(table, "role")) return true;
  if (querySelector(table, ":scope > caption,:scope > thead,th")) return true;
  if (querySelector(table, "table")) return false;
  const row = querySelector(table, "tr");
  if (!row || childElementCount(row) < 2) return false;
  const next = querySelector(table, "tr + tr,tbody + tbody");
  return next !== null;
}

/** Rows in order, with groups and wrappers opened. */
export function partsOf(table: Element): Parts {
  const parts: Parts = { head: null, rows: [], others: [], caption: null };
  collect(table, parts, 0);
  const [first] = parts.rows;
  if (first && isHead(first)) {
    parts.head = first;
    parts.rows.shift();
  }
  return parts;
}

function collect(el: Element, parts: Parts, depth: number): void {
  for (const child of flatChildren(el)) {
    if (!isElement(child)) continue;
    const name = tag(child);
    if (name === "tr" || getAttribute(child, "role") === "row") {
      if (checkVisibility(child)) parts.rows.push(child);
    } else if (name === "caption") parts.caption = child;
    else if (name === "colgroup" || name === "col") continue;
    else if (!checkVisibility(child)) continue;
    else if (name === "tbody" || name === "thead" || name === "tfoot") collect(child, parts, depth);
    else if (depth < DEPTH_MOST && holdsRows(child)) collect(child, parts, depth + 1);
    else parts.others.push(child);
  }
}

function holdsRows(el: Element): boolean {
  if (getAttribute(el, "role") === "rowgroup") return true;
  return querySelector(el, "[role=row]") !== null;
}

export function cellsOf(row: Element, most = COLUMNS_MOST): Element[] {
  const cells: Element[] = [];
  const open = (at: Element, depth: number): void => {
    for (const child of flatChildren(at)) {
      if (!isElement(child) || cells.length >= most) continue;
      if (CELLS.has(roleOf(child))) {
        if (look(child) !== "gone") cells.push(child);
      } else if (
        depth < DEPTH_MOST &&
        querySelector(child, "[role=gridcell],[role=cell],[role=columnheader]")
      ) {
        open(child, depth + 1);
      }
    }
  };
  open(row, 0);
  return cells;
}

/** Whether the row names the columns. */
export function isHead(row: Element): boolean {
  const parent = flatParent(row);
  if (parent && tag(parent) === "thead") return true;
  const cells = cellsOf(row);
  return cells.length > 0 && cells.every((cell) => roleOf(cell) === "columnheader");
}

/** What a column without words holds, by its first cells. */
export function columnKind(rows: Element[], column: number): string {
  for (const row of rows.slice(0, 3)) {
    const cell = cellsOf(row)[column];
    if (!cell) continue;
    if (querySelector(cell, "input[type=checkbox],input[type=radio],[role=checkbox]")) {
      return "(select)";
    }
    if (querySelector(cell, "button,a[href],[role=button],select,input")) return "(actions)";
  }
  return "";
}

function headWords(parts: Parts): string[] {
  if (!parts.head) return [];
  const head = cellsOf(parts.head).map(
    (cell, column) => visibleWords(cell, HEAD_CHARS) || columnKind(parts.rows, column),
  );
  return head.some((words) => words !== "") ? head : [];
}

/** Heads that sort or select: they keep a row of their own, since head words have no ref. */
function actingHead(walk: Walk, head: Element, around: Around): Line | null {
  const cells = cellsOf(head);
  const isLive = cells.some(
    (cell) =>
      reasonOf(cell) !== "" || querySelector(cell, "a[href],button,input,select,[role=button]"),
  );
  return isLive ? rowLine(walk, head, around) : null;
}

function cellLine(walk: Walk, cell: Element, around: Around): Line {
  const pieces: Piece[] = [];
  const isPressed = reasonOf(cell) === "clickable";
  if (isPressed) visit(walk, cell, around, pieces, false);
  else visitChildren(walk, cell, around, pieces);
  return oneLine(cell, "cell", unwrap(assemble(walk, pieces)));
}

/** A row: its cells in order, one line each, the empty ones too. */
export function rowLine(walk: Walk, row: Element, around: Around): Line {
  const node = lineOf(row, "row", "");
  const states = statesOf(row).filter((state) => state.k !== "description");
  if (states.length > 0) node.states = states;
  if (reasonOf(row) !== "") node.acts = true;
  const cells = cellsOf(row);
  const inside = { ...around, level: around.level + 1 };
  if (cells.length > 0) node.children = cells.map((cell) => cellLine(walk, cell, inside));
  else {
    const pieces: Piece[] = [];
    visitChildren(walk, row, inside, pieces);
    node.children = assemble(walk, pieces);
  }
  return walk.spend(node);
}

export function isBlank(row: Element): boolean {
  return childElementCount(row) === 0 && (textContent(row) ?? "").trim() === "";
}

/** The table's line; in a search one for each stretch of rows that may fit. */
export function tableLine(
  walk: Walk,
  table: Element,
  role: string,
  around: Around,
  at = 0,
): Line[] {
  const parts = partsOf(table);
  const rows = parts.rows.filter((row) => !isBlank(row));
  let name = structureName(table);
  let head = headWords(parts);
  if (head.length === 1 && !name && rows[0] && cellsOf(rows[0]).length > 1) {
    // One head over all columns is what the table is called.
    name = head[0] ?? "";
    head = [];
  }
  const start = startRow(walk, rows) || at;
  const ranges = rows.length === 0 ? [[0, 0] as [number, number]] : stretches(walk, rows, start);
  const lines: Line[] = [];
  const level = around.level + 1;
  const inside: Around = { ...around, level, inFold: rows.length > FOLD_SHOWN, inItem: true };
  for (const [from, to] of ranges) {
    if (walk.stopped) break;
    const before = walk.lines;
    const node = structureLine(walk, table, role === "grid" ? "table" : role, name);
    const children: Line[] = [];
    const live = parts.head && from === 0 ? actingHead(walk, parts.head, inside) : null;
    if (live) children.push(live);
    for (const row of rows.slice(from, to)) {
      if (walk.stopped || level >= walk.options.depth) break;
      children.push(rowLine(walk, row, inside));
    }
    const shown = children.length - (live ? 1 : 0);
    if (rows.length > FOLD_SHOWN || head.length > 0) {
      node.list = { total: rows.length, first: from, shown, table: true };
      // A search that shows several stretches says the head once.
      if (head.length > 0 && lines.length === 0) node.list.head = head;
      if (rows.length > shown) node.acts = true;
    }
    if (children.length > 0) node.children = children;
    if (shown > 0) walk.folded += ((walk.lines - before) / shown) * (rows.length - (to - from));
    lines.push(node);
  }
  if (!name && parts.caption && nameOf(table) === "") pushOther(walk, parts.caption, around, lines);
  for (const other of parts.others) pushOther(walk, other, around, lines);
  return lines;
}

function startRow(walk: Walk, rows: Element[]): number {
  const path = walk.options.path;
  return path
    ? Math.max(
        0,
        rows.findIndex((row) => path.has(row)),
      )
    : 0;
}

function pushOther(walk: Walk, el: Element, around: Around, lines: Line[]): void {
  const pieces: Piece[] = [];
  visit(walk, el, around, pieces, false);
  lines.push(...assemble(walk, pieces));
}
