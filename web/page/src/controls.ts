//! What can be pressed or filled, and what of its inside is worth a line of its own.

import type { Node as Line } from "../../wire/page.ts";
import { actingOnly, assemble, countActing } from "./assemble.ts";
import { shownRole } from "./describe.ts";
import { localName, querySelector } from "./dom.ts";
import { CONTROLS, isMereWrapper } from "./interactive.ts";
import { actingLine, isFieldRole } from "./line.ts";
import { roleOf } from "./role.ts";
import { visitStructure } from "./structure.ts";
import { isInput } from "./value.ts";
import { visitChildren } from "./visit.ts";
import type { Around, Piece, Walk } from "./walk.ts";

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
  const [only] = actingOnly(lines.map((line) => ({ ...line })));
  if (acting === 1 && only && only.name === node.name) {
    out.push(...pieces);
    return;
  }
  if (acting > CARD_CONTROLS && hasLittleToSay(node, lines)) {
    out.push(...pieces);
    return;
  }
  const children = acting > 0 ? actingOnly(lines) : [];
  if (children.length > 0) node.children = children;
  out.push({ is: "node", node });
}

/** A wrapper around a good part of the page: its words would be the page's. */
function hasLittleToSay(node: Line, lines: Line[]): boolean {
  return !node.name || lines.length > CARD_CONTROLS;
}

function isHeadOrCell(el: Element): boolean {
  const role = roleOf(el);
  return role === "columnheader" || role === "rowheader" || role === "cell";
}
