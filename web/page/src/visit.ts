//! One walk over the flat tree that turns elements into pieces of lines.
//!
//! Hidden parts are left out before anything is asked about them; wrappers leave no trace.

import type { Node as Line } from "../../wire/page.ts";
import { assemble, unwrap } from "./assemble.ts";
import { visitClickable, visitWidget } from "./controls.ts";
import {
  getAttribute,
  HTML,
  isElement,
  isText,
  localName,
  namespaceURI,
  querySelector,
  SVG,
} from "./dom.ts";
import { runsOf } from "./fold.ts";
import { CONTROLS, isFrame, reasonOf } from "./interactive.ts";
import { visitCaption, visitLabel } from "./labels.ts";
import { listLines } from "./lists.ts";
import { visitFrame, visitPicture, visitSvg } from "./media.ts";
import { styleOf } from "./reading.ts";
import { roleOf } from "./role.ts";
import { flatParent } from "./shadow.ts";
import { visitStructure } from "./structure.ts";
import { look, shownChildren } from "./visible.ts";
import { type Around, BREAK, type Piece, type Walk } from "./walk.ts";

const SKIPPED = new Set(
  "script style template noscript head meta link title base param source track datalist option optgroup map colgroup col".split(
    " ",
  ),
);
/** Roles that hold lines of their own, also when they can be pressed themselves. */
const HOLDERS = new Set(["row", "article", "figure"]);
/** Tags that are set apart, also where they stand side by side. */
const BOXES = new Set(["div", "li", "section", "article", "p", "td", "dd", "dt"]);

/** Whether the element's own lines stand apart from what is before and after it. */
function breaksLine(el: Element): "apart" | "gap" | "no" {
  if (namespaceURI(el) !== HTML) return "no";
  const display = styleOf(el).display;
  if (display === "inline" || display === "contents") return "no";
  if (!display.startsWith("inline") && display !== "ruby") return "apart";
  return BOXES.has(localName(el)) ? "apart" : "gap";
}

function isFlexRow(el: Element): boolean {
  const style = styleOf(el);
  return style.display.endsWith("flex") && style.flexDirection.startsWith("row");
}

/** Visits all children; long runs of alike siblings are folded. */
export function visitChildren(walk: Walk, el: Element, around: Around, out: Piece[]): void {
  let kids = shownChildren(el);
  const runs = walk.options.fold && !around.inControl ? runsOf(el, kids, around) : [];
  const start = startAt(walk, kids);
  if (runs.length > 0) {
    visitRuns(walk, el, kids, runs, start, around, out);
    return;
  }
  if (start > 0) kids = kids.slice(start);
  const isRow = kids.length > 1 && isFlexRow(el);
  for (const kid of kids) {
    if (walk.stopped) return;
    visitKid(walk, el, kid, around, out, isRow);
  }
}

/** Where the part that was asked for begins among the children. */
function startAt(walk: Walk, kids: Node[]): number {
  const path = walk.options.path;
  if (!path) return 0;
  const at = kids.findIndex((kid) => isElement(kid) && path.has(kid));
  return Math.max(at, 0);
}

function visitKid(
  walk: Walk,
  parent: Element,
  kid: Node,
  around: Around,
  out: Piece[],
  isRow: boolean,
): void {
  if (isText(kid)) {
    if (!around.mute && !around.inControl && !around.faint) {
      out.push({ is: "text", text: kid.data, el: parent });
    }
  } else if (isElement(kid)) visit(walk, kid, around, out, isRow);
}

type Runs = ReturnType<typeof runsOf>;

