//! Reading the DOM by getters that were captured before the page could matter.
//!
//! A form's named children hide its own properties (`<input name="getAttribute">`), and a document's
//! named images do the same. So nothing here goes through a property of the node itself. It never
//! writes, and never trusts a prototype test: kinds of nodes are told by type, name and namespace.

type Method<T, A extends unknown[], R> = (node: T, ...args: A) => R;

function getter<T extends Node, R>(prototype: object, name: string): (node: T) => R {
  const read = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  if (!read) throw new Error(`no getter ${name}`);
  return (node) => read.call(node);
}

function method<T, A extends unknown[], R>(prototype: object, name: string): Method<T, A, R> {
  const run = Object.getOwnPropertyDescriptor(prototype, name)?.value;
  if (typeof run !== "function") throw new Error(`no method ${name}`);
  return (node, ...args) => run.apply(node, args);
}

export const HTML = "http://www.w3.org/1999/xhtml";
export const SVG = "http://www.w3.org/2000/svg";

export const nodeType = getter<Node, number>(Node.prototype, "nodeType");
export const parentNode = getter<Node, Node | null>(Node.prototype, "parentNode");
export const firstChild = getter<Node, Node | null>(Node.prototype, "firstChild");
export const nextSibling = getter<Node, Node | null>(Node.prototype, "nextSibling");
export const textContent = getter<Node, string | null>(Node.prototype, "textContent");
export const ownerDocument = getter<Node, Document | null>(Node.prototype, "ownerDocument");
export const isConnected = getter<Node, boolean>(Node.prototype, "isConnected");
export const getRootNode = method<Node, [], Node>(Node.prototype, "getRootNode");
export const contains = method<Node, [Node], boolean>(Node.prototype, "contains");

export const localName = getter<Element, string>(Element.prototype, "localName");
export const namespaceURI = getter<Element, string | null>(Element.prototype, "namespaceURI");
export const openShadowRoot = getter<Element, ShadowRoot | null>(Element.prototype, "shadowRoot");
export const firstElementChild = getter<Element, Element | null>(
  Element.prototype,
  "firstElementChild",
);
export const nextElementSibling = getter<Element, Element | null>(
  Element.prototype,
  "nextElementSibling",
);
export const childElementCount = getter<Element, number>(Element.prototype, "childElementCount");
export const clientWidth = getter<Element, number>(Element.prototype, "clientWidth");
export const clientHeight = getter<Element, number>(Element.prototype, "clientHeight");
export const scrollWidth = getter<Element, number>(Element.prototype, "scrollWidth");
export const scrollTop = getter<Element, number>(Element.prototype, "scrollTop");
export const scrollLeft = getter<Element, number>(Element.prototype, "scrollLeft");
export const scrollHeight = getter<Element, number>(Element.prototype, "scrollHeight");
export const getAttribute = method<Element, [string], string | null>(
  Element.prototype,
  "getAttribute",
);
export const hasAttribute = method<Element, [string], boolean>(Element.prototype, "hasAttribute");
export const matches = method<Element, [string], boolean>(Element.prototype, "matches");
export const querySelector = method<Element, [string], Element | null>(
  Element.prototype,
  "querySelector",
);
export const querySelectorAll = method<Element, [string], NodeListOf<Element>>(
  Element.prototype,
  "querySelectorAll",
);
export const getBoundingClientRect = method<Element, [], DOMRect>(
  Element.prototype,
  "getBoundingClientRect",
);
export const checkVisibility = method<Element, [CheckVisibilityOptions?], boolean>(
  Element.prototype,
  "checkVisibility",
);

const assignedSlotOfElement = getter<Element, Element | null>(Element.prototype, "assignedSlot");
const assignedSlotOfText = getter<Text, Element | null>(Text.prototype, "assignedSlot");
export const assignedNodes = method<Element, [], Node[]>(
  HTMLSlotElement.prototype,
  "assignedNodes",
);
export const shadowHost = getter<ShadowRoot, Element>(ShadowRoot.prototype, "host");
export const elementByIdInDocument = method<Document, [string], Element | null>(
  Document.prototype,
  "getElementById",
);
export const elementByIdInFragment = method<DocumentFragment, [string], Element | null>(
  DocumentFragment.prototype,
  "getElementById",
);
const activeInDocument = getter<Document, Element | null>(Document.prototype, "activeElement");
const activeInShadow = getter<ShadowRoot, Element | null>(ShadowRoot.prototype, "activeElement");
export const documentElement = getter<Document, Element | null>(
  Document.prototype,
  "documentElement",
);
export const documentTitle = getter<Document, string>(Document.prototype, "title");
export const documentBody = getter<Document, Element | null>(Document.prototype, "body");

