//! The parts of a card or list item: headings, prices, dates, links, each with a name that the page itself
//! gives it, and that is the same in every card.

import { getAttribute, isElement, isText, localName, querySelector, squash } from "./dom.ts";
import type { Sheet } from "./extract-columns.ts";
import { cellWords, pageAddress } from "./extract-words.ts";
import { isFrame } from "./interactive.ts";
import { styleOf } from "./reading.ts";
import { roleOf } from "./role.ts";
import { flatParent } from "./shadow.ts";
import { SKIPPED } from "./text.ts";
import { look, shownChildren } from "./visible.ts";

/** A value of a card. */
type Part = { key: string; name: string; text: string };

const NAMED_BY = ["itemprop", "data-testid", "data-test", "data-qa", "data-field", "data-name"];
/** Classes that say how something looks. */
const LOOKS =
  /^(?:flex|grid|block|inline|hidden|relative|absolute|sticky|text|font|bg|border|rounded|shadow|items|justify|self|gap|space|col|row|container|wrapper|inner|outer|content|box|cell|left|right|center|top|bottom|small|large|bold|muted|truncate|uppercase|lowercase|capitalize|w|h|p|m|d|mt|mb|ml|mr|mx|my|pt|pb|pl|pr|px|py|ms|me|ps|pe|sr|clearfix|visually|active|first|last|odd|even|clickable|css|sc|jsx|ng|js|is|has)(?:[-_]|$)/i;
