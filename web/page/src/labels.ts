//! Labels, legends and captions: words that are the name of something else are not said twice.

import { inputField, labelControl, localName, squash } from "./dom.ts";
import { actingLine } from "./line.ts";
import { nameOf } from "./name.ts";
import { flatParent } from "./shadow.ts";
import { visitStructure } from "./structure.ts";
import { isInput } from "./value.ts";
import { isVisible, look } from "./visible.ts";
import { visitChildren } from "./visit.ts";
import type { Around, Piece, Walk } from "./walk.ts";
import { visibleWords } from "./words-of.ts";

/** A label's words are its control's name: they are not said twice. */
export function visitLabel(walk: Walk, el: Element, around: Around, out: Piece[]): void {
  const control = labelControl(el);
  if (!control || control === el) {
    visitStructure(walk, el, around, out);
    return;
  }
  if (look(control) === "gone" && !walk.placed.has(control) && isToggle(control)) {
    // A drawn checkbox: the real one is hidden, its label is what is pressed.
    const node = actingLine(walk, control, around);
    walk.placed.add(control);
    out.push({ is: "node", node });
    visitChildren(walk, el, { ...around, mute: true }, out);
    return;
  }
  const isTold =
    isVisibleControl(control) && nameOf(control).includes(visibleWords(el, 60, isInputLike));
  visitChildren(walk, el, isTold ? { ...around, mute: true } : around, out);
}

function isInputLike(el: Element): boolean {
  const name = localName(el);
  return name === "select" || name === "textarea" || name === "input";
}

function isToggle(el: Element): boolean {
  if (!isInput(el)) return false;
  const type = inputField.type(el);
  return type === "checkbox" || type === "radio" || type === "file";
}

function isVisibleControl(control: Element): boolean {
  return isVisible(control) || look(control) === "faint";
}

export function visitCaption(walk: Walk, el: Element, around: Around, out: Piece[]): void {
  const parent = flatParent(el);
  const isName = parent !== null && squash(nameOf(parent)) === visibleWords(el, 400);
  visitChildren(walk, el, isName ? { ...around, mute: true } : around, out);
}
