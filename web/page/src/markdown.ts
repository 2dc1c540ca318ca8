//! What a reader sees, as Markdown: headings, links, lists, quotes, tables and code keep their form. Hidden
//! things stay out, as in plain text. Page words are not escaped: a reader, not a renderer, gets them.

import type { TextPart } from "../../wire/page.ts";
import {
  documentElement,
  getAttribute,
  hasAttribute,
  hrefOf,
  isElement,
  isText,
  localName,
  querySelector,
  textContent,
} from "./dom.ts";
import { tokenOf } from "./frames.ts";
import { isFrame } from "./interactive.ts";
import { reading, styleOf } from "./reading.ts";
import { roleOf } from "./role.ts";
import { isDataTable } from "./table.ts";
import { edgeOf, isRoomForFrame, SKIPPED } from "./text.ts";
import { look, shownChildren } from "./visible.ts";

/** Longer addresses say nothing to a reader. */
const URL_CHARS = 300;
const DEPTH_MOST = 400;

/** Which elements are left out, beside what nobody sees. */
export type Without = (el: Element) => boolean;

/** Gathers blocks. The first line of a block may begin with a mark; the others are below it. */
class Writer {
  readonly parts: TextPart[] = [];
  private text = "";
  private inline = "";
  private gap = 2;
  /** What the next block's first line begins with, and every other line. */
  lead = "";
  rest = "";

  words(text: string): void {
    const plain = text.replace(/[\ue000-\uf8ff]/g, "").replace(/[\t\n\f\r ]+/g, " ");
    if (plain.startsWith(" ")) this.space();
    const inner = plain.trim();
    if (inner === "") return;
    this.inline += inner;
    if (plain.endsWith(" ")) this.space();
  }

  /** The inline words so far, which are then not there any more. */
  take(): string {
    const words = this.inline;
    this.inline = "";
    return words;
  }

  /** As it stands. */
  mark(text: string): void {
    this.inline += text;
  }

  space(): void {
    if (!/\s$/.test(this.inline)) this.inline += " ";
  }

  newline(): void {
    this.inline = `${this.inline.trimEnd()}\n`;
  }

  /** The inline words so far are a block, at least so far from the one before. */
  block(gap?: 1 | 2): void {
    const words = this.inline.trim();
    this.inline = "";
    if (gap) this.gap = gap;
    if (words !== "") this.lines(words.split("\n"));
  }

  lines(lines: string[]): void {
    const [first = "", ...others] = lines;
    if (this.text !== "") this.text += "\n".repeat(this.gap);
    this.text += [this.lead + first, ...others.map((line) => this.rest + line)].join("\n");
    this.lead = this.rest;
    this.gap = 2;
  }

  /** What follows stands right below. */
  close(): void {
    this.gap = 1;
  }

  /** Runs a block whose lines begin with marks of their own. */
  within(lead: string, rest: string, walk: () => void): void {
    this.block();
    const before = this.rest;
    this.lead = before + lead;
    this.rest = before + rest;
    walk();
    this.block();
    this.rest = before;
    this.lead = before;
  }

  frame(token: string): void {
    this.block();
    this.end();
    this.parts.push({ frame: token });
  }

  end(): void {
    if (this.text !== "") this.parts.push({ words: this.text });
    this.text = "";
    this.gap = 2;
  }

  /** One line of what was written into a writer of its own. */
  oneLine(): string {
    this.block();
    return this.text.replace(/\s*\n\s*/g, " ").trim();
  }
}

class Walk {
  private depth = 0;

  constructor(
    private readonly writer: Writer,
    private readonly without: Without,
  ) {}

  /** All of an element: of a list or table, that one itself. */
  top(el: Element): void {
    this.shaped(el, localName(el), look(el) === "seen", false);
  }

  children(el: Element, isShown: boolean): void {
    const style = styleOf(el);
    const isRow = style.display.endsWith("flex") && style.flexDirection.startsWith("row");
    for (const child of shownChildren(el)) {
      if (isText(child)) {
        if (isShown) this.writer.words(child.data);
      } else if (isElement(child)) this.element(child, isShown, isRow);
    }
  }

