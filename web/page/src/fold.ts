//! Repeated siblings of one shape. Found by tags and classes alone: nothing that is folded away is
//! ever named or measured.

import {
  checkVisibility,
  childElementCount,
  firstElementChild,
  getAttribute,
  HTML,
  isElement,
  isText,
  localName,
  namespaceURI,
  nextElementSibling,
  querySelector,
  querySelectorAll,
} from "./dom.ts";
import { CONTROLS } from "./interactive.ts";
import { roleOf } from "./role.ts";
import { type Around, FOLD_SHOWN } from "./walk.ts";

/** Siblings `from` to `to` of a child list are items of one kind. */
export type Run = { from: number; to: number; items: Element[] };

/** Fields and plain controls are what a page is for: a form of thirty is shown whole. */
const FOLD_CONTROLS = 40;
const LOOSE = new Set(
  "p br hr span b i em strong small code sub sup h1 h2 h3 h4 h5 h6 label legend dt dd td th tr option script style link template input select textarea img svg".split(
    " ",
  ),
);
const IGNORED = new Set(["script", "style", "template", "link", "hr", "br"]);
const ITEM_ROLES = new Set(["listitem", "option", "treeitem", "article", "row"]);
const CONTROL_ROLES = new Set(
  "button link tab radio checkbox switch menuitem menuitemradio menuitemcheckbox".split(" "),
);
const FIELDS =
  "input:not([type=hidden]):not([type=checkbox]):not([type=radio]):not([type=button]):not([type=submit])," +
  "select,textarea,[role=textbox],[role=combobox],[role=spinbutton],[role=slider]";

/** Whether an element may be one of several of its kind. */
export function canRepeat(el: Element): boolean {
  if (namespaceURI(el) !== HTML) return false;
  const name = localName(el);
  if (name === "label") return querySelector(el, "input") !== null;
  return !LOOSE.has(name);
}

function shapeOfChildren(el: Element): string {
  let shape = "";
  let count = 0;
  for (let at = firstElementChild(el); at && count < 6; at = nextElementSibling(at)) {
    shape += `${localName(at)},`;
    count += 1;
  }
  return shape;
}

/** Whether two siblings are items of one kind. */
export function isAlike(one: Element, other: Element): boolean {
  if (localName(one) !== localName(other)) return false;
  if (getAttribute(one, "role") !== getAttribute(other, "role")) return false;
  const name = localName(one);
  if (name === "li" || name === "article") return true;
  const hasRole = getAttribute(one, "role") !== null;
  const first = firstElementChild(one);
  const second = firstElementChild(other);
  if (hasRole || (!first && !second)) return hasRole || haveOneClass(one, other);
  if (!first || !second) return false;
  if (shapeOfChildren(one) === shapeOfChildren(other)) return true;
  return (
    haveOneClass(one, other) &&
    localName(first) === localName(second) &&
    Math.abs(childElementCount(one) - childElementCount(other)) <= 2
  );
}

function haveOneClass(one: Element, other: Element): boolean {
  const style = getAttribute(one, "class");
  return style === getAttribute(other, "class");
}

function leastToFold(parent: Element, sample: Element, around: Around): number {
  const role = roleOf(sample);
  // A link around several parts is a card.
  const isCard = role === "link" && childElementCount(sample) > 1 && !around.inNavigation;
  if (isCard) return FOLD_SHOWN;
  if (CONTROL_ROLES.has(role) || localName(sample) === "label") return FOLD_CONTROLS;
  if (ITEM_ROLES.has(role)) {
    const isMenu = around.inNavigation || roleOf(parent) === "toolbar";
    return isMenu ? FOLD_CONTROLS : FOLD_SHOWN;
  }
  if (around.inNavigation) return FOLD_CONTROLS;
  if (querySelector(sample, FIELDS)) return FOLD_CONTROLS;
  const controls = querySelectorAll(sample, CONTROLS).length;
  return controls === 1 && childElementCount(sample) === 1 ? FOLD_CONTROLS : FOLD_SHOWN;
}

/** The runs among the children of an element that are long enough to fold. */
export function runsOf(parent: Element, kids: Node[], around: Around): Run[] {
  if (kids.length <= FOLD_SHOWN) return [];
  const runs: Run[] = [];
  let run: Run | null = null;
  let model: Element | null = null;
  const close = (): void => {
    const sample = run?.items[0];
    if (run && sample && run.items.length > FOLD_SHOWN) {
      if (run.items.length > leastToFold(parent, sample, around)) runs.push(run);
    }
    run = null;
    model = null;
  };
  for (let index = 0; index < kids.length; index += 1) {
    const kid = kids[index];
    if (!kid || (isText(kid) && kid.data.trim() === "")) continue;
    if (!isElement(kid)) {
      if (isText(kid)) close();
      continue;
    }
    if (IGNORED.has(localName(kid))) continue;
    if (!canRepeat(kid)) {
      close();
      continue;
    }
    if (model && run && isAlike(model, kid)) {
      if (checkVisibility(kid)) {
        (run as Run).items.push(kid);
        (run as Run).to = index;
      }
      continue;
    }
    if (!checkVisibility(kid)) continue;
    close();
    model = kid;
    run = { from: index, to: index, items: [kid] };
  }
  close();
  return runs;
}
