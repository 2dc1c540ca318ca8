//! The flat tree: shadow roots, open and closed, and what is slotted into them.
//!
//! Closed roots need an extension API that costs microseconds a call, throws for what is not HTML,
//! and is missing outside extensions. So it is asked only where a closed root is likely.

import {
  assignedNodes,
  assignedSlot,
  checkVisibility,
  childNodes,
  firstChild,
  getAttribute,
  HTML,
  isElement,
  isShadowRoot,
  isText,
  localName,
  namespaceURI,
  nextSibling,
  openShadowRoot,
  parentNode,
  querySelectorAll,
  shadowHost,
} from "./dom.ts";
import { isOurs } from "./ours.ts";
import { perWalk } from "./reading.ts";

type Probe = (el: HTMLElement) => ShadowRoot | null;

/** Elements that may carry a shadow root without being custom elements. */
const ATTACHABLE = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(
    " ",
  ),
);

/** Of those, the ones that pages have thousands of: probed only where they seem empty. */
const MANY = new Set(["div", "p", "span"]);

function findProbe(): Probe | null {
  const dom = typeof chrome === "undefined" ? undefined : chrome.dom;
  if (typeof dom?.openOrClosedShadowRoot !== "function") return null;
  return (el) => (dom.openOrClosedShadowRoot(el) as ShadowRoot | null) ?? null;
}

const probe = findProbe();
/** A root once attached stays for the element's life. */
const found = new WeakMap<Element, ShadowRoot>();

/** The first few children tell: a closed root without slots leaves all of them without a box. */
function hasRenderedLightChild(el: Element): boolean {
  let looked = 0;
  for (let at = firstChild(el); at && looked < 4; at = nextSibling(at)) {
    if (isText(at)) {
      if (at.data.trim() !== "") return true;
    } else if (isElement(at)) {
      looked += 1;
      if (checkVisibility(at)) return true;
    }
  }
  return false;
}

const closedRootOf = perWalk((el: Element): ShadowRoot | null => {
  const known = found.get(el);
  if (known) return known;
  if (!probe || namespaceURI(el) !== HTML || isOurs(el)) return null;
  const name = localName(el);
  const likely =
    name.includes("-") || (ATTACHABLE.has(name) && (!MANY.has(name) || !hasRenderedLightChild(el)));
  if (!likely) return null;
  try {
    const root = probe(el as HTMLElement);
    if (root) found.set(el, root);
    return root;
  } catch {
    return null;
  }
});

/** The element's shadow root, also a closed one. */
export function shadowOf(el: Element): ShadowRoot | null {
  const open = openShadowRoot(el);
  if (open) return open;
  const name = localName(el);
  return ATTACHABLE.has(name) || name.includes("-") ? closedRootOf(el) : null;
}

/** Children as they are rendered. */
export function flatChildren(node: Node): Node[] {
  if (!isElement(node)) return childNodes(node);
  const root = shadowOf(node);
  if (root) return childNodes(root);
  if (localName(node) === "slot" && namespaceURI(node) === HTML) {
    const given = assignedNodes(node);
    if (given.length > 0) return given;
  }
  return childNodes(node);
}

/** A closed root hides the slot from its light children, so it is looked up by name. */
function slotInClosedRoot(node: Node, host: Element): Element | null {
  const root = openShadowRoot(host) ? null : closedRootOf(host);
  if (!root) return null;
  const wanted = isElement(node) ? (getAttribute(node, "slot") ?? "") : "";
  for (const slot of childNodes(root).flatMap((child) =>
    isElement(child) ? [child, ...querySelectorAll(child, "slot")] : [],
  )) {
    if (localName(slot) === "slot" && (getAttribute(slot, "name") ?? "") === wanted) return slot;
  }
  return null;
}

/** The parent as rendered: the slot, the host, or the parent element; null at the document. */
export function flatParent(node: Node): Element | null {
  const slot = assignedSlot(node);
  if (slot) return slot;
  const parent = parentNode(node);
  if (!parent) return null;
  if (isShadowRoot(parent)) return shadowHost(parent);
  if (!isElement(parent)) return null;
  return slotInClosedRoot(node, parent) ?? parent;
}

/** The nearest flat ancestor, from the element itself on, that fits. */
export function flatClosest(el: Element, fits: (at: Element) => boolean): Element | null {
  for (let at: Element | null = el; at; at = flatParent(at)) if (fits(at)) return at;
  return null;
}
