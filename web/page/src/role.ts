//! Which ARIA role an element has: the author's where it is valid, else HTML's or SVG's own.
//!
//! Follows WAI-ARIA 1.2, HTML-AAM and SVG-AAM; '' stands for generic and for no role at all.
//! Knows nothing of names but whether there is one, since some roles depend on it.

import {
  getAttribute,
  HTML,
  hasAttribute,
  inputField,
  localName,
  matches,
  namespaceURI,
  parentNode,
  querySelector,
  referenced,
  SVG,
} from "./dom.ts";
import { perWalk } from "./reading.ts";
import { flatParent } from "./shadow.ts";

const KNOWN = new Set(
  (
    "alert alertdialog application article banner blockquote button caption cell checkbox code " +
    "columnheader combobox comment complementary contentinfo definition deletion dialog directory " +
    "document emphasis feed figure form generic grid gridcell group heading img image insertion link " +
    "list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox " +
    "menuitemradio meter navigation none note option paragraph presentation progressbar radio " +
    "radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton " +
    "status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox " +
    "time timer toolbar tooltip tree treegrid treeitem graphics-document graphics-object " +
    "graphics-symbol doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink " +
    "doc-biblioentry doc-bibliography doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover " +
    "doc-credit doc-credits doc-dedication doc-endnote doc-endnotes doc-epigraph doc-epilogue " +
    "doc-errata doc-example doc-footnote doc-foreword doc-glossary doc-glossref doc-index " +
    "doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagelist doc-part doc-preface " +
    "doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc"
  ).split(" "),
);

/** Global states and properties: an element that has one is never presentational. */
const GLOBAL =
  "[aria-atomic],[aria-busy],[aria-controls],[aria-current],[aria-describedby],[aria-details]," +
  "[aria-dropeffect],[aria-flowto],[aria-grabbed],[aria-keyshortcuts],[aria-label]," +
  "[aria-labelledby],[aria-live],[aria-owns],[aria-relevant],[aria-roledescription]";

const PLAIN: Record<string, string> = {
  address: "group",
  article: "article",
  blockquote: "blockquote",
  button: "button",
  caption: "caption",
  code: "code",
  datalist: "listbox",
  dd: "definition",
  del: "deletion",
  details: "group",
  dfn: "term",
  dialog: "dialog",
  dt: "term",
  em: "emphasis",
  fieldset: "group",
  figure: "figure",
  h1: "heading",
  h2: "heading",
  h3: "heading",
  h4: "heading",
  h5: "heading",
  h6: "heading",
  hgroup: "group",
  hr: "separator",
  ins: "insertion",
  main: "main",
  mark: "mark",
  math: "math",
  menu: "list",
  meter: "meter",
  nav: "navigation",
  ol: "list",
  optgroup: "group",
  option: "option",
  output: "status",
  p: "paragraph",
  progress: "progressbar",
  s: "deletion",
  search: "search",
  strong: "strong",
  sub: "subscript",
  sup: "superscript",
  table: "table",
  tbody: "rowgroup",
  textarea: "textbox",
  tfoot: "rowgroup",
  thead: "rowgroup",
  time: "time",
  ul: "list",
};

const INPUT: Record<string, string> = {
  button: "button",
  checkbox: "checkbox",
  color: "textbox",
  date: "textbox",
  "datetime-local": "textbox",
  file: "button",
  hidden: "",
  image: "button",
  month: "textbox",
  number: "spinbutton",
  radio: "radio",
  range: "slider",
  reset: "button",
  submit: "button",
  time: "textbox",
  week: "textbox",
};

const SECTIONING = new Set(["article", "aside", "dialog", "main", "nav", "section"]);
/** A dialog's head and foot are no landmarks of the page either. */
const SECTIONING_ROLES = new Set(
  "article complementary main navigation region dialog alertdialog".split(" "),
);

/** Whether the author gave it a name: enough for roles that need one. */
function isNamed(el: Element): boolean {
  const label = getAttribute(el, "aria-label");
  if (label !== null && label.trim() !== "") return true;
  if (referenced(el, "aria-labelledby").length > 0) return true;
  const title = getAttribute(el, "title");
  return title !== null && title.trim() !== "";
}

/** A header or footer inside sectioning content belongs to that, not to the page. */
function isInSectioning(el: Element): boolean {
  for (let at = flatParent(el); at; at = flatParent(at)) {
    if (namespaceURI(at) === HTML && SECTIONING.has(localName(at))) return true;
    const role = getAttribute(at, "role");
    if (role && SECTIONING_ROLES.has(role)) return true;
  }
  return false;
}

function isInSectioningContent(el: Element): boolean {
  for (let at = flatParent(el); at; at = flatParent(at)) {
    const name = localName(at);
    if (name === "article" || name === "aside" || name === "nav" || name === "section") return true;
  }
  return false;
}

function inputRole(el: Element): string {
  const type = inputField.type(el);
  const known = INPUT[type];
  if (known !== undefined) return known;
  if (inputField.list(el)) return "combobox";
  return type === "search" ? "searchbox" : "textbox";
}

function isGrid(table: Element | null): boolean {
  const role = table && getAttribute(table, "role");
  return role === "grid" || role === "treegrid";
}

function tableOf(el: Element): Element | null {
  for (let at = parentNode(el); at && "tagName" in at; at = parentNode(at)) {
    const parent = at as Element;
    if (localName(parent) === "table") return parent;
  }
  return null;
}

function headerRole(el: Element): string {
  switch ((getAttribute(el, "scope") ?? "").toLowerCase()) {
    case "row":
    case "rowgroup":
      return "rowheader";
    case "col":
    case "colgroup":
      return "columnheader";
  }
  const row = parentNode(el);
  if (!row || !("tagName" in row)) return "columnheader";
  const hasData = querySelector(row as Element, ":scope > td") !== null;
  return hasData ? "rowheader" : "columnheader";
}