const PRICE = /^(?:[^\p{L}\d]{0,4}|[A-Z]{3} ?)\d[\d.,' ]*(?: ?(?:\p{Sc}|[A-Z]{3}|Kč|kr|zł))?$/u;
const IS_MONEY = /\p{Sc}|\b[A-Z]{3}\b|Kč|kr|zł/u;
const CLIMB_MOST = 3;
const PARTS_MOST = 60;

/** Puts one card into the sheet. */
export function cardRow(item: Element, sheet: Sheet): void {
  const values = new Map<number, string>();
  for (const { key, name, text } of new Card(item).parts()) {
    const column = sheet.column(key, name);
    if (column === null || text === "") continue;
    const before = values.get(column);
    values.set(column, before === undefined ? text : `${before}, ${text}`);
  }
  sheet.row(values);
}

class Card {
  private readonly item: Element;
  private readonly found: Part[] = [];
  private readonly links: { name: string; address: string; isHead: boolean }[] = [];

  constructor(item: Element) {
    this.item = item;
  }

  parts(): Part[] {
    this.link(this.item, "item", false);
    if (this.isLeaf(this.item)) this.leaf(this.item, "0");
    else this.open(this.item, "");
    return [...this.found, ...this.addresses()];
  }

  /** The card's own link first, then others that go elsewhere. */
  private addresses(): Part[] {
    const main = this.links.find(({ isHead }) => isHead) ?? this.links[0];
    if (!main) return [];
    const seen = new Set([main.address]);
    const parts: Part[] = [{ key: "@link", name: "link", text: main.address }];
    for (const { name, address } of this.links) {
      if (seen.has(address)) continue;
      seen.add(address);
      parts.push({ key: `@${name}`, name: `${name} link`, text: address });
    }
    return parts;
  }

  private open(el: Element, path: string): void {
    let nth = 0;
    for (const child of shownChildren(el)) {
      if (this.found.length >= PARTS_MOST) return;
      if (isText(child)) {
        const text = squash(child.data);
        if (text !== "" && look(el) === "seen") this.add(el, `${path}#`, text);
      } else if (isElement(child)) {
        nth += 1;
        this.part(child, `${path}/${localName(child)}${nth}`);
      }
    }
  }

  private part(el: Element, path: string): void {
    const own = look(el);
    const tag = localName(el);
    if (own === "gone" || own === "faint" || isFrame(el)) return;
    // What a card offers to do is none of its words.
    if (roleOf(el) === "button") return;
    if (tag === "img") {
      this.picture(el);
      return;
    }
    if (tag !== "input" && tag !== "select" && SKIPPED.has(tag)) return;
    this.link(el, "", false);
    if (this.isLeaf(el)) this.leaf(el, path);
    else this.open(el, path);
  }

  private picture(el: Element): void {
    const text = squash(getAttribute(el, "alt") ?? "");
    if (text !== "") this.found.push({ key: "=image", name: "image", text });
  }

  private leaf(el: Element, path: string): void {
    const inside = querySelector(el, "a[href]");
    for (const picture of el.querySelectorAll("img")) this.picture(picture);
    const text = cellWords(el);
    const name = text === "" ? "" : this.add(el, path, text);
    if (inside && look(inside) !== "gone") this.link(inside, name, isHeading(el));
  }

  private add(el: Element, path: string, text: string): string {
    const told = nameIn(el, this.item);
    const name = told ?? (isPrice(text) ? "price" : el === this.item ? "item" : "text");
    const key = told === null ? `${name}${name === "price" ? "" : path}` : `=${told}`;
    this.found.push({ key, name, text });
    return name;
  }

  private link(el: Element, name: string, isHead: boolean): void {
    if (localName(el) !== "a") return;
    const address = pageAddress(el);
    const inHead = isHead || querySelector(el, "h1,h2,h3,h4,h5,h6,[role=heading]") !== null;
    const called = name || nameIn(el, this.item) || "other";
    if (address !== "") this.links.push({ name: called, address, isHead: inHead });
  }

  /** Whether its words are one value. */
  private isLeaf(el: Element): boolean {
    if (isHeading(el) || localName(el) === "time") return true;
    let words = false;
    let named = 0;
    for (const child of shownChildren(el)) {
      if (isText(child)) words ||= child.data.trim() !== "";
      else if (isElement(child)) {
        if (!isInline(child)) return false;
        if (ownName(child) !== null) named += 1;
        if (roleOf(child) === "button" || localName(child) === "img") return false;
      }
    }
    return words || named < 2;
  }
}

/** Flows with the words around it, and holds nothing that does not. */
function isInline(el: Element): boolean {
  const { display } = styleOf(el);
  if (display !== "inline" && display !== "contents" && localName(el) !== "br") return false;
  return shownChildren(el).every((child) => !isElement(child) || isInline(child));
}

function isHeading(el: Element): boolean {
  return roleOf(el) === "heading";
}

function isPrice(text: string): boolean {
  return text.length < 24 && IS_MONEY.test(text) && PRICE.test(text);
}

/** The name of a part: its own, or that of what is close around it. */
function nameIn(el: Element, item: Element): string | null {
  let at: Element | null = el;
  for (let climb = 0; at && at !== item && climb < CLIMB_MOST; climb += 1, at = flatParent(at)) {
    const name = ownName(at);
    if (name !== null) return name;
  }
  return null;
}

function ownName(el: Element): string | null {
  for (const attribute of NAMED_BY) {
    const told = getAttribute(el, attribute);
    if (told && /^[\w -]{1,40}$/.test(told)) return told;
  }
  if (isHeading(el)) return "title";
  if (localName(el) === "time") return "time";
  for (const word of (getAttribute(el, "class") ?? "").split(/\s+/)) {
    const name = classWord(word);
    if (name !== null) return name;
  }
  return null;
}

/** A class that was written by hand: words of letters, and none that was drawn by a tool. */
function classWord(word: string): string | null {
  const part = word.split("__").at(-1)?.split("--")[0] ?? "";
  if (!/^[a-z]{3,}(?:[-_][a-z]{2,})*$/i.test(part) || LOOKS.test(part)) return null;
  // Without vowels, or with capitals in the middle of nowhere, it is a hash.
  if (!/[aeiouy]/i.test(part) || (part.match(/[a-z][A-Z]/g)?.length ?? 0) > 2) return null;
  return part;
}
