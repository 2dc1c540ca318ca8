//! The agents that the user decided about for good, in the settings.

import type { Contact } from "../contacts";
import { button, element, type Piece, said } from "../dom";
import type { PopupView } from "../popup-wire";
import { strings } from "../strings";
import { shown } from "../text";
import type { Tell } from "./port";

const NAME_CHARS = 60;
const PROGRAM_CHARS = 120;

/** Who is let in and who is kept out; to forget one is to be asked anew. */
export function contactsSection(view: PopupView, tell: Tell): Piece {
  return {
    key: "contacts",
    of: view.contacts,
    make: () =>
      element(
        "section",
        {},
        element("h2", { id: "contacts-title" }, strings.contactsTitle),
        element("p", { class: "note" }, strings.contactsHint),
        view.contacts.length === 0
          ? element("p", { class: "empty" }, strings.noContacts)
          : element(
              "ul",
              { class: "card rows", "aria-labelledby": "contacts-title" },
              ...view.contacts.map((contact) => row(contact, tell)),
            ),
      ),
  };
}

function row({ client, program, answer }: Contact, tell: Tell): HTMLElement {
  return element(
    "li",
    {},
    element(
      "div",
      { class: "words" },
      element("div", { class: "name" }, said(client, NAME_CHARS)),
      element("div", { class: "place" }, said(program, PROGRAM_CHARS)),
    ),
    element("span", { class: "holder" }, strings.contactAnswer[answer]),
    button(
      strings.forget,
      "plain",
      () => tell({ ask: "forget_contact", client, program }),
      strings.forgetContact(shown(client, NAME_CHARS)),
    ),
  );
}