function imageRole(el: Element): string {
  const alt = getAttribute(el, "alt");
  // HTML-AAM: an empty alt means decoration, unless ARIA names it.
  if (alt === "" && !isNamed(el)) return "none";
  return "img";
}

function svgRole(el: Element): string {
  const name = localName(el);
  if (name === "a") return hasAttribute(el, "href") || hasAttribute(el, "xlink:href") ? "link" : "";
  const isNamedGraphic = isNamed(el) || querySelector(el, ":scope > title") !== null;
  switch (name) {
    case "svg":
      return isNamedGraphic ? "img" : "";
    case "image":
      return "img";
    case "circle":
    case "ellipse":
    case "foreignObject":
    case "g":
    case "line":
    case "path":
    case "polygon":
    case "polyline":
    case "rect":
    case "symbol":
    case "use":
      // SVG-AAM: included only where it has a text alternative.
      return isNamedGraphic ? (name === "g" ? "group" : "img") : "";
    default:
      return "";
  }
}

function implicitRole(el: Element): string {
  const space = namespaceURI(el);
  if (space === SVG) return svgRole(el);
  const name = localName(el);
  if (space !== HTML) return name === "math" ? "math" : "";
  switch (name) {
    case "a":
    case "area":
      return hasAttribute(el, "href") ? "link" : "";
    case "aside":
      return isInSectioningContent(el) && !isNamed(el) ? "" : "complementary";
    case "footer":
      return isInSectioning(el) ? "" : "contentinfo";
    case "header":
      return isInSectioning(el) ? "" : "banner";
    case "form":
      return isNamed(el) ? "form" : "";
    case "section":
      return isNamed(el) ? "region" : "";
    case "img":
      return imageRole(el);
    case "input":
      return inputRole(el);
    case "li":
      return isInList(el) ? "listitem" : "";
    case "select":
      return isListBox(el) ? "listbox" : "combobox";
    case "td":
      return isGrid(tableOf(el)) ? "gridcell" : "cell";
    case "th":
      return headerRole(el);
    case "tr":
      return "row";
    default:
      return PLAIN[name] ?? "";
  }
}

/** A select that shows its options all the time. */
export function isListBox(select: Element): boolean {
  const size = Number.parseInt(getAttribute(select, "size") ?? "", 10);
  return hasAttribute(select, "multiple") || size > 1;
}

function isInList(el: Element): boolean {
  const parent = flatParent(el);
  if (!parent) return false;
  const role = getAttribute(parent, "role");
  if (role) return role === "list" || role === "directory" || !KNOWN.has(role);
  const name = localName(parent);
  return name === "ul" || name === "ol" || name === "menu" || name === "slot";
}

/** Focusable by nature or by tabindex. */
export function isFocusable(el: Element): boolean {
  if (hasAttribute(el, "tabindex")) return true;
  if (namespaceURI(el) !== HTML) return localName(el) === "a" && hasAttribute(el, "href");
  switch (localName(el)) {
    case "a":
    case "area":
      return hasAttribute(el, "href");
    case "button":
    case "select":
    case "textarea":
      return !matches(el, ":disabled");
    case "input":
      return inputField.type(el) !== "hidden" && !matches(el, ":disabled");
    case "iframe":
    case "summary":
      return true;
    default: {
      const editable = getAttribute(el, "contenteditable");
      return editable !== null && editable !== "false";
    }
  }
}

/** Parts of a table or list whose owner is presentational are presentational as well. */
const OWNERS: Record<string, string> = {
  li: "ul,ol,menu",
  dt: "dl",
  dd: "dl",
  tr: "table",
  td: "table",
  th: "table",
  tbody: "table",
  thead: "table",
  tfoot: "table",
};

function inheritsPresentation(el: Element): boolean {
  const owners = OWNERS[localName(el)];
  if (!owners || namespaceURI(el) !== HTML) return false;
  for (let at = flatParent(el); at; at = flatParent(at)) {
    if (!matches(at, owners)) {
      if (owners === "table" && !matches(at, "td,th")) continue;
      if (matches(at, "div")) continue;
      return false;
    }
    const role = getAttribute(at, "role")?.trim();
    return (role === "none" || role === "presentation") && !keepsMeaning(at);
  }
  return false;
}

/** WAI-ARIA 1.2, 4.6 "presentational roles conflict resolution". */
function keepsMeaning(el: Element): boolean {
  return isFocusable(el) || matches(el, GLOBAL);
}

function askRole(el: Element): string {
  const given = getAttribute(el, "role");
  if (given) {
    for (const token of given.toLowerCase().split(/\s+/)) {
      if (!KNOWN.has(token)) continue;
      if (token === "none" || token === "presentation") {
        if (keepsMeaning(el)) break;
        return "none";
      }
      // WAI-ARIA 1.2: form and region without a name are to be treated as if they had no role.
      if ((token === "region" || token === "form") && !isNamed(el)) break;
      if (token === "image") return "img";
      if (token === "directory") return "list";
      return token === "generic" ? "" : token;
    }
  }
  if (inheritsPresentation(el)) return "none";
  return implicitRole(el);
}

const cachedRole = perWalk(askRole);

/** The element's role, 'none' for decoration taken back to ''. */
export function roleOf(el: Element): string {
  const role = cachedRole(el);
  return role === "none" ? "" : role;
}

/** Whether its role was removed on purpose: its own name does not count then. */
export function isPresentational(el: Element): boolean {
  return cachedRole(el) === "none";
}
