//! Whether a person can see an element: rendered, not faded out, not clipped away, not off the page.
//!
//! `checkVisibility` is asked first, since it is far cheaper than computed style. Text behind other
//! elements still counts as seen: covers are the acting half's concern.

import {
  checkVisibility,
  documentElement,
  getAttribute,
  getBoundingClientRect,
  HTML,
  hasAttribute,
  isElement,
  localName,
  namespaceURI,
  openShadowRoot,
  querySelector,
  scrollLeft,
  scrollTop,
} from "./dom.ts";
import { perWalk, styleOf } from "./reading.ts";
import { flatChildren, flatParent } from "./shadow.ts";

/**
 * How an element looks on its own account.
 * - `gone`: neither it nor anything inside can be seen.
 * - `bare`: it has no box or is invisible itself; what is inside may be seen.
 * - `faint`: see-through, but a press would reach it.
 * - `seen`: as usual.
 */
export type Look = "gone" | "bare" | "faint" | "seen";

const RENDERED: CheckVisibilityOptions = {};
const SHOWN: CheckVisibilityOptions = { visibilityProperty: true };
/** A box at most this large in one direction shows no words. */
const SPECK_PX = 1;

/** `clip` and `clip-path` that leave nothing: how words are hidden for screen readers only. */
function isClippedAway(style: CSSStyleDeclaration): boolean {
  const clip = style.clip;
  if (clip !== "auto" && clip !== "") {
    const sides = clip.match(/-?[\d.]+/g)?.map(Number);
    if (sides?.length === 4) {
      const [top = 0, right = 0, bottom = 0, left = 0] = sides;
      if (right - left <= SPECK_PX || bottom - top <= SPECK_PX) return true;
    }
  }
  const path = style.clipPath;
  if (path === "none" || path === "") return false;
  const inset = /^inset\((\d+(?:\.\d+)?)%/.exec(path);
  if (inset && Number(inset[1]) >= 50) return true;
  return (
    /^(?:circle|ellipse)\(0(?:px|%)?[ )]/.test(path) ||
    /^polygon\(0(?:px|%)? 0(?:px|%)?, 0(?:px|%)? 0(?:px|%)?/.test(path)
  );
}

/** Beyond where any scrolling could bring it. */
function isOffPage(rect: DOMRect, style: CSSStyleDeclaration): boolean {
  if (style.position === "fixed") {
    return (
      rect.right <= 0 ||
      rect.bottom <= 0 ||
      rect.left >= window.innerWidth ||
      rect.top >= window.innerHeight
    );
  }
  return (
    rect.bottom + window.scrollY <= 0 || (rect.right + window.scrollX <= 0 && !isRightToLeft())
  );
}

/** There the page scrolls to negative positions. */
function isRightToLeft(): boolean {
  const top = documentElement(document);
  return top !== null && styleOf(top).direction === "rtl";
}

/** Rows above the part of a list that is scrolled into view are off the page, but within reach. */
function isScrolledAway(el: Element): boolean {
  for (let at = flatParent(el); at && !isBodyLike(at); at = flatParent(at)) {
    if (scrollTop(at) !== 0 || scrollLeft(at) !== 0) return true;
  }
  return false;
}

function hidesOverflow(style: CSSStyleDeclaration): boolean {
  return style.overflowX !== "visible" && style.overflowX !== "";
}

function lookOf(el: Element): Look {
  if (!checkVisibility(el, SHOWN)) {
    // No box of its own: slots and `display: contents` still show what is in them.
    if (checkVisibility(el, RENDERED)) return "bare";
    return styleOf(el).display === "contents" ? "bare" : "gone";
  }
  if (hasAttribute(el, "inert")) return "gone";
  const style = styleOf(el);
  if (namespaceURI(el) !== HTML) return style.opacity === "0" ? "gone" : "seen";
  const isOut = style.position === "absolute" || style.position === "fixed";
  // Closed menus are often shrunk to nothing.
  if (style.transform !== "none" && isSpeck(getBoundingClientRect(el))) return "gone";
  if (isOut || hidesOverflow(style)) {
    if (isOut && isClippedAway(style)) return "gone";
    const rect = getBoundingClientRect(el);
    if (isOut && isOffPage(rect, style) && !isBodyLike(el) && !isScrolledAway(el)) return "gone";
    if (hidesOverflow(style) && isSpeck(rect) && !isBodyLike(el)) return "gone";
  }
  if (style.opacity === "0") return style.pointerEvents === "none" ? "gone" : "faint";
  return "seen";
}

function isSpeck(rect: DOMRect): boolean {
  return rect.width <= SPECK_PX || rect.height <= SPECK_PX;
}

function isBodyLike(el: Element): boolean {
  const name = localName(el);
  return name === "body" || name === "html";
}

/** How the element looks; its ancestors are not asked, but for what CSS itself hands down. */
export const look = perWalk(lookOf);

const isInSight = perWalk((el: Element): boolean => {
  const own = look(el);
  if (own === "gone" || own === "faint") return false;
  const parent = flatParent(el);
  return parent === null || isInSight(parent);
});

/** No box, or none with an area, where a box is needed to be seen or pressed. */
function isFlat(el: Element): boolean {
  const rect = getBoundingClientRect(el);
  if (rect.width > 0 && rect.height > 0) return false;
  // Inline and zero-height wrappers show what overflows them.
  return !hasSeenInside(el);
}

function hasSeenInside(el: Element): boolean {
  const range = new Range();
  range.selectNodeContents(el);
  for (const rect of range.getClientRects()) if (rect.width > 0 && rect.height > 0) return true;
  return openShadowRoot(el) !== null;
}

/** Whether a person can see the element, or could after scrolling. */
export function isVisible(el: Element): boolean {
  if (localName(el) === "option" || localName(el) === "optgroup") {
    const parent = flatParent(el);
    return parent !== null && !hasAttribute(el, "hidden") && isVisible(parent);
  }
  if (localName(el) === "area") return isMapShown(el);
  if (!isInSight(el)) return isFaintControl(el);
  if (look(el) === "bare" && styleOf(el).display !== "contents") return false;
  return !isFlat(el);
}

/** An area of an image map is where its picture is. */
function isMapShown(area: Element): boolean {
  const map = flatParent(area);
  const name = map && getAttribute(map, "name");
  const top = documentElement(document);
  if (!name || !top) return false;
  const image = querySelector(top, `img[usemap="#${CSS.escape(name)}"]`);
  return image !== null && isVisible(image);
}

/**
 * Buttons that fade in when the pointer comes near can be pressed all the same. Nothing else that
 * is see-through counts as visible.
 */
function isFaintControl(el: Element): boolean {
  if (!isControlLike(el)) return false;
  for (let at: Element | null = el; at; at = flatParent(at)) if (look(at) === "gone") return false;
  return look(el) !== "bare" && !isSpeck(getBoundingClientRect(el));
}

const CONTROL_TAGS = new Set(["a", "button", "input", "select", "textarea", "summary"]);

function isControlLike(el: Element): boolean {
  if (CONTROL_TAGS.has(localName(el))) return true;
  const role = getAttribute(el, "role");
  return role === "button" || role === "link" || role === "menuitem" || role === "tab";
}

/** Children as rendered, without those that a closed `<details>` or skipped content holds back. */
export function shownChildren(el: Element): Node[] {
  const kids = flatChildren(el);
  if (namespaceURI(el) !== HTML || kids.length === 0) return kids;
  if (localName(el) === "details" && !hasAttribute(el, "open")) {
    const summary = kids.find((kid) => isElement(kid) && localName(kid) === "summary");
    return summary ? [summary] : [];
  }
  return styleOf(el).contentVisibility === "hidden" ? [] : kids;
}

/** Hidden from everybody by CSS or `hidden`: what the accessible name computation calls hidden. */
export const isHidden = perWalk((el: Element): boolean => {
  if (checkVisibility(el, SHOWN)) return false;
  const style = styleOf(el);
  if (style.display === "none" || style.visibility !== "visible") return true;
  if (style.display === "contents") {
    const parent = flatParent(el);
    return parent !== null && isHidden(parent);
  }
  return true;
});