  private element(el: Element, isShown: boolean, inRow: boolean): void {
    const tag = localName(el);
    if (SKIPPED.has(tag) || this.depth >= DEPTH_MOST) return;
    if (tag === "br") {
      this.writer.newline();
      return;
    }
    const own = look(el);
    if (own === "gone" || own === "faint" || this.without(el)) return;
    if (isFrame(el)) {
      if (isRoomForFrame(el)) this.writer.frame(tokenOf(el));
      return;
    }
    const shows = own === "seen" || (isShown && styleOf(el).display === "contents");
    this.depth += 1;
    this.shaped(el, tag, shows, inRow);
    this.depth -= 1;
  }

  private shaped(el: Element, tag: string, shows: boolean, inRow: boolean): void {
    const { writer } = this;
    const inner = () => this.children(el, shows);
    switch (tag) {
      case "h1":
      case "h2":
      case "h3":
      case "h4":
      case "h5":
      case "h6":
        writer.within(`${"#".repeat(Number(tag[1]))} `, "", inner);
        return;
      case "a":
        this.link(el, inner);
        return;
      case "b":
      case "strong":
        this.around("**", inner);
        return;
      case "i":
      case "em":
        this.around("*", inner);
        return;
      case "s":
      case "del":
        this.around("~~", inner);
        return;
      case "code":
      case "kbd":
      case "samp":
        this.around("`", inner);
        return;
      case "pre":
        if (shows) this.code(el);
        return;
      case "img":
        if (shows) this.image(el);
        return;
      case "hr":
        writer.block();
        writer.lines(["---"]);
        return;
      case "blockquote":
        writer.within("> ", "> ", inner);
        return;
      case "ul":
      case "ol":
        this.list(el, tag === "ol", shows);
        return;
      case "table":
        if (isDataTable(el, roleOf(el)) && shows) {
          this.table(el);
          return;
        }
    }
    const edge = edgeOf(el, inRow);
    if (edge === "line" || edge === "paragraph") writer.block();
    else if (edge !== "none") writer.space();
    inner();
    if (edge === "line" || edge === "paragraph") writer.block();
    else if (edge !== "none") writer.space();
  }

  /** Words in marks, which stand close to them. */
  private around(mark: string, inner: () => void): void {
    const words = this.apart(inner);
    if (words.text === "") {
      if (words.spaced) this.writer.space();
      return;
    }
    if (words.before) this.writer.space();
    this.writer.mark(`${mark}${words.text}${mark}`);
    if (words.after) this.writer.space();
  }

  private link(el: Element, inner: () => void): void {
    const href = hasAttribute(el, "href") ? addressOf(el) : "";
    // A link around blocks is those blocks.
    if (href === "" || querySelector(el, "h1,h2,h3,h4,h5,h6,p,div,li,table,pre")) {
      inner();
      return;
    }
    const words = this.apart(inner);
    if (words.text === "") return;
    if (words.before) this.writer.space();
    this.writer.mark(words.text === href ? href : `[${words.text}](${href})`);
    if (words.after) this.writer.space();
  }

  private apart(inner: () => void): {
    text: string;
    before: boolean;
    after: boolean;
    spaced: boolean;
  } {
    const { writer } = this;
    const before = writer.take();
    inner();
    const raw = writer.take();
    writer.mark(before);
    const text = raw.trim();
    return { text, before: /^\s/.test(raw), after: /\s$/.test(raw), spaced: raw !== "" };
  }

  private image(el: Element): void {
    const alt = (getAttribute(el, "alt") ?? "").trim().replace(/\s+/g, " ");
    if (alt !== "") this.writer.mark(`![${alt}]`);
  }