function visitRuns(
  walk: Walk,
  el: Element,
  kids: Node[],
  runs: Runs,
  start: number,
  around: Around,
  out: Piece[],
): void {
  let at = start;
  runs.forEach((run, index) => {
    if (run.to < start) return;
    for (; at < run.from; at += 1) {
      const kid = kids[at];
      if (kid) visitKid(walk, el, kid, around, out, false);
    }
    const anchor = index === 0 ? el : (run.items[0] ?? el);
    out.push(BREAK);
    const first = Math.max(0, run.items.indexOf(kids[start] as Element));
    for (const node of listLines(walk, anchor, run.items, first, around)) {
      out.push({ is: "node", node });
    }
    out.push(BREAK);
    at = run.to + 1;
  });
  for (; at < kids.length && !walk.stopped; at += 1) {
    const kid = kids[at];
    if (kid) visitKid(walk, el, kid, around, out, false);
  }
}

/** Visits one element. */
export function visit(walk: Walk, el: Element, around: Around, out: Piece[], inRow: boolean): void {
  const tag = localName(el);
  if (SKIPPED.has(tag) || walk.told.has(el) || walk.placed.has(el) || !walk.goesOn()) return;
  const seen = look(el);
  if (seen === "gone" || isDecoration(walk, el)) return;
  if (tag === "br" || tag === "hr") {
    out.push(BREAK);
    return;
  }
  let inside = around;
  if (seen === "bare" && styleOf(el).display !== "contents") {
    // Invisible itself; what is inside may have been made visible again.
    visitChildren(walk, el, { ...inside, mute: true }, out);
    return;
  }
  if (seen === "seen" && inside.mute && !inside.inControl && isShownAgain(el)) {
    inside = { ...inside, mute: false };
  }
  if (seen === "faint") inside = { ...inside, faint: true };
  const apart = breaksLine(el);
  const edge: Piece | null =
    apart === "no" ? null : apart === "gap" || inRow ? { is: "text", text: " ", el } : BREAK;
  if (edge) out.push(edge);
  visitKind(walk, el, tag, inside, out);
  if (edge) out.push(edge === BREAK ? BREAK : { is: "text", text: " ", el });
}

/** `visibility: visible` inside `visibility: hidden`; labels stay mute. */
function isShownAgain(el: Element): boolean {
  const parent = flatParent(el);
  return parent !== null && look(parent) === "bare";
}

function isDecoration(walk: Walk, el: Element): boolean {
  if (getAttribute(el, "aria-hidden") !== "true") return false;
  return walk.modal || querySelector(el, CONTROLS) === null;
}

/** On the way to the place where a cut answer ended: lines that were printed with their words. */
function isToldWhole(walk: Walk, el: Element): boolean {
  if (walk.options.after === el) return true;
  const reason = reasonOf(el);
  return reason === "widget" || reason === "clickable" || roleOf(el) === "heading";
}

function visitKind(walk: Walk, el: Element, tag: string, around: Around, out: Piece[]): void {
  if (walk.options.path?.has(el) && isToldWhole(walk, el)) {
    visitChildren(walk, el, { ...around, mute: true }, out);
    return;
  }
  if (namespaceURI(el) === SVG) {
    visitSvg(walk, el, tag, around, out);
    return;
  }
  if (isFrame(el)) {
    visitFrame(walk, el, around, out);
    return;
  }
  switch (tag) {
    case "img":
    case "canvas":
      visitPicture(walk, el, tag, around, out);
      return;
    case "label":
      visitLabel(walk, el, around, out);
      return;
    case "legend":
    case "figcaption":
      visitCaption(walk, el, around, out);
      return;
  }
  const reason = reasonOf(el);
  if (reason === "widget") visitWidget(walk, el, around, out);
  else if (reason === "clickable" && !around.inControl && !HOLDERS.has(roleOf(el))) {
    visitClickable(walk, el, around, out);
  } else visitStructure(walk, el, around, out);
}

/** The lines of one element and everything below it. */
export function linesOf(walk: Walk, el: Element, around: Around): Line[] {
  const pieces: Piece[] = [];
  visit(walk, el, around, pieces, false);
  return unwrap(assemble(walk, pieces));
}
