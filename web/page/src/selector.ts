//! A CSS selector that means one element of its root, as short as it can be: for what is exported.

import { getAttribute, getRootNode, isElement, localName, parentNode, squash } from "./dom.ts";

const LEVELS = 8;
const CLASSES = 2;

/** The selector. In a shadow root it holds inside that root. */
export function selectorOf(element: Element): string {
  const root = getRootNode(element);
  const isOne = (selector: string): boolean => {
    if (!("querySelectorAll" in root)) return true;
    return (root as Document | ShadowRoot).querySelectorAll(selector).length === 1;
  };
  let path = "";
  let at: Node | null = element;
  for (let level = 0; at && isElement(at) && level < LEVELS; level += 1) {
    for (const part of partsOf(at)) {
      const selector = path === "" ? part : `${part} > ${path}`;
      if (isOne(selector)) return selector;
    }
    const part = `${localName(at)}:nth-of-type(${placeOf(at)})`;
    path = path === "" ? part : `${part} > ${path}`;
    if (isOne(path)) return path;
    at = parentNode(at);
  }
  return path;
}

function partsOf(element: Element): string[] {
  const tag = localName(element);
  const id = getAttribute(element, "id") ?? "";
  const names = squash(getAttribute(element, "class") ?? "")
    .split(" ")
    .filter((name) => name !== "")
    .slice(0, CLASSES)
    .map((name) => `.${CSS.escape(name)}`);
  return [
    ...(id === "" ? [] : [`#${CSS.escape(id)}`]),
    ...(names.length === 0 ? [] : [names.join(""), `${tag}${names.join("")}`]),
    tag,
  ];
}

function placeOf(element: Element): number {
  let place = 1;
  for (let at = element.previousElementSibling; at; at = at.previousElementSibling) {
    if (localName(at) === localName(element)) place += 1;
  }
  return place;
}
