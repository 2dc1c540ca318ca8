//! Folded lists: which of their items are shown, one line each.

import type { Node as Line } from "../../wire/page.ts";
import { assemble, oneLine } from "./assemble.ts";
import { visit } from "./visit.ts";
import { type Around, FOLD_SHOWN, lineOf, type Piece, type Walk } from "./walk.ts";

/** The items' positions that are to be shown, in stretches without gaps. */
export function stretches(walk: Walk, items: Element[], first: number): [number, number][] {
  const { wanted, fold } = walk.options;
  if (!fold) return [[0, items.length]];
  if (!wanted) return [[first, Math.min(items.length, first + FOLD_SHOWN)]];
  const out: [number, number][] = [];
  items.forEach((item, index) => {
    if (!wanted(item)) return;
    const last = out.at(-1);
    if (last && last[1] === index) last[1] = index + 1;
    else out.push([index, index + 1]);
  });
  return out;
}

/** A folded list: ten items, or those that are searched for. */
export function listLines(
  walk: Walk,
  anchor: Element,
  items: Element[],
  first: number,
  around: Around,
): Line[] {
  const lines: Line[] = [];
  for (const [from, to] of stretches(walk, items, first)) {
    const before = walk.lines;
    const node = lineOf(anchor, "list", "");
    node.acts = true;
    const inside = { ...around, inFold: true, inItem: true, level: around.level + 1 };
    node.children = itemLines(walk, items.slice(from, to), inside);
    const shown = node.children.length;
    node.list = { total: items.length, first: from, shown, table: false };
    if (shown > 0) walk.folded += ((walk.lines - before) / shown) * (items.length - shown);
    if (shown > 0) lines.push(walk.spend(node));
  }
  return lines;
}

/** One line an item, whatever is in it, so that counting lines counts items. */
export function itemLines(walk: Walk, items: Element[], around: Around): Line[] {
  const lines: Line[] = [];
  for (const item of items) {
    if (walk.stopped) break;
    const pieces: Piece[] = [];
    visit(walk, item, { ...around, item }, pieces, false);
    lines.push(oneLine(item, "item", assemble(walk, pieces)));
  }
  return lines;
}
