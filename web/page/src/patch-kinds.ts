//! How the kinds of things that a patch changes are read and written, by setters that no page can
//! hide. `null` is "not there".

import {
  childNodes,
  getAttribute,
  hasAttribute,
  isConnected,
  isElement,
  localName,
  nodeType,
  squash,
} from "./dom.ts";

export type Kinds = "style" | "text" | "attribute" | "class";

export interface Kind {
  readonly name: Kinds;
  read(element: Element, name: string): string | null;
  write(element: Element, name: string, value: string | null): void;
}

const setAttribute = Element.prototype.setAttribute;
const removeAttribute = Element.prototype.removeAttribute;
const classListOf = Object.getOwnPropertyDescriptor(Element.prototype, "classList")?.get;
const styleOfHtml = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "style")?.get;
const styleOfSvg = Object.getOwnPropertyDescriptor(SVGElement.prototype, "style")?.get;

function inline(element: Element): CSSStyleDeclaration | null {
  for (const get of [styleOfHtml, styleOfSvg]) {
    try {
      const style: unknown = get?.call(element);
      if (style instanceof CSSStyleDeclaration) return style;
    } catch {
      // It is of another namespace.
    }
  }
  return null;
}

export const IMPORTANT = /\s*!\s*important\s*$/i;

export const KINDS: Record<Exclude<Kinds, "text">, Kind> = {
  style: {
    name: "style",
    read(element, name) {
      const style = inline(element);
      const value = style?.getPropertyValue(name) ?? "";
      if (!style || value === "") return null;
      return style.getPropertyPriority(name) ? `${value} !important` : value;
    },
    write(element, name, value) {
      const style = inline(element);
      if (value === null) style?.removeProperty(name);
      else {
        const priority = IMPORTANT.test(value) ? "important" : "";
        style?.setProperty(name, value.replace(IMPORTANT, ""), priority);
      }
      // An empty attribute that was not there before is a trace.
      if (style?.length === 0 && getAttribute(element, "style") === "") {
        removeAttribute.call(element, "style");
      }
    },
  },
  attribute: {
    name: "attribute",
    read: (element, name) => (hasAttribute(element, name) ? getAttribute(element, name) : null),
    write(element, name, value) {
      if (value === null) removeAttribute.call(element, name);
      else setAttribute.call(element, name, value);
    },
  },
  class: {
    name: "class",
    read: (element, name) => (classes(element)?.contains(name) ? "" : null),
    write(element, name, value) {
      if (value === null) classes(element)?.remove(name);
      else classes(element)?.add(name);
      if (getAttribute(element, "class") === "") removeAttribute.call(element, "class");
    },
  },
};

function classes(element: Element): DOMTokenList | null {
  const list: unknown = classListOf?.call(element);
  return list instanceof DOMTokenList ? list : null;
}

const CODE = new Set(["script", "style", "noscript", "template"]);

/** The text of one element: its own text nodes, else the first words inside it. Elements stay. */
export function textBase(element: Element): Kind {
  const own = textsOf(element, false);
  const spoken = own.some((node) => squash(node.data) !== "");
  const nodes = spoken
    ? own
    : textsOf(element, true)
        .filter((node) => squash(node.data) !== "")
        .slice(0, 1);
  const before = nodes.map((node) => node.data);
  const first = Math.max(
    0,
    nodes.findIndex((node) => squash(node.data) !== ""),
  );
  let added: Text | null = null;
  const there = () => [...nodes, ...(added ? [added] : [])];
  return {
    name: "text",
    // A node that the page put another in place of says nothing any more.
    read: () =>
      there().every(isConnected)
        ? there()
            .map((node) => node.data)
            .join("")
        : null,
    write(_, __, value) {
      if (value === before.join("") && value !== null) {
        nodes.forEach((node, nth) => {
          node.data = before[nth] ?? "";
        });
        added?.remove();
        added = null;
        return;
      }
      if (nodes.length === 0) {
        added ??= element.appendChild(document.createTextNode(""));
        added.data = value ?? "";
        return;
      }
      nodes.forEach((node, nth) => {
        node.data = nth === first ? (value ?? "") : "";
      });
    },
  };
}

function textsOf(element: Element, deep: boolean): Text[] {
  const found: Text[] = [];
  for (const node of childNodes(element)) {
    if (nodeType(node) === 3) found.push(node as Text);
    else if (deep && isElement(node) && !CODE.has(localName(node))) {
      found.push(...textsOf(node, true));
    }
  }
  return found;
}
