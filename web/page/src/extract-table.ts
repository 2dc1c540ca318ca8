//! Rows of tables and grids, and of lists of definitions. A cell over several rows or columns stands in each.

import { getAttribute, isElement, isHtml, localName, parentNode, querySelector } from "./dom.ts";
import type { Sheet } from "./extract-columns.ts";
import { COLUMNS_MOST } from "./extract-columns.ts";
import { cellWords, onlyAddress } from "./extract-words.ts";
import { flatChildren } from "./shadow.ts";
import { cellsOf, columnKind, isBlank, isHead, partsOf } from "./table.ts";
import { look } from "./visible.ts";

/** A table made ready: names of its columns, and its rows. */
export type Table = { heads: string[]; rows: Element[]; spans: boolean };

/** Row groups end cells that reach to their end. */
const TO_THE_END = 100_000;

export function tableOf(table: Element): Table {
  const parts = partsOf(table);
  const rows = parts.rows.filter((row) => !isBlank(row));
  const heads = parts.head ? [parts.head] : [];
  while (rows[0] && heads.length > 0 && rows.length > 1 && isHead(rows[0])) {
    heads.push(...rows.splice(0, 1));
  }
  const spans = querySelector(table, "[rowspan],[aria-rowspan]") !== null;
  return { heads: names(heads, rows), rows, spans };
}

/** Names of all head rows from above, each said once. */
function names(heads: Element[], rows: Element[]): string[] {
  const grid = new Grid();
  const above = heads.map((row) => grid.place(row).map((cell) => cell && cellWords(cell)));
  const width = Math.max(0, ...above.map((row) => row.length));
  return Array.from({ length: width }, (_, column) => {
    const words = above.map((row) => row[column] ?? "").filter((word) => word !== "");
    const kind = () => columnKind(rows, column).replace(/[()]/g, "");
    return words.filter((word, at) => words.indexOf(word) === at).join(" / ") || kind();
  });
}

/** Puts rows `from` to `to` into the sheet until it is told to stop; the place of the first that is left. */
export function tableRows(
  table: Table,
  from: number,
  to: number,
  sheet: Sheet,
  isOver: () => boolean,
): number {
  const grid = new Grid();
  // Cells of rows above may reach into these.
  if (table.spans) for (const row of table.rows.slice(0, from)) grid.place(row);
  for (const [place, name] of table.heads.entries()) sheet.column(`c${place}`, nameOf(name, place));
  let at = from;
  for (; at < to && !isOver(); at += 1) {
    const row = table.rows[at];
    if (row) tableRow(table, row, grid, sheet);
  }
  return at;
}

function tableRow(table: Table, row: Element, grid: Grid, sheet: Sheet): void {
  const values = new Map<number, string>();
  for (const [place, cell] of grid.place(row).entries()) {
    if (!cell) continue;
    const name = nameOf(table.heads[place] ?? "", place);
    const column = sheet.column(`c${place}`, name);
    if (column !== null) values.set(column, cellWords(cell));
    const address = onlyAddress(cell);
    const link = address === "" ? null : sheet.column(`a${place}`, `${name} link`, true);
    if (link !== null) values.set(link, address);
  }
  sheet.row(values, numberOf(row, "aria-rowindex"));
}

function nameOf(head: string, place: number): string {
  return head === "" ? `column ${place + 1}` : head;
}

function numberOf(el: Element, attribute: string): number | undefined {
  const number = Number.parseInt(getAttribute(el, attribute) ?? "", 10);
  return number >= 0 ? number : undefined;
}

type Held = { cell: Element; left: number };

/** The slots of rows, one after the other. */
class Grid {
  private held: (Held | undefined)[] = [];
  private group: Node | null = null;

  place(row: Element): (Element | undefined)[] {
    const group = parentNode(row);
    if (isHtml(row) && group !== this.group) this.held = [];
    this.group = group;
    const out: (Element | undefined)[] = [];
    let column = 0;
    const skip = (): void => {
      for (let held = this.held[column]; held && held.left > 0; held = this.held[column]) {
        held.left -= 1;
        out[column] = held.cell;
        column += 1;
      }
    };
    for (const cell of cellsOf(row, COLUMNS_MOST)) {
      // Columns of a virtual grid come and go: the page says which one it is.
      const told = numberOf(cell, "aria-colindex");
      if (told !== undefined && told > 0 && told <= COLUMNS_MOST) column = told - 1;
      skip();
      const rows = span(cell, "rowspan");
      for (let wide = span(cell, "colspan") || 1; wide > 0 && column < COLUMNS_MOST; wide -= 1) {
        out[column] = cell;
        const left = rows === 0 ? TO_THE_END : rows - 1;
        this.held[column] = left > 0 ? { cell, left } : undefined;
        column += 1;
      }
    }
    skip();
    // Slots that nothing fills are still slots.
    return Array.from(out);
  }
}

/** 0 is to the end of the group. */
function span(cell: Element, name: string): number {
  const told = isHtml(cell) ? numberOf(cell, name) : undefined;
  return told ?? numberOf(cell, `aria-${name}`) ?? 1;
}

/** Terms and what they mean, one meaning a row. */
export function definitionsOf(list: Element): [Element, Element][] {
  const out: [Element, Element][] = [];
  let term: Element | null = null;
  const open = (at: Element): void => {
    for (const child of flatChildren(at)) {
      if (!isElement(child) || look(child) === "gone") continue;
      const name = localName(child);
      if (name === "dt") term = child;
      else if (name === "dd" && term) out.push([term, child]);
      else if (name === "div") open(child);
    }
  };
  open(list);
  return out;
}
