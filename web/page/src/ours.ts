//! What of this document is not the page's: the shield. Known by identity, so that nothing that a page
//! could copy hides anything of its own.

import { world } from "./world.ts";

/** Whether a node is the element that the shield is in. */
export function isOurs(node: unknown): boolean {
  const host = world().__pillionShield?.host;
  return host !== null && host !== undefined && node === host;
}

/** Whether a change of the document is nothing but the shield's coming, going or looks. */
export function isOurChange(record: MutationRecord): boolean {
  if (isOurs(record.target)) return true;
  if (record.type !== "childList") return false;
  const nodes = [...record.addedNodes, ...record.removedNodes];
  return nodes.length > 0 && nodes.every((node) => world().__pillionShield?.was(node) === true);
}

/** The shield's button lets presses through for a moment. */
export function stepAside(): void {
  world().__pillionShield?.stepAside();
}
