//! Every tree of a document: itself and the shadow roots in it, open and closed, at any depth.

import { isOurs } from "./ours.ts";
import { shadowOf } from "./shadow.ts";

/** A document or shadow root: something with `querySelectorAll` of its own. */
export type Root = Document | ShadowRoot;

/** The tree's own root first, then shadow roots in document order of their hosts. */
export function rootsOf(top: Root | Element): (Root | Element)[] {
  const roots: (Root | Element)[] = [top];
  if (top instanceof Element) addShadow(top, roots);
  for (let at = 0; at < roots.length; at++) {
    const root = roots[at];
    if (!root) break;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) addShadow(node, roots);
    }
  }
  return roots;
}

function addShadow(element: Element, roots: (Root | Element)[]): void {
  const shadow = shadowOf(element);
  if (shadow) roots.push(shadow);
}

/**
 * Every element below `top` in document order, with shadow trees right after their hosts. What is below a
 * closed one is left out.
 */
export function* elementsOf(
  top: Root | Element,
  isClosed?: (el: Element) => boolean,
): Generator<Element> {
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_ELEMENT);
  let node = walker.nextNode();
  while (node) {
    let isOver = false;
    if (node instanceof Element && !isOurs(node)) {
      yield node;
      const shadow = shadowOf(node);
      if (shadow) yield* elementsOf(shadow, isClosed);
      isOver = isClosed?.(node) ?? false;
    }
    node = isOver ? beyond(walker) : walker.nextNode();
  }
}

/** The next node that is not below the current one. */
function beyond(walker: TreeWalker): Node | null {
  for (;;) {
    const next = walker.nextSibling();
    if (next) return next;
    if (!walker.parentNode()) return null;
  }
}
