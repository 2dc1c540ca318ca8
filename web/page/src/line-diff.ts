//! Compares two trees of outline lines: by element first, then, for what was rendered anew, by look
//! and place. Decides only; describes nothing.

import type { LineTree } from "./line-tree.ts";
import { everyLine } from "./line-tree.ts";

/** The same thing before and after. */
export type Pair = {
  before: LineTree;
  after: LineTree;
  /** No other sibling could be meant: as many of that look before as after. */
  sure?: boolean;
};

/** What differs. */
export type Difference = {
  added: LineTree[];
  removed: LineTree[];
  pairs: Pair[];
  again: Pair[];
  /** What holds the same as before in another order. */
  reordered: LineTree[];
};

/** Compares. `pairs` holds what is there before and after, `again` those rendered anew. */
export function differ(before: LineTree, after: LineTree): Difference {
  const twins = pairTwins(before, after);
  const kept = new Set(twins.values());
  const difference: Difference = {
    added: [],
    removed: [],
    pairs: [],
    again: [],
    reordered: [],
  };
  const open: Pair[] = [{ before, after }];
  for (const [old, now] of twins) open.push({ before: old, after: now });
  for (let at = 0; at < open.length; at++) {
    const pair = open[at];
    if (!pair) break;
    if (pair.before !== before) difference.pairs.push(pair);
    const rest = pairUp(
      pair.before.children.filter((line) => !twins.has(line)),
      pair.after.children.filter((line) => !kept.has(line)),
    );
    for (const again of rest.again) {
      open.push(again);
      if (again.before.el !== again.after.el) difference.again.push(again);
    }
    if (isReordered(pair, twins, rest.again)) difference.reordered.push(pair.after);
    difference.removed.push(...rest.removed);
    difference.added.push(...rest.added);
  }
  return difference;
}

function isReordered(pair: Pair, twins: Map<LineTree, LineTree>, again: Pair[]): boolean {
  const places = new Map(pair.after.children.map((line, place) => [line, place]));
  const renewed = new Map(again.map(({ before, after }) => [before, after]));
  let last = -1;
  for (const line of pair.before.children) {
    const now = twins.get(line) ?? renewed.get(line);
    const place = now ? places.get(now) : undefined;
    if (place === undefined) continue;
    if (place < last) return true;
    last = place;
  }
  return false;
}

/** Lines of the same element; several texts of one are told by their words, then by their order. */
function pairTwins(before: LineTree, after: LineTree): Map<LineTree, LineTree> {
  const now = byElement(after);
  const twins = new Map<LineTree, LineTree>();
  for (const [element, olds] of byElement(before)) {
    let news = now.get(element) ?? [];
    let left = olds;
    for (const key of [(line: LineTree) => line.own, (line: LineTree) => line.node.role]) {
      const rest: LineTree[] = [];
      for (const old of left) {
        const twin = news.find((line) => key(line) === key(old));
        if (twin) {
          twins.set(old, twin);
          news = news.filter((line) => line !== twin);
        } else rest.push(old);
      }
      left = rest;
    }
    // The element itself may have got another role.
    const [old, twin] = [left.find((line) => line.text < 0), news.find((line) => line.text < 0)];
    if (old && twin) twins.set(old, twin);
  }
  return twins;
}

function byElement(tree: LineTree): Map<Element, LineTree[]> {
  const lines = new Map<Element, LineTree[]>();
  for (const line of everyLine(tree)) {
    const list = lines.get(line.el);
    if (list) list.push(line);
    else lines.set(line.el, [line]);
  }
  return lines;
}

type Rest = { again: Pair[]; removed: LineTree[]; added: LineTree[] };

/** Pairs siblings whose elements are new: equal subtrees, equal lines, then the only ones of a role. */
function pairUp(before: LineTree[], after: LineTree[]): Rest {
  const again: Pair[] = [];
  let olds = before;
  let news = after;
  const keys: Key[] = [
    (line) => line.whole,
    (line) => line.own,
    (line) => `${line.node.role}\u0001${line.node.name ?? ""}`,
  ];
  for (const key of keys) {
    if (olds.length === 0 || news.length === 0) break;
    const waiting = byKey(news, key);
    const sure = sureKeys(olds, waiting, key);
    const left: LineTree[] = [];
    const taken = new Set<LineTree>();
    for (const line of olds) {
      const twin = waiting.get(key(line))?.shift();
      if (twin && !isEmptyShell(line, twin)) {
        again.push({ before: line, after: twin, sure: sure.has(key(line)) });
        taken.add(twin);
      } else left.push(line);
    }
    olds = left;
    news = news.filter((line) => !taken.has(line));
  }
  return pairByRole(olds, news, again);
}

type Key = (line: LineTree) => string;

function byKey(lines: readonly LineTree[], key: Key): Map<string, LineTree[]> {
  const lists = new Map<string, LineTree[]>();
  for (const line of lines) {
    const list = lists.get(key(line));
    if (list) list.push(line);
    else lists.set(key(line), [line]);
  }
  return lists;
}

/** Looks that are there as often before as after. */
function sureKeys(olds: LineTree[], news: Map<string, LineTree[]>, key: Key): Set<string> {
  const sure = new Set<string>();
  for (const [look, list] of byKey(olds, key)) {
    if (news.get(look)?.length === list.length) sure.add(look);
  }
  return sure;
}

/** Nameless lines are alike by their content only: else each row would be each other row. */
function isEmptyShell(before: LineTree, after: LineTree): boolean {
  if (before.whole === after.whole) return false;
  return (before.node.name ?? "") === "" && ROWS.has(before.node.role);
}

const ROWS = new Set(["row", "item", "listitem", "article", "cell", "clickable"]);

function pairByRole(before: LineTree[], after: LineTree[], again: Pair[]): Rest {
  const removed: LineTree[] = [];
  let added = after;
  for (const line of before) {
    const role = line.node.role;
    const olds = before.filter((other) => other.node.role === role);
    const news = added.filter((other) => other.node.role === role);
    const [only] = news;
    if (olds.length === 1 && news.length === 1 && only && isSamePlace(line, only)) {
      again.push({ before: line, after: only, sure: true });
      added = added.filter((other) => other !== only);
    } else removed.push(line);
  }
  return { again, removed, added };
}

/** A dialog or menu that replaces another is a new one, whatever its role. */
function isSamePlace(before: LineTree, after: LineTree): boolean {
  if (WINDOWS.has(before.node.role)) return false;
  return before.el.localName === after.el.localName;
}

const WINDOWS = new Set(["dialog", "alertdialog", "menu", "listbox", "alert", "status", "tooltip"]);
