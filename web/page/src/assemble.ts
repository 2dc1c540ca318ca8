//! From pieces in document order to lines: adjacent text merges, text among links stays in one
//! `paragraph`, wrappers that say nothing vanish.

import type { Node as Line } from "../../wire/page.ts";
import { idOf } from "./registry.ts";
import { follow, own, ownerOf, type Piece, textLine, type Walk } from "./walk.ts";

/** Roles that are worth a line only with a name or more than one child. */
const VANISHING = new Set(["list", "item", "paragraph", "group", "cell", "rowgroup"]);

const CONTROLS_IN_SENTENCE = 3;

type Group = ({ text: string; el: Element } | Line)[];

function isLine(part: { text: string; el: Element } | Line): part is Line {
  return "role" in part;
}

/** Words with links or a few controls among them; a row of controls with a stray word is none. */
function isSentence(lines: Line[]): boolean {
  const others = lines.filter((line) => line.role !== "text" && line.role !== "link");
  return others.length <= CONTROLS_IN_SENTENCE;
}

function closeGroup(walk: Walk, group: Group, out: Line[]): void {
  const lines: Line[] = [];
  let hasText = false;
  let isFlat = true;
  for (const part of group) {
    if (isLine(part)) {
      lines.push(part);
      if (part.children || part.list || part.frame) isFlat = false;
    } else {
      const line = textLine(part.el, part.text);
      if (!line) continue;
      hasText = true;
      lines.push(walk.spend(line));
    }
  }
  if (hasText && isFlat && lines.length > 1 && isSentence(lines)) {
    const [first] = lines;
    const el = first && ownerOf(first);
    const paragraph: Line = { role: "paragraph", children: lines };
    out.push(el ? own(paragraph, el) : paragraph);
  } else out.push(...lines);
}

/** The lines that pieces amount to. */
export function assemble(walk: Walk, pieces: Piece[]): Line[] {
  const out: Line[] = [];
  let group: Group = [];
  for (const piece of pieces) {
    if (piece.is === "break") {
      if (group.length > 0) closeGroup(walk, group, out);
      group = [];
    } else if (piece.is === "node") group.push(piece.node);
    else {
      const last = group.at(-1);
      if (last && !isLine(last)) last.text += piece.text;
      else group.push({ text: piece.text, el: piece.el });
    }
  }
  if (group.length > 0) closeGroup(walk, group, out);
  return out;
}

/** A wrapper that can go: no name, no states, no ref. */
export function isIdle(node: Line): boolean {
  return VANISHING.has(node.role) && !node.name && !node.acts && !node.list && !node.states?.length;
}

/** Takes over the children of an only child that is an idle wrapper. */
export function unwrap(children: Line[]): Line[] {
  const [only] = children;
  if (children.length === 1 && only?.children && isIdle(only)) return unwrap(only.children);
  return children;
}

/** One line for a part of a list or row: the only child itself, or a line with all of them. */
export function oneLine(el: Element, role: string, children: Line[]): Line {
  const [only] = children;
  if (children.length === 1 && only && only.role !== "paragraph") return only;
  const node: Line = own({ role, id: idOf(el) }, el);
  const inner = unwrap(children);
  if (inner.length > 0) node.children = inner;
  return node;
}

/** Only what can be acted on, with what leads to it. */
export function actingOnly(nodes: Line[]): Line[] {
  const out: Line[] = [];
  for (const node of nodes) {
    const children = node.children ? actingOnly(node.children) : [];
    if (!(node.acts || node.frame) && (children.length < 2 || isIdle(node))) {
      out.push(...children);
      continue;
    }
    const { children: _dropped, ...alone } = node;
    out.push(follow(children.length > 0 ? { ...alone, children } : alone, node));
  }
  return out;
}

/** How many lines can be acted on. */
export function countActing(nodes: Line[]): number {
  let count = 0;
  for (const node of nodes) {
    if (node.acts) count += 1;
    if (node.children) count += countActing(node.children);
  }
  return count;
}
