//! What can be pressed or filled, and what of its inside is worth a line of its own.

import type { Node as Line } from "../../wire/page.ts";
import { actingOnly, assemble, countActing, unwrap } from "./assemble.ts";
import { shownRole } from "./describe.ts";
import { localName, querySelector } from "./dom.ts";
import { CONTROLS, isMereWrapper } from "./interactive.ts";
import { actingLine, isFieldRole } from "./line.ts";
import { roleOf } from "./role.ts";
import { visitStructure } from "./structure.ts";
import { isInput } from "./value.ts";
import { visitChildren } from "./visit.ts";
import { type Around, follow, type Piece, type Walk } from "./walk.ts";

const CARD_CONTROLS = 4;

/** Wrappers of the ARIA 1.0 kind hold the real field. */
function holdsField(el: Element): boolean {
  return querySelector(el, "input:not([type=hidden]),textarea,[contenteditable]") !== null;
}

export function visitWidget(walk: Walk, el: Element, around: Around, out: Piece[]): void {
  const role = shownRole(el);
  const isNative = localName(el) === "select" || isInput(el);
  if (!isNative && isFieldRole(role) && role !== "listbox") {
    if (role === "combobox" && holdsField(el)) {
      visitStructure(walk, el, around, out);
      return;
    }
  }
  if (role === "listbox" && !isNative) {
    visitStructure(walk, el, around, out);
    return;
  }
  const node = actingLine(walk, el, around);
  if (!isNative && !(isFieldRole(role) && role !== "checkbox" && role !== "switch")) {
    const pieces: Piece[] = [];
    visitChildren(walk, el, { ...around, inControl: true, level: around.level + 1 }, pieces);
    const children = actingOnly(assemble(walk, pieces));
    if (children.length > 0) node.children = children;
  }
  out.push({ is: "node", node });
}

/** What acts like a button without saying so; unless it only wraps the one thing that does. */
export function visitClickable(walk: Walk, el: Element, around: Around, out: Piece[]): void {
  if (isMereWrapper(el) || (isHeadOrCell(el) && querySelector(el, CONTROLS))) {
    visitStructure(walk, el, around, out);
    return;
  }
  const pieces: Piece[] = [];
  const inside = { ...around, level: around.level + 1 };
  const node = actingLine(walk, el, around);
  visitChildren(walk, el, inside, pieces);
  const lines = assemble(walk, pieces);
  const acting = countActing(lines);
  const inner = actingOnly(lines);
  const [only] = inner;
  if (acting === 1 && only?.role === "combobox" && isBare(only)) {
    // What is drawn over a combobox is its value.
    if (node.name && node.name !== only.name) {
      only.states = [{ k: "value", v: node.name }, ...(only.states ?? [])];
    }
    out.push({ is: "node", node: only });
    return;
  }
  if (around.item === el && acting > 0) {
    // An item that can be pressed and holds more is told on one line, like any other item.
    const { name: _words, unseen: _unseen, ...row } = node;
    const item = follow({ ...row, role: "item", children: unwrap(lines) }, node);
    out.push({ is: "node", node: item });
    return;
  }
  const isSame = inner.some((line) => line.name === node.name);
  const isWide = acting > CARD_CONTROLS && hasLittleToSay(node, lines);
  if (acting > 0 && (isSame || isWide || !node.name)) {
    out.push(...pieces);
    return;
  }
  if (inner.length > 0) node.children = inner;
  out.push({ is: "node", node });
}

/** It shows nothing of its own. */
function isBare(node: Line): boolean {
  return !node.states?.some((state) => state.k === "value");
}

/** A wrapper around a good part of the page: its words would be the page's. */
function hasLittleToSay(node: Line, lines: Line[]): boolean {
  return !node.name || lines.length > CARD_CONTROLS;
}

function isHeadOrCell(el: Element): boolean {
  const role = roleOf(el);
  return role === "columnheader" || role === "rowheader" || role === "cell";
}
