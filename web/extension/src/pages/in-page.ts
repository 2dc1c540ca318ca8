//! What agents' acts look like in a page: two switches.

import { element, type Piece } from "../dom";
import type { PopupView } from "../popup-wire";
import { strings } from "../strings";
import type { Tell } from "./port";

/** A section with the switches. */
export function inPageSection(view: PopupView, tell: Tell): Piece {
  const { shield, cursor } = view.settings;
  return {
    key: "in-page",
    of: { shield, cursor },
    make: () =>
      element(
        "section",
        {},
        element("h2", {}, strings.inPageTitle),
        element("p", { class: "note" }, strings.inPageHint),
        line("shield", strings.shieldSwitch, shield, true, (on) => tell({ ask: "shield", on })),
        line("cursor", strings.cursorSwitch, cursor && shield, shield, (on) =>
          tell({ ask: "cursor", on }),
        ),
      ),
  };
}

function line(
  key: string,
  words: string,
  on: boolean,
  isAble: boolean,
  set: (on: boolean) => void,
): HTMLElement {
  const id = `${key}-words`;
  const made = element("button", {
    type: "button",
    class: "switch",
    role: "switch",
    "data-key": key,
    "aria-checked": String(on),
    "aria-labelledby": id,
  });
  made.disabled = !isAble;
  made.addEventListener("click", () => set(!on));
  return element("div", { class: "card line" }, element("span", { id }, words), made);
}
