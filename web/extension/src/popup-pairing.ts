//! The popup's part for pairing by code and for forgetting a pairing. Keeps what is being typed while
//! the rest is drawn anew; decides nothing.

import { button, element } from "./dom";
import { PAIR_TYPED_CHARS } from "./limits";
import type { PopupAsk, PopupView } from "./popup-wire";
import { strings } from "./strings";

type Ask = (message: PopupAsk) => void;

const words = strings.pair;

let ask: Ask = () => undefined;
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

const resetOpener = button(words.reset, "quiet", () => showReset(true));
const resetForm = element(
  "section",
  { class: "card pairing", hidden: true, role: "alertdialog", "aria-labelledby": "reset-title" },
  element("div", { id: "reset-title", class: "title" }, words.reset),
  element("p", { class: "note" }, words.resetHint),
  element(
    "div",
    { class: "actions" },
    button(words.resetNo, "plain", () => showReset(false)),
    button(words.resetYes, "plain", () => {
      showReset(false);
      ask({ ask: "forget_pairing" });
    }),
  ),
);
const pairingPart = element("div", { class: "pairing-part" }, opener, form);
const resetPart = element("div", { class: "pairing-part" }, resetOpener, resetForm);

/** The way in for a browser without a helper; nothing while the link stands. */
export function pairing(view: PopupView, asker: Ask): HTMLElement | null {
  ask = asker;
  if (view.link.is === "connected") {
    field.value = "";
    open = false;
    asking = false;
    return null;
  }
  const { pairing: stand } = view;
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
  return pairingPart;
}

/** The way to forget a pairing; nothing where there is none. */
export function resetPairing(view: PopupView, asker: Ask): HTMLElement | null {
  ask = asker;
  return view.link.is === "no_helper" ? null : resetPart;
}

function show(on: boolean): void {
  open = on;
  opener.hidden = on;
  form.hidden = !on;
  if (on) field.focus();
  else opener.focus();
}

function showReset(on: boolean): void {
  resetOpener.hidden = on;
  resetForm.hidden = !on;
}

function send(): void {
  if (submit.disabled) return;
  asking = true;
  outcome.textContent = "";
  ask({ ask: "pair", code: field.value });
}
