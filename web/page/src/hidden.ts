//! The failure of an element that cannot be seen, with what opens it.

import { Fault } from "./fault.ts";
import { openerOf } from "./opener.ts";
import { described } from "./target.ts";

/** `ELEMENT_HIDDEN`, with the opener where the page tells it. */
export function hiddenFault(element: Element): Fault {
  const opener = openerOf(element);
  const others = opener ? [described(opener)] : [];
  return new Fault("ELEMENT_HIDDEN", "it is not visible", described(element), others);
}
