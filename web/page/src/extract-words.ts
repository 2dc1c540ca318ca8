//! The words of one cell: what a reader sees there, what its fields show, what its pictures say.

import {
  firstElementChild,
  hasAttribute,
  hrefOf,
  inputField,
  isHtml,
  localName,
  querySelectorAll,
} from "./dom.ts";
import { lineOfText } from "./text.ts";
import { isInput, shownValue } from "./value.ts";
import { look } from "./visible.ts";
import { pictureWords } from "./words-of.ts";

const WORDS_MOST = 4_000;
const URL_MOST = 2_000;
const FIELDS = "input,select,textarea,progress,meter";
const FIELD_TAGS = new Set(FIELDS.split(","));

/** What a reader reads in a cell. */
export function cellWords(cell: Element): string {
  // Most cells of large tables hold nothing but words.
  if (firstElementChild(cell) === null && !isField(cell)) {
    return lineOfText(cell).slice(0, WORDS_MOST);
  }
  const words = [lineOfText(cell), ...fieldWords(cell)].filter((word) => word !== "");
  return (words.join(" ") || pictureWords(cell)).slice(0, WORDS_MOST);
}

function isField(el: Element): boolean {
  return isHtml(el) && FIELD_TAGS.has(localName(el));
}

function fieldWords(cell: Element): string[] {
  const own = isField(cell) ? [cell] : [];
  return [...own, ...querySelectorAll(cell, FIELDS)].map((field) => {
    if (look(field) === "gone") return "";
    const type = isInput(field) ? inputField.type(field) : "";
    if (type === "checkbox" || type === "radio") return inputField.checked(field) ? "yes" : "no";
    return shownValue(field);
  });
}

/** Where a link goes, when that is a page. */
export function pageAddress(link: Element): string {
  if (!isHtml(link) || !hasAttribute(link, "href")) return "";
  const href = hrefOf(link);
  return /^https?:/.test(href) && href.length <= URL_MOST ? href : "";
}

/** The address of the only link inside. */
export function onlyAddress(cell: Element): string {
  if (firstElementChild(cell) === null) return "";
  const links = querySelectorAll(cell, "a[href]");
  const [link] = links;
  return link && links.length === 1 && look(link) !== "gone" ? pageAddress(link) : "";
}
