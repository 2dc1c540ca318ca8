//! Rows of what a page repeats, part by part: never longer at once than a page can spare.

import type { Extracted } from "../../wire/page.ts";
import { cardRow } from "./extract-cards.ts";
import { Sheet } from "./extract-columns.ts";
import {
  declared,
  largestBelow,
  type Source,
  scoreOf,
  shapeOf,
  sourceFor,
} from "./extract-find.ts";
import { definitionsOf, type Table, tableOf, tableRows } from "./extract-table.ts";
import { cellWords } from "./extract-words.ts";
import { Fault, gone } from "./fault.ts";
import { infoOf } from "./frames.ts";
import { nameOf } from "./name.ts";
import { reading } from "./reading.ts";
import { elementOf, idOf } from "./registry.ts";
import { flatParent } from "./shadow.ts";
import { described } from "./target.ts";

const TIME_MS = 1_500;
/** Between two parts of one table. */
const KEPT_MS = 5_000;
const CHARS_MOST = 4_000_000;

/** Answers `extract`. */
export function extract(
  root: number | null,
  like: string | null,
  from: number,
  limit: number,
): Extracted {
  return reading(() => {
    const source = find(root, like);
    if (!source) throw new Fault("TARGET_NOT_FOUND", "nothing is repeated there");
    const sheet = new Sheet();
    const until = performance.now() + TIME_MS;
    const isOver = () => performance.now() > until || sheet.size > CHARS_MOST;
    const { total, next, inside } = fillSheet(source, from, from + limit, sheet, isOver);
    const { kind, element } = source;
    const rows = declared(element);
    return {
      document: infoOf(document),
      kind,
      // Its words are the rows.
      element: { ...described(element), name: nameOf(element) },
      inside: idOf(inside),
      shape: shapeOf(source),
      score: scoreOf(source),
      total,
      columns: sheet.columns,
      rows: sheet.rows,
      ...(rows !== null && { declared: rows }),
      ...(next < total && { next }),
    };
  });
}

function find(root: number | null, like: string | null): Source | null {
  if (root === null) return largestBelow(document, like);
  const element = elementOf(root);
  if (!element) throw gone();
  return sourceFor(element);
}

function fillSheet(
  source: Source,
  from: number,
  end: number,
  sheet: Sheet,
  isOver: () => boolean,
): { total: number; next: number; inside: Element } {
  const { kind, element, items } = source;
  if (kind === "table" || kind === "grid") {
    const table = resumed(element, from) ?? tableOf(element);
    const total = table.rows.length;
    const next = tableRows(table, from, Math.min(end, total), sheet, isOver);
    keep(next < total ? { element, table, next } : null);
    const row = table.rows.at(-1);
    return { total, next, inside: (row && flatParent(row)) ?? element };
  }
  const pairs = kind === "definitions" ? definitionsOf(element) : [];
  const total = pairs.length || items.length;
  let at = from;
  for (; at < Math.min(end, total) && !isOver(); at += 1) {
    const [pair, item] = [pairs[at], items[at]];
    if (pair) definitionRow(pair, sheet);
    else if (item) cardRow(item, sheet);
  }
  return { total, next: at, inside: element };
}

/** A table that is read in parts is made ready once: its rows are those of the first part. */
type Begun = { element: Element; table: Table; next: number };

let begun: Begun | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

function keep(part: Begun | null): void {
  begun = part;
  clearTimeout(timer);
  if (part) timer = setTimeout(() => keep(null), KEPT_MS);
}

function resumed(element: Element, from: number): Table | null {
  return from > 0 && begun?.element === element && begun.next === from ? begun.table : null;
}

function definitionRow([term, meaning]: [Element, Element], sheet: Sheet): void {
  const values = new Map<number, string>();
  for (const [name, el] of [
    ["term", term],
    ["description", meaning],
  ] as const) {
    const column = sheet.column(name, name);
    if (column !== null) values.set(column, cellWords(el));
  }
  sheet.row(values);
}
