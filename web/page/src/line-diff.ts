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
export type Difference = { added: LineTree[]; removed: LineTree[]; pairs: Pair[]; again: Pair[] };

type Twins = Map<Element, LineTree[]>;

/** Compares. `pairs` holds what is there before and after, `again` those rendered anew. */
export function differ(before: LineTree, after: LineTree): Difference {
  const old = index(before);
  const now = index(after);
  const difference: Difference = { added: [], removed: [], pairs: [], again: [] };
  const open: Pair[] = [{ before, after }];
  for (const line of everyLine(before)) {
    const twin = twinOf(line, now);
    if (twin) open.push({ before: line, after: twin });
  }
  for (let at = 0; at < open.length; at++) {
    const pair = open[at];
    if (!pair) break;
    if (pair.before !== before) difference.pairs.push(pair);
    const rest = pairUp(
      pair.before.children.filter((line) => !twinOf(line, now)),
      pair.after.children.filter((line) => !twinOf(line, old)),
    );
    for (const again of rest.again) {
      open.push(again);
      if (again.before.el !== again.after.el) difference.again.push(again);
    }
    difference.removed.push(...rest.removed);
    difference.added.push(...rest.added);
  }
  return difference;
}

function index(tree: LineTree): Twins {
  const twins: Twins = new Map();
  for (const line of everyLine(tree)) {
    const list = twins.get(line.el);
    if (list) list.push(line);
    else twins.set(line.el, [line]);
  }
  return twins;
}

function twinOf(line: LineTree, twins: Twins): LineTree | null {
  const list = twins.get(line.el);
  if (!list) return null;
  return list.find((other) => other.text === line.text) ?? null;
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
