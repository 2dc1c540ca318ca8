//! Whether a press may cost money: by what a control is called, and by card fields of its form. A guess
//! that errs to the careful side; who asks the user for it says so.

import { getAttribute, localName } from "./dom.ts";

/** What a person presses. */
const PRESSED = new Set(["button", "link", "menuitem", "clickable"]);

const WORDS = [
  // English
  "pay",
  "pays?\\p{L}* now",
  "buy",
  "purchase",
  "donate",
  "subscribe",
  "transfer",
  "send money",
  "payment",
  "(?:place|complete|confirm|submit)(?: (?:the|my|your))? order",
  "order now",
  // German, Dutch
  "(?:be)?zahlen",
  "zahlungspflichtig",
  "kaufen",
  "bestellen",
  "überweisen",
  "spenden",
  "betalen",
  "kopen",
  // French, Spanish, Portuguese, Italian
  "payer",
  "acheter",
  "commander",
  "pagar",
  "comprar",
  "paga",
  "acquista",
  // Polish, Russian
  "zapłać",
  "kup",
  "оплатить",
  "купить",
];
const NAMED = new RegExp(`(?<!\\p{L})(?:${WORDS.join("|")})(?!\\p{L})`, "iu");
/** Languages without gaps between words. */
const UNSPACED = /購入|支払|注文を確定|支付|购买|付款|結帳|결제|구매/;

const CARD_NAME = /card.?num|cc.?num|cardnumber|\bcvv\b|\bcvc\b|\biban\b/i;
const FIELDS = 60;

/** Whether it may cost money to press it, or to send its form. */
export function pays(element: Element, role: string, name: string): boolean {
  if (PRESSED.has(role) && (NAMED.test(name) || UNSPACED.test(name))) return true;
  const form = element.closest("form");
  return form !== null && takesCards(form);
}

function takesCards(form: Element): boolean {
  return Array.from(form.querySelectorAll("input,select"))
    .slice(0, FIELDS)
    .some((field) => {
      const fills = getAttribute(field, "autocomplete") ?? "";
      if (/(?:^|\s)cc-/.test(fills.toLowerCase())) return true;
      if (localName(field) !== "input") return false;
      return CARD_NAME.test(
        `${getAttribute(field, "name") ?? ""} ${getAttribute(field, "id") ?? ""}`,
      );
    });
}
