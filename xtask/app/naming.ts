//! Built only by `cargo xtask field`: the page agent's own answer to "what is this element called",
//! for the corpus of accessible names. Reads nothing else and is never shipped.

import { descriptionOf, nameOf } from "../../web/page/src/name.ts";
import { reading } from "../../web/page/src/reading.ts";
import { roleOf } from "../../web/page/src/role.ts";
import { elementsOf } from "../../web/page/src/roots.ts";

type Facts = { name: string; role: string; description: string };

function facts(selector: string): Facts | null {
  for (const element of elementsOf(document)) {
    if (!element.matches(selector)) continue;
    return reading(() => ({
      name: nameOf(element),
      role: roleOf(element),
      description: descriptionOf(element),
    }));
  }
  return null;
}

(globalThis as { facts?: typeof facts }).facts = facts;
