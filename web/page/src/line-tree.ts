//! Outline lines as a tree, each with a key of its own and one of its whole subtree, so that a part
//! that was rendered anew just as it was can be told from one that changed.

import type { State, Node as WireNode } from "../../wire/page.ts";
import type { Line } from "./outline.ts";

/** One line with what is inside it. */
export type LineTree = {
  el: Element;
  node: WireNode;
  /** Which of the element's own texts; -1 for the element itself. */
  text: number;
  children: LineTree[];
  parent: LineTree | null;
  /** Role, name and states. */
  own: string;
  /** The same of everything inside. */
  whole: string;
};

/** States that come and go with focus and layout; they are no change by themselves. */
const PASSING = new Set(["focused", "scrollable"]);

/** The states that count. */
export function lasting(states: readonly State[] | undefined): State[] {
  return (states ?? []).filter((state) => !PASSING.has(state.k));
}

/** Builds the tree; the root is a line of its own that stands for the document. */
export function treeOf(lines: readonly Line[]): LineTree | null {
  const [first] = lines;
  const rootElement = document.documentElement ?? first?.el;
  if (!rootElement) return null;
  const root = leaf(rootElement, { role: "" }, -2, null);
  const open: { depth: number; tree: LineTree }[] = [{ depth: -1, tree: root }];
  const texts = new Map<Element, number>();
  for (const line of lines) {
    while ((open.at(-1)?.depth ?? -1) >= line.depth) open.pop();
    const parent = open.at(-1)?.tree ?? root;
    let text = -1;
    if (line.node.role === "text") {
      text = texts.get(line.el) ?? 0;
      texts.set(line.el, text + 1);
    }
    const tree = leaf(line.el, line.node, text, parent);
    parent.children.push(tree);
    open.push({ depth: line.depth, tree });
  }
  close(root);
  return root;
}

function leaf(el: Element, node: WireNode, text: number, parent: LineTree | null): LineTree {
  const own = ownKey(node);
  return { el, node, text, children: [], parent, own, whole: own };
}

function ownKey(node: WireNode): string {
  const states = lasting(node.states).map((state) => JSON.stringify(state));
  return `${node.role}\u0001${node.name ?? ""}\u0001${states.join("\u0002")}`;
}

/** The same line with another name. */
export function renamed(line: LineTree, name: string): LineTree {
  const node = { ...line.node, name };
  return { ...line, node, own: ownKey(node) };
}

function close(tree: LineTree): void {
  for (const child of tree.children) close(child);
  if (tree.children.length > 0) {
    tree.whole = `${tree.own}\u0003${tree.children.map((child) => child.whole).join("\u0004")}\u0005`;
  }
}

/** How many lines are inside. */
export function linesInside(tree: LineTree): number {
  return tree.children.reduce((sum, child) => sum + 1 + linesInside(child), 0);
}

/** Every line of a tree but its root. */
export function* everyLine(tree: LineTree): Generator<LineTree> {
  for (const child of tree.children) {
    yield child;
    yield* everyLine(child);
  }
}
