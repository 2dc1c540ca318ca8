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

/** Every element below `top` in document order, with shadow trees right after their hosts. */
export function* elementsOf(top: Root | Element): Generator<Element> {
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Element) || isOurs(node)) continue;
    yield node;
    const shadow = shadowOf(node);
    if (shadow) yield* elementsOf(shadow);
  }
}
