//! Computed styles that differ from what the browser gives an element of that type by itself.
//!
//! The default is read from a fresh element of the type in a closed shadow root that no rule of the
//! page reaches. It must be in the document to have styles at all: it is put there and taken out
//! again before anything else runs, once for each type.

import { getAttribute, inputType, isHtml, localName } from "./dom.ts";
import { isInput } from "./value.ts";

type Pair = [string, string];

const defaults = new Map<string, ReadonlyMap<string, string>>();
const NAMED_MOST = 100;
const VALUE_CHARS = 200;

/** What a box or the text's direction says already, or follows from something else. */
const DERIVED =
  /^(-webkit-|-internal-|width$|height$|inline-size|block-size|perspective-origin|transform-origin|(min-|max-)?(inline|block)-size|(margin|padding|border|inset|scroll-margin|scroll-padding|overflow|overscroll-behavior|contain-intrinsic)-(inline|block)|border-(start|end)|x$|y$|rx$|ry$|app-region)/;
const OFFSETS = new Set(["top", "right", "bottom", "left"]);
const COLOURS = /color$|^(fill|stroke)$/;
const SIDES = ["top", "right", "bottom", "left"];
/** Elements that begin to load or run something, or that the page's own code makes. */
const NOT_MADE =
  /^(iframe|frame|object|embed|script|link|style|base|img|video|audio|html|head|body)$|-/;

/** Styles of the given names. */
export function named(style: CSSStyleDeclaration, names: readonly string[]): Pair[] {
  return names.slice(0, NAMED_MOST).flatMap((name): Pair[] => {
    if (name === "*") return Array.from(style, (one) => pair(style, one));
    return [
      pair(
        style,
        name.trim().replaceAll(/[A-Z]/g, (c) => `-${c.toLowerCase()}`),
      ),
    ];
  });
}

function pair(style: CSSStyleDeclaration, name: string): Pair {
  return [name, style.getPropertyValue(name).slice(0, VALUE_CHARS)];
}

/** Styles that are not the default's. */
export function differing(element: Element, style: CSSStyleDeclaration): Pair[] {
  const usual = defaultsOf(element);
  const colour = style.color;
  const isPlaced = style.position !== "static";
  const found = new Map<string, string>();
  for (const name of Array.from(style)) {
    if (DERIVED.test(name)) continue;
    if (OFFSETS.has(name) && (!isPlaced || isAuto(element, name))) continue;
    const value = style.getPropertyValue(name);
    if (value === usual.get(name)) continue;
    // `currentcolor` follows the text's.
    if (name !== "color" && COLOURS.test(name) && value === colour) continue;
    found.set(name, value.slice(0, VALUE_CHARS));
  }
  for (const name of ["margin", "padding"])
    fold(
      found,
      SIDES.map((side) => `${name}-${side}`),
      name,
    );
  for (const part of ["width", "style", "color"]) {
    fold(
      found,
      SIDES.map((side) => `border-${side}-${part}`),
      `border-${part}`,
    );
  }
  return [...found];
}

/** Computed offsets are used ones: whether somebody set it is told by the typed value. */
function isAuto(element: Element, name: string): boolean {
  return element.computedStyleMap().get(name)?.toString() === "auto";
}

/** Four equal sides are told as one. */
function fold(found: Map<string, string>, names: readonly string[], short: string): void {
  const values = new Set(names.map((name) => found.get(name)));
  const [value] = values;
  if (values.size !== 1 || value === undefined) return;
  for (const name of names) found.delete(name);
  found.set(short, value);
}

function defaultsOf(element: Element): ReadonlyMap<string, string> {
  const kind = kindOf(element);
  let known = defaults.get(kind);
  if (!known) {
    known = readDefaults(element);
    defaults.set(kind, known);
  }
  return known;
}

function kindOf(element: Element): string {
  const type = isInput(element) ? inputType(element as HTMLInputElement) : "";
  return `${element.namespaceURI ?? ""} ${localName(element)} ${type}`;
}

function readDefaults(element: Element): ReadonlyMap<string, string> {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "closed" });
  const sheet = document.createElement("span");
  sheet.style.all = "initial";
  host.style.setProperty("all", "initial", "important");
  host.style.setProperty("position", "fixed", "important");
  host.style.setProperty("visibility", "hidden", "important");
  const probe = probeOf(element);
  sheet.append(probe);
  root.append(sheet);
  const place = document.documentElement;
  if (!place) return new Map();
  place.append(host);
  try {
    const style = getComputedStyle(probe);
    const read = new Map(Array.from(style, (name) => [name, style.getPropertyValue(name)]));
    // The host's own, so that it is not seen.
    read.set("visibility", "visible");
    return read;
  } finally {
    host.remove();
  }
}

function probeOf(element: Element): Element {
  const name = localName(element);
  if (!isHtml(element)) {
    return document.createElementNS(element.namespaceURI, NOT_MADE.test(name) ? "g" : name);
  }
  if (NOT_MADE.test(name)) {
    return document.createElement(/^(html|body)$/.test(name) ? "div" : "span");
  }
  const probe = document.createElement(name);
  const type = getAttribute(element, "type");
  if (type !== null && isInput(element)) probe.setAttribute("type", type);
  return probe;
}
