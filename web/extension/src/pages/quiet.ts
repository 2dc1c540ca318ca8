//! The line about an agent that asked too often and is denied for a while.

import { element, type Piece } from "../dom";
import type { Quiet } from "../popup-wire";
import { strings } from "../strings";
import { shown } from "../text";

/** One line. */
export function quietSection(quiet: Quiet): Piece {
  const asker = shown(quiet.asker.replace(/^client /, ""), 40);
  return {
    key: `quiet ${quiet.asker}`,
    of: quiet.denied,
    make: () => element("p", { class: "note", role: "status" }, strings.quiet(asker, quiet.denied)),
  };
}