export const inputType = getter<Element & HTMLInputElement, string>(
  HTMLInputElement.prototype,
  "type",
);
const input = HTMLInputElement.prototype;
const area = HTMLTextAreaElement.prototype;
const select = HTMLSelectElement.prototype;
export const inputField = {
  value: getter<Element, string>(input, "value"),
  checked: getter<Element, boolean>(input, "checked"),
  indeterminate: getter<Element, boolean>(input, "indeterminate"),
  type: getter<Element, string>(input, "type"),
  labels: getter<Element, NodeList | null>(input, "labels"),
  list: getter<Element, Element | null>(input, "list"),
  files: getter<Element, FileList | null>(input, "files"),
  message: getter<Element, string>(input, "validationMessage"),
  form: getter<Element, Element | null>(input, "form"),
  readOnly: getter<Element, boolean>(input, "readOnly"),
};
export const areaField = {
  value: getter<Element, string>(area, "value"),
  labels: getter<Element, NodeList | null>(area, "labels"),
  message: getter<Element, string>(area, "validationMessage"),
};
export const selectField = {
  options: getter<Element, HTMLCollectionOf<Element>>(select, "options"),
  selected: getter<Element, HTMLCollectionOf<Element>>(select, "selectedOptions"),
  labels: getter<Element, NodeList | null>(select, "labels"),
  message: getter<Element, string>(select, "validationMessage"),
};
export const formAction = getter<Element, string>(HTMLFormElement.prototype, "action");
export const buttonForm = getter<Element, Element | null>(HTMLButtonElement.prototype, "form");
const buttonAction = getter<Element, string>(HTMLButtonElement.prototype, "formAction");
const inputAction = getter<Element, string>(input, "formAction");
export const buttonLabels = getter<Element, NodeList | null>(HTMLButtonElement.prototype, "labels");
export const meterLabels = getter<Element, NodeList | null>(HTMLMeterElement.prototype, "labels");
export const progressLabels = getter<Element, NodeList | null>(
  HTMLProgressElement.prototype,
  "labels",
);
export const outputLabels = getter<Element, NodeList | null>(HTMLOutputElement.prototype, "labels");
export const labelControl = getter<Element, Element | null>(HTMLLabelElement.prototype, "control");
export const optionSelected = getter<Element, boolean>(HTMLOptionElement.prototype, "selected");
export const optionText = getter<Element, string>(HTMLOptionElement.prototype, "label");
const anchorHref = getter<Element, string>(HTMLAnchorElement.prototype, "href");
const areaHref = getter<Element, string>(HTMLAreaElement.prototype, "href");
export const isContentEditable = getter<Element, boolean>(
  HTMLElement.prototype,
  "isContentEditable",
);
export const tabIndex = getter<Element, number>(HTMLElement.prototype, "tabIndex");

/** Where a button's own `formaction` sends its form. */
export function submitAction(button: Element): string {
  return localName(button) === "input" ? inputAction(button) : buttonAction(button);
}

/** The whole address of an HTML link. */
export function hrefOf(link: Element): string {
  return localName(link) === "area" ? areaHref(link) : anchorHref(link);
}

export function isElement(node: Node): node is Element {
  return nodeType(node) === 1;
}

export function isText(node: Node): node is Text {
  const type = nodeType(node);
  return type === 3 || type === 4;
}

/** A document fragment that is a shadow root: it has a host. */
export function isShadowRoot(node: Node): node is ShadowRoot {
  return nodeType(node) === 11 && "host" in node;
}

export function isDocument(node: Node): node is Document {
  return nodeType(node) === 9;
}

export function isHtml(el: Element): boolean {
  return namespaceURI(el) === HTML;
}

/** The local name of an HTML element, `svg:name` or `other:name` for others. */
export function tagOf(el: Element): string {
  const space = namespaceURI(el);
  if (space === HTML) return localName(el);
  return space === SVG ? `svg:${localName(el)}` : `other:${localName(el)}`;
}

export function assignedSlot(node: Node): Element | null {
  if (isElement(node)) return assignedSlotOfElement(node);
  return nodeType(node) === 3 ? assignedSlotOfText(node as Text) : null;
}

/** Child nodes as a plain array; a live list would be walked again at each index. */
export function childNodes(node: Node): Node[] {
  const out: Node[] = [];
  for (let at = firstChild(node); at; at = nextSibling(at)) out.push(at);
  return out;
}

/** The element with that id in the tree that the node is in. */
export function elementById(from: Node, id: string): Element | null {
  const root = getRootNode(from);
  if (isDocument(root)) return elementByIdInDocument(root, id);
  return nodeType(root) === 11 ? elementByIdInFragment(root as DocumentFragment, id) : null;
}

/** Elements that an id list attribute names, in its order. */
export function referenced(el: Element, attribute: string): Element[] {
  const ids = getAttribute(el, attribute);
  if (!ids) return [];
  const out: Element[] = [];
  for (const id of ids.split(/\s+/)) {
    const target = id && elementById(el, id);
    if (target) out.push(target);
  }
  return out;
}

/** What has focus in a document or shadow root. */
export function activeElement(root: Document | ShadowRoot): Element | null {
  return isDocument(root) ? activeInDocument(root) : activeInShadow(root);
}

/** White space collapsed to one space, none at the ends. */
export function squash(text: string): string {
  return text
    .replace(/[\u200b\ufeff]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** At most so many characters, never half of a surrogate pair. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, end)}…`;
}
