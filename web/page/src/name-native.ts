//! Text alternatives that HTML and SVG give of their own: labels, captions, `alt`, values.
//!
//! HTML-AAM 1.0 section 4.1 and SVG-AAM. ARIA attributes are not read here.

import {
  childNodes,
  documentElement,
  getAttribute,
  getRootNode,
  HTML,
  inputField,
  isDocument,
  isElement,
  isShadowRoot,
  labelControl,
  localName,
  namespaceURI,
  nodeType,
  optionText,
  querySelectorAll,
  SVG,
  squash,
  textContent,
} from "./dom.ts";
import { perWalk } from "./reading.ts";
import { flatChildren } from "./shadow.ts";

/** Where a name came from. */
export type From =
  | ""
  | "labelledby"
  | "label"
  | "native"
  | "content"
  | "title"
  | "placeholder"
  | "aria";
export type Given = { name: string; from: From };
/** Computes the text of an element that names another. */
export type TextOf = (el: Element) => string;

const NOTHING: Given = { name: "", from: "" };

const LABELABLE = new Set("input textarea select button meter progress output".split(" "));

/**
 * Every control's labels in one tree. The browser's own `labels` walks the whole tree each time it
 * is asked, which is seconds on a page of ten thousand buttons.
 */
const labelsIn = perWalk((root: Node): Map<Element, Element[]> => {
  const labels = new Map<Element, Element[]>();
  const top = isDocument(root) ? documentElement(root) : null;
  const found = top
    ? querySelectorAll(top, "label")
    : isShadowRoot(root)
      ? root.querySelectorAll("label")
      : [];
  for (const label of found) {
    const control = namespaceURI(label) === HTML ? labelControl(label) : null;
    if (!control) continue;
    const known = labels.get(control);
    if (known) known.push(label);
    else labels.set(control, [label]);
  }
  return labels;
});

/** The `<label>` elements of a control. */
export function labelsOf(el: Element): Element[] {
  if (namespaceURI(el) !== HTML || !LABELABLE.has(localName(el))) return [];
  const root = getRootNode(el);
  return nodeType(root) === 1 ? [] : (labelsIn(root).get(el) ?? []);
}

function attribute(el: Element, name: string): string {
  return squash(getAttribute(el, name) ?? "");
}

/** The first rendered child element with that tag. */
export function childWith(el: Element, tag: string): Element | null {
  for (const child of flatChildren(el))
    if (isElement(child) && localName(child) === tag) return child;
  return null;
}

function fromLabels(el: Element, textOf: TextOf): Given {
  const words = squash(labelsOf(el).map(textOf).join(" "));
  return words === "" ? NOTHING : { name: words, from: "label" };
}

function fromChild(el: Element, tag: string, textOf: TextOf): Given {
  const child = childWith(el, tag);
  const words = child ? squash(textOf(child)) : "";
  return words === "" ? NOTHING : { name: words, from: "native" };
}

function native(name: string): Given {
  return name === "" ? NOTHING : { name, from: "native" };
}

function inputName(el: Element, textOf: TextOf): Given {
  const labelled = fromLabels(el, textOf);
  if (labelled.name !== "") return labelled;
  switch (inputField.type(el)) {
    case "button":
      return native(attribute(el, "value"));
    case "submit":
      return native(attribute(el, "value") || attribute(el, "title") || "Submit");
    case "reset":
      return native(attribute(el, "value") || attribute(el, "title") || "Reset");
    case "image":
      return native(
        attribute(el, "alt") || attribute(el, "value") || attribute(el, "title") || "Submit",
      );
    default:
      return NOTHING;
  }
}

function svgName(el: Element): Given {
  for (const child of childNodes(el)) {
    if (isElement(child) && localName(child) === "title" && namespaceURI(child) === SVG) {
      return native(squash(textContent(child) ?? ""));
    }
  }
  return localName(el) === "a" ? native(attribute(el, "xlink:title")) : NOTHING;
}

/** The element's own name by its host language; tooltips and placeholders are not part of it. */
export function nativeName(el: Element, textOf: TextOf): Given {
  const space = namespaceURI(el);
  if (space === SVG) return svgName(el);
  if (space !== HTML) return NOTHING;
  switch (localName(el)) {
    case "input":
      return inputName(el, textOf);
    case "button":
    case "meter":
    case "output":
    case "progress":
    case "select":
    case "textarea":
      return fromLabels(el, textOf);
    case "img":
    case "area":
      return native(attribute(el, "alt"));
    case "fieldset":
      return fromChild(el, "legend", textOf);
    case "figure":
      return fromChild(el, "figcaption", textOf);
    case "table":
      return fromChild(el, "caption", textOf);
    case "optgroup":
      return native(attribute(el, "label"));
    case "option":
      return native(squash(optionText(el)));
    default:
      return NOTHING;
  }
}
