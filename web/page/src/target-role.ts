//! Elements by role and accessible name, as snapshots print them, with the near synonyms that
//! people and models use. Computes names only where the words can be at all.

import { shownRole } from "./describe.ts";
import {
  childElementCount,
  firstChild,
  firstElementChild,
  getAttribute,
  localName,
  matches,
  querySelector,
  textContent,
} from "./dom.ts";
import { isMereWrapper } from "./interactive.ts";
import { nameOf } from "./name.ts";
import { roleOf } from "./role.ts";
import { elementsOf } from "./roots.ts";
import type { Match, Scope } from "./target.ts";
import { byRow, ROW_ROLES } from "./target-row.ts";
import { isVisible } from "./visible.ts";
import { type Rank, Wanted } from "./words.ts";

// Roles that count as the same at once.
const SAME: Record<string, readonly string[]> = {
  textbox: ["searchbox", "combobox", "spinbutton"],
  searchbox: ["textbox", "combobox"],
  combobox: ["listbox", "textbox", "searchbox"],
  listbox: ["combobox"],
  spinbutton: ["textbox"],
  checkbox: ["switch", "menuitemcheckbox"],
  switch: ["checkbox"],
  radio: ["menuitemradio"],
  menuitem: ["menuitemcheckbox", "menuitemradio"],
  dialog: ["alertdialog"],
  alert: ["alertdialog", "status"],
  status: ["alert", "log"],
  table: ["grid", "treegrid"],
  grid: ["table", "treegrid"],
  cell: ["gridcell", "rowheader", "columnheader"],
  gridcell: ["cell", "rowheader"],
  image: ["img", "graphics-document"],
  img: ["image", "graphics-document"],
  list: ["listbox"],
  form: ["search"],
  group: ["radiogroup", "toolbar", "region"],
};

// Roles that count when nothing of the role asked for fits.
const LOOSE: Record<string, readonly string[]> = {
  button: ["clickable", "link", "menuitem", "tab", "switch", "checkbox", "radio", "option", "img"],
  link: ["clickable", "button", "menuitem", "tab", "treeitem"],
  clickable: ["button", "link", "menuitem", "tab", "option", "treeitem", "cell", "gridcell"],
  tab: ["button", "link", "clickable", "radio"],
  menuitem: ["button", "link", "option", "clickable", "treeitem"],
  option: ["menuitem", "listitem", "treeitem", "clickable", "radio", "checkbox"],
  checkbox: ["radio", "button", "option", "clickable"],
  radio: ["checkbox", "option", "tab", "button", "clickable"],
  treeitem: ["link", "button", "listitem", "clickable"],
  combobox: ["button", "spinbutton"],
  switch: ["button", "clickable"],
  image: ["button", "link"],
  img: ["button", "link"],
};

// Words for roles that are no roles.
const ALIASES: Record<string, string> = {
  input: "textbox",
  field: "textbox",
  textarea: "textbox",
  select: "combobox",
  dropdown: "combobox",
  a: "link",
  anchor: "link",
  picture: "img",
  toggle: "switch",
  radiobutton: "radio",
  modal: "dialog",
  nav: "navigation",
  header: "banner",
  footer: "contentinfo",
  frame: "iframe",
  li: "listitem",
  tr: "row",
};

const NAMING = [
  "aria-label",
  "aria-labelledby",
  "title",
  "alt",
  "placeholder",
  "value",
  "label",
] as const;
const NAMING_INSIDE =
  "[aria-label],[aria-labelledby],[title],[alt],img,svg,input,select,textarea,slot";
const FIELD = "input,select,textarea,meter,output,progress";
// The second pass computes every name; on huge pages only of so many elements.
const SLOW_NAMES = 3_000;

/** Elements of that role whose name fits. An empty name fits any. */
export function byRole(role: string, name: string, scope: Scope): Match[] {
  const asked = role.trim().toLowerCase();
  const wantedRole = ALIASES[asked] ?? asked;
  const wanted = new Wanted(name);
  if (ROW_ROLES.has(wantedRole)) {
    const rows = byRow(wantedRole, wanted, scope);
    if (rows.length > 0 || !wanted.isEmpty) return rows;
  }
  const same = new Set([wantedRole, ...(SAME[wantedRole] ?? [])]);
  const alike = collect(same, wanted, scope);
  if (alike.length > 0 || wanted.isEmpty) return preferRole(alike, wantedRole);
  return collect(new Set(LOOSE[wantedRole] ?? []), wanted, scope);
}

