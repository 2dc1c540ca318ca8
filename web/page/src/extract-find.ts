//! Finds what a page repeats: tables, grids, lists, siblings of one shape. Looks at tags, roles and the
//! first items only, so that a page of a million elements is walked in a moment.

import type { RowsKind } from "../../wire/page.ts";
import {
  checkVisibility,
  childElementCount,
  getAttribute,
  isElement,
  localName,
  matches,
  textContent,
} from "./dom.ts";
import { canRepeat, isAlike } from "./fold.ts";
import { roleOf } from "./role.ts";
import { elementsOf, type Root } from "./roots.ts";
import { flatChildren, flatClosest, flatParent } from "./shadow.ts";
import { isDataTable } from "./table.ts";

/** Something that holds rows. `items` only where they are its children. */
export type Source = { kind: RowsKind; element: Element; items: Element[] };

const WALKED_MOST = 400_000;
const CROWD = 2_000;
const TABLE_CROWD = 200;
const ITEMS_LEAST = 3;
const SHAPES_MOST = 8;
const SAMPLED = 5;
const CHARS_MOST = 300;
const TABLES = new Set(["table", "grid", "treegrid"]);
const ROWS_IN = "tbody,thead,tfoot,tr,[role=row],[role=rowgroup],select,svg,head";
const ASIDE =
  "nav,header,footer,aside,[role=navigation],[role=banner],[role=contentinfo],[role=menu],[role=tablist]";

/** What rows an element itself holds. */
export function sourceAt(el: Element): Source | null {
  const tag = localName(el);
  const role = getAttribute(el, "role");
  if (tag === "table" || (role !== null && TABLES.has(role))) {
    if (!isDataTable(el, roleOf(el))) return null;
    return { kind: tag === "table" ? "table" : "grid", element: el, items: [] };
  }
  if (tag === "dl") return { kind: "definitions", element: el, items: [] };
  if (childElementCount(el) < 2 || matches(el, ROWS_IN)) return null;
  const items = largestGroup(el);
  if (tag === "ul" || tag === "ol" || role === "list" || role === "feed") {
    return items.length >= 2 ? { kind: "list", element: el, items } : null;
  }
  return items.length >= ITEMS_LEAST ? { kind: "cards", element: el, items } : null;
}

/** The most children of one shape, what stands between them left out. */
function largestGroup(parent: Element): Element[] {
  const groups: Element[][] = [];
  for (const child of flatChildren(parent)) {
    if (!isElement(child) || !canRepeat(child)) continue;
    const group = groups.find(([model]) => model && isAlike(model, child));
    if (group) group.push(child);
    else if (groups.length < SHAPES_MOST) groups.push([child]);
  }
  const shown = groups.map((group) => group.filter((item) => checkVisibility(item)));
  return shown.reduce((most, group) => (group.length > most.length ? group : most), []);
}

/** The source that an element means: itself, the largest inside, the closest around. */
export function sourceFor(root: Element): Source | null {
  const around = flatClosest(root, (at) => {
    const role = getAttribute(at, "role");
    return localName(at) === "table" || (role !== null && TABLES.has(role));
  });
  const table = around && sourceAt(around);
  if (table) return table;
  const own = sourceAt(root) ?? largestBelow(root, null);
  if (own) return own;
  for (let at = flatParent(root); at; at = flatParent(at)) {
    const source = sourceAt(at);
    if (source) return source;
  }
  return null;
}

/** What has so many children is walked past: nothing among the rows is larger than all of them. */
export function isCrowded(el: Element): boolean {
  const count = childElementCount(el);
  return count > CROWD || (count > TABLE_CROWD && matches(el, "tbody,[role=rowgroup]"));
}

/** The largest source below, rather one of that shape. */
export function largestBelow(top: Root | Element, like: string | null): Source | null {
  let best: Source | null = null;
  let most = 0;
  let walked = 0;
  for (const el of elementsOf(top, isCrowded)) {
    if (walked++ > WALKED_MOST) break;
    const source = sourceAt(el);
    if (!source) continue;
    const size = scoreOf(source) * (like !== null && shapeOf(source) === like ? 1e6 : 1);
    if (size > most) [best, most] = [source, size];
  }
  return best;
}

/** How much there is of it, roughly: rows by the words of one. */
export function scoreOf(source: Source): number {
  const { element, kind } = source;
  if (!checkVisibility(element)) return 0;
  const isTable = kind === "table" || kind === "grid";
  const rows = isTable ? rowsIn(element) : source.items;
  const [first, count] = [rows.slice(0, SAMPLED), Math.max(rows.length, declared(element) ?? 0)];
  if (kind === "definitions") return (textContent(element) ?? "").trim().length * weight(element);
  let chars = 0;
  for (const row of first) {
    chars += Math.min((textContent(row) ?? "").replace(/\s+/g, " ").length, CHARS_MOST);
  }
  return (count * chars * weight(element) * (isTable ? 2 : 1)) / Math.max(1, first.length);
}

function rowsIn(table: Element): Element[] {
  return Array.from(table.querySelectorAll("tr,[role=row]"));
}

/** Menus repeat, too, and are not what a page is about. */
function weight(el: Element): number {
  return flatClosest(el, (at) => matches(at, ASIDE)) ? 0.1 : 1;
}

/** Rows that the page says there are. */
export function declared(table: Element): number | null {
  const count = Number.parseInt(getAttribute(table, "aria-rowcount") ?? "", 10);
  return count > 0 ? count : null;
}

/** What stays the same from page to page. */
export function shapeOf({ kind, element }: Source): string {
  const words = [getAttribute(element, "id") ?? "", getAttribute(element, "class") ?? ""];
  return `${kind} ${localName(element)} ${words.join(" ").trim()}`.slice(0, CHARS_MOST);
}
