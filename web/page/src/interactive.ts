//! Which elements can be acted on, and so get a ref.
//!
//! Listeners that scripts add cannot be seen from here; the pointer cursor, handler attributes and
//! tabindex are what pages show of them.

import {
  checkVisibility,
  childElementCount,
  getAttribute,
  getBoundingClientRect,
  HTML,
  hasAttribute,
  inputField,
  isElement,
  labelControl,
  localName,
  matches,
  namespaceURI,
  querySelector,
  querySelectorAll,
  textContent,
} from "./dom.ts";
import { perWalk, styleOf } from "./reading.ts";
import { roleOf } from "./role.ts";
import { isScrollable } from "./scrollable.ts";
import { flatChildren, flatParent } from "./shadow.ts";
import { isEditingHost } from "./value.ts";

/** Roles of things that take presses or input. */
const WIDGETS = new Set(
  (
    "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio " +
    "scrollbar searchbox slider spinbutton switch tab textbox treeitem"
  ).split(" "),
);
/** Parts of structures that may take presses: tabindex or a pointer tells. */
const REACTING = new Set(
  "row cell gridcell columnheader rowheader listitem article img figure separator".split(" "),
);
const HANDLERS =
  "[onclick],[onmousedown],[onmouseup],[onpointerdown],[onpointerup],[ontouchstart],[ondblclick]," +
  "[draggable=true],[jsaction*=click],[ng-click],[data-ng-click],[v-on\\:click],[x-on\\:click]";
/** What a press on a wrapper would be meant for. */
export const CONTROLS =
  "a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link]," +
  "[role=checkbox],[role=radio],[role=switch],[role=tab],[role=menuitem],[role=option]," +
  "[contenteditable=''],[contenteditable=true]";
const FRAMES = new Set(["iframe", "frame"]);

const HOVER_CHILDREN = 6;
const TINY_PX = 4;

/** Why an element gets a ref. */
export type Reason = "" | "widget" | "clickable" | "scroll" | "frame";

function isHtmlTag(el: Element, name: string): boolean {
  return localName(el) === name && namespaceURI(el) === HTML;
}

/** An iframe or frame element. */
export function isFrame(el: Element): boolean {
  return namespaceURI(el) === HTML && FRAMES.has(localName(el));
}

/** A control by its role or nature. */
export function isWidget(el: Element): boolean {
  const role = roleOf(el);
  if (WIDGETS.has(role)) return !isHtmlTag(el, "option") && !isOptionOfSelect(el);
  if (isHtmlTag(el, "summary")) return true;
  if ((isHtmlTag(el, "video") || isHtmlTag(el, "audio")) && hasAttribute(el, "controls"))
    return true;
  return isEditingHost(el);
}

function isOptionOfSelect(el: Element): boolean {
  return isHtmlTag(el, "option") || isHtmlTag(el, "datalist");
}

function pointsAt(el: Element): boolean {
  return styleOf(el).cursor === "pointer";
}

/** The outermost element of those that show the pointer, and not inside a control. */
function isPointerRoot(el: Element): boolean {
  if (!pointsAt(el)) return false;
  const parent = flatParent(el);
  return parent === null || !pointsAt(parent);
}

const isInControl = perWalk((el: Element): boolean => {
  const parent = flatParent(el);
  if (!parent) return false;
  return isWidget(parent) || isHtmlTag(parent, "label") || isInControl(parent);
});

function isFocusableByTab(el: Element): boolean {
  const index = getAttribute(el, "tabindex");
  return index !== null && Number.parseInt(index, 10) >= 0;
}

/** Hidden radio or checkbox: its label is what a person sees and presses. */
export function standsForControl(label: Element): Element | null {
  if (!isHtmlTag(label, "label")) return null;
  return labelControl(label);
}

/** Guards that catch the tab key have no size. */
function isTiny(el: Element): boolean {
  const rect = getBoundingClientRect(el);
  return rect.width < TINY_PX || rect.height < TINY_PX;
}

function reactsOf(el: Element): boolean {
  const name = localName(el);
  if (name === "body" || name === "html" || name === "label") return false;
  if (matches(el, HANDLERS)) return true;
  const role = roleOf(el);
  if (isPointerRoot(el)) return !isInControl(el);
  if ((role === "listitem" || role === "") && isHoverOpener(el)) return true;
  if (hasAttribute(el, "tabindex")) {
    if (role === "gridcell") return true;
    if (!isFocusableByTab(el)) return false;
    if (REACTING.has(role)) return true;
    if (isTiny(el)) return false;
    // Wrappers that only take focus for the keyboard are no buttons.
    return (
      role === "" && !isInControl(el) && querySelector(el, CONTROLS) === null && !isScrollable(el)
    );
  }
  return false;
}

/** Why the element gets a ref; '' when it gets none. */
export const reasonOf = perWalk((el: Element): Reason => {
  if (isFrame(el)) return "frame";
  if (isWidget(el))
    return isHtmlTag(el, "input") && inputField.type(el) === "hidden" ? "" : "widget";
  if (reactsOf(el)) return "clickable";
  return isScrollable(el) ? "scroll" : "";
});

/** Whether the element can be acted on. */
export function actsOf(el: Element): boolean {
  const reason = reasonOf(el);
  if (reason !== "clickable") return reason !== "";
  return !isMereWrapper(el);
}

/** A pointer `<li>` or `<div>` around exactly one control, and nothing else, is not a thing of its own. */
export function isMereWrapper(el: Element): boolean {
  const found = querySelectorAll(el, CONTROLS);
  if (found.length !== 1) return false;
  const [only] = found;
  return only !== undefined && squashed(el) === squashed(only);
}

function squashed(el: Element): string {
  return (textContent(el) ?? "").replace(/\s+/g, "");
}

/** A submenu that is not shown now, inside something with words: hovering it will probably open it. */
export function opensOnHover(el: Element): boolean {
  if (localName(el) !== "li" && localName(el) !== "div") return false;
  if (childElementCount(el) > HOVER_CHILDREN) return false;
  for (const child of flatChildren(el)) {
    if (!isElement(child) || !matches(child, "ul,ol,menu,[role=menu]")) continue;
    if (styleOf(child).display === "none" && querySelector(child, CONTROLS) !== null) return true;
  }
  return false;
}

/** Words that only open something when the pointer is over them. */
export function isHoverOpener(el: Element): boolean {
  return opensOnHover(el) && !hasSeenControl(el);
}

function hasSeenControl(el: Element): boolean {
  for (const control of querySelectorAll(el, CONTROLS)) if (checkVisibility(control)) return true;
  return false;
}
