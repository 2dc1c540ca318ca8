//! What a dialog hides or shows by `aria-hidden` and `inert` while it opens or closes: the page behind
//! it neither came nor went. Reads the records since the baseline only.

import { getAttribute, hasAttribute, isConnected, isElement } from "./dom.ts";
import { flatParent } from "./shadow.ts";

const VEILS = new Set(["aria-hidden", "inert"]);

/** Elements whose veil changed, and everything that came into the document. */
export class Veils {
  private readonly changed = new Set<Element>();
  private readonly fresh = new Set<Node>();

  constructor(records: readonly MutationRecord[]) {
    for (const record of records) {
      if (record.type === "childList") {
        for (const node of record.addedNodes) this.fresh.add(node);
      } else if (
        record.type === "attributes" &&
        VEILS.has(record.attributeName ?? "") &&
        isElement(record.target) &&
        wasVeiled(record) !== isVeiled(record.target)
      ) {
        this.changed.add(record.target);
      }
    }
  }

  /** Whether the element is there as before, only behind a veil or from behind one. */
  explains(element: Element): boolean {
    if (this.changed.size === 0 || !isConnected(element)) return false;
    for (let at: Element | null = element; at; at = flatParent(at)) {
      if (this.fresh.has(at)) return false;
      if (this.changed.has(at)) return true;
    }
    return false;
  }
}

function wasVeiled(record: MutationRecord): boolean {
  return record.attributeName === "inert" ? record.oldValue !== null : record.oldValue === "true";
}

function isVeiled(element: Element): boolean {
  return getAttribute(element, "aria-hidden") === "true" || hasAttribute(element, "inert");
}
