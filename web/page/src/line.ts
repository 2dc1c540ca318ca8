//! The line of one element: role, words, states, link address, and whether a person can see its name.

import type { Node as Line, State } from "../../wire/page.ts";
import { LABEL_CHARS, shownRole } from "./describe.ts";
import {
  contains,
  getAttribute,
  HTML,
  hasAttribute,
  hrefOf,
  inputField,
  isElement,
  localName,
  matches,
  namespaceURI,
  querySelector,
  referenced,
  squash,
} from "./dom.ts";
import { CONTROLS, reasonOf } from "./interactive.ts";
import { namedBy, nameOf } from "./name.ts";
import { type From, labelsOf } from "./name-native.ts";
import { flatChildren } from "./shadow.ts";
import { statesOf } from "./state.ts";
import { isInput, shownValue } from "./value.ts";
import { isVisible } from "./visible.ts";
import { type Around, lineOf, type Walk } from "./walk.ts";
import { pictureWords, visibleWords } from "./words-of.ts";

/** Fields: their words stand beside them, not in them. */
const FIELD_ROLES = new Set(
  "textbox searchbox combobox spinbutton slider checkbox radio switch listbox progressbar meter scrollbar".split(
    " ",
  ),
);
const NEST = "ul,ol,menu,[role=group],[role=menu],[role=tree],[role=list]";
const SAYS_NOTHING =
  /^(?:here|more|click here|read more|learn more|see more|details|view|link|open|go|\W*)$/i;

export function isFieldRole(role: string): boolean {
  return FIELD_ROLES.has(role);
}

/** Words of a thing that holds others of its kind: its own only. */
function ownWords(el: Element): string {
  return visibleWords(el, LABEL_CHARS, (inner) => matches(inner, `${NEST},${CONTROLS}`));
}

function holdsNested(el: Element): boolean {
  for (const child of flatChildren(el)) if (isElement(child) && matches(child, NEST)) return true;
  return false;
}

/** The words to print for it. */
export function printedName(el: Element, role: string): string {
  const { name, from } = namedBy(el);
  const isGiven = from === "aria" || from === "labelledby";
  if (role === "clickable") {
    if (isGiven) return name;
    return ownWords(el) || visibleWords(el, LABEL_CHARS) || name || pictureWords(el);
  }
  if ((role === "treeitem" || role === "menuitem" || role === "option") && !isGiven) {
    return holdsNested(el) ? ownWords(el) || name : name;
  }
  if (role === "textbox" && from === "placeholder") return name;
  return name || (isFieldRole(role) ? "" : actingWords(el, role));
}

function actingWords(el: Element, role: string): string {
  if (role === "button" || role === "link")
    return visibleWords(el, LABEL_CHARS) || pictureWords(el);
  return "";
}

function labelsAreSeen(el: Element, from: From): boolean {
  if (from === "labelledby") return referenced(el, "aria-labelledby").some(isVisible);
  return from !== "label" || labelsOf(el).some(isVisible);
}

/** Whether the name is there, but a person cannot see it. */
export function isUnseen(el: Element, role: string, name: string): boolean {
  if (name === "") return false;
  if (role === "img") return true;
  const { from } = namedBy(el);
  if (isFieldRole(role)) {
    if (from === "aria" || from === "title") return !hasAttribute(el, "placeholder");
    return !labelsAreSeen(el, from);
  }
  if (isInput(el)) return inputField.type(el) === "image";
  return visibleWords(el, 1) === "";
}

/** Where a link goes, when its words do not tell: elsewhere, or named by nothing. */
function urlOf(el: Element, name: string, around: Around): string | undefined {
  if (namespaceURI(el) !== HTML || !hasAttribute(el, "href") || around.inFold) return undefined;
  if (localName(el) !== "a" && localName(el) !== "area") return undefined;
  const raw = (getAttribute(el, "href") ?? "").trim();
  if (raw === "" || raw.startsWith("#") || /^javascript:/i.test(raw)) return undefined;
  const href = hrefOf(el);
  if (SAYS_NOTHING.test(name)) return href;
  if (/^https?:/i.test(href)) return isElsewhere(href) ? href : undefined;
  if (href.startsWith(`${location.protocol}//`)) return undefined;
  return name !== "" && href.includes(name) ? undefined : href;
}

const offered = new WeakMap<Line, string>();

/** In an item with several parts the address tells which thing it is; alone the words do. */
function offerUrl(node: Line, el: Element): void {
  const raw = getAttribute(el, "href") ?? "";
  if (namespaceURI(el) !== HTML || !/^(?:https?:|[^#:]+$|\/)/i.test(raw)) return;
  offered.set(node, hrefOf(el));
}

/** Prints the addresses of links that stand directly in an item of several parts. */
export function takeUrls(children: Line[]): void {
  for (const child of children) {
    const url = offered.get(child);
    if (url !== undefined) child.url = url;
  }
}

function isElsewhere(href: string): boolean {
  try {
    return new URL(href).host !== location.host;
  } catch {
    return false;
  }
}

/** The line of something that can be acted on. */
export function actingLine(walk: Walk, el: Element, around: Around): Line {
  const role = shownRole(el) || localName(el);
  const name = printedName(el, role);
  const node = lineOf(el, role, name);
  node.acts = true;
  const states = withoutDouble(statesOf(el), role, name);
  if (states.length > 0) node.states = states;
  const url = role === "link" ? urlOf(el, name, around) : undefined;
  if (url) node.url = url;
  else if (role === "link" && around.inItem && !around.inFold) offerUrl(node, el);
  const isFaint = around.faint && !isFieldRole(role);
  if (name !== "" && (isFaint || isUnseen(el, role, name))) node.unseen = true;
  if (states.some((state) => state.k === "description" || state.k === "invalid")) {
    for (const id of ["aria-describedby", "aria-errormessage"]) {
      for (const source of referenced(el, id)) walk.told.add(source);
    }
  }
  return walk.spend(node);
}

/** A value that its name says already is no news. */
function withoutDouble(states: State[], role: string, name: string): State[] {
  if (role !== "combobox" && role !== "clickable") return states;
  return states.filter((state) => state.k !== "value" || state.v !== name);
}

/** The line of a part of the page's structure. */
export function structureLine(walk: Walk, el: Element, role: string, name: string): Line {
  const node = lineOf(el, role, name);
  const states = statesOf(el).filter((state) => state.k !== "value" || shownValue(el) !== "");
  if (states.length > 0) node.states = states;
  if (reasonOf(el) !== "") node.acts = true;
  return walk.spend(node);
}

/** Words inside that gave the element its name are not said twice. */
export function tellName(walk: Walk, el: Element): void {
  if (namedBy(el).from !== "labelledby") return;
  for (const source of referenced(el, "aria-labelledby")) {
    const isPart = contains(el, source) && querySelector(source, CONTROLS) === null;
    if (isPart && source !== el) walk.told.add(source);
  }
}

/** Name of a structural element; landmarks and groups are never named by their content. */
export function structureName(el: Element): string {
  return squash(nameOf(el));
}