/** Among equally good names the role that was asked for comes before its synonyms. */
function preferRole(matches: Match[], role: string): Match[] {
  const ranks = new Set<Rank>();
  for (const match of matches) {
    if (isPrintedAs(match.element, role) && isVisible(match.element)) ranks.add(match.rank);
  }
  if (ranks.size === 0) return matches;
  return matches.filter((match) => !ranks.has(match.rank) || isPrintedAs(match.element, role));
}

function collect(roles: ReadonlySet<string>, wanted: Wanted, scope: Scope): Match[] {
  if (roles.size === 0) return [];
  const matches: Match[] = [];
  const later: Element[] = [];
  for (const element of elementsOf(scope)) {
    const quick = wanted.isEmpty || mayBeNamed(element, wanted);
    if (!quick && later.length >= SLOW_NAMES) continue;
    if (!hasRole(element, roles, quick)) continue;
    if (!quick) later.push(element);
    else add(matches, element, wanted);
  }
  // Names from generated content or from far labels: only when the cheap look found nothing.
  if (matches.length === 0) for (const element of later) add(matches, element, wanted);
  return innermost(matches);
}

function hasRole(element: Element, roles: ReadonlySet<string>, quick: boolean): boolean {
  if (roles.has(roleOf(element))) return true;
  // Whether a plain element acts costs a computed style: asked only where the words are.
  if (!quick) return false;
  const shown = shownRole(element);
  return roles.has(shown) && (shown !== "clickable" || !isMereWrapper(element));
}

function isPrintedAs(element: Element, role: string): boolean {
  return roleOf(element) === role || shownRole(element) === role;
}

function add(matches: Match[], element: Element, wanted: Wanted): void {
  const rank = rankOf(element, wanted);
  if (rank !== null) matches.push({ element, rank });
}

function rankOf(element: Element, wanted: Wanted): Rank | null {
  if (wanted.isEmpty) return 0;
  const name = nameOf(element);
  if (name !== "") return wanted.rank(name);
  const role = roleOf(element);
  const byContent = role === "" || role === "generic" || role === "none" || WORDY.has(role);
  return byContent ? wanted.rank(textContent(element) ?? "") : null;
}

// Printed with their words although these are not their accessible name.
const WORDY = new Set(["alert", "status", "log", "paragraph", "listitem", "cell", "gridcell"]);

function mayBeNamed(element: Element, wanted: Wanted): boolean {
  for (const attribute of NAMING) {
    const value = getAttribute(element, attribute);
    if (value === null) continue;
    if (attribute === "aria-labelledby" || wanted.mayBeIn(value)) return true;
  }
  if (matches(element, FIELD)) return true;
  if (firstChild(element) === null) return false;
  if (isLeaf(element) || !isContainer(element)) {
    return (
      wanted.mayBeIn(textContent(element) ?? "") || querySelector(element, NAMING_INSIDE) !== null
    );
  }
  return false;
}

function isLeaf(element: Element): boolean {
  return firstElementChild(element) === null;
}

// Containers take no name from their content: reading it at each level would be quadratic.
const CONTAINERS = new Set(
  (
    "html,body,main,section,nav,header,footer,aside,form,fieldset,table,tbody,thead,tfoot,ul,ol,dl," +
    "head,script,style,template,noscript"
  ).split(","),
);

function isContainer(element: Element): boolean {
  return CONTAINERS.has(localName(element)) || childElementCount(element) > 50;
}

/** Of matches inside each other with the same rank, only the innermost that is no wrapper. */
function innermost(matches: Match[]): Match[] {
  if (matches.length < 2) return matches;
  const elements = new Set(matches.map((match) => match.element));
  const wrappers = new Set<Element>();
  for (const { element, rank } of matches) {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (elements.has(at) && isPlainClickable(at, rank, matches)) wrappers.add(at);
    }
  }
  return wrappers.size === 0 ? matches : matches.filter((match) => !wrappers.has(match.element));
}

function isPlainClickable(outer: Element, rank: Rank, matches: Match[]): boolean {
  const role = roleOf(outer);
  if (role !== "" && role !== "generic" && role !== "none") return false;
  const own = matches.find((match) => match.element === outer);
  return own !== undefined && own.rank >= rank;
}
