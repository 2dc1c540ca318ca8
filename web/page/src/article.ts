//! The main content of a page: what is left without navigation, banners, forms and lists of links.
//!
//! A page that says where its content is (`main`, one `article`) is believed; elsewhere the block that holds
//! most of the running text is it.

import type { TextPart } from "../../wire/page.ts";
import {
  documentBody,
  documentTitle,
  getAttribute,
  isElement,
  localName,
  querySelector,
  querySelectorAll,
  textContent,
} from "./dom.ts";
import { pageMarkdown } from "./markdown.ts";
import { reading } from "./reading.ts";
import { flatParent } from "./shadow.ts";
import { isVisible } from "./visible.ts";

/** Blocks of running text that are looked at, at most. */
const BLOCKS_MOST = 4_000;
/** Shorter texts are labels. */
const RUNNING_CHARS = 40;
/** One `article` is the content when it has this share of the page's words. */
const ARTICLE_SHARE = 0.4;
/** A list is links when they have this share of its words. */
const LINK_SHARE = 0.6;
const LINKS_LEAST = 4;

const CHROME_TAGS = new Set(["nav", "aside", "footer", "form", "dialog", "button", "menu"]);
const CHROME_ROLES = new Set(
  "navigation complementary contentinfo banner search dialog alertdialog menu menubar toolbar tablist form".split(
    " ",
  ),
);

function lengthOf(el: Element): number {
  return (textContent(el) ?? "").replace(/\s+/g, " ").length;
}

function isLinks(el: Element): boolean {
  const links = querySelectorAll(el, "a[href]");
  if (links.length < LINKS_LEAST) return false;
  let linked = 0;
  for (const link of Array.from(links)) linked += lengthOf(link);
  return linked > lengthOf(el) * LINK_SHARE;
}

/** Not part of what the page is about. */
function isChrome(el: Element): boolean {
  const tag = localName(el);
  if (CHROME_TAGS.has(tag) || CHROME_ROLES.has(getAttribute(el, "role") ?? "")) return true;
  // The head of an article has its title, that of a page its menu.
  if (tag === "header") return querySelector(el, "h1,h2") === null || isLinks(el);
  return (tag === "ul" || tag === "ol" || tag === "table") && isLinks(el);
}

function only(elements: Element[]): Element | null {
  const [first, second] = elements;
  return first && !second ? first : null;
}

function seen(root: Element, selector: string): Element[] {
  return Array.from(querySelectorAll(root, selector)).filter(isVisible);
}

/** The block with most running text: each paragraph counts for its parent, and half for the one above. */
function densest(body: Element): Element {
  const scores = new Map<Element, number>();
  const add = (el: Element | null, score: number) => {
    if (el && el !== body) scores.set(el, (scores.get(el) ?? 0) + score);
  };
  const blocks = Array.from(querySelectorAll(body, "p,pre,blockquote,li,td,dd"));
  for (const block of blocks.slice(0, BLOCKS_MOST)) {
    const length = lengthOf(block);
    if (length < RUNNING_CHARS || isLinks(block) || !isVisible(block)) continue;
    const parent = flatParent(block);
    add(parent, length);
    if (parent) add(flatParent(parent), length / 2);
  }
  let best = body;
  let most = 0;
  for (const [el, score] of scores) if (score > most) [best, most] = [el, score];
  return best;
}

function contentOf(body: Element): Element {
  const base = only(seen(body, "main,[role=main]")) ?? body;
  const article = only(seen(base, "article"));
  if (article && lengthOf(article) >= lengthOf(base) * ARTICLE_SHARE) return article;
  return base === body ? densest(body) : base;
}

/** The main content in Markdown, with the page's title when it has no heading of its own. */
export function pageArticle(root?: Element): TextPart[] {
  return reading(() => {
    const body = root ?? documentBody(document);
    if (!body || !isElement(body)) return [];
    const content = root ?? contentOf(body);
    const title = querySelector(content, "h1") || root ? "" : documentTitle(document);
    return pageMarkdown(content, (el) => el !== content && isChrome(el), title);
  });
}
