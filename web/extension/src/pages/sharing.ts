//! Which tabs agents may use: the choice of the profile.

import { choice, element, type Piece } from "../dom";
import type { PopupView } from "../popup-wire";
import type { Sharing } from "../settings";
import { strings } from "../strings";
import type { Tell } from "./port";

const SHARINGS: readonly Sharing[] = ["chosen", "every", "paused"];

/** A line with the choice. */
export function sharingSection(view: PopupView, tell: Tell): Piece {
  const now = view.settings.sharing;
  return {
    key: "sharing",
    of: now,
    make: () =>
      element(
        "section",
        { class: "card line" },
        element("label", { for: "sharing" }, strings.sharing),
        choice(
          { id: "sharing", "data-key": "sharing" },
          SHARINGS,
          strings.sharingChoices,
          now,
          (sharing) => tell({ ask: "sharing", sharing }),
        ),
      ),
  };
}
