//! How an element looks: styles that differ from its type's default, its box and what covers it, its
//! attributes and outer HTML. Secrets are masked. Runs nothing of the page's.

import type { Looks } from "../../wire/looking.ts";
import { layerOf } from "./cover.ts";
import {
  childNodes,
  clip,
  getAttribute,
  getBoundingClientRect,
  isElement,
  localName,
  nodeType,
  tagOf,
} from "./dom.ts";
import { deepAt, lands } from "./hit.ts";
import { shadowOf } from "./shadow.ts";
import { differing, named } from "./style-diff.ts";
import { described } from "./target.ts";
import { isMasked } from "./value.ts";

const ATTRIBUTES_MOST = 60;
const ATTRIBUTE_CHARS = 400;
const MASK = "[masked]";
const SECRET_NAME = /pass(word|wd)?|secret|token|csrf|xsrf|api-?key|nonce|otp|session-?id/i;
/** Text of scripts and sheets says little for its length. */
const CODE_CHARS = 200;

/** Answers `inspect`. */
export function inspect(element: Element, properties: readonly string[], html: number): Looks {
  const style = getComputedStyle(element);
  const box = getBoundingClientRect(element);
  const centre = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  const inView = centre.x >= 0 && centre.y >= 0 && centre.x < innerWidth && centre.y < innerHeight;
  const rendered = element.getClientRects().length > 0;
  const hit = rendered && inView ? deepAt(centre.x, centre.y) : null;
  const cover = hit && !lands(element, hit) ? layerOf(hit, element) : null;
  const edges = (name: string, end = ""): Edges => [
    px(style, `${name}-top${end}`),
    px(style, `${name}-right${end}`),
    px(style, `${name}-bottom${end}`),
    px(style, `${name}-left${end}`),
  ];
  const margin = edges("margin");
  const border = edges("border", "-width");
  const padding = edges("padding");
  return {
    element: described(element),
    tag: tagOf(element),
    styles: properties.length > 0 ? named(style, properties) : differing(element, style),
    edges: [margin, border, padding],
    content: [
      Math.max(0, box.width - border[1] - border[3] - padding[1] - padding[3]),
      Math.max(0, box.height - border[0] - border[2] - padding[0] - padding[2]),
    ],
    rendered,
    inView,
    ...(cover && { cover: described(cover) }),
    attributes: attributesOf(element),
    ...(html > 0 && { html: markup(element, html) }),
    htmlSize: html > 0 ? element.outerHTML.length : 0,
  };
}

type Edges = [number, number, number, number];

function px(style: CSSStyleDeclaration, name: string): number {
  const value = Number.parseFloat(style.getPropertyValue(name));
  return Number.isFinite(value) ? value : 0;
}

function attributesOf(element: Element): [string, string][] {
  return namesOf(element)
    .slice(0, ATTRIBUTES_MOST)
    .map((name) => [name, clip(attribute(element, name), ATTRIBUTE_CHARS)]);
}

const attributeNames = Element.prototype.getAttributeNames;

function namesOf(element: Element): string[] {
  return attributeNames.call(element);
}

/** An attribute's value, or the mask where it may be a secret. */
export function attribute(element: Element, name: string): string {
  const value = getAttribute(element, name) ?? "";
  if (value === "") return value;
  if (SECRET_NAME.test(name) && value.length >= 8) return MASK;
  if (name === "value" && (isMasked(element) || isHiddenSecret(element))) return MASK;
  if (name === "content" && SECRET_NAME.test(getAttribute(element, "name") ?? "")) return MASK;
  return value;
}

function isHiddenSecret(element: Element): boolean {
  const names = `${getAttribute(element, "name") ?? ""} ${getAttribute(element, "id") ?? ""}`;
  return localName(element) === "input" && SECRET_NAME.test(names);
}

const VOID = new Set("area,base,br,col,embed,hr,img,input,link,meta,source,track,wbr".split(","));

/** Outer HTML with shadow roots in place, cut: written here, since a copy would wake custom elements. */
function markup(element: Element, most: number): string {
  const out: string[] = [];
  let size = 0;
  const put = (text: string): boolean => {
    const room = most - size;
    if (room <= 0) return false;
    out.push(text.slice(0, room));
    size += text.length;
    return size < most;
  };
  write(element, put);
  return out.join("");
}

function write(node: Node, put: (text: string) => boolean): boolean {
  if (!isElement(node)) return put(leaf(node));
  const name = localName(node);
  const attributes = namesOf(node).map((key) => ` ${key}="${quoted(attribute(node, key))}"`);
  if (!put(`<${name}${attributes.join("")}>`)) return false;
  if (VOID.has(name)) return true;
  const shadow = shadowOf(node);
  if (shadow) {
    if (!put(`<template shadowrootmode="${shadow.mode}">`)) return false;
    for (const child of childNodes(shadow)) if (!write(child, put)) return false;
    if (!put("</template>")) return false;
  }
  if (name === "script" || name === "style") {
    if (!put(clip(node.textContent ?? "", CODE_CHARS))) return false;
  } else if (name === "textarea" && isMasked(node)) {
    if (!put(MASK)) return false;
  } else for (const child of childNodes(node)) if (!write(child, put)) return false;
  return put(`</${name}>`);
}

function leaf(node: Node): string {
  const text = node.nodeValue ?? "";
  if (nodeType(node) === 8) return `<!--${text}-->`;
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function quoted(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
