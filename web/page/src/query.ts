//! The search in an outline: lines that hold every word, with what leads to them.
//!
//! Items of long lists are first judged by their raw text, so that only those that may fit are named.

import type { Node as Line } from "../../wire/page.ts";
import { getAttribute, hasAttribute, localName, querySelectorAll, textContent } from "./dom.ts";
import { isMasked, shownValue } from "./value.ts";

const NAMING = "[aria-label],[title],[alt],[placeholder],[value],input,select,textarea";
const ROLE_WORDS = new Set(
  (
    "button link checkbox radio textbox searchbox combobox spinbutton slider switch tab menuitem " +
    "option row item heading img table list dialog iframe clickable cell form group region"
  ).split(" "),
);
/** Lines that are whole with what is in them. */
const WHOLE = new Set(["row", "item", "article", "paragraph", "option"]);

type Found = { nodes: Line[]; total: number; isCut: boolean };

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ");
}

function lineText(node: Line): string {
  let text = `${node.role} ${node.name ?? ""}`;
  for (const state of node.states ?? []) {
    if (state.k === "value" || state.k === "placeholder" || state.k === "description") {
      text += ` ${state.v}`;
    }
    if (state.k === "options") text += ` ${state.v.join(" ")}`;
  }
  return plain(text);
}

function wholeText(node: Line): string {
  return [lineText(node), ...(node.children ?? []).map(wholeText)].join(" ");
}

function isWordChar(char: string): boolean {
  return /[\p{L}\p{N}]/u.test(char);
}

/** The word stands alone somewhere in the text. */
function hasWhole(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text.charAt(at - 1);
    const after = text.charAt(at + word.length);
    if (!isWordChar(before) && !isWordChar(after)) return true;
  }
  return false;
}

/** A filter for the words of a query: all of them, or any one that tells something. */
export function byWords(query: string[], any = false) {
  const words = query
    .flatMap((part) => plain(part).trim().split(" "))
    .filter((word) => word !== "");
  const telling = words.filter((word) => !ROLE_WORDS.has(word));

  const wanted = any && telling.length > 0 ? telling : words;
  const enough = (test: (word: string) => boolean): boolean =>
    any ? wanted.some(test) : wanted.every(test);

  function mayHold(item: Element): boolean {
    if (any) return true;
    const text = plain(textContent(item) ?? "");
    const missing = telling.filter((word) => !text.includes(word));
    if (missing.length === 0) return true;
    const more = plain(attributeText(item));
    return missing.every((word) => more.includes(word));
  }

  const fits = (text: string): boolean => enough((word) => text.includes(word));
  const fitsWhole = (text: string): boolean => enough((word) => hasWhole(text, word));

  function keep(lines: Line[], chars: number): Found {
    const state = { total: 0, left: chars, isCut: false };
    const whole = pick(lines, fitsWhole, () => false, state);
    const part = pick(lines, fits, fitsWhole, state);
    return { nodes: [...whole, ...part], total: state.total, isCut: state.isCut };
  }

  return { mayHold, keep };
}

type Budget = { total: number; left: number; isCut: boolean };
type Test = (text: string) => boolean;

/** Lines that fit and were not taken before, inside copies of what leads to them. */
function pick(lines: Line[], fits: Test, taken: Test, budget: Budget): Line[] {
  const out: Line[] = [];
  for (const line of lines) {
    const found = pickOne(line, fits, taken, budget);
    if (found) out.push(found);
  }
  return out;
}

function pickOne(line: Line, fits: Test, taken: Test, budget: Budget): Line | null {
  const text = WHOLE.has(line.role) ? wholeText(line) : lineText(line);
  const isWhole = WHOLE.has(line.role) || (line.children?.length ?? 0) <= 12;
  if (fits(text)) {
    if (taken(text)) return isWhole ? null : withInner(line, fits, taken, budget);
    return take(line, budget, isWhole);
  }
  return withInner(line, fits, taken, budget);
}

function take(line: Line, budget: Budget, isWhole: boolean): Line | null {
  budget.total += 1;
  if (budget.left <= 0) {
    budget.isCut = true;
    return null;
  }
  budget.left -= wholeText(line).length;
  if (isWhole) return line;
  const { children, ...alone } = line;
  return children ? { ...alone } : line;
}

function withInner(line: Line, fits: Test, taken: Test, budget: Budget): Line | null {
  if (!line.children) return null;
  const { list } = line;
  if (!list) {
    const children = pick(line.children, fits, taken, budget);
    return children.length === 0 ? null : { ...line, children };
  }
  // What stands before the items is the row of heads.
  const items = line.children.slice(line.children.length - list.shown);
  const children = pickItems(items, fits, taken, budget);
  const [first] = children;
  if (!first) return null;
  const at = list.first + items.indexOf(first);
  return { ...line, list: { ...list, first: at, shown: children.length }, children };
}

/** A repeated item is shown whole, with its controls, when anything in it fits. */
function pickItems(items: Line[], fits: Test, taken: Test, budget: Budget): Line[] {
  const out: Line[] = [];
  for (const item of items) {
    const text = wholeText(item);
    if (!fits(text) || taken(text)) continue;
    const kept = take(item, budget, true);
    if (kept) out.push(kept);
  }
  return out;
}

function attributeText(item: Element): string {
  let text = attributesOf(item);
  for (const el of querySelectorAll(item, NAMING)) text += ` ${attributesOf(el)}`;
  return text;
}

function attributesOf(el: Element): string {
  let text = "";
  for (const name of ["aria-label", "title", "alt", "placeholder"]) {
    if (hasAttribute(el, name)) text += ` ${getAttribute(el, name)}`;
  }
  const tag = localName(el);
  if ((tag === "input" || tag === "select" || tag === "textarea") && !isMasked(el)) {
    text += ` ${shownValue(el)}`;
    if (tag === "input") text += ` ${getAttribute(el, "value") ?? ""}`;
  }
  return text;
}