  private code(el: Element): void {
    const text = (textContent(el) ?? "").replace(/\n$/, "");
    if (text.trim() === "") return;
    const inside = querySelector(el, "code");
    const named = `${getAttribute(inside ?? el, "class") ?? ""} ${getAttribute(el, "class") ?? ""}`;
    const language = /(?:language|lang|highlight-source)-([\w+#-]+)/.exec(named)?.[1] ?? "";
    const runs = text.match(/`{3,}/g) ?? [];
    const fence = "`".repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
    this.writer.block();
    this.writer.lines([`${fence}${language}`, ...text.split("\n"), fence]);
  }

  private list(el: Element, isOrdered: boolean, isShown: boolean): void {
    const { writer } = this;
    const isNested = writer.rest !== "" && !writer.rest.endsWith("> ");
    writer.block();
    let number = Number(getAttribute(el, "start") ?? 1) || 1;
    let isFirst = !isNested;
    for (const child of shownChildren(el)) {
      if (!isElement(child)) continue;
      const own = look(child);
      if (localName(child) !== "li") {
        this.element(child, isShown, false);
        continue;
      }
      if (own === "gone" || own === "faint" || this.without(child)) continue;
      if (!isFirst) writer.close();
      isFirst = false;
      const mark = isOrdered ? `${number}. ` : "- ";
      writer.within(mark, " ".repeat(mark.length), () => this.children(child, own === "seen"));
      number += 1;
    }
  }

  private table(el: Element): void {
    const { writer } = this;
    writer.block();
    const rows: string[][] = [];
    let head = false;
    this.rows(el, (cells) => {
      if (rows.length === 0) head = cells.every((cell) => localName(cell) === "th");
      rows.push(cells.map((cell) => this.cell(cell)));
    });
    const width = Math.max(0, ...rows.map((row) => row.length));
    if (width === 0) return;
    const line = (cells: string[]) =>
      `| ${Array.from({ length: width }, (_, at) => cells[at] ?? "").join(" | ")} |`;
    const body = rows.map(line);
    const rule = `|${" --- |".repeat(width)}`;
    // Markdown's tables have a head: an empty one where the page's has none.
    const [first = line([]), ...others] = head ? body : [line([]), ...body];
    writer.lines([first, rule, ...others]);
  }

  private rows(el: Element, take: (cells: Element[]) => void): void {
    for (const child of shownChildren(el)) {
      if (!isElement(child)) continue;
      const own = look(child);
      if (own === "gone" || own === "faint") continue;
      const tag = localName(child);
      if (tag === "caption") {
        this.children(child, own === "seen");
        this.writer.block();
      } else if (tag === "tr") {
        const cells = shownChildren(child).filter(isElement);
        take(
          cells.filter((cell) => ["td", "th"].includes(localName(cell)) && look(cell) !== "gone"),
        );
      } else if (["thead", "tbody", "tfoot"].includes(tag)) this.rows(child, take);
    }
  }

  private cell(el: Element): string {
    const writer = new Writer();
    new Walk(writer, this.without).children(el, look(el) === "seen");
    return writer.oneLine().replace(/\|/g, "\\|");
  }
}

/** A path on this site, the whole address elsewhere; nothing for what is no page. */
function addressOf(link: Element): string {
  const href = hrefOf(link);
  if (!/^https?:/.test(href) || href.length > URL_CHARS || !URL.canParse(href)) return "";
  const url = new URL(href);
  if (url.origin !== location.origin) return url.href;
  const path = url.pathname + url.search;
  if (url.hash === "") return path;
  return path === location.pathname + location.search ? url.hash : path + url.hash;
}

const EVERYTHING: Without = () => false;

/** The visible words below an element, or of the whole page, in Markdown. */
export function pageMarkdown(root?: Element, without = EVERYTHING, title = ""): TextPart[] {
  return reading(() => {
    const writer = new Writer();
    const top = root ?? documentElement(document);
    if (top && isFrame(top)) return [{ frame: tokenOf(top) }];
    if (title !== "") writer.within("# ", "", () => writer.words(title));
    if (top && look(top) !== "gone") new Walk(writer, without).top(top);
    writer.block();
    writer.end();
    return writer.parts;
  });
}
