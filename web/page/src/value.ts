//! What a field holds, as far as it may be told: passwords and one-time codes never are.

import {
  areaField,
  getAttribute,
  HTML,
  inputField,
  isContentEditable,
  localName,
  namespaceURI,
  optionText,
  selectField,
  squash,
} from "./dom.ts";
import { styleOf } from "./reading.ts";
import { roleOf } from "./role.ts";
import { holdsSecret } from "./secret-fields.ts";
import { visibleWords } from "./words-of.ts";

/** Names of fields for codes that are used once; `type` tells only of passwords. */
const CODE_NAME =
  /one[-_ ]?time[-_ ]?(?:code|pass)|(?:^|[^a-z])(?:otp|totp|2fa|mfa|cvc|cvv|csc)(?:[^a-z]|$)/i;
/** A password that is shown on request is typed into a plain text box. */
const PASSWORD_NAME = /passw(?:or)?d|passcode|passphrase/i;
/** "E-mail for the new password" is no secret. */
const NO_PASSWORD = /mail|hint|search|forgot/i;
/** Types in which a secret is typed openly; an e-mail address or a date never is one. */
const OPEN_TYPES = new Set(["text", "tel", "number"]);
const SECRET_AUTOCOMPLETE = /\b(?:current-password|new-password|one-time-code|cc-csc)\b/;
/** Types whose value is no text that was typed. */
const UNTYPED = new Set([
  "checkbox",
  "radio",
  "submit",
  "button",
  "reset",
  "image",
  "hidden",
  "file",
]);
export const VALUE_CHARS = 200;

export function isInput(el: Element): boolean {
  return localName(el) === "input" && namespaceURI(el) === HTML;
}

function isSecretName(words: string): boolean {
  return CODE_NAME.test(words) || (PASSWORD_NAME.test(words) && !NO_PASSWORD.test(words));
}

/** A password, one-time code or card check number, also while "show password" is on. */
export function isMasked(el: Element): boolean {
  if (namespaceURI(el) !== HTML) return false;
  if (holdsSecret(el)) return true;
  const isArea = localName(el) === "textarea";
  if (!isArea && !isInput(el)) return false;
  if (!isArea) {
    const type = inputField.type(el);
    if (type === "password") return true;
    if (UNTYPED.has(type)) return false;
  }
  if (SECRET_AUTOCOMPLETE.test((getAttribute(el, "autocomplete") ?? "").toLowerCase())) return true;
  if (!isArea && OPEN_TYPES.has(inputField.type(el))) {
    for (const name of ["name", "id", "aria-label"]) {
      const words = getAttribute(el, name);
      if (words && isSecretName(words)) return true;
    }
  }
  const security = styleOf(el).getPropertyValue("-webkit-text-security");
  return security !== "" && security !== "none";
}

/** Characters in a masked field. */
export function maskedLength(el: Element): number {
  return localName(el) === "textarea" ? areaField.value(el).length : inputField.value(el).length;
}

/** Whether the page's user can write in it, without it being a form field. */
export function isEditingHost(el: Element): boolean {
  // A whole document in design mode: the frames of older editors.
  if (localName(el) === "body" && namespaceURI(el) === HTML && isContentEditable(el)) return true;
  const editable = getAttribute(el, "contenteditable");
  return (
    editable !== null &&
    editable.toLowerCase() !== "false" &&
    namespaceURI(el) === HTML &&
    isContentEditable(el)
  );
}

function selectedWords(select: Element): string {
  return Array.from(selectField.selected(select), (option) => squash(optionText(option))).join(
    ", ",
  );
}

/** What it shows; '' for what is masked or shows nothing. */
export function shownValue(el: Element): string {
  if (namespaceURI(el) === HTML) {
    switch (localName(el)) {
      case "input":
        if (isMasked(el) || UNTYPED.has(inputField.type(el))) return "";
        return inputField.value(el);
      case "textarea":
        return isMasked(el) ? "" : areaField.value(el);
      case "select":
        return selectedWords(el);
      case "progress":
      case "meter":
        return getAttribute(el, "value") ?? "";
    }
  }
  const text = getAttribute(el, "aria-valuetext") ?? getAttribute(el, "aria-valuenow");
  if (text !== null) return squash(text);
  return writtenWords(el);
}

/** Editable boxes and widgets that show a choice as text. */
function writtenWords(el: Element): string {
  const role = roleOf(el);
  if (role === "listbox") return "";
  if (role === "combobox" || role === "textbox" || role === "searchbox" || isEditingHost(el)) {
    return visibleWords(el, VALUE_CHARS);
  }
  return "";
}
