//! What a reader sees, in reading order, as plain text. Nothing hidden, no values of fields, no
//! names: only words on the page.

import type { TextPart } from "../../wire/page.ts";
import {
  documentElement,
  getBoundingClientRect,
  HTML,
  isElement,
  isText,
  localName,
  namespaceURI,
  squash,
} from "./dom.ts";
import { tokenOf } from "./frames.ts";
import { isFrame } from "./interactive.ts";
import { isReadable } from "./readable.ts";
import { reading, styleOf } from "./reading.ts";
import { look, shownChildren } from "./visible.ts";

/** What has no words of its own that a reader sees. */
export const SKIPPED = new Set(
  "script style template noscript head select datalist textarea input canvas video audio object embed meter progress".split(
    " ",
  ),
);
const SPACED = new Set([
  "p",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "ul",
  "ol",
  "table",
  "blockquote",
  "pre",
  "section",
  "article",
]);
const FRAME_LEAST_PX = 10;

/** Gathers words and keeps the breaks between them apart until words follow. */
class Writer {
  readonly parts: TextPart[] = [];
  private text = "";
  private breaks = 0;
  private gap = "";
  private tabs = 0;

  line(count: number): void {
    this.breaks = Math.max(this.breaks, count);
    this.gap = "";
    this.tabs = 0;
  }

  /** A space between boxes that stand beside each other. */
  space(): void {
    this.gap = " ";
  }

  /** The end of a cell; empty cells keep their place. */
  tab(): void {
    this.tabs += 1;
    this.gap = "";
  }

  words(text: string): void {
    const plain = text.replace(/[\ue000-\uf8ff]/g, "");
    const inner = plain.trim();
    if (inner === "") {
      if (plain !== "") this.space();
      return;
    }
    if (/^\s/.test(plain)) this.space();
    this.settle();
    this.text += inner.replace(/\s+/g, " ");
    if (/\s$/.test(plain)) this.gap = " ";
  }

  /** Text whose white space is shown as it stands. */
  raw(text: string): void {
    if (text === "") return;
    this.settle();
    this.text += text;
  }

  frame(token: string): void {
    this.end();
    this.parts.push({ frame: token });
  }

  end(): void {
    if (this.text !== "") this.parts.push({ words: this.text });
    this.text = "";
    this.breaks = 0;
    this.gap = "";
    this.tabs = 0;
  }

  private settle(): void {
    const isFirst = this.text === "";
    if (!isFirst) this.text += "\n".repeat(this.breaks);
    if (this.tabs > 0) this.text += "\t".repeat(this.tabs);
    else if (this.breaks === 0 && !isFirst) this.text += this.gap;
    this.breaks = 0;
    this.gap = "";
    this.tabs = 0;
  }
}

function keepsSpace(el: Element): boolean {
  return styleOf(el).whiteSpaceCollapse === "preserve";
}

type Edge = "line" | "paragraph" | "cell" | "space" | "none";

/** What stands between an element and its neighbours. */
export function edgeOf(el: Element, inRow: boolean): Edge {
  const display = namespaceURI(el) === HTML ? styleOf(el).display : "inline";
  if (display === "table-cell") return "cell";
  if (display === "inline" || display === "contents") return "none";
  if (display.startsWith("inline") || inRow) return "space";
  return SPACED.has(localName(el)) ? "paragraph" : "line";
}

function mark(edge: Edge, writer: Writer): void {
  if (edge === "line") writer.line(1);
  else if (edge === "paragraph") writer.line(2);
  else if (edge === "space") writer.space();
}

function write(el: Element, isShown: boolean, writer: Writer): void {
  const isPlain = keepsSpace(el);
  const style = styleOf(el);
  const isRow = style.display.endsWith("flex") && style.flexDirection.startsWith("row");
  for (const child of shownChildren(el)) {
    if (isText(child)) {
      if (!isShown || (child.data.trim() !== "" && !isReadable(el))) continue;
      if (isPlain) writer.raw(child.data);
      else writer.words(child.data);
    } else if (isElement(child)) writeElement(child, isShown, isRow, writer);
  }
}

function writeElement(el: Element, isShown: boolean, inRow: boolean, writer: Writer): void {
  const tag = localName(el);
  if (SKIPPED.has(tag)) return;
  if (tag === "br") {
    writer.line(1);
    return;
  }
  const own = look(el);
  if (own === "gone" || own === "faint") return;
  if (isFrame(el)) {
    if (isRoomForFrame(el)) writer.frame(tokenOf(el));
    return;
  }
  const edge = edgeOf(el, inRow);
  mark(edge, writer);
  write(el, own === "seen" || (isShown && styleOf(el).display === "contents"), writer);
  if (edge === "cell") writer.tab();
  else mark(edge, writer);
}

/** Whether a frame is large enough to be read. */
export function isRoomForFrame(el: Element): boolean {
  const rect = getBoundingClientRect(el);
  return rect.width >= FRAME_LEAST_PX && rect.height >= FRAME_LEAST_PX;
}

/** The visible text below an element on one line. */
export function lineOfText(el: Element): string {
  const writer = new Writer();
  if (look(el) !== "gone") write(el, true, writer);
  writer.end();
  const words = writer.parts.map((part) => ("words" in part ? part.words : ""));
  return squash(words.join(" "));
}

/** The visible text below an element, or of the whole page. */
export function pageText(root?: Element): TextPart[] {
  return reading(() => {
    const writer = new Writer();
    const top = root ?? documentElement(document);
    if (top && isFrame(top)) return [{ frame: tokenOf(top) }];
    if (top && look(top) !== "gone") write(top, true, writer);
    writer.end();
    return writer.parts;
  });
}
