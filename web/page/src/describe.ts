//! Words that tell one element from others: role, name, states, the row it is in, its place.

import type { Element as WireElement } from "../../wire/page.ts";
import {
  childElementCount,
  clip,
  getAttribute,
  getBoundingClientRect,
  HTML,
  isElement,
  localName,
  matches,
  namespaceURI,
  querySelector,
  querySelectorAll,
  squash,
} from "./dom.ts";
import { tokenOf } from "./frames.ts";
import { CONTROLS, isFrame, reasonOf } from "./interactive.ts";
import { isFieldRole, printedName } from "./line.ts";
import { nameOf } from "./name.ts";
import { perWalk, reading } from "./reading.ts";
import { idOf } from "./registry.ts";
import { roleOf } from "./role.ts";
import { flatChildren, flatParent } from "./shadow.ts";
import { statesOf } from "./state.ts";
import { isEditingHost } from "./value.ts";
import { look } from "./visible.ts";
import { pictureWords, visibleWords } from "./words-of.ts";

export const LABEL_CHARS = 120;
const ROW_CHARS = 60;
const NAME_CHARS = 400;
const FRAMES_MOST = 20;
const CLIMB_MOST = 40;

/** The role as outlines print it: `clickable` for what acts without one, `item` for list items. */
export function shownRole(el: Element): string {
  if (isFrame(el)) return "iframe";
  const role = roleOf(el);
  if (role === "listitem") return reasonOf(el) === "clickable" ? "clickable" : "item";
  if (role !== "" && !isFlow(role)) return role;
  if (isEditingHost(el)) return "textbox";
  if (namespaceURI(el) === HTML && localName(el) === "summary") return "button";
  const reason = reasonOf(el);
  if (reason === "clickable" || reason === "widget") return "clickable";
  return reason === "scroll" ? "group" : role;
}

/** Roles that say how text is set, not what a thing is. */
const FLOW = new Set(
  "code deletion emphasis insertion mark strong subscript superscript time term definition paragraph".split(
    " ",
  ),
);

export function isFlow(role: string): boolean {
  return FLOW.has(role);
}

/** The visible words of an element, at most 120 characters; what its pictures say when it has none. */
export function labelWords(el: Element): string {
  return visibleWords(el, LABEL_CHARS) || pictureWords(el).slice(0, LABEL_CHARS);
}

/** The name as printed, else visible words. What a field holds is no name. */
export function wordsFor(el: Element, role = shownRole(el)): string {
  const name = reasonOf(el) === "" ? nameOf(el) : printedName(el, role);
  return name || (isFieldRole(role) ? "" : labelWords(el));
}

const ITEM_ROLES = new Set(["row", "listitem", "article", "treeitem", "option"]);

function isItem(el: Element): boolean {
  return ITEM_ROLES.has(roleOf(el));
}

/** The repeated thing that the element is in. */
function itemAround(el: Element): Element | null {
  let at = flatParent(el);
  for (let climb = 0; at && climb < CLIMB_MOST; climb += 1, at = flatParent(at)) {
    if (isItem(at)) return at;
    if (matches(at, "nav,header,footer,form,dialog,[role=dialog]")) return null;
    if (isLikeSiblings(at)) return at;
  }
  return null;
}

/** A card without a role: siblings before or after it are of the same make. */
function isLikeSiblings(el: Element): boolean {
  const style = getAttribute(el, "class");
  if (!style || localName(el) !== "div") return false;
  const other = el.nextElementSibling ?? el.previousElementSibling;
  if (!other || localName(other) !== "div" || childElementCount(other) < 2) return false;
  return getAttribute(other, "class") === style;
}

/** The words that a person would call the item by: its own label, heading, first link, first words. */
const itemName = perWalk((item: Element): string => {
  const own = getAttribute(item, "aria-label");
  if (own && own.trim() !== "") return squash(own);
  for (const selector of ["th[scope=row],[role=rowheader]", "h1,h2,h3,h4,h5,h6,[role=heading]"]) {
    const found = querySelector(item, selector);
    const words = found ? visibleWords(found, ROW_CHARS) : "";
    if (words !== "") return words;
  }
  return firstWords(item);
});

/** The words of the first cell, link or line that has some; buttons say what to do, not what it is. */
function firstWords(item: Element): string {
  const isRow = roleOf(item) === "row";
  for (const part of flatChildren(item)) {
    if (!isElement(part)) {
      const words = squash(part.nodeValue ?? "");
      if (!isRow && part.nodeType === 3 && words !== "") return words.slice(0, ROW_CHARS);
      continue;
    }
    if (look(part) === "gone") continue;
    const words = matches(part, "button,input,select,textarea,[role=button]")
      ? ""
      : visibleWords(part, ROW_CHARS, (inner) => matches(inner, "button,[role=button]"));
    if (words !== "") return words;
  }
  return visibleWords(item, ROW_CHARS, (inner) => matches(inner, CONTROLS));
}

/** The name of the row or item that the element is in, or is. */
export function rowNameOf(el: Element): string | undefined {
  const item = itemAround(el);
  const name = item ? itemName(item) : "";
  return name === "" ? undefined : name;
}

function framesIn(el: Element): string[] {
  if (isFrame(el)) return [tokenOf(el)];
  const frames = Array.from(querySelectorAll(el, "iframe,frame")).slice(0, FRAMES_MOST);
  return frames.map(tokenOf);
}

/** Everything that a person or an agent would tell it by. */
export function describe(el: Element): WireElement {
  return reading(() => {
    const role = shownRole(el) || localName(el);
    const rect = getBoundingClientRect(el);
    const isRow = roleOf(el) === "row" || role === "item";
    return {
      id: idOf(el),
      role,
      name: clip((isRow && itemName(el)) || wordsFor(el, role), NAME_CHARS),
      states: statesOf(el),
      row: rowNameOf(el) ?? null,
      rect: { x: rect.x, y: rect.y, width: rect.width, height: rect.height },
      frames: framesIn(el),
      refound: false,
    };
  });
}
