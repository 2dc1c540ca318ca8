//! The popup's part for pairing by code. Keeps what is being typed while
//! the rest is drawn anew; decides nothing.

import { button, element, type Piece } from "./dom";
import { PAIR_TYPED_CHARS } from "./limits";
import type { Tell } from "./pages/port";
import type { PairingView } from "./pairing";
import type { PopupView } from "./popup-wire";
import { strings } from "./strings";

const words = strings.pair;

let ask: Tell = () => undefined;
/** The form is open. */
let open = false;
/** What was typed was sent: the field is cleared when it paired. */
let asking = false;

const field = element("input", {
  id: "pair-code",
  type: "text",
  class: "code",
  placeholder: words.example,
  maxlength: String(PAIR_TYPED_CHARS),
  autocomplete: "off",
  autocapitalize: "characters",
  spellcheck: "false",
  "aria-describedby": "pair-hint pair-outcome",
});
const submit = button(words.submit, "primary", send);
const outcome = element("p", { id: "pair-outcome", class: "note outcome", role: "alert" });
const opener = button(words.open, "quiet", () => show(true));
const form = element(
  "section",
  { class: "card pairing", "aria-labelledby": "pair-title" },
  element("label", { id: "pair-title", class: "title", for: "pair-code" }, words.title),
  element("p", { id: "pair-hint", class: "note" }, words.hint),
  field,
  outcome,
  element(
    "div",
    { class: "actions" },
    button(words.cancel, "plain", () => show(false)),
    submit,
  ),
);
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") send();
});

const pairingPart = element("div", { class: "pairing-part" }, opener, form);

/** The way in for a browser without a helper; nothing while the link stands. */
export function pairingSection(view: PopupView, tell: Tell): Piece | null {
  ask = tell;
  if (view.link.is === "connected") {
    field.value = "";
    open = false;
    asking = false;
    return null;
  }
  draw(view.pairing);
  // One element for good: what is being typed stays.
  return { key: "pairing", of: null, make: () => pairingPart };
}

function draw(stand: PairingView): void {
  const trying = stand.is === "trying";
  if (trying) asking = true;
  submit.disabled = trying;
  submit.textContent = trying ? words.trying : words.submit;
  field.readOnly = trying;
  // An outcome of an earlier popup is no answer to what is typed in this one.
  const failed = stand.is === "failed" && asking ? words.unpaired[stand.why] : "";
  if (outcome.textContent !== failed) outcome.textContent = failed;
  field.setAttribute("aria-invalid", String(failed !== ""));
  opener.hidden = open;
  form.hidden = !open;
}

function show(on: boolean): void {
  open = on;
  opener.hidden = on;
  form.hidden = !on;
  if (on) field.focus();
  else opener.focus();
}

function send(): void {
  if (submit.disabled) return;
  asking = true;
  outcome.textContent = "";
  ask({ ask: "pair", code: field.value });
}
