//! What opens the thing that a hidden element is in, where the page says so.

import { localName, matches, querySelector } from "./dom.ts";
import { opensOnHover } from "./interactive.ts";
import { flatParent } from "./shadow.ts";
import { isVisible } from "./visible.ts";

const CLIMB = 40;

/** A visible element that opens what `hidden` is in; null when nothing tells. */
export function openerOf(hidden: Element): Element | null {
  let at: Element | null = hidden;
  for (let climb = 0; at && climb < CLIMB; climb++) {
    const opener = openerOfThis(at);
    if (opener && opener !== hidden && isVisible(opener)) return opener;
    at = flatParent(at);
  }
  return null;
}

function openerOfThis(element: Element): Element | null {
  const parent = element.parentElement;
  if (parent instanceof HTMLDetailsElement && !parent.open && localName(element) !== "summary") {
    return parent.querySelector("summary");
  }
  const parentOpens = parent && opensOnHover(parent) && isVisible(parent) ? parent : null;
  return byReference(element) ?? besideIt(element) ?? parentOpens;
}

function byReference(element: Element): Element | null {
  if (element.id === "" || typeof element.id !== "string") return null;
  const root = element.getRootNode();
  if (!(root instanceof Document || root instanceof ShadowRoot)) return null;
  const id = CSS.escape(element.id);
  return root.querySelector(
    `[aria-controls~="${id}"],[aria-owns~="${id}"],[popovertarget="${id}"],[commandfor="${id}"],` +
      `[data-bs-target="#${id}"],[data-target="#${id}"],[href="#${id}"][data-toggle],[href="#${id}"][role=tab]`,
  );
}

// A closed menu usually follows the button that says that it has one.
function besideIt(element: Element): Element | null {
  const before = element.previousElementSibling;
  if (!before) return null;
  const says = "[aria-expanded=false],[aria-haspopup]";
  return matches(before, says) ? before : querySelector(before, says);
}
