//! What was allowed for longer than one use: agents on sites, for a session or for good, and secrets.
//! Each can be taken back, and it is only ever given in a prompt.

import type { Leave } from "../approvals";
import { button, element, type Piece, said } from "../dom";
import type { PopupView } from "../popup-wire";
import type { SecretLeave } from "../secret-leave";
import { strings } from "../strings";
import { shown } from "../text";
import type { Tell } from "./port";
import { siteName } from "./prompts";

const NAME_CHARS = 40;
const FIELD_CHARS = 80;

/** Agents that act on sites without being asked each time. Nothing at all while there are none. */
export function leavesSection(view: PopupView, tell: Tell): Piece {
  return {
    key: "leaves",
    of: view.leaves,
    make: () =>
      section(
        "leaves-title",
        strings.leavesTitle,
        strings.leavesHint,
        strings.noLeaves,
        view.leaves.map((leave) => ofAgent(leave, tell)),
      ),
  };
}

/** Where secrets may go, beside password fields of their first sites. */
export function secretLeavesSection(view: PopupView, tell: Tell): Piece {
  return {
    key: "secret-leaves",
    of: view.secretLeaves,
    make: () =>
      section(
        "secret-leaves-title",
        strings.secretLeavesTitle,
        strings.secretLeavesHint,
        strings.noSecretLeaves,
        view.secretLeaves.map((leave) => ofSecret(leave, tell)),
      ),
  };
}

function section(
  id: string,
  title: string,
  hint: string,
  none: string,
  rows: readonly HTMLElement[],
): HTMLElement {
  return element(
    "section",
    {},
    element("h2", { id }, title),
    element("p", { class: "note" }, hint),
    rows.length === 0
      ? element("p", { class: "empty" }, none)
      : element("ul", { class: "card rows", "aria-labelledby": id }, ...rows),
  );
}

function ofAgent({ key, for: how, client, origin, kind }: Leave, tell: Tell): HTMLElement {
  const what = how === "site" ? strings.leaveFor.site : strings.leaveFor[kind];
  const take = () => tell({ ask: "revoke", key });
  return element(
    "li",
    { "data-leave": how },
    element(
      "div",
      { class: "words" },
      element("div", { class: "name" }, said(client, NAME_CHARS)),
      element("div", { class: "place" }, siteName(origin)),
    ),
    element("span", { class: "holder" }, what),
    button(strings.takeLeave, "plain", take, strings.takeLeaveOf(shown(client, NAME_CHARS))),
  );
}

function ofSecret({ key, secret, origin, field }: SecretLeave, tell: Tell): HTMLElement {
  const take = () => tell({ ask: "revoke_secret", key });
  return element(
    "li",
    { "data-leave": "secret" },
    element(
      "div",
      { class: "words" },
      element("div", { class: "name" }, said(secret, NAME_CHARS)),
      element("div", { class: "place" }, siteName(origin)),
    ),
    element(
      "span",
      { class: "holder" },
      field === null ? strings.secretSite : said(strings.secretField(field), FIELD_CHARS),
    ),
    button(strings.takeLeave, "plain", take, strings.takeLeaveOf(shown(secret, NAME_CHARS))),
  );
}
